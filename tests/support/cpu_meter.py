"""CPU time of this process and everything it starts, also in a sandbox: by a control group."""

import os
import time
from contextlib import suppress
from pathlib import Path

_ROOT = Path("/sys/fs/cgroup/cpuacct")


class CpuMeter:
    """Seconds of CPU, which other work on the machine changes little; or else elapsed seconds.

    It needs root and control groups of version 1. All processes that this process starts later
    count, also those that it does not wait for.
    """

    def __init__(self) -> None:
        self._folder = _ROOT / f"worldline-meter-{os.getpid()}"
        self.is_cpu = False
        with suppress(OSError):
            self._folder.mkdir()
            (self._folder / "cgroup.procs").write_text(str(os.getpid()))
            self.is_cpu = True

    def seconds(self) -> float:
        """Seconds so far; compare two of them."""
        if self.is_cpu:
            return int((self._folder / "cpuacct.usage").read_text()) / 1e9
        return time.perf_counter()

    def close(self) -> None:
        """Leave the group and remove it, if no process is left in it."""
        if self.is_cpu:
            (_ROOT / "cgroup.procs").write_text(str(os.getpid()))
            with suppress(OSError):
                self._folder.rmdir()
