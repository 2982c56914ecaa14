"""Pictures of threads and of a distribution, from the real page.

Used by `scripts/build-gallery --pictures`; needs Chromium.
"""

import tempfile
from pathlib import Path

from scripts.page_pictures import open_report
from tests.interfaces.viewer.browsers import browser
from tests.interfaces.viewer.small_runs import make_result_run
from tests.support.paths import PROJECT_ROOT
from worldline.analysis.choices import outcomes_to_text, result_distribution
from worldline.core.trace import Program
from worldline.interfaces.viewer import write_report
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

_THREADS = PROJECT_ROOT / "tests" / "programs" / "threads" / "lost_update.py"
_DICE = "import random\n\n\ndef roll(n):\n    return sum(random.randint(1, 6) for _ in range(n))\n"
# A simulated model answers 7 too often, and twice what two dice cannot give.
_ANSWERS = {"4": 3, "6": 5, "7": 15, "8": 3, "9": 6, "10": 5, "11": 1, "13": 2}
# Pixels around the parts of the page.
_MARGIN = 8


def take_choice_pictures(pictures: Path) -> None:
    """Take the pictures of the how-to guides about threads and about chance.

    Args:
        pictures: The folder to write to.
    """
    with tempfile.TemporaryDirectory() as temporary, PythonRecorder() as recorder:
        folder = Path(temporary)
        threads = make_result_run(
            folder / "threads",
            [Question("lost_update", Program(_THREADS.read_text(encoding="utf-8"), "buggy()"))],
            lambda _: "1",
            recorder,
        )
        write_report([threads], folder / "threads.html", recorder)
        program = Program(_DICE, "roll(2)")
        exact = outcomes_to_text(result_distribution(program, recorder))
        # The sample that is shown answers 7.
        values = sorted(_ANSWERS, key=lambda value: value != "7")
        answers = iter([value for value in values for _ in range(_ANSWERS[value])])
        dice = make_result_run(
            folder / "dice",
            [Question("dice", program, exact)],
            lambda _: next(answers),
            recorder,
            repeats=sum(_ANSWERS.values()),
        )
        write_report([dice], folder / "dice.html", recorder)
        _take(
            folder / "threads.html",
            "#/run/0/sample/lost_update?step=22",
            (".sample-head .results", ".timeline", ".threads-panel"),
            pictures / "threads.png",
        )
        _take(
            folder / "dice.html", "#/run/0/sample/dice", (".distribution",),
            pictures / "distribution.png",
        )  # fmt: skip


def _take(report: Path, route: str, parts: tuple[str, ...], picture: Path) -> None:
    """Take a picture of parts of a page; what is between them is hidden."""
    with browser() as chromium:
        page = chromium.new_page(viewport={"width": 1016, "height": 1400})
        open_report(page, report, route)
        page.wait_for_selector(parts[-1])
        page.evaluate(
            """(parts) => {
              const shown = parts.map((part) => document.querySelector(part));
              const hide = (element) => {
                if (shown.includes(element)) return;
                const hasPart = shown.some((each) => element.contains(each));
                if (hasPart) [...element.children].forEach(hide);
                else element.style.display = "none";
              };
              hide(document.body);
            }""",
            parts,
        )
        boxes = [page.locator(part).first.bounding_box() for part in parts]
        left = min(box["x"] for box in boxes) - _MARGIN
        top = min(box["y"] for box in boxes) - _MARGIN
        right = max(box["x"] + box["width"] for box in boxes) + _MARGIN
        bottom = max(box["y"] + box["height"] for box in boxes) + _MARGIN
        clip = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        page.screenshot(path=picture, clip=clip)
        page.close()
    print(picture.name, flush=True)
