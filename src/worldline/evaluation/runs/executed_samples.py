"""Samples of the mode `on-demand`: how many of their steps were executed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.evaluation.runs.run_reader import read_run
from worldline.evaluation.runs.scored_sample import Verdict
from worldline.models.prediction import RowDecision

_COLUMNS = ("verdict", "mode", "policy", "threshold", "decisions", "actual_rows")


@dataclass(frozen=True, slots=True)
class ExecutedSample:
    """A sample of the mode `on-demand`, with its numbers of steps.

    Attributes:
        sample: The question's name.
        verdict: Whether the answer is correct.
        policy: Which steps were executed.
        threshold: Steps whose trust was below it were executed.
        actual_rows: The steps of the actual execution.
        executed: The steps that were executed.
        executed_needlessly: The executed steps that the model had right.
        predicted: The steps that the model predicted, without the executed ones.
        predicted_right: Those of them that are the actual ones, text for text.
    """

    sample: str
    verdict: Verdict
    policy: str
    threshold: float
    actual_rows: int
    executed: int
    executed_needlessly: int
    predicted: int
    predicted_right: int


def read_executed_samples(location: str | Path) -> list[ExecutedSample]:
    """Read the samples of a run in the mode `on-demand`; none if its mode is another.

    Raises:
        InputError: There is no run.
    """
    return [
        _executed_sample(row)
        for row in read_run(str(location), columns=list(_COLUMNS))
        if row.get("mode") == "on-demand"
    ]


def _executed_sample(row: dict[str, Any]) -> ExecutedSample:
    decisions = [RowDecision(**each) for each in json.loads(row.get("decisions") or "[]")]
    return make_executed_sample(
        row["sample"],
        row["verdict"],
        decisions,
        policy=row["policy"],
        threshold=row["threshold"],
        actual_rows=row.get("actual_rows") or 0,
    )


def make_executed_sample(
    sample: str,
    verdict: Verdict,
    decisions: Sequence[RowDecision],
    *,
    policy: str,
    threshold: float,
    actual_rows: int,
) -> ExecutedSample:
    """Count the executed and the predicted steps of a sample."""
    executed = [each.is_same for each in decisions if each.is_executed]
    predicted = [each.is_same for each in decisions if not each.is_executed]
    return ExecutedSample(
        sample=sample,
        verdict=verdict,
        policy=policy,
        threshold=threshold,
        actual_rows=actual_rows,
        executed=len(executed),
        executed_needlessly=sum(executed),
        predicted=len(predicted),
        predicted_right=sum(predicted),
    )
