"""Words and layout of the page in Chromium: one meaning for a word, nothing cut without a hint."""

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from tests.interfaces.viewer.browsers import OpenPage, Tab
from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.support.predictions import predict, replaced, text_of
from worldline.analysis.diagnosis import LABELS
from worldline.core.trace import Program
from worldline.evaluation.runs import read_scored_samples
from worldline.interfaces.report import natural_key
from worldline.interfaces.viewer.sample_table import COLUMN_LABELS
from worldline.languages.python.recorder import PythonRecorder

ROWS = ".rows tbody th a"
# More changed samples than a comparison lists at first.
SAMPLES = 14
TEXT = "def f(n):\n    s = 'a long text that differs near its end: ' * n\n    return s\n"


@pytest.fixture(scope="session")
def two_runs(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Two runs of a program with a long value: wrong in all samples of the first, then correct."""
    program = Program(TEXT, "f(2)")
    text = text_of(recorder.record(program))
    wrong = replaced("its end: '", "its END: '", times=text.count("its end: '"))(text)
    folder = tmp_path_factory.mktemp("two")
    first, second = (
        make_recorded_run(
            folder / name,
            [replace(predict(program, output), id=f"s{number}") for number in range(SAMPLES)],
            recorder,
        )
        for name, output in (("wrong", wrong), ("right", text))
    )
    return first, second


def open_first_failure(tab: Tab, run: str) -> None:
    row = next(r for r in read_scored_samples(run) if r.outcome == "diverged" and r.cause)
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.wait_for_selector(".step-rows")


def test_outcomes_of_traces_have_other_words_than_verdicts(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run)
    rows = read_scored_samples(demo_run)
    shown = set(tab.texts('[aria-label="Counts by outcome"] tbody th'))
    words = COLUMN_LABELS["outcome"]
    assert shown == {words.get(row.outcome, LABELS[row.outcome]) for row in rows}
    verdicts = {LABELS[row.verdict] for row in rows if row.verdict != "infra_error"}
    assert "Correct" in verdicts
    assert not shown & verdicts
    assert "hypothesis" in tab.page.locator(".panel", has_text="Causes of").inner_text()


def test_the_overview_says_how_the_run_was_made_and_links_its_panels(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run, width=390)
    assert "step by step" in tab.page.inner_text(".method")
    before = tab.hash
    tab.page.locator(".jump-links button", has_text="Survival").click()
    tab.wait("scrollY > 500")
    top = tab.page.locator("#section-survival").bounding_box()["y"]
    assert -2 <= top < 900
    assert tab.hash == before


def test_samples_are_sorted_by_name_and_columns_are_grouped(
    open_page: OpenPage, two_runs: tuple[str, str]
) -> None:
    tab = open_page(two_runs[0])
    tab.go("#/run/0/samples")
    tab.page.wait_for_selector(ROWS)
    names = [f"s{number}" for number in range(SAMPLES)]
    assert names == sorted(names, key=natural_key) != sorted(names)
    assert tab.texts(ROWS) == names
    heading = tab.page.locator(".rows thead th", has_text="Sample")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert "▲" in heading.inner_text()
    assert heading.locator("button").evaluate("e => e.scrollWidth <= e.clientWidth")
    heading.locator("button").click()
    tab.wait(f"document.querySelector('{ROWS}').innerText === '{names[-1]}'")
    assert tab.texts(ROWS) == names[::-1]
    group = tab.page.locator(".rows thead th[scope=colgroup]")
    assert group.inner_text() == "First divergence"
    box = group.bounding_box()
    for title in ("Cause", "Predicted", "Actual", "Differs in", "Kind of value"):
        column = tab.page.locator(".rows thead th", has_text=title).last.bounding_box()
        assert box["x"] <= column["x"] + 1
        assert column["x"] + column["width"] <= box["x"] + box["width"] + 1
    assert tab.accessibility_violations() == []


def test_values_in_the_list_are_shortened_around_the_difference(
    open_page: OpenPage, two_runs: tuple[str, str]
) -> None:
    tab = open_page(two_runs[0])
    tab.go("#/run/0/samples")
    tab.page.wait_for_selector(ROWS)
    for side, differing in (("actual", "end: "), ("predicted", "END: ")):
        cell = tab.page.locator(f".rows tbody td.{side}").first
        assert re.fullmatch(f"….*{differing}.*", cell.inner_text())
        # The browser does not cut it again.
        assert cell.evaluate("element => element.scrollWidth <= element.clientWidth")
        title = cell.get_attribute("title")
        assert title is not None
        assert title.startswith("s = 'a long text")


def test_rows_without_a_divergence_say_so(open_page: OpenPage, two_runs: tuple[str, str]) -> None:
    tab = open_page(two_runs[1])
    tab.go("#/run/0/samples")
    tab.page.wait_for_selector(ROWS)
    # Without a cause in any sample, the column "Actual" is the first one about the divergence.
    cells = tab.page.locator(".rows tbody tr").first.locator("td").all_inner_texts()
    assert cells[1:5] == ["Same execution", "–", "–", "–"]


def test_the_values_of_a_sample_are_in_view_in_a_narrow_list(
    open_page: OpenPage, two_runs: tuple[str, str]
) -> None:
    tab = open_page(*two_runs, width=390)
    tab.go("#/run/0/samples")
    tab.page.wait_for_selector(ROWS)
    rows = tab.page.locator(".rows tbody tr").all()
    for row in rows[:3]:
        box = row.bounding_box()
        for side, differing in (("actual", "end: "), ("predicted", "END: ")):
            value = row.locator(f".second-line .{side}")
            assert differing in value.inner_text()
            inside = value.bounding_box()
            assert inside["x"] + inside["width"] <= 390
            assert inside["y"] + inside["height"] <= box["y"] + box["height"]
    # The links to both runs and to the comparison are in view.
    for link in tab.page.locator(".top nav a").all():
        box = link.bounding_box()
        assert box["x"] + box["width"] <= 390
    # The rows have the height with which the keys and the scroll bar compute.
    assert rows[2].bounding_box()["y"] - rows[0].bounding_box()["y"] == 2 * 50
    assert tab.accessibility_violations() == []


def test_headings_are_explained_in_the_words_of_the_page(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run)
    tab.go("#/run/0/samples")
    tab.page.wait_for_selector(ROWS)
    for title, words in (
        ("Trace", ("“Same execution”", "“Diverged”")),
        ("Verdict", ("“Correct”", "“No answer”")),
        ("Differs in", ("“Argument”", "“Return value”")),
    ):
        tab.page.locator(".rows thead th button", has_text=title).hover()
        tip = tab.page.locator("#definition", has_text=words[0])
        tip.wait_for()
        assert words[1] in tip.inner_text()
        assert not re.search("[a-z]_[a-z]", tip.inner_text())


def test_all_changed_samples_can_be_shown(open_page: OpenPage, two_runs: tuple[str, str]) -> None:
    tab = open_page(*two_runs)
    tab.go("#/compare")
    names = '[aria-label="Gained samples"] tbody th a'
    assert len(tab.texts(names)) < SAMPLES
    tab.page.get_by_role("button", name=f"Show all {SAMPLES}", exact=True).click()
    assert len(tab.texts(names)) == SAMPLES
    rows = tab.texts('[aria-label="Quantities in both runs"] tbody th')
    assert rows[0] == f"Correct, of {SAMPLES} shared samples"
    assert tab.accessibility_violations() == []
    tab.page.locator(names).first.click()
    tab.wait("location.hash.startsWith('#/run/0/sample/s')")


def test_a_comparison_shows_all_spaces(
    open_page: OpenPage, recorder: PythonRecorder, tmp_path: Path
) -> None:
    program = Program("def f(n):\n    s = ' ' * n\n    return s\n", "f(11)")
    text = text_of(recorder.record(program))
    actual, predicted = f"'{' ' * 11}'", f"'{' ' * 10}'"
    wrong = replaced(actual, predicted, times=text.count(actual))(text)
    runs = [
        make_recorded_run(tmp_path / name, [predict(program, output)], recorder)
        for name, output in (("wrong", wrong), ("right", text))
    ]
    tab = open_page(*runs, width=390)
    tab.go("#/compare")
    change = tab.page.locator('[aria-label="Gained samples"] tbody td').first
    assert f"{predicted} instead of {actual}" in change.inner_text()
    # A short text is on one line.
    text_after = tab.page.locator('[aria-label="Gained samples"] tbody td a').last
    assert text_after.inner_text() == "Correct"
    assert text_after.evaluate("e => e.getClientRects().length") == 1
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1280, 1500])
def test_nothing_that_differs_is_cut_at_the_divergence(
    open_page: OpenPage, two_runs: tuple[str, str], width: int
) -> None:
    tab = open_page(two_runs[0], width=width)
    tab.go("#/run/0/sample/s0")
    tab.page.wait_for_selector(".step-row.diverged")
    for cell in tab.page.locator(".step-row.diverged .step-cell").all():
        box = cell.bounding_box()
        for value in cell.locator(".different").all():
            inside = value.bounding_box()
            assert inside["y"] + inside["height"] <= box["y"] + box["height"] + 1
            assert inside["x"] + inside["width"] <= box["x"] + box["width"] + 1
            assert value.evaluate("element => element.scrollWidth <= element.clientWidth + 1")
    # No row covers another one.
    tops = [row.bounding_box() for row in tab.page.locator(".step-rows .step-row").all()]
    for above, below in pairwise(tops):
        assert below["y"] >= above["y"] + above["height"] - 1


@pytest.mark.parametrize(("times", "lines"), [(1, 1), (20, 4)], ids=["short", "long"])
def test_the_divergence_has_the_lines_that_it_needs(
    open_page: OpenPage, recorder: PythonRecorder, tmp_path: Path, times: int, lines: int
) -> None:
    program = Program("def f(n):\n    s = 'abcdefgh' * n\n    return s\n", f"f({times})")
    value = "abcdefgh" * times
    text = text_of(recorder.record(program))
    # The source of the first step keeps its string.
    wrong = text.replace(f"\"'{value}'\"", f"\"'{value[:-1]}x'\"")
    folder = tmp_path / "run"
    make_recorded_run(folder, [replace(predict(program, wrong), id="s0")], recorder)
    tab = open_page(str(folder), width=900)
    tab.go("#/run/0/sample/s0")
    row = tab.page.locator(".step-row.diverged")
    tab.wait("document.querySelector('.step-row.diverged .different') !== null")
    height = row.bounding_box()["height"]
    assert height == 22 if lines == 1 else 22 < height <= 22 * lines
    for shown in row.locator(".different").all():
        inside, box = shown.bounding_box(), row.bounding_box()
        assert inside["y"] + inside["height"] <= box["y"] + box["height"] + 1
    following = tab.page.locator(".step-row.diverged + .step-row").bounding_box()
    assert following["y"] == row.bounding_box()["y"] + height


def test_the_output_of_the_model_is_one_click_away(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    open_first_failure(tab, demo_run)
    summary = tab.page.locator(".raw-texts summary", has_text="Model output")
    assert summary.bounding_box()["y"] < 450
    summary.click()
    tab.page.wait_for_selector(".raw-texts details[open] .value")
    assert "first divergence" in tab.page.inner_text(".bar-legend")
    # The steps have the whole width.
    assert tab.page.locator(".timeline").bounding_box()["width"] > 1100


def test_the_copy_menu_is_closed_by_a_click_elsewhere_and_by_escape(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run)
    open_first_failure(tab, demo_run)
    copy, menu = tab.page.locator(".copy-items"), tab.page.locator(".copy-menu summary")
    assert not copy.is_visible()
    menu.click()
    assert copy.is_visible()
    tab.page.locator("h1").click()
    copy.wait_for(state="hidden")
    menu.click()
    assert copy.is_visible()
    tab.page.keyboard.press("Escape")
    copy.wait_for(state="hidden")


def test_the_marks_of_steps_and_lines_are_explained(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    row = next(
        r
        for r in read_scored_samples(demo_run)
        if r.differs_in == "state" and r.executed_line is not None
    )
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.wait_for_selector(".cm-line.at-cause")
    assert "Values on arrival at the line" in tab.page.inner_text(".timeline-caption")
    assert "✗ first divergence" in tab.page.inner_text(".timeline .mark-legend")
    source = tab.page.inner_text(".source .mark-legend")
    assert "✗ the line whose execution led to the divergence" in source
    assert "AP the line of this step, in both executions" in source
    # The line that was executed is marked, also while another one is current.
    marked = tab.page.locator(".cm-line.at-cause")
    number = marked.evaluate("e => [...e.parentNode.children].indexOf(e) + 1")
    assert number == row.executed_line
    tab.page.keyboard.press("ArrowLeft")
    tab.wait("document.querySelector('.cm-line.at-cause.at-AP') !== null")
    title = tab.page.locator(".line-marks .cause-mark").last.evaluate("e => e.parentNode.title")
    assert "led to the divergence" in title
    assert tab.accessibility_violations() == []


def test_a_truncated_sample_says_that_it_has_no_answer(
    open_page: OpenPage, recorder: PythonRecorder, tmp_path: Path
) -> None:
    program = Program("def f(n):\n    s = n * 2\n    t = s + 1\n    return t\n", "f(3)")
    text = text_of(recorder.record(program))
    cut = text.replace('"s": "6"', '"s": "5"')[:-90]
    sample = replace(predict(program, cut, finish="truncated", expected="7"), id="cut")
    tab = open_page(make_recorded_run(tmp_path / "run", [sample], recorder))
    tab.go("#/run/0/sample/cut")
    tab.page.wait_for_selector(".summary")
    summary = tab.page.inner_text(".summary")
    assert summary.endswith("; then continues until the token limit; no answer")
    assert "none (truncated)" in tab.page.inner_text(".results")


def test_a_wrong_next_line_is_shown_whole(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    row = next(r for r in read_scored_samples(demo_run) if r.differs_in == "action")
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.wait_for_selector(".divergence .pair")
    shown = [text.strip() for text in tab.texts(".divergence .pair dd")]
    assert shown == [(row.actual_value or "").strip(), (row.predicted_value or "").strip()]
    assert tab.page.locator(".divergence mark").count() == 0
    assert tab.page.locator(".divergence .switch").count() == 0


def test_the_diagnosis_is_on_the_first_screen_of_a_narrow_window(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run, width=390)
    open_first_failure(tab, demo_run)
    assert tab.page.locator(".divergence").bounding_box()["y"] < 450
    copy = tab.page.get_by_role("button", name="Copy as command")
    assert not copy.is_visible()
    tab.page.locator(".copy-menu summary").click()
    assert copy.is_visible()
    box = tab.page.locator(".copy-items").bounding_box()
    assert 0 <= box["x"] <= box["x"] + box["width"] <= 390
    assert tab.accessibility_violations() == []
