"""What attacks are run against: things to be had on the host, and a sandbox with all its layers or fewer."""

import os
import runpy
import socket
import subprocess
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.recorders.methods import ROOT
from tests.sandbox.attacks import Attack, Places
from worldline.recorders import Method, PythonRecorder
from worldline.sandbox import Sandbox
from worldline.trace import Limits, Program, Trace

LIMITS = Limits(seconds=3, steps=200_000, memory_mb=1024)
GOOD = Program("def f():\n    return 'good'\n", "f()")


def build_anycall(folder: Path) -> Path:
    """The folder with the module that makes any call."""
    include = sysconfig.get_path("include")
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    source = Path(__file__).with_name("anycall.c")
    flags = runpy.run_path(str(ROOT / "hatch_build.py"))["FLAGS"]
    target = folder / f"anycall{suffix}"
    # Its function is exported by the macro; the rest is hidden as in our own.
    subprocess.run(["cc", *flags, "-isystem", include, str(source), "-o", str(target)], check=True)
    return folder


@contextmanager
def places(folder: Path) -> Iterator[Places]:
    """A file, a folder and a server on the host, all of which are nobody's business."""
    outside = folder / "outside"
    outside.mkdir()
    outside.chmod(0o777)
    secret = outside / "secret"
    secret.write_text("ESCAPED: the host's secret")
    os.environ["WORLDLINE_SECRET"] = "ESCAPED"
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=_accept, args=(server,), daemon=True).start()
        yield Places(
            str(secret),
            str(outside),
            server.getsockname()[1],
            str(ROOT / "src/worldline/recorders/inner"),
            socket.gethostname(),
            os.getpid(),
            _home(),
        )


def _home() -> str:
    """Where programs have their disk."""
    with PythonRecorder() as recorder:
        found = recorder.record(Program("import os\ndef f():\n    return os.getcwd()\n", "f()"))
    assert found.result
    return found.result.strip("'")


def _accept(server: socket.socket) -> None:
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            return


@contextmanager
def battery(
    folder: Path, *, sandbox: Sandbox | None = None, method: Method = "core"
) -> Iterator["Battery"]:
    """Everything that it takes."""
    calls = folder / "calls"
    calls.mkdir()
    build_anycall(calls)
    calls.chmod(0o755)
    with places(folder) as found:
        yield Battery(found, calls, sandbox or Sandbox(), method)


class Battery:
    """Runs attacks, each against a recorder that has been through the ones before."""

    def __init__(self, found: Places, calls: Path, sandbox: Sandbox, method: Method) -> None:
        self._places = found
        self._made = [
            PythonRecorder(sandbox=sandbox, method=method, import_from=folders)
            for folders in ([], [calls])
        ]

    def program(self, attack: Attack) -> Program:
        """An attack on what there is to be had here."""
        return attack.program(self._places)

    def run(self, attack: Attack, limits: Limits = LIMITS) -> tuple[Trace, bool]:
        """What came of it, and whether it succeeded."""
        recorder = self._made[attack.name.startswith("call: ")]
        trace = recorder.record(self.program(attack), limits=limits)
        has_succeeded = attack.has_succeeded(trace) or self._is_harmed()
        return trace, has_succeeded

    def _is_harmed(self) -> bool:
        """Whether something is left of an attack: a file outside, or a recorder that works no more."""
        outside = Path(self._places.outside)
        is_written = sorted(path.name for path in outside.iterdir()) != ["secret"]
        for path in outside.iterdir():
            if path.name != "secret":
                path.unlink()
        results = [
            recorder.record(GOOD, limits=Limits(seconds=60)).result for recorder in self._made
        ]
        return is_written or results != ["'good'"] * 2

    def close(self) -> None:
        """End the recorders."""
        for recorder in self._made:
            recorder.close()
