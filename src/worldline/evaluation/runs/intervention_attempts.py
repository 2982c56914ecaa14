"""Attempts: the results of all interventions on one sample, to show next to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.analysis.diagnosis import Sample
from worldline.analysis.interventions import InterventionName, is_rewrite, rewritten_program
from worldline.evaluation.runs.intervention_runs import intervention_run, stored_interventions
from worldline.evaluation.runs.run_reader import read_run
from worldline.evaluation.runs.scored_sample import Verdict


@dataclass(frozen=True, slots=True)
class Attempt:
    """The result of one intervention on one sample.

    Attributes:
        intervention: The intervention.
        verdict: Grade of the new answer.
        matched_steps: Correct steps before the new divergence.
        cause: The cause of the new divergence.
        line: The line executed before the new divergence, in the original program; 0 for a line
            that a rewrite added.
    """

    intervention: InterventionName
    verdict: Verdict
    matched_steps: int | None
    cause: str | None
    line: int | None


@dataclass(frozen=True, slots=True)
class Attempts:
    """The stored rows of all interventions on a run, by intervention and sample."""

    rows: Mapping[InterventionName, Mapping[str, Sequence[Mapping[str, Any]]]]

    def __repr__(self) -> str:
        return f"Attempts({', '.join(self.rows) or 'none'})"

    def on(self, sample: Sample) -> list[Attempt]:
        """The attempts on one sample, cheapest first; one for each repeat of `resample`."""
        attempts = []
        for name, rows_by_sample in self.rows.items():
            rows = rows_by_sample.get(sample.prediction.id, ())
            rewritten = rewritten_program(name, sample) if rows and is_rewrite(name) else None
            for row in rows:
                line = row.get("executed_line")
                if rewritten is not None and line is not None:
                    line = rewritten.origin(line)
                attempts.append(
                    Attempt(name, row["verdict"], row.get("matched_steps"), row.get("cause"), line)
                )
        return attempts


def read_attempts(address: str | Path) -> Attempts:
    """Read the results of all interventions on the samples of a run."""
    columns = ["verdict", "matched_steps", "cause", "executed_line"]
    rows: dict[InterventionName, dict[str, list[dict[str, Any]]]] = {}
    for name in stored_interventions(address):
        rows_by_sample = rows.setdefault(name, {})
        for row in read_run(intervention_run(address, name), columns=columns):
            rows_by_sample.setdefault(row["sample"], []).append(row)
    return Attempts(rows)
