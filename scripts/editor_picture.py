"""Picture of stepping back in VS Code at a divergence: `python -m scripts.editor_picture`.

It replays a recorded failure of CWM-32B in a real VS Code (code-server, whose command
WORLDLINE_CODE_SERVER names; CONTRIBUTING.md has its installation) with the extension in
editors/vscode, which `npm run package` has built. It needs Chromium.
"""

import os
import sys
import tempfile
from pathlib import Path

from tests.editors.code_server import serve_editor, write_launch
from tests.editors.workbench import Workbench
from tests.interfaces.viewer.browsers import browser
from worldline.core.errors import InputError
from worldline.core.util.text import truncate_text

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "pictures" / "editor.png"
FAILURES = "cwm32b_cruxeval_failures.jsonl"
# A list that is changed while it is iterated over.
SAMPLE = "sample_33"
SIZE = {"width": 1240, "height": 640}
SETTINGS = {
    "workbench.colorTheme": "Default Light Modern",
    "workbench.activityBar.location": "hidden",
    "workbench.statusBar.visible": False,
    "workbench.layoutControl.enabled": False,
    "window.menuBarVisibility": "hidden",
    "window.commandCenter": False,
    "breadcrumbs.enabled": False,
    "editor.minimap.enabled": False,
    "debug.toolBarLocation": "docked",
}


def take_picture(command: str, predictions: Path, picture: Path) -> None:
    """Step back from the divergence of a sample and forwards to it, and take a picture.

    Args:
        command: The command of code-server.
        predictions: The file with the recorded failures.
        picture: The file to write to.
    """
    with tempfile.TemporaryDirectory() as temporary:
        folder, work = Path(temporary) / "project", Path(temporary) / "editor"
        folder.mkdir()
        work.mkdir()
        write_launch(folder, predictions=str(predictions), sample=SAMPLE)
        with serve_editor(command, work, settings=SETTINGS) as address, browser() as chromium:
            window = Workbench(chromium.new_page(viewport=SIZE), address, folder)
            window.start_debugging()
            marked = window.wait(window.marked_values)
            window.press("step-back")
            window.wait(lambda: not window.marked_values())
            window.press("step-into")
            window.wait(lambda: window.marked_values() == marked)
            window.fold("Watch")
            window.fold("Breakpoints")
            window.fold("Loaded Scripts")
            window.point_at("step-back")
            # The variables and the name of the button appear after a while.
            window.page.wait_for_timeout(3_000)
            window.picture(picture)
            shown = [*window.frames(), *window.variables(), *window.line_values()]
    print(f"{picture.name}: {picture.stat().st_size / 1e3:.0f} kB")
    print("\n".join(truncate_text(text, 100) for text in shown))


def main() -> None:
    """Take the picture, and print the values on it."""
    command = os.environ.get("WORLDLINE_CODE_SERVER")
    if command is None:
        raise InputError("WORLDLINE_CODE_SERVER does not name code-server")
    data = Path(os.environ.get("WORLDLINE_DATA") or ROOT.parent / "shared" / "data")
    picture = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    take_picture(command, data / FAILURES, picture)


if __name__ == "__main__":
    main()
