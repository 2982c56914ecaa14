"""The extension in a real VS Code (code-server), used in Chromium."""

import os
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editors.code_server import EXTENSION, serve_editor, write_launch, write_settings
from tests.editors.workbench import Workbench
from tests.interfaces.viewer.browsers import browser
from tests.support.fake_server import FaultyServer, imitate_vllm, running
from tests.support.predictions import replaced
from tests.support.scripted_models import continue_actual_trace
from worldline.core.trace import Program
from worldline.interfaces.api.diagnosing import diagnose_predictions
from worldline.interfaces.demo import PREDICTIONS
from worldline.languages.python.recorder import PythonRecorder

CODE_SERVER = os.environ.get("WORLDLINE_CODE_SERVER")
CALL = "total([1, 2, 3])"
PROGRAM = (
    "def total(items):\n"
    "    result = 0\n"
    "    for item in items:\n"
    "        result += item\n"
    "    return result\n"
    "\n\n"
    f"# call: {CALL}\n"
)
# In the demo, the model leaves the variable as it was, with its comma.
DIVERGENCE = "predicted no change, actual word='be'"


@pytest.fixture(scope="module")
def vsix() -> Path:
    """The packaged extension."""
    if not (EXTENSION / "node_modules").exists():
        pytest.skip("run npm install in editors/vscode")
    subprocess.run(["npm", "run", "package"], cwd=EXTENSION, check=True, capture_output=True)
    return EXTENSION / "dist" / "worldline.vsix"


@pytest.fixture(scope="module")
def editor(vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Any]]:
    """The address of VS Code, and Chromium."""
    if CODE_SERVER is None:
        pytest.skip("WORLDLINE_CODE_SERVER does not name code-server")
    work = tmp_path_factory.mktemp("editor")
    with serve_editor(CODE_SERVER, work) as address, browser() as chromium:
        yield address, chromium


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a program."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "loop.py").write_text(PROGRAM)
    return folder


@pytest.fixture
def window(editor: tuple[str, Any], folder: Path, request: Any) -> Iterator[Workbench]:
    """A window of VS Code with the folder."""
    address, chromium = editor
    page = chromium.new_page(viewport={"width": 1280, "height": 800})
    window = Workbench(page, address, folder)
    yield window
    target = os.environ.get("WORLDLINE_PICTURES")
    if target:
        window.picture(Path(target) / f"{request.node.name}.png")
    page.close()


def test_the_package_has_the_program_and_nothing_else(vsix: Path) -> None:
    with zipfile.ZipFile(vsix) as archive:
        names = set(archive.namelist())
    assert "extension/dist/extension.js" in names
    assert not [name for name in names if "node_modules" in name or name.endswith(".ts")]
    assert vsix.stat().st_size < 100_000


def step(window: Workbench) -> None:
    """Step, and wait until the call stack shows it."""
    before = window.frames()
    window.press("step-into")
    window.wait(lambda: window.frames() != before)


def wait_for_variable(window: Workbench, text: str) -> None:
    """Wait until the variables show it."""
    window.wait(lambda: text in window.variables())


def test_a_function_is_run_and_stepped_in_both_directions(window: Workbench) -> None:
    window.open_file("loop.py")
    window.click_lens("run")
    assert window.accept_input() == CALL
    window.wait_for_stop()
    assert window.wait(window.frames)[0].startswith("total (call) loop.py")
    for _ in range(4):
        step(window)
    window.wait(lambda: "result=1" in window.line_values())
    assert "result=0" in window.line_values()
    window.wait(lambda: "result = 1" in window.variables())
    before, frames = window.variables(), window.frames()
    step(window)
    window.press("step-back")
    window.wait(lambda: window.frames() == frames and window.variables() == before)


def test_breakpoints_stop_in_both_directions(window: Workbench) -> None:
    window.open_file("loop.py")
    window.set_breakpoint(4)
    window.click_lens("run")
    window.accept_input()
    window.wait_for_stop()
    for button, item in (
        ("continue", 1), ("continue", 2), ("continue", 3), ("reverse-continue", 2)
    ):  # fmt: skip
        window.press(button)
        wait_for_variable(window, f"item = {item}")
        assert window.frames()[0] == "total loop.py 4:1"


def test_a_prediction_stops_at_its_divergence(folder: Path, window: Workbench) -> None:
    write_launch(folder, predictions=str(PREDICTIONS), sample="wrong_string", stopOnEntry=True)
    window.open_file("loop.py")
    window.start_debugging()
    window.press("continue")
    window.wait(lambda: DIVERGENCE in window.line_values())
    window.wait(lambda: "word = 'be,' instead of 'be'" in window.variables())
    # Before the divergence, nothing is marked.
    window.press("step-back")
    window.wait(lambda: not window.marked_values())


def test_a_model_predicts_and_is_compared(
    folder: Path, window: Workbench, recorder: PythonRecorder
) -> None:
    trace = recorder.record(Program(PROGRAM, CALL))
    model = continue_actual_trace(trace, edit=replaced('"result": "3"', '"result": "4"'))

    def reply(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return imitate_vllm(path, body, write=model)

    with running(FaultyServer(lambda number: None, answer=reply)) as server:
        write_settings(folder, engine=server.url, codec="cwm")
        window.open_file("loop.py")
        window.click_lens("predict")
        assert window.accept_input() == CALL
        window.wait_for_stop()
        window.press("continue")
        window.wait(lambda: "predicted result=4, actual result=3" in window.line_values())
        window.wait(lambda: "result = 4 instead of 3" in window.variables())


def test_the_view_of_runs_opens_a_failure(folder: Path, window: Workbench) -> None:
    diagnose_predictions([PREDICTIONS], output=folder / "runs" / "demo")
    write_settings(folder, runs=["runs/demo"])
    window.page.keyboard.press("Control+Shift+D")
    window.open_run("runs/demo")
    window.open_run("string semantics 1")
    window.open_run("wrong_string word, answer correct")
    window.wait_for_stop()
    window.press("continue")
    window.wait(lambda: DIVERGENCE in window.line_values())
