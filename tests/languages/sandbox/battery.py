"""Execution of attacks: their targets on the host, and recorders with a sandbox."""

import os
import runpy
import signal
import socket
import subprocess
import sysconfig
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.languages.recorder.methods import ROOT
from tests.languages.sandbox.attacks import Attack, Targets
from worldline.core.trace import Assumptions, Limits, Program, Trace
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
def create_targets(folder: Path, sandbox: Sandbox) -> Iterator[Targets]:
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
            _find_home(sandbox),
        )


def _find_home(sandbox: Sandbox) -> str:
    """The folder of the program's disk, or else a folder of the host that every user can write."""
    if "bubblewrap" not in sandbox.layers:
        return "/tmp"
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
    folder: Path,
    *,
    sandbox: Sandbox | None = None,
    backend: Backend = "core",
    modules: Path | None = None,
    is_alone: bool = False,
) -> Iterator["Battery"]:
    """Create the targets, compile the extension module and yield a battery of attacks.

    Args:
        folder: The folder for the targets.
        sandbox: The sandbox to attack.
        backend: How programs are recorded.
        modules: A folder with the extension module, if it has been compiled already.
        is_alone: Whether there are no processes but those of the battery.
    """
    if modules is None:
        modules = folder / "modules"
        modules.mkdir()
        build_syscall_module(modules)
        modules.chmod(0o755)
    sandbox = sandbox or Sandbox()
    with create_targets(folder, sandbox) as targets:
        yield Battery(targets, modules, sandbox, backend, is_alone=is_alone)


class Battery:
    """Executes attacks, all of them with the same recorders."""

    def __init__(
        self,
        targets: Targets,
        modules: Path,
        sandbox: Sandbox,
        backend: Backend,
        *,
        is_alone: bool = False,
    ) -> None:
        self._targets = targets
        self._is_alone = is_alone
        self._witness = _start_witness()
        # Without and with the extension module.
        self._recorders = [
            PythonRecorder(sandbox=sandbox, backend=backend, import_from=folders)
            for folders in ([], [modules])
        ]

    def program(self, attack: Attack) -> Program:
        """The program of an attack, with the targets of this battery."""
        return attack.program(self._targets)

    def run(
        self,
        attack: Attack,
        limits: Limits = LIMITS,
        *,
        assumptions: Assumptions | None = None,
    ) -> tuple[Trace, bool]:
        """Execute an attack, perhaps with assumed calls; returns its trace and whether it has
        succeeded."""
        recorder = self._recorders[attack.name.startswith("call: ")]
        program = self.program(attack)
        if assumptions is None:
            trace = recorder.record(program, limits=limits)
        else:
            trace, _ = recorder.record_assuming(program, assumptions, limits=limits)
        has_succeeded = attack.has_succeeded(trace) or self._has_damage()
        return trace, has_succeeded

    def _has_damage(self) -> bool:
        """Whether an attack has left damage: a file outside, a recorder that does not work, a
        process that was ended, stopped or left."""
        outside = Path(self._targets.outside)
        is_written = sorted(path.name for path in outside.iterdir()) != ["secret"]
        for path in outside.iterdir():
            if path.name != "secret":
                path.unlink()
        results = [
            recorder.record(GOOD, limits=Limits(seconds=60)).result for recorder in self._recorders
        ]
        is_hit = _state(self._witness.pid) not in ("R", "S")
        if is_hit:
            self._witness.kill()
            self._witness.wait()
            self._witness = _start_witness()
        return is_written or results != ["'good'"] * 2 or is_hit or self._has_left_process()

    def _has_left_process(self) -> bool:
        """Whether there is a process of an ended program; it is killed."""
        if not self._is_alone:
            return False
        servers = [recorder._server for recorder in self._recorders]
        own = {1, os.getpid(), self._witness.pid}
        own.update(server._process.pid for server in servers if server)
        end = time.monotonic() + 1
        while left := {
            int(path.name)
            for path in Path("/proc").glob("[0-9]*")
            if int(path.name) not in own and _state(int(path.name)) not in ("", "Z", "X")
        }:
            if time.monotonic() > end:
                break
            time.sleep(0.05)
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        return bool(left)

    def close(self) -> None:
        """End the recorders and the witness."""
        for recorder in self._recorders:
            recorder.close()
        self._witness.kill()
        self._witness.wait()


def _start_witness() -> subprocess.Popen[bytes]:
    """Start a process of the same user that no attack may reach."""
    return subprocess.Popen(["sleep", "infinity"])


def _state(pid: int) -> str:
    """The state of a process: "R" for running, "S" for sleeping; "" if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]
    except OSError:
        return ""
