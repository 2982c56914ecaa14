"""Counts over many diagnoses: outcomes, divergences and causes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from worldline.analysis.alignment import DivergenceKind
from worldline.analysis.diagnosis import Diagnosis, Outcome, ValueKind
from worldline.evaluation.runs import ScoredSample

# In the order of definition, which is the order of tables.
OUTCOMES: tuple[str, ...] = get_args(Outcome)
WHERES: tuple[str, ...] = get_args(DivergenceKind)
KINDS: tuple[str, ...] = get_args(ValueKind)


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over many diagnoses. An `infra_error` says nothing about the model."""

    total: int
    outcomes: dict[str, int]
    where_by_kind: dict[tuple[str, str], int]
    causes: dict[str, int]
    confirmed: dict[str, int]
    refuted: dict[str, int]
    action_errors: dict[str, int]
    reconverged: int
    superficially_correct: int
    truncated: int
    diverged_before_truncation: int
    incorrect_references: int


def summarize(diagnoses: Sequence[Diagnosis]) -> Summary:
    """Count outcomes, causes, and where and in which kind of value predictions diverged."""
    facts = [d.facts for d in diagnoses]
    diverged = [d for d in diagnoses if d.facts.outcome == "diverged"]
    return Summary(
        total=len(facts),
        outcomes=_in_order(Counter(f.outcome for f in facts), OUTCOMES),
        where_by_kind=dict(Counter((d.where or "", d.kind or "-") for d in diverged)),
        causes=dict(Counter(d.cause.name for d in diagnoses if d.cause).most_common()),
        confirmed=dict(
            Counter(d.cause.name for d in diagnoses if d.cause and _is_tested(d.cause.confirmed_by))
        ),
        refuted=dict(Counter(d.cause.name for d in diagnoses if d.cause and d.cause.refuted_by)),
        action_errors=dict(
            Counter(d.facts.action.kind for d in diverged if d.facts.action).most_common()
        ),
        reconverged=sum(_has_reconverged(d) for d in diverged),
        superficially_correct=sum(f.is_superficially_correct for f in facts),
        truncated=sum(f.is_truncated for f in facts),
        diverged_before_truncation=sum(f.is_truncated and f.outcome == "diverged" for f in facts),
        incorrect_references=sum(f.is_reference_correct is False for f in facts),
    )


def summarize_run(rows: Sequence[ScoredSample]) -> Summary:
    """Count the same over the samples of a run."""
    diverged = [row for row in rows if row.outcome == "diverged"]
    return Summary(
        total=len(rows),
        outcomes=_in_order(Counter(row.outcome for row in rows), OUTCOMES),
        where_by_kind=dict(Counter((row.differs_in or "", row.kind or "-") for row in diverged)),
        causes=dict(Counter(row.cause for row in rows if row.cause).most_common()),
        confirmed=dict(
            Counter(row.cause for row in rows if row.cause and _is_tested(row.confirmed_by))
        ),
        refuted=dict(Counter(row.cause for row in rows if row.cause and row.refuted_by)),
        action_errors=dict(
            Counter(row.action_error for row in diverged if row.action_error).most_common()
        ),
        reconverged=sum(row.has_reconverged for row in diverged),
        superficially_correct=sum(row.is_result_correct is True for row in diverged),
        truncated=sum(row.is_truncated for row in rows),
        diverged_before_truncation=sum(row.is_truncated for row in diverged),
        incorrect_references=sum(row.is_reference_correct is False for row in rows),
    )


def _is_tested(by: str | None) -> bool:
    """Whether an intervention confirmed a cause; executions confirm some causes without one."""
    return by is not None and by != "execution"


def _has_reconverged(diagnosis: Diagnosis) -> bool:
    alignment = diagnosis.facts.alignment
    return bool(alignment and alignment.reconvergence and alignment.reconvergence.times)


def _in_order(counts: Counter[Any], order: tuple[str, ...]) -> dict[str, int]:
    return {name: counts[name] for name in order if counts[name]}


def summary_to_json(summary: Summary) -> dict[str, Any]:
    """Return the counts as plain JSON data."""
    return {
        "total": summary.total,
        "outcomes": summary.outcomes,
        "where_by_kind": [
            {"where": where, "kind": kind, "count": count}
            for (where, kind), count in sorted(summary.where_by_kind.items())
        ],
        "causes": summary.causes,
        "confirmed": summary.confirmed,
        "refuted": summary.refuted,
        "action_errors": summary.action_errors,
        "reconverged": summary.reconverged,
        "superficially_correct": summary.superficially_correct,
        "truncated": summary.truncated,
        "diverged_before_truncation": summary.diverged_before_truncation,
        "incorrect_references": summary.incorrect_references,
    }
