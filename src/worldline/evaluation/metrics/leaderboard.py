"""Leaderboard of runs: accuracy, and the paired difference of each run to a baseline."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from worldline.analysis.stats import Difference, accuracy_difference, adjust_p_values
from worldline.core.errors import InputError
from worldline.evaluation.metrics.pairing import answered_pairs, pair_runs
from worldline.evaluation.metrics.run_accuracy import Accuracy, accuracy
from worldline.evaluation.runs.scored_sample import ScoredSample


@dataclass(frozen=True, slots=True)
class BaselineDifference:
    """The paired difference of a run to the baseline.

    Attributes:
        answered: The difference in accuracy on the samples that both runs answered.
        all: The difference on all shared samples; a sample without an answer is not correct.
        adjusted_p: The p-value of `answered`, adjusted for the number of runs that share an
            answered sample with the baseline.
        not_shared: Samples that only one of the two runs has.
        has_same_verdicts: Whether every shared sample has the same verdicts in both runs, as if
            they had the same predictions.
    """

    answered: Difference
    all: Difference
    adjusted_p: float
    not_shared: int
    has_same_verdicts: bool


@dataclass(frozen=True, slots=True)
class LeaderboardRow:
    """One run of a leaderboard; the baseline has no difference."""

    run: str
    accuracy: Accuracy
    difference: BaselineDifference | None


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Runs by the share of correct answers, the highest first, compared with a baseline."""

    baseline: str
    rows: tuple[LeaderboardRow, ...]


def rank_runs(
    runs: Mapping[str, Sequence[ScoredSample]], *, baseline: str | None = None
) -> Leaderboard:
    """Rank runs by the share of correct answers, and compare each with a baseline.

    Args:
        runs: The samples of each run, by its name.
        baseline: The name of the baseline; by default the first run.

    Raises:
        InputError: There are fewer than two runs, or the baseline is not one of them.
    """
    if len(runs) < 2:
        raise InputError("a leaderboard needs at least two different runs")
    chosen = next(iter(runs)) if baseline is None else baseline
    if chosen not in runs:
        raise InputError(f"the baseline {chosen} is not one of the runs: {', '.join(runs)}")
    differences = {
        name: _difference_to(runs[chosen], samples)
        for name, samples in runs.items()
        if name != chosen
    }
    # A run that shares no answered sample with the baseline is not tested.
    tested = {name: each for name, each in differences.items() if each.answered.of}
    p_values = adjust_p_values([each.answered.p for each in tested.values()])
    adjusted = differences | {
        name: replace(each, adjusted_p=p)
        for (name, each), p in zip(tested.items(), p_values, strict=True)
    }
    rows = [
        LeaderboardRow(name, accuracy(samples), adjusted.get(name))
        for name, samples in runs.items()
    ]
    # Runs without an answer are last.
    rows.sort(key=lambda row: -(row.accuracy.of_answered.value or 0.0))
    return Leaderboard(chosen, tuple(rows))


def _difference_to(
    baseline: Sequence[ScoredSample], samples: Sequence[ScoredSample]
) -> BaselineDifference:
    """Compare one run with the baseline; its p-value is not adjusted."""
    pairing = pair_runs(baseline, samples)
    answered = accuracy_difference([pair.gain for pair in answered_pairs(pairing.pairs)])
    return BaselineDifference(
        answered=answered,
        all=accuracy_difference([pair.gain for pair in pairing.pairs]),
        adjusted_p=answered.p,
        not_shared=pairing.only_a + pairing.only_b,
        has_same_verdicts=bool(pairing.pairs)
        and all(_verdicts(pair.a) == _verdicts(pair.b) for pair in pairing.pairs),
    )


def _verdicts(repeats: Sequence[ScoredSample]) -> list[str]:
    return sorted(sample.verdict for sample in repeats)
