"""Examples of failures: one for each of the most frequent causes, easy to read."""

from dataclasses import replace

from worldline.evaluation.runs import ScoredSample, sample_name
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.example_failures import build_example_failures, choose_failures
from worldline.languages.python.recorder import PythonRecorder

SLIP = ScoredSample(
    "slip", 0, "incorrect", "diverged",
    cause="character_slip", step=9, actual_value="'ab'", predicted_value="'a'",
)  # fmt: skip


def test_frequent_causes_come_first_and_short_values_are_preferred() -> None:
    long = replace(SLIP, sample="long", actual_value="'" + "a" * 90 + "'", step=1)
    early = replace(SLIP, sample="early", step=3)
    other = replace(SLIP, sample="other", cause="arithmetic")
    assert [s.sample for s in choose_failures([other, long, SLIP, early])] == ["early", "other"]
    assert [s.sample for s in choose_failures([other, long, SLIP, early], 1)] == ["early"]


def test_a_sample_with_an_incorrect_answer_is_preferred() -> None:
    lucky = replace(SLIP, sample="lucky", verdict="correct", step=1)
    truncated = replace(SLIP, sample="truncated", verdict="truncated", step=1)
    assert choose_failures([lucky, truncated, SLIP]) == [SLIP]
    assert choose_failures([lucky, truncated]) == [truncated]
    # Of a cause without a wrong answer, the correct one is shown.
    other = replace(lucky, cause="arithmetic")
    assert choose_failures([SLIP, truncated, other]) == [SLIP, other]


def test_samples_without_values_or_with_a_refuted_cause_are_not_chosen() -> None:
    samples = [
        replace(SLIP, cause=None),
        replace(SLIP, predicted_value=None),
        replace(SLIP, step=None),
        replace(SLIP, refuted_by="patch"),
    ]
    assert choose_failures(samples) == []


def test_an_example_shows_the_executed_line_and_the_call(
    demo_run: str, recorder: PythonRecorder
) -> None:
    run = DiagnosedRun(demo_run, recorder)
    examples = build_example_failures(run)
    assert examples
    rows = {sample_name(row): row for row in run.rows}
    for example in examples:
        sample = run.diagnose(example["id"])
        operation = sample.diagnosis.facts.operation
        assert operation is not None
        assert example["line"] == sample.actual.program.lines[operation.line - 1].strip()
        assert example["call"].endswith(")")
        row = rows[example["id"]]
        assert example["actual"] == (row.actual_value or "").strip()
        assert example["verdict"] == row.verdict
        diverged = [each for each in run.rows if each.differs_in is not None]
        assert example["divergences"] == len(diverged)
        assert example["count"] == sum(each.cause == row.cause for each in diverged) > 0
