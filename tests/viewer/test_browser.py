"""The page in a real browser, as a file and served."""

import re
from dataclasses import replace
from typing import Any

import pytest

from tests.viewer.browsers import Opened, Tab
from tests.viewer.small_runs import kept
from worldline.demo import PREDICTIONS
from worldline.measures import compare_runs
from worldline.predict import read_recorded
from worldline.recorders import PythonRecorder
from worldline.report import summarize_run
from worldline.runs import read_judged


@pytest.mark.data
def test_the_overview_says_what_diagnose_says(opened: Opened, recorded_run: str) -> None:
    tab = opened(recorded_run)
    summary = summarize_run(read_judged(recorded_run))
    text = tab.page.inner_text("main")
    for outcome, number in summary.outcomes.items():
        assert re.search(rf"^{outcome}\s+{number}\s", text, re.MULTILINE), outcome
    for cause, number in summary.causes.items():
        assert re.search(rf"^{cause}\s+{number}\s", text, re.MULTILINE), cause
    kinds = tab.texts("table.heat thead th")[1:-2]
    for row in tab.page.locator("table.heat tbody tr:not(.total)").all():
        where, *cells = (cell.strip() for cell in row.locator("th, td").all_inner_texts())
        for kind, cell in zip(kinds, cells, strict=False):
            assert cell == str(summary.where_by_kind.get((where, kind), "·")), (where, kind)
    assert "182 samples" in text
    assert "NaN" not in text
    assert tab.hard_to_use() == []


def test_a_cell_of_the_map_shows_its_samples(opened: Opened, demo_run: str) -> None:
    tab = opened(demo_run)
    cell = tab.page.locator("table.heat tbody tr:not(.total) td a").first
    number = int(cell.inner_text())
    cell.click()
    tab.page.wait_for_selector(".rows tbody th a")
    assert "where=" in tab.hash
    assert "kind=" in tab.hash
    assert f"{number} sample" in tab.page.locator('[role="status"]').inner_text()
    assert tab.page.locator(".rows tbody th a").count() == number


def test_samples_are_filtered_searched_and_sorted(opened: Opened, demo_run: str) -> None:
    tab = opened(demo_run)
    rows = read_judged(demo_run)
    tab.go("#/run/0/samples?outcome=diverged&sort=step&descending=1")
    tab.page.wait_for_selector(".rows tbody th a")
    wanted = sorted((r for r in rows if r.outcome == "diverged"), key=lambda r: -(r.step or 0))
    names = tab.texts(".rows tbody th a")
    assert len(names) == len(wanted)
    assert names[0] == wanted[0].sample
    assert tab.hard_to_use() == []
    tab.page.locator('input[type="search"]').fill(wanted[-1].sample.upper())
    tab.wait("document.querySelectorAll('.rows tbody th a').length === 1")
    assert "search=" in tab.hash
    assert tab.texts(".rows tbody th a") == [wanted[-1].sample]


def test_stepping_and_jumping(opened: Opened, demo_run: str) -> None:
    tab = opened(demo_run)
    row = next(r for r in read_judged(demo_run) if r.outcome == "diverged" and (r.step or 0) > 4)
    tab.go(f"#/run/0/sample/{row.sample}?step=2")
    tab.page.wait_for_selector(".lane-rows")
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
    assert tab.texts(".lane-row.parts .mark")[0].startswith("✗")
    assert tab.hard_to_use() == []
    press("]")
    tab.wait(f"!location.hash.includes('/{row.sample}?')")
    press("[")
    tab.wait(f"location.hash.includes('/{row.sample}')")
    press("?")
    tab.page.wait_for_selector("dialog[open]")
    press("Escape")
    assert tab.page.locator("dialog[open]").count() == 0


def test_the_lanes_show_the_real_and_the_imagined_steps(opened: Opened, demo_run: str) -> None:
    tab = opened(demo_run)
    row = next(
        r for r in read_judged(demo_run) if r.outcome == "diverged" and r.differs_in == "state"
    )
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.wait_for_selector(".lane-rows")
    assert tab.step() == row.step
    parting = tab.page.locator(".lane-row.parts")
    assert parting.locator(".number").inner_text() == str(row.step)
    # The variable that differs is marked in the table of both states.
    assert "≠" in tab.page.inner_text(".states")


