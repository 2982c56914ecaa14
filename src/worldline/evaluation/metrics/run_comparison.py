"""Comparison of two runs on the samples that both have, and of their settings.

With repeats, a sample gained if a larger share of its repeats is correct, and lost if a smaller
share is. The two runs may have different numbers of repeats. In a difference, every sample counts
once.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from worldline.analysis.stats import (
    Difference,
    MedianChange,
    Ratio,
    Share,
    accuracy_difference,
    bootstrap_interval,
    median_change,
    ratio_of_totals,
)
from worldline.core.util.text import pluralize
from worldline.evaluation.metrics.changes_by_group import GroupChange, find_changes
from worldline.evaluation.metrics.pairing import (
    Pair,
    answered_pairs,
    mean_over_repeats,
    pair_runs,
    verdict_changes,
)
from worldline.evaluation.metrics.run_accuracy import correct_share_of, is_graded
from worldline.evaluation.runs.manifest import Manifest
from worldline.evaluation.runs.scored_sample import ScoredSample, Verdict


@dataclass(frozen=True, slots=True)
class PairedAccuracy:
    """The accuracies of two runs on the same samples.

    Attributes:
        samples: The number of samples.
        a: The accuracy of run A.
        b: The accuracy of run B.
        gained: Samples that are more accurate in run B.
        lost: Samples that are less accurate in run B.
        both_correct: Samples that are always correct in both.
        both_incorrect: Samples that are never correct in both.
        alike: Samples with the same accuracy in both, neither 0 nor 1; none without repeats.
        difference: The difference in accuracy, with the score interval.
        bootstrap: The bootstrap interval of the difference, for comparison.
    """

    samples: int
    a: Share
    b: Share
    gained: int
    lost: int
    both_correct: int
    both_incorrect: int
    alike: int
    difference: Difference
    bootstrap: tuple[float, float] | None

    def __repr__(self) -> str:
        return (
            f"PairedAccuracy({pluralize(self.samples, 'sample')}, {self.gained} gained, "
            f"{self.lost} lost: {self.difference!r})"
        )


@dataclass(frozen=True, slots=True)
class NumberComparison:
    """Comparison of a number, such as generated tokens, over the samples that have it in both runs.

    With repeats, the number of a sample is the mean over its repeats; totals are sums of these.

    Attributes:
        samples: The number of samples.
        total_a: The total in run A.
        total_b: The total in run B.
        more: Samples with a larger number in run B.
        less: Samples with a smaller number in run B.
        change: The median change of the samples whose number differs.
        ratio: The ratio of the totals.
    """

    samples: int
    total_a: float
    total_b: float
    more: int
    less: int
    change: MedianChange
    ratio: Ratio

    def __repr__(self) -> str:
        return (
            f"NumberComparison({pluralize(self.samples, 'sample')}, "
            f"{self.total_a:.6g} to {self.total_b:.6g}: {self.ratio!r})"
        )


@dataclass(frozen=True, slots=True)
class RunComparison:
    """The changes from run A to run B on the samples that both have.

    Attributes:
        only_a: Samples that only run A has.
        only_b: Samples that only run B has.
        unpaired: The name of one sample of each run that the other does not have; None if there
            is none.
        languages_a: The languages of the programs in run A.
        languages_b: The languages of the programs in run B.
        left_out: Samples with only infrastructure errors in one of the runs.
        reworded: Samples whose program differs: rewritten, or of a different benchmark.
        repeats_a: The maximum number of repeats in run A.
        repeats_b: The maximum number of repeats in run B.
        overall: The accuracies on all pairs.
        answered: The accuracies on the pairs that both runs answered. Which ones these are
            depends on the runs.
        gained_samples: The names of the samples that are more accurate in run B.
        lost_samples: The names of the samples that are less accurate in run B.
        verdicts: The number of samples that changed from one verdict to another.
        changes: Gains and losses in groups of samples.
        steps: Comparison of the correct steps before the divergence.
        tokens: Comparison of the generated tokens.
    """

    only_a: int
    only_b: int
    unpaired: tuple[str | None, str | None]
    languages_a: tuple[str, ...]
    languages_b: tuple[str, ...]
    left_out: int
    reworded: int
    repeats_a: int
    repeats_b: int
    overall: PairedAccuracy
    answered: PairedAccuracy
    gained_samples: tuple[str, ...]
    lost_samples: tuple[str, ...]
    verdicts: Mapping[tuple[Verdict, Verdict], float]
    changes: tuple[GroupChange, ...]
    steps: NumberComparison
    tokens: NumberComparison

    def __repr__(self) -> str:
        overall = self.overall
        return (
            f"RunComparison({pluralize(overall.samples, 'sample')}, {overall.gained} gained, "
            f"{overall.lost} lost: {overall.difference!r})"
        )

    @property
    def is_across_languages(self) -> bool:
        """Whether the runs have the same problems in different languages."""
        return bool(self.overall.samples) and self.languages_a != self.languages_b


def compare_runs(a: Sequence[ScoredSample], b: Sequence[ScoredSample]) -> RunComparison:
    """Compare two runs sample by sample.

    Args:
        a: The samples of the first run, the baseline.
        b: The samples of the second run.
    """
    pairing = pair_runs(a, b)
    pairs = pairing.pairs
    return RunComparison(
        only_a=pairing.only_a,
        only_b=pairing.only_b,
        unpaired=(_name_without_pair(a, b), _name_without_pair(b, a)),
        languages_a=_languages(a),
        languages_b=_languages(b),
        left_out=pairing.left_out,
        reworded=sum(map(has_different_programs, pairs)),
        repeats_a=max((len(pair.a) for pair in pairs), default=0),
        repeats_b=max((len(pair.b) for pair in pairs), default=0),
        overall=paired_accuracy(pairs),
        answered=paired_accuracy(answered_pairs(pairs)),
        gained_samples=tuple(pair.sample for pair in pairs if pair.gain > 0),
        lost_samples=tuple(pair.sample for pair in pairs if pair.gain < 0),
        verdicts=verdict_changes(pairs),
        changes=find_changes(pairs),
        steps=compare_numbers(pairs, "matched_steps"),
        tokens=compare_numbers(pairs, "completion_tokens"),
    )


def _name_without_pair(
    samples: Sequence[ScoredSample], others: Sequence[ScoredSample]
) -> str | None:
    names = {sample.sample for sample in others}
    return next((sample.sample for sample in samples if sample.sample not in names), None)


def _languages(samples: Sequence[ScoredSample]) -> tuple[str, ...]:
    return tuple(sorted({sample.language for sample in samples}))


def has_different_programs(pair: Pair) -> bool:
    """Whether a sample has different programs in the two runs."""
    return len({sample.program for sample in (*pair.a, *pair.b)}) > 1


def paired_accuracy(pairs: Sequence[Pair]) -> PairedAccuracy:
    """Measure the accuracies of two runs on the same samples."""
    gains = [pair.gain for pair in pairs]
    unchanged = [pair for pair, gain in zip(pairs, gains, strict=True) if not gain]
    both_correct = sum(all(s.verdict == "correct" for s in pair.a) for pair in unchanged)
    both_incorrect = sum(all(s.verdict != "correct" for s in pair.a) for pair in unchanged)
    return PairedAccuracy(
        samples=len(pairs),
        a=correct_share_of([sample for pair in pairs for sample in pair.a], is_graded),
        b=correct_share_of([sample for pair in pairs for sample in pair.b], is_graded),
        gained=sum(gain > 0 for gain in gains),
        lost=sum(gain < 0 for gain in gains),
        both_correct=both_correct,
        both_incorrect=both_incorrect,
        alike=len(unchanged) - both_correct - both_incorrect,
        difference=accuracy_difference(gains),
        bootstrap=bootstrap_interval(gains),
    )


def compare_numbers(
    pairs: Sequence[Pair], name: Literal["matched_steps", "completion_tokens"]
) -> NumberComparison:
    """Compare a number over the samples that have it in both runs."""
    means = [(mean_over_repeats(pair.a, name), mean_over_repeats(pair.b, name)) for pair in pairs]
    both = [(a, b) for a, b in means if a is not None and b is not None]
    first, second = [a for a, _ in both], [b for _, b in both]
    differences = [b - a for a, b in both]
    return NumberComparison(
        samples=len(both),
        total_a=math.fsum(first),
        total_b=math.fsum(second),
        more=sum(d > 0 for d in differences),
        less=sum(d < 0 for d in differences),
        change=median_change(differences),
        ratio=ratio_of_totals(first, second),
    )


def changed_settings(a: Manifest, b: Manifest) -> dict[str, tuple[Any, Any]]:
    """Find the settings that differ between two runs, which may explain a change of accuracy.

    {"model": ("base", "tuned"), "max_tokens": (512, 4096)}
    """
    settings_a, settings_b = _all_settings(a), _all_settings(b)
    # Settings of only one run belong to a different benchmark, or to imported predictions.
    pairs = {
        name: (settings_a[name], settings_b[name]) for name in settings_a if name in settings_b
    }
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def _all_settings(manifest: Manifest) -> dict[str, Any]:
    settings = asdict(manifest.settings) if manifest.settings else {}
    limits = {f"limit of {name}": value for name, value in asdict(manifest.limits).items()}
    last_session = manifest.sessions[-1] if manifest.sessions else {}
    return {
        "benchmark": manifest.benchmark,
        **{f"option {name}": value for name, value in manifest.options.items()},
        "model": manifest.model,
        **settings,
        "repeats": manifest.repeats,
        **limits,
        "python": last_session.get("python"),
        "worldline": last_session.get("worldline"),
    }
