"""The page in Chromium, as a report file and served."""

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.interfaces.viewer.browsers import OpenPage, Tab
from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.support.predictions import predict, replaced, text_of
from worldline.analysis.diagnosis import label
from worldline.core.trace import Program
from worldline.evaluation.metrics import compare_runs
from worldline.evaluation.runs import read_manifest, read_scored_samples
from worldline.interfaces.demo import PREDICTIONS
from worldline.interfaces.report import headline, natural_key, sample_text, summarize_run
from worldline.interfaces.viewer.example_failures import choose_failures
from worldline.interfaces.viewer.run_settings import import_note
from worldline.interfaces.viewer.sample_table import COLUMN_LABELS
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import read_prediction_file


@pytest.mark.data
def test_overview_shows_the_summary_of_the_run(open_page: OpenPage, recorded_run: str) -> None:
    tab = open_page(recorded_run)
    summary = summarize_run(read_scored_samples(recorded_run))
    text = tab.page.inner_text("main")
    for outcome, number in summary.outcomes.items():
        words = COLUMN_LABELS["outcome"].get(outcome, label(outcome))
        assert re.search(rf"^{words}\s+{number}\s", text, re.MULTILINE), outcome
    for cause, number in summary.causes.items():
        assert re.search(
            rf"^{COLUMN_LABELS['cause'].get(cause, label(cause))}\s+{number}\s", text, re.MULTILINE
        ), cause
    kinds = tab.texts("table.heat thead th")[1:-2]
    for row in tab.page.locator("table.heat tbody tr:not(.total)").all():
        where, *cells = (cell.strip() for cell in row.locator("th, td").all_inner_texts())
        for kind, cell in zip(kinds, cells, strict=False):
            counts = {
                label(differs_in): count
                for (differs_in, of), count in summary.where_by_kind.items()
                if of == ("-" if kind == "No value" else kind)
            }
            assert cell == str(counts.get(where, "·")), (where, kind)
    # The heat map is not cut.
    heat = tab.page.locator(".scroll:has(table.heat)")
    assert heat.evaluate("element => element.scrollWidth <= element.clientWidth")
    assert "182 samples" in text
    assert "NaN" not in text
    assert tab.accessibility_violations() == []


