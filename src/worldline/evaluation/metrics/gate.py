"""Gate: whether the change from one run to another meets a condition under which it fails.

Samples with an infrastructure error are in no measure. Truncated samples and samples without an
answer are not part of `accuracy`; they have their own measures.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from worldline.analysis.diagnosis import OperationTallies
from worldline.analysis.stats import Difference, MedianChange, Ratio, accuracy_difference
from worldline.core.errors import InputError
from worldline.evaluation.metrics.gate_conditions import Condition
from worldline.evaluation.metrics.grouped_accuracy import group_by_source
from worldline.evaluation.metrics.operation_changes import operation_difference
from worldline.evaluation.metrics.pairing import (
    Pair,
    Pairing,
    Repeats,
    answered_pairs,
    pair_runs,
)
from worldline.evaluation.metrics.run_comparison import compare_numbers
from worldline.evaluation.runs.scored_sample import ScoredSample

SIGNIFICANCE = 0.05


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a measure from the base run to the new run, in the unit of the measure.

    Attributes:
        value: The change; None if nothing could be compared.
        low: The lower end of its 95% interval, if there is one.
        high: The upper end of its 95% interval, if there is one.
        p: The p-value of the paired test, if there is one.
        of: The number of samples or programs that were compared.
        noun: What these are.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    of: int
    noun: str


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """A condition, the change that was measured, and whether the condition makes the gate fail."""

    condition: Condition
    change: Change
    has_failed: bool


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of a gate.

    Attributes:
        results: The result of each condition.
        samples: The number of samples that both runs have, without infrastructure errors.
        not_answered: How many of them one of the runs did not answer.
        infra_errors: Shared samples with only infrastructure errors in one of the runs.
        only_a: Samples that only the base run (A) has.
        only_b: Samples that only the new run (B) has.
    """

    results: tuple[ConditionResult, ...]
    samples: int
    not_answered: int
    infra_errors: int
    only_a: int
    only_b: int

    @property
    def has_passed(self) -> bool:
        """Whether no condition makes the gate fail."""
        return not any(result.has_failed for result in self.results)


def check_conditions(
    conditions: Sequence[Condition],
    base: Sequence[ScoredSample],
    new: Sequence[ScoredSample],
    *,
    operations: tuple[OperationTallies, OperationTallies] | None = None,
) -> GateResult:
    """Check the changes from one run to another against conditions of failure.

    If the change of a condition cannot be measured, the gate fails.

    Args:
        conditions: The conditions under which the gate fails.
        base: The samples of the run that is compared with.
        new: The samples of the new run.
        operations: The operations of both runs; needed for conditions on operations.

    Raises:
        InputError: There is no condition, or the operations are needed and not given.
    """
    if not conditions:
        raise InputError("a gate needs at least one condition")
    pairing = pair_runs(base, new)
    answered = answered_pairs(pairing.pairs)
    results = []
    for condition in conditions:
        if condition.measure == "operation":
            if operations is None:
                raise InputError(f"{condition.text!r} needs the operations of both runs")
            change = _operation_change(condition.group or "", operations)
        else:
            change = _measure(condition, pairing, answered)
        results.append(ConditionResult(condition, change, _has_failed(condition, change)))
    return GateResult(
        results=tuple(results),
        samples=len(pairing.pairs),
        not_answered=len(pairing.pairs) - len(answered),
        infra_errors=pairing.left_out,
        only_a=pairing.only_a,
        only_b=pairing.only_b,
    )


def _has_failed(condition: Condition, change: Change) -> bool:
    if change.value is None:
        return True
    # Without an interval nothing varies: the change is exact.
    low = change.value if change.low is None else change.low
    high = change.value if change.high is None else change.high
    is_beyond = condition.is_met_by(change.value)
    match condition.evidence:
        case "significant":
            return is_beyond and change.p is not None and change.p < SIGNIFICANCE
        case "certain":
            return condition.is_met_by(low) and condition.is_met_by(high)
        case "possible":
            return condition.is_met_by(low) or condition.is_met_by(high)
    return is_beyond


def _measure(condition: Condition, pairing: Pairing, answered: Sequence[Pair]) -> Change:
    pairs, group = pairing.pairs, condition.group
    match condition.measure:
        case "accuracy":
            gains = [pair.gain for pair in _in_group(answered, group)]
            return _points(accuracy_difference(gains), "samples that both runs answered")
        case "correct":
            gains = [pair.gain for pair in _in_group(pairs, group)]
            return _points(accuracy_difference(gains), "shared samples")
        case "truncated" | "no_answer" as verdict:
            return _share_change(pairs, lambda sample: sample.verdict == verdict)
        case "cause":
            return _share_change(
                pairs, lambda sample: sample.verdict != "correct" and sample.cause == group
            )
        case "steps":
            steps = compare_numbers(pairs, "matched_steps")
            return _median(steps.change, steps.samples)
        case "tokens":
            tokens = compare_numbers(pairs, "completion_tokens")
            return _percent(tokens.ratio, tokens.samples)
    return Change(len(pairs), None, None, None, len(pairs), "shared samples")


def _in_group(pairs: Sequence[Pair], group: str | None) -> Sequence[Pair]:
    """The pairs of a group such as "depth=3"; none if there is no such group."""
    if group is None:
        return pairs
    name, _, value = group.partition("=")
    groupings = group_by_source({pair.sample: (*pair.a, *pair.b) for pair in pairs})
    samples: set[str] = set()
    for _, grouping in groupings:
        samples.update(_group_of(grouping, name.strip(), value.strip()))
    return [pair for pair in pairs if pair.sample in samples]


def _group_of(
    grouping: Mapping[str, Mapping[str, list[str]]], name: str, value: str
) -> Sequence[str]:
    groups = grouping.get(name, {})
    # Bins are written with a dash: 16–31. A hyphen is easier to type.
    by_value = {group.replace("–", "-"): samples for group, samples in groups.items()}
    return by_value.get(value.replace("–", "-"), [])


def _share_change(pairs: Sequence[Pair], is_counted: Callable[[ScoredSample], bool]) -> Change:
    """The change of the share of samples that are counted; each sample counts once."""

    def counted_share(repeats: Repeats) -> float:
        return sum(map(is_counted, repeats)) / len(repeats)

    differences = [counted_share(pair.b) - counted_share(pair.a) for pair in pairs]
    return _points(accuracy_difference(differences), "shared samples")


def _operation_change(name: str, operations: tuple[OperationTallies, OperationTallies]) -> Change:
    difference = operation_difference(name, *operations)
    return _points(difference, f"programs in which both runs reach {name}")


def _points(difference: Difference, noun: str) -> Change:
    value, low, high = (
        None if number is None else 100 * number
        for number in (difference.value, difference.low, difference.high)
    )
    return Change(value, low, high, difference.p, difference.of, noun)


def _median(change: MedianChange, samples: int) -> Change:
    # Without a difference in any sample, the change is 0.
    value = change.value if change.of or not samples else 0.0
    return Change(value, change.low, change.high, change.p, samples, "samples with steps in both")


def _percent(ratio: Ratio, samples: int) -> Change:
    value, low, high = (
        None if number is None else 100 * (number - 1)
        for number in (ratio.value, ratio.low, ratio.high)
    )
    return Change(value, low, high, None, samples, "samples with a token count in both")
