"""Control groups (cgroups) that limit all programs of one interpreter together."""

import os
import re
import shutil
import subprocess
import time
import uuid
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")
MEMORY_BYTES = 4 << 30
PROCESSES = 256
# Folders of control groups: the one of version 2, and those of version 1.
_PARENTS = ("", "memory", "pids")
# The process, a random number and the process namespace.
_NAME = re.compile(r"worldline-(\d+)-[0-9a-f]{8}(?:-(\d+))?")
# Age at which an empty group is abandoned: its interpreter joins it within a second.
_ABANDONED_SECONDS = 60
# The interpreter in the groups ends at about the same time.
_REMOVE_AT_END = """
read -r _
for _ in 1 2 3 4 5 6 7 8 9 10; do
    rmdir "$@" && exit
    sleep 0.5
done
"""


class ControlGroups:
    """Control groups of one interpreter: version 1 (as root) or version 2.

    Attributes:
        task_files: The files that a process writes its id to in order to join.
    """

    def __init__(self, folders: list[Path], task_files: list[str]) -> None:
        self._folders = folders
        self._remover: subprocess.Popen[bytes] | None = None
        self.task_files = task_files

    @classmethod
    def create(cls) -> "ControlGroups":
        """New control groups. Groups that killed processes have left are removed.

        Raises:
            OSError: They cannot be created on this machine.
        """
        remove_abandoned_groups(seconds=_ABANDONED_SECONDS)
        name = f"worldline-{os.getpid()}-{uuid.uuid4().hex[:8]}-{_process_namespace()}"
        if (ROOT / "cgroup.controllers").exists():
            return cls._create(
                [(ROOT / name, {"memory.max": MEMORY_BYTES, "pids.max": PROCESSES})], "cgroup.procs"
            )
        limits = [
            (ROOT / "memory" / name, {"memory.limit_in_bytes": MEMORY_BYTES}),
            (ROOT / "pids" / name, {"pids.max": PROCESSES}),
        ]
        return cls._create(limits, "tasks")

    @classmethod
    def _create(
        cls, limits: "list[tuple[Path, dict[str, int]]]", task_file: str
    ) -> "ControlGroups":
        groups = cls([], [])
        try:
            for folder, values in limits:
                folder.mkdir()
                groups._folders.append(folder)
                for name, value in values.items():
                    (folder / name).write_text(str(value))
                groups.task_files.append(str(folder / task_file))
        except OSError:
            groups.close()
            raise
        groups._start_remover()
        return groups

    def _start_remover(self) -> None:
        """Start a process that removes the groups when this process was killed.

        It reads from a pipe that is closed then.
        """
        shell = shutil.which("sh")
        if shell is not None:
            self._remover = subprocess.Popen(
                [shell, "-c", _REMOVE_AT_END, shell, *map(str, self._folders)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                # Ctrl-C in a terminal is for this process, which then removes the groups itself.
                start_new_session=True,
            )

    def close(self) -> None:
        """Remove the groups; their processes have ended, or are about to."""
        _remove_all(self._folders, timeout=1.0)
        if self._remover is not None:
            self._remover.kill()
            self._remover.communicate()
            self._remover = None


def remove_abandoned_groups(*, seconds: float = 0.0, timeout: float = 0.0) -> None:
    """Remove the groups of processes that no longer exist.

    Args:
        seconds: Keep younger groups. Those of other containers are kept for a minute.
        timeout: How long to wait for the last process of such a group to end.
    """
    folders = (folder for parent in _PARENTS for folder in (ROOT / parent).glob("worldline-*"))
    _remove_all([each for each in folders if _is_abandoned(each, seconds)], timeout=timeout)


def _remove_all(folders: list[Path], *, timeout: float) -> None:
    """Remove groups; wait for the last process of each to end."""
    deadline = time.monotonic() + timeout
    remaining = [folder for folder in folders if not _remove(folder)]
    while remaining and time.monotonic() < deadline:
        time.sleep(0.02)
        remaining = [folder for folder in remaining if not _remove(folder)]


def _is_abandoned(folder: Path, seconds: float) -> bool:
    match = _NAME.fullmatch(folder.name)
    if match is None:
        return False
    if match[2] not in (None, _process_namespace()):
        # In another container; whether the process exists cannot be known here.
        seconds = max(seconds, _ABANDONED_SECONDS)
    elif _exists(int(match[1])):
        return False
    with suppress(OSError):
        return time.time() - folder.stat().st_mtime >= seconds
    return False


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


@cache
def _process_namespace() -> str:
    """The number of this process namespace: 4026531836"""
    return "".join(filter(str.isdigit, os.readlink("/proc/self/ns/pid")))


def _remove(folder: Path) -> bool:
    """Remove a group; False if it has processes."""
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