def test_a_cell_of_the_heat_map_links_to_its_samples(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    cell = tab.page.locator("table.heat tbody tr:not(.total) td a").first
    number = int(cell.inner_text())
    cell.click()
    tab.page.wait_for_selector(".rows tbody th a")
    assert "where=" in tab.hash
    assert "kind=" in tab.hash
    assert f"{number} sample" in tab.page.locator('[role="status"]').inner_text()
    assert tab.page.locator(".rows tbody th a").count() == number


def test_samples_are_filtered_searched_and_sorted(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    rows = read_scored_samples(demo_run)
    tab.go("#/run/0/samples?outcome=diverged&sort=step&descending=1")
    tab.page.wait_for_selector(".rows tbody th a")
    wanted = sorted((r for r in rows if r.outcome == "diverged"), key=lambda r: -(r.step or 0))
    names = tab.texts(".rows tbody th a")
    assert len(names) == len(wanted)
    assert names[0] == wanted[0].sample
    assert tab.accessibility_violations() == []
    tab.page.locator('input[type="search"]').fill(wanted[-1].sample.upper())
    tab.wait("document.querySelectorAll('.rows tbody th a').length === 1")
    assert "search=" in tab.hash
    assert tab.texts(".rows tbody th a") == [wanted[-1].sample]


def test_keyboard_shortcuts_change_the_step_and_the_sample(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run)
    row = next(
        r for r in read_scored_samples(demo_run) if r.outcome == "diverged" and (r.step or 0) > 4
    )
    tab.go(f"#/run/0/sample/{row.sample}?step=2")
    tab.page.wait_for_selector(".step-rows")
    assert tab.step() == 2
    press = tab.page.keyboard.press
    press("ArrowRight")
    assert tab.step() == 3
    press("ArrowLeft")
    press("ArrowLeft")
    assert tab.step() == 1
    press("d")
    assert tab.step() == row.step
    tab.wait(f"location.hash.endsWith('step={row.step}')")
    assert tab.texts(".step-row.diverged .mark")[0].startswith("✗")
    assert tab.accessibility_violations() == []
    press("[")
    tab.wait(f"!location.hash.includes('/{row.sample}?')")
    press("]")
    tab.wait(f"location.hash.includes('/{row.sample}')")
    press("?")
    tab.page.wait_for_selector("dialog[open]")
    press("Escape")
    assert tab.page.locator("dialog[open]").count() == 0


def test_divergence_is_marked_in_the_steps_and_the_variables(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run)
    row = next(
        r
        for r in read_scored_samples(demo_run)
        if r.outcome == "diverged" and r.differs_in == "state"
    )
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.wait_for_selector(".step-rows")
    assert tab.step() == row.step
    diverged = tab.page.locator(".step-row.diverged")
    assert diverged.locator(".number").inner_text() == str(row.step)
    # The variable that differs is marked in the table of variables.
    assert "≠" in tab.page.inner_text(".states")


def test_values_are_shown_split_into_tokens(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    row = next(
        r for r in read_scored_samples(demo_run) if r.differs_in == "state" and r.kind == "str"
    )
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.wait_for_selector(".divergence")
    # A tokenizer is known, so that tokens are shown by default. It has a token per byte: each
    # character of the two values has its own box.
    tokens = tab.texts(".token")
    assert tokens
    assert all(len(token) <= 4 for token in tokens)
    assert tab.accessibility_violations() == []
    tab.page.get_by_role("button", name="By character").click()
    tab.wait("location.hash.includes('view=characters')")
    assert tab.texts(".token") == []
    assert tab.texts(".divergence mark")


def test_comparison_lists_the_gained_samples(
    open_page: OpenPage,
    demo_run: str,
    recorder: PythonRecorder,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    predictions = list(read_prediction_file(PREDICTIONS))
    correct = next(p for p in predictions if p.id == first_correct_sample(demo_run))
    better = [
        replace(correct, id=prediction.id) if prediction.program == correct.program else prediction
        for prediction in predictions
    ]
    other = make_recorded_run(tmp_path_factory.mktemp("other") / "better", better, recorder)
    tab = open_page(demo_run, other)
    tab.go("#/compare")
    text = tab.page.inner_text("main")
    assert "gained" in text
    before_scroll = tab.page.evaluate("scrollY")
    tab.page.locator(".headline button.gained").click()
    panel = tab.page.locator("#section-gained")
    tab.wait(f"scrollY > {before_scroll}")
    assert panel.bounding_box()["y"] < tab.page.viewport_size["height"]
    gained = compare_runs(read_scored_samples(demo_run), read_scored_samples(other)).gained_samples
    assert gained
    for name in gained:
        assert name in text
    before = {row.sample: row for row in read_scored_samples(demo_run)}
    cells = tab.texts(".changed-samples tbody td")
    assert {cell.replace("\xa0", " ") for cell in cells[::2]} == {
        sample_text(before[name]) for name in gained
    }
    assert set(cells[1::2]) == {"Correct"}
    assert tab.accessibility_violations() == []


def test_the_overview_begins_with_the_results_and_typical_failures(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run)
    assert tab.page.inner_text(".news") == headline(read_scored_samples(demo_run))
    note = tab.page.inner_text(".import-note")
    assert note == import_note(read_manifest(demo_run))
    assert "not necessarily of a whole benchmark" in note
    cards = tab.page.locator(".card").all()
    rows = sorted(read_scored_samples(demo_run), key=lambda row: natural_key(row.sample))
    chosen = choose_failures(rows)
    assert len(cards) == len(chosen) > 0
    for card, sample in zip(cards, chosen, strict=True):
        for tag, name, value in (
            ("del", "Predicted", sample.predicted_value),
            ("ins", "Actual", sample.actual_value),
        ):
            shown = card.locator(tag)
            assert shown.inner_text().split() == [name, *(value or "").split()]
            # Text that is struck out is hard to read.
            line = shown.evaluate("element => getComputedStyle(element).textDecorationLine")
            assert line == "none"
        assert label(sample.verdict) in card.inner_text()
    covered = sum(row.cause in {s.cause for s in chosen} for row in rows if row.differs_in)
    diverged = sum(row.differs_in is not None for row in rows)
    coverage = tab.page.inner_text("section:has(> .cards) > .note")
    assert f"have {covered} of the {diverged} divergences. Each is a hypothesis" in coverage
    assert tab.accessibility_violations() == []
    cards[0].locator("a").first.click()
    tab.wait(f"location.hash.includes('/sample/{chosen[0].sample}')")


def test_a_card_links_to_all_samples_with_its_cause(
    open_page: OpenPage, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = Program("def f(n):\n    s = 'abcdefgh' * n\n    return s\n", "f(3)")
    text = text_of(recorder.record(program))
    wrong = text.replace("abcdefghabcdefgh'", "abcdefghabcdefg'")
    names = ["first", "second", "third"]
    predictions = [
        replace(predict(program, output), id=name)
        for name, output in zip(names, [wrong, wrong, text], strict=True)
    ]
    folder = tmp_path_factory.mktemp("cards") / "run"
    tab = open_page(make_recorded_run(folder, predictions, recorder))
    card = tab.page.locator(".card")
    # What is missing in the prediction has a mark, and nothing else of it.
    assert card.locator("ins mark").all_inner_texts() == ["h"]
    assert card.locator("del mark").get_attribute("aria-label") == "Nothing here"
    card.get_by_role("link", name="All 2 samples").click()
    tab.page.wait_for_selector(".rows tbody th a")
    assert "cause=" in tab.hash
    assert tab.texts(".rows tbody th a") == names[:2]


def test_samples_are_filtered_by_verdict_with_a_button(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    tab.go("#/run/0/samples")
    tab.page.wait_for_selector(".rows tbody th a")
    rows = [row for row in read_scored_samples(demo_run) if row.verdict == "incorrect"]
    rows.sort(key=lambda row: natural_key(row.sample))
    button = tab.page.get_by_role("button", name=f"Incorrect {len(rows)}")
    button.click()
    tab.wait(f"document.querySelectorAll('.rows tbody th a').length === {len(rows)}")
    assert "verdict=incorrect" in tab.hash
    diverged = [row for row in rows if row.differs_in is not None]
    values = tab.texts(".rows tbody .predicted")
    for row, value in zip(diverged, values, strict=True):
        # A long value is shortened around the difference.
        assert all(part in (row.predicted_value or "") for part in value.split("…")), row.sample
    assert tab.accessibility_violations() == []
    button.click()
    tab.wait("!location.hash.includes('verdict=')")


def test_programs_and_outputs_are_searched(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    tab.go("#/run/0/samples")
    tab.page.wait_for_selector(".rows tbody th a")
    predictions = list(read_prediction_file(PREDICTIONS))
    for word in ("split()", "counts.get", "no such words"):
        wanted = sorted(p.id for p in predictions if word in p.program.text or word in p.text)
        tab.page.locator('input[type="search"]').fill(word.upper())
        tab.wait(f"document.querySelectorAll('.rows tbody th a').length === {len(wanted)}")
        assert sorted(tab.texts(".rows tbody th a")) == wanted


def test_a_sample_is_copied_as_a_command(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    row = next(r for r in read_scored_samples(demo_run) if r.outcome == "diverged")
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.locator(".copy-menu summary").click()
    tab.page.get_by_role("button", name="Copy as command").click()
    tab.wait("document.querySelector('.copy-menu [role=status]:not(:empty)') !== null")
    tab.page.goto(tab.page.url.split("#")[0] + "#/run/0/samples")
    tab.page.locator('input[type="search"]').focus()
    tab.page.keyboard.press("Control+v")
    pasted = tab.page.locator('input[type="search"]').input_value()
    assert pasted == f"worldline show {demo_run} {row.sample}"


def first_correct_sample(run: str) -> str:
    return next(row.sample for row in read_scored_samples(run) if row.verdict == "correct")


@pytest.mark.parametrize("route", ["", "#/run/0/samples", "sample"])
def test_a_narrow_page_does_not_scroll_horizontally(
    open_page: OpenPage, demo_run: str, route: str
) -> None:
    tab = open_page(demo_run, width=390)
    row = next(r for r in read_scored_samples(demo_run) if r.outcome == "diverged")
    tab.go(f"#/run/0/sample/{row.sample}" if route == "sample" else route)
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.accessibility_violations() == []


def test_a_missing_sample_shows_a_message(chromium: Any, page_url: Any, demo_run: str) -> None:
    tab = Tab(chromium, page_url(demo_run))
    tab.go("#/run/0/sample/missing")
    tab.wait("document.body.innerText.includes('Search for it in the samples.')")
    tab.page.close()


def test_tokens_of_other_formats_are_counted(open_page: OpenPage, intervened_run: str) -> None:
    tab = open_page(intervened_run)
    # The server counts on request.
    for button in tab.page.get_by_role("button", name="Count the tokens of other formats").all():
        button.click()
    tab.page.wait_for_selector('[aria-label="Tokens by format"]')
    rows = tab.page.locator('[aria-label="Tokens by format"] tbody tr').all()
    cells = {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows}
    # The last cell is a bar.
    assert cells["cwm"][1:] == ["100.0%", "3 of 3", ""]
    assert int(cells["delta"][0].replace(",", "")) < int(cells["cwm"][0].replace(",", ""))
    assert tab.accessibility_violations() == []


def test_values_that_differ_only_in_spaces_look_different(
    open_page: OpenPage, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    program = Program("def f(n):\n    s = 'a' + ' ' * n + 'b'\n    return s\n", "f(10)")
    edit = replaced(f"a{' ' * 10}b", f"a{' ' * 11}b")
    prediction = replace(predict(program, edit(text_of(recorder.record(program)))), id="spaces")
    folder = tmp_path_factory.mktemp("spaces") / "run"
    tab = open_page(make_recorded_run(folder, [prediction], recorder))
    tab.go("#/run/0/sample/spaces")
    tab.page.wait_for_selector(".step-rows")
    marked = tab.page.locator(".step-row.diverged .different .spaces").all_inner_texts()
    assert marked == [" " * 10, " " * 11]
    # So they are in the title, in the comparison of the values, and in the other steps.
    both = [" " * 11, " " * 10]
    assert tab.page.locator(".summary .spaces").all_inner_texts() == both
    parts = tab.page.locator(".divergence .pair dd").all()
    dotted = ["".join(part.locator(".spaces").all_inner_texts()) for part in parts]
    assert dotted == both[::-1]
    assert parts[0].locator("mark.missing").get_attribute("aria-label") == "Nothing here"
    assert tab.page.locator(".differs .value .spaces").all_inner_texts() == both[::-1]
    caret = parts[0].locator("mark.missing")
    # A caret, not a box.
    assert caret.evaluate("e => getComputedStyle(e).borderStyle") == "none"
    assert caret.evaluate("e => getComputedStyle(e, '::before').borderBottomWidth") == "7px"
    for selector in (".step-row.diverged .change", ".differs .value"):
        actual, predicted = tab.page.locator(selector).all()
        for shown, spaces in ((actual, 10), (predicted, 11)):
            assert f"a{' ' * spaces}b" in shown.inner_text(), selector
        widths = [shown.bounding_box()["width"] for shown in (actual, predicted)]
        # A space is 7 pixels wide.
        assert widths[1] - widths[0] > 5, selector


def test_the_actual_and_the_predicted_line_are_highlighted(
    open_page: OpenPage, demo_run: str
) -> None:
    tab = open_page(demo_run)
    row = next(
        r
        for r in read_scored_samples(demo_run)
        if r.outcome == "diverged" and r.differs_in == "action"
    )
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.wait_for_selector(".cm-line.at-A")
    background = "element => getComputedStyle(element).backgroundColor"
    colours = {
        tab.page.locator(selector).first.evaluate(background)
        for selector in (".cm-line:not([class*=at-])", ".cm-line.at-A", ".cm-line.at-P")
    }
    assert len(colours) == 3


@pytest.mark.data
def test_a_recorded_failure_is_found_by_its_url(open_page: OpenPage, recorded_run: str) -> None:
    tab = open_page(recorded_run)
    tab.go("#/run/0/samples?cause=copy_error&search=571")
    tab.page.wait_for_selector(".rows tbody th a")
    assert tab.texts(".rows tbody th a") == ["sample_571"]
    tab.page.locator(".rows tbody th a").click()
    tab.page.wait_for_selector(".step-rows")
    assert tab.step() == 2
    assert "'a\\tb' instead of 'a\\\\tb': copied wrongly" in tab.page.inner_text(".summary")
    tab.page.keyboard.press("ArrowRight")
    tab.wait("location.hash.endsWith('sample_571?step=3')")
    assert "still input_string='a\\tb'" in tab.page.inner_text("#step-3")
    assert tab.texts("#step-3 .mark")[0].startswith("≠")
