"""Skipped and inserted steps on the sample page: an empty step on the side that lacks them."""

import pytest

from tests.interfaces.report.test_gap_rows import edited_sample
from worldline.interfaces.viewer import build_sample_document
from worldline.languages.python.recorder import PythonRecorder


@pytest.mark.parametrize(
    ("removed", "copied", "row", "side", "other"),
    [(1, 0, 5, "predicted", "actual"), (0, 1, 6, "actual", "predicted")],
    ids=["skipped", "repeated"],
)
def test_steps_after_a_gap_are_paired_again(
    recorder: PythonRecorder, removed: int, copied: int, row: int, side: str, other: str
) -> None:
    sample = edited_sample(recorder, removed=removed, copied=copied)
    document = build_sample_document(sample, verdict="incorrect")
    steps = {name: document[name]["steps"] for name in (side, other)}
    assert document["divergence"]["step"] == row
    assert [n for n, step in enumerate(steps[side]) if step.get("is_gap")] == [row]
    assert not any(step.get("is_gap") for step in steps[other])
    assert len(steps[side]) == len(steps[other])
    after = [
        (a["text"].strip(), b["text"].strip())
        for a, b in zip(steps[side][row + 1 :], steps[other][row + 1 :], strict=True)
    ]
    assert after
    assert all(a == b for a, b in after)
    assert document["matches_after_divergence"] == [False, *[True] * len(after)]
    # The steps of each side are complete, and in order.
    alignment = sample.diagnosis.facts.alignment
    assert alignment is not None
    assert len(alignment.actual.steps) == sum(
        not step.get("is_gap") for step in document["actual"]["steps"]
    )


def test_a_sample_without_a_gap_has_no_empty_steps(recorder: PythonRecorder) -> None:
    document = build_sample_document(edited_sample(recorder), verdict="correct")
    for name in ("actual", "predicted"):
        assert not any("is_gap" in step for step in document[name]["steps"])
