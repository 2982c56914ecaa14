"""Examples of a run's failures, for its overview: one for each of the most frequent causes."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from worldline.analysis.diagnosis import RULES, UNEXPLAINED
from worldline.core.trace import Program
from worldline.evaluation.runs import ScoredSample, sample_name
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.sample_table import shown_value

# Characters of a value that a reader takes in at a glance.
_GOOD_LENGTH = 40
# Verdicts by how well they show a failure: a correct answer is the last choice.
_VERDICT_ORDER = ("incorrect", "no_answer", "truncated")

CAUSE_SENTENCES = {str(rule.name): rule.sentence for rule in RULES} | {
    UNEXPLAINED.name: UNEXPLAINED.sentence
}


def choose_failures(samples: Sequence[ScoredSample], count: int = 3) -> list[ScoredSample]:
    """Choose one failure for each of the most frequent causes, with values that are easy to read.

    A sample with an incorrect answer is preferred: the answer may be correct after a divergence.
    A failure whose cause an intervention has refuted is no example of the cause.

    Args:
        samples: The samples of a run.
        count: How many to choose at most.
    """
    failures = [
        sample
        for sample in samples
        if sample.cause is not None
        and sample.refuted_by is None
        and sample.step is not None
        and sample.actual_value is not None
        and sample.predicted_value is not None
    ]
    causes = Counter(sample.cause for sample in failures)
    return [
        min((s for s in failures if s.cause == cause), key=_effort)
        for cause, _ in causes.most_common(count)
    ]


def _effort(sample: ScoredSample) -> tuple[int, int, int]:
    """How hard a failure is to read: by its verdict, the length of its values, then its step."""
    verdict = sample.verdict
    order = _VERDICT_ORDER.index(verdict) if verdict in _VERDICT_ORDER else len(_VERDICT_ORDER)
    longest = max(len(sample.actual_value or ""), len(sample.predicted_value or ""))
    return order, max(longest, _GOOD_LENGTH), sample.step or 0


def build_example_failures(run: DiagnosedRun) -> list[dict[str, Any]]:
    """The examples of a run: `ExampleFailure` in viewer/src/api."""
    diverged = [sample for sample in run.rows if sample.differs_in is not None]
    causes = Counter(sample.cause for sample in diverged)
    return [
        {
            **_example(sample, run.program(sample_name(sample))),
            "count": causes[sample.cause],
            "divergences": len(diverged),
        }
        for sample in choose_failures(run.rows)
    ]


def _example(sample: ScoredSample, program: Program) -> dict[str, Any]:
    entry = program.split_entry()
    number = sample.executed_line or 0
    return {
        "id": sample_name(sample),
        "verdict": sample.verdict,
        "call": entry[1] if entry else "",
        "line": program.lines[number - 1].strip() if 0 < number <= len(program.lines) else "",
        "step": sample.step,
        "where": sample.differs_in,
        "variable": sample.variable,
        "actual": shown_value(sample, sample.actual_value),
        "predicted": shown_value(sample, sample.predicted_value),
        "cause": sample.cause,
        "sentence": CAUSE_SENTENCES.get(sample.cause or "", ""),
    }
