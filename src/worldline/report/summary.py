"""Diagnoses go in, counts come out: what a table of them shows."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, get_args

from worldline.align import Where
from worldline.diagnose import Diagnosis, Outcome, ValueKind
from worldline.runs import Judged

# In the order in which the words are defined, which is the one to read them in.
OUTCOMES: tuple[str, ...] = get_args(Outcome)
WHERES: tuple[str, ...] = get_args(Where)
KINDS: tuple[str, ...] = get_args(ValueKind)


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over many diagnoses. `error` samples are outside: they say nothing of the model."""

    total: int
    outcomes: dict[str, int]
    where_by_kind: dict[tuple[str, str], int]
    causes: dict[str, int]
    actions: dict[str, int]
    found_back: int
    right_for_wrong_reasons: int
    cut: int
    diverged_before_cut: int
    wrong_references: int


def summarize(diagnoses: Sequence[Diagnosis]) -> Summary:
    """Count outcomes, and of those that diverged, where and in what kind of value."""
    facts = [d.facts for d in diagnoses]
    diverged = [d for d in diagnoses if d.facts.outcome == "diverged"]
    return Summary(
        total=len(facts),
        outcomes=_in_order(Counter(f.outcome for f in facts), OUTCOMES),
        where_by_kind=dict(Counter((d.where or "", d.kind or "-") for d in diverged)),
        causes=dict(Counter(d.cause.name for d in diagnoses if d.cause).most_common()),
        actions=dict(
            Counter(d.facts.action.kind for d in diverged if d.facts.action).most_common()
        ),
        found_back=sum(_found_back(d) for d in diverged),
        right_for_wrong_reasons=sum(f.is_right_for_wrong_reasons for f in facts),
        cut=sum(f.is_cut for f in facts),
        diverged_before_cut=sum(f.is_cut and f.outcome == "diverged" for f in facts),
        wrong_references=sum(f.is_reference_right is False for f in facts),
    )


def summarize_run(rows: Sequence[Judged]) -> Summary:
    """The same counts over the samples of a run."""
    diverged = [row for row in rows if row.outcome == "diverged"]
    return Summary(
        total=len(rows),
        outcomes=_in_order(Counter(row.outcome for row in rows), OUTCOMES),
        where_by_kind=dict(Counter((row.differs_in or "", row.kind or "-") for row in diverged)),
        causes=dict(Counter(row.cause for row in rows if row.cause).most_common()),
        actions=dict(Counter(row.action for row in diverged if row.action).most_common()),
        found_back=sum(row.has_found_back for row in diverged),
        right_for_wrong_reasons=sum(row.is_result_right is True for row in diverged),
        cut=sum(row.is_cut for row in rows),
        diverged_before_cut=sum(row.is_cut for row in diverged),
        wrong_references=sum(row.is_reference_right is False for row in rows),
    )


def _found_back(diagnosis: Diagnosis) -> bool:
    alignment = diagnosis.facts.alignment
    return bool(alignment and alignment.recovery and alignment.recovery.times)


def _in_order(counts: Counter[Any], order: tuple[str, ...]) -> dict[str, int]:
    return {name: counts[name] for name in order if counts[name]}


def summary_to_json(summary: Summary) -> dict[str, Any]:
    """The counts as plain JSON data."""
    return {
        "total": summary.total,
        "outcomes": summary.outcomes,
        "where_by_kind": [
            {"where": where, "kind": kind, "count": count}
            for (where, kind), count in sorted(summary.where_by_kind.items())
        ],
        "causes": summary.causes,
        "actions": summary.actions,
        "found_back": summary.found_back,
        "right_for_wrong_reasons": summary.right_for_wrong_reasons,
        "cut": summary.cut,
        "diverged_before_cut": summary.diverged_before_cut,
        "wrong_references": summary.wrong_references,
    }
