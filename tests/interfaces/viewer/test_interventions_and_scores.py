"""Pages of runs with interventions, and of scored runs, in Chromium."""

from tests.interfaces.viewer.browsers import OpenPage
from worldline.analysis.diagnosis import label
from worldline.evaluation.metrics import measure_interventions, measure_one_step_accuracy
from worldline.evaluation.runs import (
    read_attempts,
    read_interventions,
    read_scored_samples,
    read_scores,
)
from worldline.interfaces.report import (
    attempt_lines,
    fix_lines,
    one_step_accuracy_lines,
    step_score_lines,
)
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.languages.python.recorder import PythonRecorder


def test_overview_shows_the_effects_of_interventions(
    open_page: OpenPage, intervened_run: str
) -> None:
    tab = open_page(intervened_run)
    measured = measure_interventions(
        read_scored_samples(intervened_run), read_interventions(intervened_run)
    )
    text = tab.page.inner_text("main")
    for line in fix_lines(measured):
        assert line.plain in text
    tab.page.locator("summary", has_text="By cause").click()
    names = [label(effect.intervention) for effect in measured.effects]
    panel = tab.page.locator("section", has=tab.page.get_by_text("Interventions", exact=True))
    rows = panel.locator("table:has(caption) tbody tr").all()
    cells = [row.locator("th, td").all_inner_texts() for row in rows]
    assert sorted(row[0] for row in cells) == sorted(names)
    turned = {(row[0], row[-2].split(":")[0]) for row in cells}
    for effect in measured.effects:
        assert (
            label(effect.intervention),
            f"{effect.recovered.correct} of {effect.recovered.of}",
        ) in turned
    for cause, share in measured.confirmed.items():
        link = tab.page.get_by_role("link", name=label(cause), exact=True)
        row = tab.page.locator("tr", has=link).first
        assert f"{share.correct} of {share.of}" in row.inner_text()
        refuted = measured.refuted[cause]
        assert f"{refuted.correct} of {refuted.of}" in row.locator("td").last.inner_text()
    assert tab.accessibility_violations() == []


def test_sample_shows_the_interventions_tried_on_it(
    open_page: OpenPage, intervened_run: str, recorder: PythonRecorder
) -> None:
    tab = open_page(intervened_run)
    for name, successful in (("slip", ("Patch",)), ("jump", ("Patch", "Guided"))):
        tab.go(f"#/run/0/sample/{name}")
        tab.page.wait_for_selector(".step-rows")
        sample = DiagnosedRun(intervened_run, recorder).diagnose(name)
        alignment = sample.diagnosis.facts.alignment
        assert alignment is not None
        lines = attempt_lines(read_attempts(intervened_run).on(sample), alignment.matched_steps)
        panel = tab.page.get_by_role("region", name="Interventions tried")
        rows = [row.locator("th, td").all_inner_texts() for row in panel.locator("tbody tr").all()]
        shown = [f"{row[0]}: {row[-1].removeprefix('✓ ')}" for row in rows]
        assert shown == [line.plain.removeprefix("tried      ") for line in lines]
        assert tuple(row[0] for row in rows if row[-1].startswith("✓")) == successful
        confirmed_by = successful[-1]
        assert f'confirmed by "{confirmed_by}"' in tab.page.inner_text(".summary")
        assert f'Confirmed by "{confirmed_by}"' in tab.page.inner_text(".reason")
    assert tab.accessibility_violations() == []


def test_overview_of_a_scored_run_shows_its_one_step_accuracy(
    open_page: OpenPage, scored_run: str
) -> None:
    tab = open_page(scored_run)
    measured = measure_one_step_accuracy(read_scores(scored_run))
    assert measured is not None
    text = tab.page.inner_text("main")
    for line in one_step_accuracy_lines(measured):
        assert line.plain in text
    # A scored run has no completions, so it has no numbers of their tokens.
    assert "truncated." not in text
    assert "Completion tokens" not in text
    assert tab.accessibility_violations() == []


def test_nll_is_shown_at_each_step_and_at_the_end(
    open_page: OpenPage, scored_run: str, recorder: PythonRecorder
) -> None:
    tab = open_page(scored_run)
    for name, not_greedy in (("s0", 0), ("s1", 1)):
        tab.go(f"#/run/0/sample/{name}")
        tab.page.wait_for_selector(".step-rows")
        sample = DiagnosedRun(scored_run, recorder).diagnose(name)
        first, _, *lines = (line.plain for line in step_score_lines(sample, width=200))
        assert first.split(";")[0] in tab.page.inner_text(".facts")
        assert tab.page.locator(".step-rows .nll-bars").count() == len(lines)
        assert tab.page.locator(".nll-bars .not-greedy").count() == not_greedy
        (step, *_) = [n for n, line in enumerate(lines) if "✗" in line] or [len(lines) - 1]
        tab.go(f"#/run/0/sample/{name}?step={step}")
        tab.wait(f"document.querySelector('.state-panel h2').innerText.endsWith(' {step}')")
        note = tab.page.locator(
            ".state-panel .note", has_text="Negative log-likelihood"
        ).inner_text()
        assert note.endswith("in nats.")
        assert note.count("✗ not the model's first choice") == not_greedy
        # After the last step is the end, which has no state.
        assert tab.step() < len(lines) - 1 or "state" not in note
    assert tab.accessibility_violations() == []
