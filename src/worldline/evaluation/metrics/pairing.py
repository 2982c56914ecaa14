"""Pairs of samples that two runs have in common."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from worldline.core.util.text import truncate_text
from worldline.evaluation.metrics.run_accuracy import is_answered, is_graded
from worldline.evaluation.runs.scored_sample import ScoredSample, Verdict

Repeats = tuple[ScoredSample, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """One sample in two runs: its repeats in each, without infrastructure errors; at least one."""

    sample: str
    a: Repeats
    b: Repeats

    def __repr__(self) -> str:
        name = truncate_text(repr(self.sample), 30)
        return f"Pair({name}, {len(self.a)} and {len(self.b)} repeats, gain {self.gain:+.2f})"

    @property
    def gain(self) -> float:
        """The accuracy in run B minus that in run A, from -1 to 1."""
        return correct_share(self.b) - correct_share(self.a)

    @property
    def failures_of_worse(self) -> Repeats:
        """The failures in the less accurate run; none in a tie."""
        repeats = self.a if self.gain > 0 else self.b if self.gain < 0 else ()
        return tuple(sample for sample in repeats if sample.verdict != "correct")

    @property
    def failures(self) -> Repeats:
        """The failures in both runs."""
        return tuple(sample for sample in (*self.a, *self.b) if sample.verdict != "correct")


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs of two runs.

    Attributes:
        pairs: The samples that both runs have.
        only_a: The number of samples that only run A has.
        only_b: The number of samples that only run B has.
        left_out: The number of samples with only infrastructure errors in one of the runs.
    """

    pairs: tuple[Pair, ...]
    only_a: int
    only_b: int
    left_out: int

    def __repr__(self) -> str:
        return (
            f"Pairing({len(self.pairs)} pairs, {self.only_a} only in A, {self.only_b} only in B, "
            f"{self.left_out} left out)"
        )


def pair_runs(a: Sequence[ScoredSample], b: Sequence[ScoredSample]) -> Pairing:
    """Pair the samples of two runs by name, in the order of the first."""
    samples_a, samples_b = _repeats_by_name(a), _repeats_by_name(b)
    shared = [name for name in samples_a if name in samples_b]
    pairs = [
        Pair(
            name,
            tuple(filter(is_graded, samples_a[name])),
            tuple(filter(is_graded, samples_b[name])),
        )
        for name in shared
    ]
    kept = tuple(pair for pair in pairs if pair.a and pair.b)
    return Pairing(
        kept, len(samples_a) - len(shared), len(samples_b) - len(shared), len(shared) - len(kept)
    )


def _repeats_by_name(samples: Sequence[ScoredSample]) -> Mapping[str, Sequence[ScoredSample]]:
    by_name = defaultdict(list)
    for sample in samples:
        by_name[sample.sample].append(sample)
    return by_name


def answered_pairs(pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs that both runs answered, with only the repeats that were answered."""
    answered = (
        Pair(pair.sample, tuple(filter(is_answered, pair.a)), tuple(filter(is_answered, pair.b)))
        for pair in pairs
    )
    return [pair for pair in answered if pair.a and pair.b]


def correct_share(repeats: Repeats) -> float:
    """The share of correct repeats of one sample."""
    return sum(sample.verdict == "correct" for sample in repeats) / len(repeats)


def verdict_changes(pairs: Sequence[Pair]) -> dict[tuple[Verdict, Verdict], float]:
    """Count the samples that changed from one verdict to another; the sum is the number of pairs.

    With repeats, a sample is split so that as little of it changes as possible: correct, correct,
    truncated against correct, incorrect, truncated are 2/3 of a sample without a change and 1/3
    that changed from correct to incorrect.
    """
    totals: dict[tuple[Verdict, Verdict], float] = defaultdict(float)
    for pair in pairs:
        a, b = _verdict_shares(pair.a), _verdict_shares(pair.b)
        for verdict in a.keys() & b.keys():
            totals[verdict, verdict] += min(a[verdict], b[verdict])
        decreases = {v: share - b.get(v, 0.0) for v, share in a.items() if share > b.get(v, 0.0)}
        increases = {v: share - a.get(v, 0.0) for v, share in b.items() if share > a.get(v, 0.0)}
        changed = sum(increases.values())
        for before, decrease in decreases.items():
            for after, increase in increases.items():
                totals[before, after] += decrease * increase / changed
    return {change: number for change, number in totals.items() if number > 1e-9}


def _verdict_shares(repeats: Repeats) -> dict[Verdict, float]:
    counts = Counter(sample.verdict for sample in repeats)
    return {verdict: count / len(repeats) for verdict, count in counts.items()}


def mean_over_repeats(repeats: Repeats, field: str) -> float | None:
    """The mean of a numeric field, such as `matched_steps`; None if no repeat has it."""
    numbers = [value for sample in repeats if (value := getattr(sample, field)) is not None]
    return fmean(numbers) if numbers else None
