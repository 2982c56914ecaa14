"""Overview and list of samples in Chromium: charts, counts of filters, keys, definitions."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.runs.samples import fill, questions
from tests.interfaces.viewer.browsers import OpenPage, Tab
from tests.support.paths import PROJECT_ROOT
from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.analysis.diagnosis import label
from worldline.evaluation.metrics import measure_calibration, measure_survival_curve
from worldline.evaluation.runs import read_answers, read_scored_samples
from worldline.interfaces.viewer import write_report
from worldline.languages.python.recorder import PythonRecorder

ROWS = ".rows tbody th a"


@pytest.fixture(scope="session")
def repeated_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run with two repeats of three questions."""
    folder = tmp_path_factory.mktemp("repeated") / "run"
    asked = questions(3)
    known = continue_actual_trace(*(recorder.record(question.program) for question in asked[:2]))
    fill(folder, asked, lambda: engine_of(known), recorder, repeats=2)
    return str(folder)


def open_list(tab: Tab, parameters: str = "") -> None:
    tab.go(f"#/run/0/samples{parameters}")
    tab.page.wait_for_selector(ROWS)


def toggles(tab: Tab) -> dict[str, int]:
    """The verdicts and their counts: {"Correct": 3}."""
    texts = [text.rsplit(None, 1) for text in tab.texts(".toggle")]
    return {name: int(count) for name, count in texts}


def test_the_survival_curve_has_the_numbers_of_the_report(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run)
    points = measure_survival_curve(read_scored_samples(demo_run))
    chart = tab.page.locator('svg[aria-label^="Share of predictions without a divergence"]')
    wanted = ", ".join(f"{point.step}: {100 * point.survival:.1f}%" for point in points)
    assert chart.locator("desc").text_content() == wanted
    assert chart.locator("circle").count() == len(points)
    # The curve never rises: its points go down, from left to right. It is a step curve: every part
    # is horizontal or vertical.
    line = str(chart.locator("polyline").get_attribute("points"))
    positions = [tuple(map(float, point.split(","))) for point in line.split()]
    assert positions == sorted(positions)
    assert [y for _, y in positions] == sorted(y for _, y in positions)
    for (x, y), (next_x, next_y) in pairwise(positions):
        assert x == next_x or y == next_y
    assert tab.accessibility_violations() == []


@pytest.mark.parametrize("width", [390, 1280])
def test_charts_are_redrawn_for_the_width_of_the_window(
    open_page: OpenPage, demo_run: str, width: int
) -> None:
    tab = open_page(demo_run, width=width)
    tab.wait("document.querySelector('.chart svg') !== null")
    for chart in tab.page.locator(".chart").all():
        inside, outside = (
            element.bounding_box()["width"] for element in (chart.locator("svg"), chart)
        )
        assert abs(inside - outside) <= 1
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_the_cost_in_tokens_is_drawn(open_page: OpenPage, intervened_run: str) -> None:
    tab = open_page(intervened_run)
    rows = read_scored_samples(intervened_run)
    sizes = Counter(1 << ((row.completion_tokens or 0).bit_length() - 1) for row in rows)
    chart = tab.page.locator('svg[aria-label="Samples by completion tokens"]')
    if len(sizes) == 1:
        assert chart.count() == 0
        return
    assert chart.locator("rect").count() == 2 * len(sizes)
    text = str(chart.locator("desc").text_content())
    assert sum(int(part.split(": ")[1].split(" ")[0]) for part in text.split("; ")) == len(rows)


def test_calibration_is_shown_for_repeats_only(
    open_page: OpenPage, repeated_run: str, demo_run: str
) -> None:
    measured = measure_calibration(read_answers(repeated_run))
    assert measured is not None
    tab = open_page(repeated_run)
    panel = tab.page.locator("section", has=tab.page.get_by_text("Calibration: confidence"))
    assert f"{measured.questions} questions" in panel.inner_text()
    assert panel.locator("circle").count() == len(measured.bins)
    assert panel.locator(".diagonal").count() == 1
    assert tab.accessibility_violations() == []
    tab = open_page(demo_run)
    assert tab.page.get_by_text("Calibration").count() == 0


