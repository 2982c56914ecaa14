"""Execution of attacks: their targets on the host, and recorders with a sandbox."""

import os
import runpy
import socket
import subprocess
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.languages.recorder.methods import ROOT
from tests.languages.sandbox.attacks import Attack, Targets
from worldline.core.trace import Limits, Program, Trace
from worldline.languages.python.recorder import Backend, PythonRecorder
from worldline.languages.sandbox import Sandbox

LIMITS = Limits(seconds=3, steps=200_000, memory_mb=1024)
GOOD = Program("def f():\n    return 'good'\n", "f()")


def build_syscall_module(folder: Path) -> None:
    """Compile the extension module that makes any system call into a folder."""
    include = sysconfig.get_path("include")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    source = Path(__file__).with_name("syscall_module.c")
    flags = runpy.run_path(str(ROOT / "hatch_build.py"))["FLAGS"]
    target = folder / f"syscall_module{suffix}"
    subprocess.run(["cc", *flags, "-isystem", include, str(source), "-o", str(target)], check=True)


@contextmanager
def create_targets(folder: Path) -> Iterator[Targets]:
    """Create the targets on the host: a secret file, a folder and a server."""
    outside = folder / "outside"
    outside.mkdir()
    outside.chmod(0o777)
    secret = outside / "secret"
    secret.write_text("ESCAPED: the host's secret")
    os.environ["WORLDLINE_SECRET"] = "ESCAPED"
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server,), daemon=True).start()
        yield Targets(
            str(secret),
            str(outside),
            server.getsockname()[1],
            str(ROOT / "src/worldline/languages/python/recorder/child"),
            socket.gethostname(),
            os.getpid(),
            _find_home(),
        )


def _find_home() -> str:
    """The folder of the program's disk."""
    with PythonRecorder() as recorder:
        trace = recorder.record(Program("import os\ndef f():\n    return os.getcwd()\n", "f()"))
    assert trace.result
    return trace.result.strip("'")


def _accept(server: socket.socket) -> None:
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            return


@contextmanager
def battery(
    folder: Path, *, sandbox: Sandbox | None = None, backend: Backend = "core"
) -> Iterator["Battery"]:
    """Create the targets, compile the extension module and yield a battery of attacks."""
    modules = folder / "modules"
    modules.mkdir()
    build_syscall_module(modules)
    modules.chmod(0o755)
    with create_targets(folder) as targets:
        yield Battery(targets, modules, sandbox or Sandbox(), backend)


class Battery:
    """Executes attacks, all of them with the same recorders."""

    def __init__(self, targets: Targets, modules: Path, sandbox: Sandbox, backend: Backend) -> None:
        self._targets = targets
        # Without and with the extension module.
        self._recorders = [
            PythonRecorder(sandbox=sandbox, backend=backend, import_from=folders)
            for folders in ([], [modules])
        ]

    def program(self, attack: Attack) -> Program:
        """The program of an attack, with the targets of this battery."""
        return attack.program(self._targets)

    def run(self, attack: Attack, limits: Limits = LIMITS) -> tuple[Trace, bool]:
        """Execute an attack; returns its trace and whether it has succeeded."""
        recorder = self._recorders[attack.name.startswith("call: ")]
        trace = recorder.record(self.program(attack), limits=limits)
        has_succeeded = attack.has_succeeded(trace) or self._has_damage()
        return trace, has_succeeded

    def _has_damage(self) -> bool:
        """Whether an attack has left damage: a file outside, or a recorder that does not work."""
        outside = Path(self._targets.outside)
        is_written = sorted(path.name for path in outside.iterdir()) != ["secret"]
        for path in outside.iterdir():
            if path.name != "secret":
                path.unlink()
        results = [
            recorder.record(GOOD, limits=Limits(seconds=60)).result for recorder in self._recorders
        ]
        return is_written or results != ["'good'"] * 2

    def close(self) -> None:
        """End the recorders."""
        for recorder in self._recorders:
            recorder.close()
