"""What works without Linux, libseccomp, bubblewrap and a compiler.

`tests/support/other_platform.py` imitates the other platforms.
"""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.support.paths import PROJECT_ROOT
from worldline.core.errors import InputError
from worldline.core.util import file_lock
from worldline.evaluation.store import Lock
from worldline.interfaces.demo import PREDICTIONS
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import read_prediction_file

PLATFORMS = ("linux", "darwin", "win32")
MAIN = "from worldline.interfaces.cli import main; main()"
IMPORT_ALL = """
import importlib, pkgutil
import worldline
from worldline.core.errors import InputError
assert all(hasattr(worldline, name) for name in worldline.__all__)
# Scripts, the code of sandboxed interpreters, of gdb and of the playground (Pyodide has fcntl), and
# what needs an optional library.
left_out = ("__main__", "batch_harness", "drop_root", "llamacpp_child", "inspect_task")
left_out += ("in_process_recorder", "diagnosis_request", "playground", "crosshair_script")
for info in pkgutil.walk_packages(worldline.__path__, "worldline."):
    is_inside = ".child" in info.name or ".debugger." in info.name
    if not is_inside and info.name.rpartition(".")[2] not in left_out:
        importlib.import_module(info.name)
        print(info.name)
"""
PROGRAM = "def f(x):\n    y = x * 2\n    return y\n"


def run_on(
    platform: str, code: str, *arguments: str, execute: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run code in a process that looks as if it were on another platform."""
    flag = ("--execute",) if execute else ()
    command = [sys.executable, "-m", "tests.support.other_platform", *flag, platform, code]
    return subprocess.run(
        [*command, *arguments], cwd=PROJECT_ROOT, capture_output=True, text=True, timeout=300
    )


@pytest.mark.parametrize("platform", PLATFORMS)
def test_every_module_is_imported(platform: str) -> None:
    process = run_on(platform, IMPORT_ALL)
    assert process.returncode == 0, process.stderr
    assert len(process.stdout.splitlines()) > 300


def test_the_imitation_lacks_what_the_platform_lacks() -> None:
    assert run_on("win32", "import fcntl").returncode == 1
    assert run_on("darwin", "import os; os.memfd_create").returncode == 1
    started = run_on("linux", "import subprocess; subprocess.run(['/bin/true'])")
    assert "a process was started" in started.stderr


@pytest.mark.parametrize(
    ("platform", "advice"),
    [
        ("linux", "apt install bubblewrap"),
        ("darwin", "worldline --sandbox reduced"),
        ("win32", "wsl --install"),
    ],
)
def test_programs_are_refused_in_one_sentence(
    platform: str, advice: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("refused") / "f.py"
    path.write_text(PROGRAM)
    process = run_on(platform, MAIN, "record", str(path), "--call", "f(3)", execute=True)
    assert process.returncode == 2
    assert advice in process.stderr
    assert len(process.stderr.splitlines()) == 1


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_programs_run_in_the_reduced_sandbox(
    platform: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("reduced") / "f.py"
    path.write_text(PROGRAM)
    options = ("record", str(path), "--call", "f(3)", "--sandbox", "reduced")
    process = run_on(platform, MAIN, *options, execute=True)
    assert process.returncode == 0, process.stderr
    assert "finished: 6" in process.stdout
    assert "reduced sandbox: without bubblewrap" in process.stdout


def test_a_program_that_hangs_is_killed_without_pidfds(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("hangs") / "f.py"
    path.write_text("import time\ndef f():\n    time.sleep(600)\n")
    options = ("record", str(path), "--call", "f()", "--sandbox", "reduced", "--seconds", "1")
    process = run_on("darwin", MAIN, *options, execute=True)
    assert "time limit: more than 1 s" in process.stdout


def test_sandbox_check_says_that_layers_need_linux() -> None:
    process = run_on("darwin", MAIN, "sandbox", "check", execute=True)
    assert process.returncode == 1
    assert process.stdout.count("needs Linux") == 7
    assert "apt install" not in process.stdout


@pytest.fixture(scope="module")
def run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run that was made on this machine."""
    folder = tmp_path_factory.mktemp("elsewhere") / "run"
    return make_recorded_run(folder, list(read_prediction_file(PREDICTIONS)), recorder)


LOOK = """
import sys
from pathlib import Path
from worldline.interfaces.api import run as api
from worldline.interfaces.cli import main
from worldline.interfaces.viewer import html_shell, http_server

# Whether or not the real page is built.
for module in (api, html_shell, http_server):
    module.built_page = lambda: "<!doctype html><!--worldline-csp--><!--worldline-data-->"

run, report = sys.argv[1:]
for command in (
    ["demo"],
    ["report", run],
    ["compare", run, run],
    ["sql", run, "select count(*) as n from samples"],
    ["show", run, "wrong_string"],
    ["report", run, "-o", report],
):
    print("==", *command)
    main(command, standalone_mode=False)
with api.Run(run).view() as page:
    from urllib.request import urlopen
    sample = urlopen(f"{page.url}api/sample?run=0&id=wrong_string").read()
    print("== view", b"'be,'" in sample)
"""


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_run_is_read_without_an_execution(platform: str, run: str, tmp_path: Path) -> None:
    process = run_on(platform, LOOK, run, str(tmp_path / "report.html"))
    assert process.returncode == 0, process.stderr
    parts = process.stdout.split("== ")[1:]
    assert [part.split()[0] for part in parts] == [
        "demo", "report", "compare", "sql", "show", "report", "view",
    ]  # fmt: skip
    assert "'be,'" in parts[4]
    assert "15 samples" in parts[5]
    assert (tmp_path / "report.html").stat().st_size > 5_000
    assert "view True" in parts[6]


class FakeMsvcrt(ModuleType):
    """Imitation of the module `msvcrt`, which locks files on Windows: one lock at a time."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        super().__init__("msvcrt")
        self.is_locked = False

    def locking(self, fd: int, mode: int, size: int) -> None:
        """Lock bytes of a file."""
        assert mode == self.LK_NBLCK
        if self.is_locked:
            raise PermissionError(13, "Permission denied")
        self.is_locked = True


def test_locks_of_windows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(file_lock, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", FakeMsvcrt())
    lock = Lock(tmp_path / "open.jsonl")
    with pytest.raises(InputError, match="is being written by another process"):
        Lock(tmp_path / "open.jsonl")
    lock.release()
    assert list(tmp_path.iterdir()) == []