def test_values_are_shown_as_the_vocabulary_cuts_them(opened: Opened, demo_run: str) -> None:
    tab = opened(demo_run)
    row = next(r for r in read_judged(demo_run) if r.differs_in == "state" and r.kind == "str")
    tab.go(f"#/run/0/sample/{row.sample}")
    tab.page.get_by_text("by token").click()
    tab.wait("location.hash.includes('tokens=1')")
    # A token a byte: each character of the two values has a box of its own.
    pieces = tab.texts(".token")
    assert pieces
    assert all(len(piece) <= 4 for piece in pieces)
    assert tab.hard_to_use() == []


def test_two_runs_are_compared(
    opened: Opened,
    demo_run: str,
    recorder: PythonRecorder,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    predictions = list(read_recorded(PREDICTIONS))
    right = next(p for p in predictions if p.id == right_one(demo_run))
    better = [
        replace(right, id=each.id) if each.program == right.program else each
        for each in predictions
    ]
    other = kept(tmp_path_factory.mktemp("other") / "better", better, recorder)
    tab = opened(demo_run, other)
    tab.go("#/compare")
    text = tab.page.inner_text("main")
    assert "gained" in text
    gained = compare_runs(read_judged(demo_run), read_judged(other)).gained_samples
    assert gained
    for name in gained:
        assert name in text
    assert tab.hard_to_use() == []


def right_one(run: str) -> str:
    return next(row.sample for row in read_judged(run) if row.verdict == "right")


@pytest.mark.parametrize("place", ["", "#/run/0/samples", "sample"])
def test_a_telephone_scrolls_in_one_direction(opened: Opened, demo_run: str, place: str) -> None:
    tab = opened(demo_run, width=390)
    row = next(r for r in read_judged(demo_run) if r.outcome == "diverged")
    tab.go(f"#/run/0/sample/{row.sample}" if place == "sample" else place)
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert tab.hard_to_use() == []


def test_a_sample_that_is_not_there_is_said(chromium: Any, addresses: Any, demo_run: str) -> None:
    tab = Tab(chromium, addresses(demo_run))
    tab.go("#/run/0/sample/nobody")
    tab.wait("document.body.innerText.includes('Look for it in the samples.')")
    tab.page.close()


def test_what_other_formats_would_take_is_counted(opened: Opened, intervened_run: str) -> None:
    tab = opened(intervened_run)
    # Served, when one asks for it.
    for button in tab.page.get_by_role("button", name="Count what other formats").all():
        button.click()
    tab.page.wait_for_selector('[aria-label="tokens by format"]')
    rows = tab.page.locator('[aria-label="tokens by format"] tbody tr').all()
    cells = {row.locator("th").inner_text(): row.locator("td").all_inner_texts() for row in rows}
    assert cells["cwm"][1:] == ["100.0%", "3 of 3"]
    assert int(cells["delta"][0].replace(",", "")) < int(cells["cwm"][0].replace(",", ""))
    assert tab.hard_to_use() == []


@pytest.mark.data
def test_a_recorded_failure_is_found_by_its_address(opened: Opened, recorded_run: str) -> None:
    tab = opened(recorded_run)
    tab.go("#/run/0/samples?cause=miscopied&search=571")
    tab.page.wait_for_selector(".rows tbody th a")
    assert tab.texts(".rows tbody th a") == ["sample_571"]
    tab.page.locator(".rows tbody th a").click()
    tab.page.wait_for_selector(".lane-rows")
    assert tab.step() == 2
    assert "'a\\tb' instead of 'a\\\\tb': copied wrongly" in tab.page.inner_text(".story")
    tab.page.keyboard.press("ArrowRight")
    tab.wait("location.hash.endsWith('sample_571?step=3')")
    assert "still input_string='a\\tb'" in tab.page.inner_text("#step-3")
    assert tab.texts("#step-3 .mark")[0].startswith("≠")