def test_counts_of_filters_are_what_a_click_shows(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    rows = read_scored_samples(demo_run)
    open_list(tab)
    assert toggles(tab) == {
        label(name): count for name, count in Counter(row.verdict for row in rows).items()
    }
    tab.page.get_by_label("Differs in").select_option("=state")
    states = [row for row in rows if row.differs_in == "state"]
    tab.wait(f"document.querySelectorAll('{ROWS}').length === {len(states)}")
    counts = Counter(row.verdict for row in states)
    last_word = "element.innerText.trim().split(/\\s+/).at(-1)"
    total = (
        f"[...document.querySelectorAll('.toggle')].reduce((sum, element) => sum + +{last_word}, 0)"
    )
    tab.wait(f"{total} === {len(states)}")
    shown = toggles(tab)
    assert shown == {label(row.verdict): counts[row.verdict] for row in rows}
    # A value that would show nothing cannot be chosen.
    disabled = tab.texts(".toggle[disabled]")
    assert len(disabled) == list(shown.values()).count(0) > 0
    verdict, count = counts.most_common(1)[0]
    tab.page.get_by_role("button", name=f"{label(verdict)} {count}").click()
    tab.wait(f"document.querySelectorAll('{ROWS}').length === {count}")
    # The other values of the same column are still offered, with what they would show.
    chosen = [row for row in states if row.verdict == verdict]
    options = "[...document.querySelectorAll('option')].map((option) => option.innerText)"
    tab.wait(f"{options}.includes('Any ({len(chosen)})')")
    kinds = tab.page.get_by_label("Kind of value").locator("option").all_inner_texts()
    for kind, number in Counter(row.kind for row in chosen).items():
        assert f"{kind} ({number})" in kinds
    assert "where=state" in tab.hash
    assert f"verdict={verdict}" in tab.hash
    tab.page.reload()
    tab.page.wait_for_selector(ROWS)
    tab.wait(f"document.querySelectorAll('{ROWS}').length === {count}")
    assert tab.accessibility_violations() == []


def test_the_list_is_used_with_the_keyboard_alone(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    open_list(tab)
    press = tab.page.keyboard.press
    names = tab.texts(ROWS)
    focused = "document.activeElement.innerText.trim()"
    press("j")
    tab.wait(f"{focused} === {names[0]!r}")
    press("j")
    press("ArrowDown")
    tab.wait(f"{focused} === {names[2]!r}")
    press("k")
    tab.wait(f"{focused} === {names[1]!r}")
    press("Enter")
    tab.wait(f"location.hash.includes('/sample/{names[1]}')")
    tab.page.wait_for_selector(".sample-nav")
    press("u")
    tab.wait("location.hash.includes('/samples')")
    tab.page.wait_for_selector(ROWS)
    # The keys continue at the sample that was opened.
    press("j")
    tab.wait(f"{focused} === {names[1]!r}")
    press("/")
    tab.wait("document.activeElement.type === 'search'")
    tab.page.keyboard.type(names[3])
    tab.wait("location.hash.includes('search=')")
    assert tab.page.locator('input[type="search"]').input_value() == names[3]


def tip(tab: Tab) -> str:
    tab.page.wait_for_selector('[role="tooltip"]')
    return str(tab.page.inner_text('[role="tooltip"]'))


def test_columns_and_codes_are_defined_on_hover(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    open_list(tab)
    for heading, definition in (
        (
            "Differs in",
            "What differs: “Argument”, “State”, “Action”, “Return value”, “Exception” or “End”",
        ),
        (re.compile("^Step$"), "First step that differs, from 0"),
        ("Predicted", "The predicted value"),
    ):
        tab.page.mouse.move(0, 0)
        tab.wait("document.querySelector('[role=tooltip]') === null")
        tab.page.locator(".rows thead button", has_text=heading).first.hover()
        assert tip(tab) == definition
    # The link of a row covers its badges.
    badge = tab.page.locator(".rows tbody .badge", has_text="Incorrect").first.bounding_box()
    tab.page.mouse.move(badge["x"] + 20, badge["y"] + badge["height"] / 2)
    tab.wait("document.querySelector('[role=tooltip]')?.innerText === 'The answer differs'")
    assert tab.accessibility_violations() == []


def test_definitions_are_shown_on_focus_and_hidden_by_escape(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run)
    row = next(r for r in read_scored_samples(demo_run) if r.cause and r.outcome == "diverged")
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.wait_for_selector(".badges")
    badge = tab.page.locator(".badges .badge").last
    # The focus is visible only if a key was pressed.
    tab.page.keyboard.press("Tab")
    badge.focus()
    # The definition is that of the documentation.
    page = (PROJECT_ROOT / "docs" / "reference" / "causes.md").read_text(encoding="utf-8")
    (line,) = [line for line in page.splitlines() if line.startswith(f"| `{row.cause}` |")]
    definition = line.split(" | ")[1].replace("`", "")
    assert tip(tab).casefold() == definition.casefold()
    assert badge.get_attribute("aria-describedby") == "definition"
    tab.page.keyboard.press("Escape")
    tab.wait("document.querySelector('[role=tooltip]') === null")


def test_definitions_are_shown_by_touch(
    chromium: Any, page_url: Any, demo_run: str, form: str
) -> None:
    context = chromium.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    page = context.new_page()
    page.goto(page_url(demo_run))
    page.wait_for_selector(".panel h2 .defined")
    page.locator(".panel h2 .defined", has_text="Survival curve").tap()
    page.wait_for_selector('[role="tooltip"]')
    box = page.locator('[role="tooltip"]').bounding_box()
    assert box["x"] >= 0, form
    assert box["x"] + box["width"] <= 390
    page.locator("h1").tap()
    page.wait_for_selector('[role="tooltip"]', state="detached")
    context.close()


def test_the_help_lists_the_definitions(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run, width=390)
    tab.page.keyboard.press("?")
    tab.page.wait_for_selector("dialog[open]")
    tab.page.locator("dialog summary", has_text="Causes").click()
    text = tab.page.inner_text("dialog")
    assert "Copy error" in text
    assert "the value only had to be copied" in text
    assert tab.accessibility_violations() == []


@pytest.mark.data
def test_the_report_of_the_recorded_failures_is_small(
    recorded_run: str, recorder: PythonRecorder, tmp_path: Path
) -> None:
    write_report([recorded_run], tmp_path / "report.html", recorder)
    assert (tmp_path / "report.html").stat().st_size < 1_500_000
