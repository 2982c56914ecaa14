"""Interpreter on demand: accuracy against the share of steps that were executed.

A step is a row of the format. Executed steps are counted apart: they are never predicted right.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from worldline.analysis.stats import Difference, Share, accuracy_difference, clustered_share
from worldline.evaluation.runs import ExecutedSample


@dataclass(frozen=True, slots=True)
class OnDemandResults:
    """The results of a run in the mode `on-demand`: one point of a policy's curve.

    Attributes:
        policy: Which steps were executed.
        threshold: Steps whose trust was below it were executed.
        accuracy: The share of samples with a correct answer.
        executed: The executed steps, of the steps of the actual executions.
        predicted: The steps that are the actual ones, of the steps that the model predicted.
        needless: The executed steps that the model had right, of the executed ones.
    """

    policy: str
    threshold: float
    accuracy: Share
    executed: Share
    predicted: Share
    needless: Share

    def __repr__(self) -> str:
        accuracy, executed = self.accuracy.value or 0.0, self.executed.value or 0.0
        return (
            f"OnDemandResults({self.policy} {self.threshold:g}: {accuracy:.1%} correct of "
            f"{self.accuracy.of}, {executed:.1%} of the steps executed)"
        )


@dataclass(frozen=True, slots=True)
class ExecutionPoint:
    """One run on a curve of accuracy against cost.

    Attributes:
        name: The run.
        results: Its accuracy, and the share of steps that were executed.
        gain: Its accuracy minus that of the baseline policy at equal cost, paired by question; None
            for the baseline itself, and where its curve does not reach.
    """

    name: str
    results: OnDemandResults
    gain: Difference | None


def measure_executed_samples(samples: Iterable[ExecutedSample]) -> OnDemandResults | None:
    """Measure a run in the mode `on-demand`; the intervals are clustered by question.

    Args:
        samples: The samples. Infrastructure errors are left out.

    Returns:
        The results; None if no sample has this mode.
    """
    usable = [sample for sample in samples if sample.verdict != "infra_error"]
    if not usable:
        return None
    groups = _by_question(usable).values()

    def shared(part: str, whole: str) -> Share:
        parts = [sum(getattr(sample, part) for sample in group) for group in groups]
        wholes = [sum(getattr(sample, whole) for sample in group) for group in groups]
        pairs = [(n, of) for n, of in zip(parts, wholes, strict=True) if of]
        return clustered_share([n for n, _ in pairs], [of for _, of in pairs], is_uneven=True)

    return OnDemandResults(
        policy=usable[0].policy,
        threshold=usable[0].threshold,
        accuracy=clustered_share(
            [sum(sample.verdict == "correct" for sample in group) for group in groups],
            [len(group) for group in groups],
        ),
        executed=shared("executed", "actual_rows"),
        predicted=shared("predicted_right", "predicted"),
        needless=shared("executed_needlessly", "executed"),
    )


def execution_points(
    runs: Mapping[str, Sequence[ExecutedSample]], *, baseline: str = "random"
) -> list[ExecutionPoint]:
    """Measure runs of several policies and thresholds, and compare them at equal cost.

    Nothing executed and everything executed are the ends of every curve.

    Args:
        runs: The samples of each run; runs without any are left out.
        baseline: The policy that the others are compared with.

    Returns:
        One point for each run, by policy and cost.
    """
    measured = {name: measure_executed_samples(samples) for name, samples in runs.items()}
    ends = (baseline, "none", "all")
    curve = [runs[name] for name, each in measured.items() if each and each.policy in ends]
    points = [
        ExecutionPoint(
            name, each, None if each.policy in ends else compare_at_equal_cost(runs[name], curve)
        )
        for name, each in measured.items()
        if each is not None
    ]
    return sorted(points, key=lambda p: (p.results.policy, p.results.executed.value or 0.0))


def compare_at_equal_cost(
    samples: Sequence[ExecutedSample], others: Iterable[Sequence[ExecutedSample]]
) -> Difference | None:
    """Compare a run with a curve of other runs, where that curve executes as many steps.

    Between two runs of the curve, accuracy is interpolated for each question. Only questions that
    all three runs have are used.

    Args:
        samples: The run.
        others: The runs of the other policy, with different thresholds.

    Returns:
        The accuracy of the run minus that of the curve, paired by question; None if the curve does
        not reach from below to above the cost.
    """
    cost = executed_share(samples)
    curve = sorted(((executed_share(each), each) for each in others), key=lambda pair: pair[0])
    below = [pair for pair in curve if pair[0] <= cost]
    above = [pair for pair in curve if pair[0] >= cost]
    if not below or not above:
        return None
    (low, first), (high, second) = below[-1], above[0]
    weight = 0.0 if math.isclose(low, high) else (cost - low) / (high - low)
    own, left, right = (_accuracies(each) for each in (samples, first, second))
    shared = [question for question in own if question in left and question in right]
    return accuracy_difference(
        [own[q] - (1 - weight) * left[q] - weight * right[q] for q in shared]
    )


def executed_share(samples: Sequence[ExecutedSample]) -> float:
    """The share of the steps of the actual executions that were executed."""
    of = sum(sample.actual_rows for sample in samples)
    return sum(sample.executed for sample in samples) / of if of else 0.0


def _by_question(samples: Iterable[ExecutedSample]) -> dict[str, list[ExecutedSample]]:
    groups: dict[str, list[ExecutedSample]] = defaultdict(list)
    for sample in samples:
        groups[sample.sample].append(sample)
    return groups


def _accuracies(samples: Sequence[ExecutedSample]) -> dict[str, float]:
    usable = [sample for sample in samples if sample.verdict != "infra_error"]
    return {
        question: fmean(sample.verdict == "correct" for sample in group)
        for question, group in _by_question(usable).items()
    }
