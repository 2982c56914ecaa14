"""Runs that were asked again, and scored ones, in a real browser."""

from tests.viewer.browsers import Opened
from worldline.measures import measure_interventions, measure_scores
from worldline.recorders import PythonRecorder
from worldline.report import attempt_lines, fix_lines, score_lines, scored_lines
from worldline.runs import read_attempts, read_interventions, read_judged, read_scores
from worldline.viewer.examined import ExaminedRun


def test_the_overview_says_what_interventions_did(opened: Opened, intervened_run: str) -> None:
    tab = opened(intervened_run)
    found = measure_interventions(read_judged(intervened_run), read_interventions(intervened_run))
    told = tab.page.inner_text("main")
    for line in fix_lines(found):
        assert line.plain in told
    tab.page.locator("summary", has_text="by cause").click()
    names = [effect.intervention for effect in found.effects]
    rows = tab.page.locator("table:has(caption) tbody tr").all()
    cells = [row.locator("th, td").all_inner_texts() for row in rows]
    assert sorted(row[0] for row in cells) == sorted(names)
    turned = {(row[0], row[-2].split(":")[0]) for row in cells}
    for effect in found.effects:
        assert (effect.intervention, f"{effect.recovered.right} of {effect.recovered.of}") in turned
    for cause, share in found.confirmed.items():
        row = tab.page.locator("tr", has=tab.page.get_by_role("link", name=cause, exact=True)).first
        assert f"{share.right} of {share.of}" in row.inner_text()
    assert tab.hard_to_use() == []


def test_a_sample_says_what_was_tried_on_it(
    opened: Opened, intervened_run: str, recorder: PythonRecorder
) -> None:
    tab = opened(intervened_run)
    for name, right in (("slip", ("patch",)), ("jump", ("patch", "guided"))):
        tab.go(f"#/run/0/sample/{name}")
        tab.page.wait_for_selector(".lane-rows")
        sample = ExaminedRun(intervened_run, recorder).sample(name)
        alignment = sample.diagnosis.facts.alignment
        assert alignment is not None
        lines = attempt_lines(read_attempts(intervened_run).on(sample), alignment.matched)
        panel = tab.page.get_by_role("region", name="interventions tried")
        rows = [row.locator("th, td").all_inner_texts() for row in panel.locator("tbody tr").all()]
        said = [f"{row[0]}: {row[-1].removeprefix('✓ ')}" for row in rows]
        assert said == [line.plain.removeprefix("tried      ") for line in lines]
        assert tuple(row[0] for row in rows if row[-1].startswith("✓")) == right
        by = right[-1]
        assert f"confirmed by {by}" in tab.page.inner_text(".story")
        assert f"(confirmed by {by})" in tab.page.inner_text(".facts")
    assert tab.hard_to_use() == []


def test_the_overview_of_a_scored_run_has_its_single_steps(opened: Opened, scored_run: str) -> None:
    tab = opened(scored_run)
    found = measure_scores(read_scores(scored_run))
    assert found is not None
    told = tab.page.inner_text("main")
    for line in scored_lines(found):
        assert line.plain in told
    assert "Nothing was written" in told
    assert tab.hard_to_use() == []


def test_the_surprise_is_at_each_step_and_at_the_end(
    opened: Opened, scored_run: str, recorder: PythonRecorder
) -> None:
    tab = opened(scored_run)
    for name, marked in (("s0", 0), ("s1", 1)):
        tab.go(f"#/run/0/sample/{name}")
        tab.page.wait_for_selector(".lane-rows")
        sample = ExaminedRun(scored_run, recorder).sample(name)
        first, _, *lines = (line.plain for line in score_lines(sample, width=200))
        assert first.split(";")[0] in tab.page.inner_text(".facts")
        assert tab.page.locator(".lane-rows .surprise").count() == len(lines)
        assert tab.page.locator(".surprise .not-first").count() == marked
        (place, *_) = [at for at, line in enumerate(lines) if "✗" in line] or [len(lines) - 1]
        tab.go(f"#/run/0/sample/{name}?step={place}")
        tab.wait(f"document.querySelector('.state-panel h2').innerText.endsWith(' {place}')")
        note = tab.page.locator(".state-panel .note", has_text="Surprise").inner_text()
        assert note.endswith("in nats.")
        assert note.count("✗ not the model's own choice") == marked
        # Behind the last step is the end, which has no state.
        assert tab.step() < len(lines) - 1 or "state" not in note
    assert tab.hard_to_use() == []
