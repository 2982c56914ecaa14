"""Two runs go in; over the samples that both have, what changed and where comes out.

With repeats, a sample has gained where it is right more often than before, as a share of its
repeats, and lost where it is right less often; the two runs may have asked differently often. Each
sample counts once in a difference, however often it was asked.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from worldline.measures.accuracy import is_answered, is_judged, share_of
from worldline.measures.changes import Change, find_changes
from worldline.measures.pairs import Pair, mean_of, pair_runs, verdict_changes
from worldline.runs.judged import Judged, Verdict
from worldline.stats import (
    Difference,
    Ratio,
    Share,
    bootstrap_interval,
    mean_difference,
    ratio_of_totals,
    right_difference,
)


@dataclass(frozen=True, slots=True)
class PairedAccuracy:
    """How often each run is right on the same samples.

    `alike` counts samples that both got right equally often, but neither always nor never: with
    one repeat there are none. `bootstrap` is the interval that drawing the samples again gives,
    beside the one in `difference`.
    """

    samples: int
    a: Share
    b: Share
    gained: int
    lost: int
    both_right: int
    both_wrong: int
    alike: int
    difference: Difference
    bootstrap: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class NumberComparison:
    """A number that both runs have of so many samples: in how many it is more in B, or less.

    With repeats a sample's number is the mean over them, and totals are sums of these.
    """

    samples: int
    total_a: float
    total_b: float
    more: int
    less: int
    difference: Difference
    ratio: Ratio


@dataclass(frozen=True, slots=True)
class RunComparison:
    """What changed from run A to run B on the samples that both have.

    `overall` is over all pairs; `answered` over those that both answered, a choice that is the
    runs' own. `left_out` pairs failed in either run; `reworded` ones are about another
    program text in B: rewritten on purpose, or of another benchmark by the same name.
    `repeats_a` is how often A asked a sample, at most.
    """

    only_a: int
    only_b: int
    left_out: int
    reworded: int
    repeats_a: int
    repeats_b: int
    overall: PairedAccuracy
    answered: PairedAccuracy
    gained_samples: tuple[str, ...]
    lost_samples: tuple[str, ...]
    verdicts: Mapping[tuple[Verdict, Verdict], float]
    changes: tuple[Change, ...]
    steps: NumberComparison
    tokens: NumberComparison


def compare_runs(a: Sequence[Judged], b: Sequence[Judged]) -> RunComparison:
    """Compare two runs sample by sample; what only one has, or failed in either, is counted."""
    pairing = pair_runs(a, b)
    pairs = pairing.pairs
    both_answered = [_answers(pair) for pair in pairs]
    return RunComparison(
        only_a=pairing.only_a,
        only_b=pairing.only_b,
        left_out=pairing.left_out,
        reworded=sum(map(is_reworded, pairs)),
        repeats_a=max((len(pair.a) for pair in pairs), default=0),
        repeats_b=max((len(pair.b) for pair in pairs), default=0),
        overall=paired_accuracy(pairs),
        answered=paired_accuracy([pair for pair in both_answered if pair.a and pair.b]),
        gained_samples=tuple(pair.sample for pair in pairs if pair.gain > 0),
        lost_samples=tuple(pair.sample for pair in pairs if pair.gain < 0),
        verdicts=verdict_changes(pairs),
        changes=find_changes(pairs),
        steps=compare_numbers(pairs, "matched_steps"),
        tokens=compare_numbers(pairs, "written_tokens"),
    )


def _answers(pair: Pair) -> Pair:
    return Pair(pair.sample, tuple(filter(is_answered, pair.a)), tuple(filter(is_answered, pair.b)))


def is_reworded(pair: Pair) -> bool:
    """The two runs asked about different texts under one name."""
    return len({row.program for row in (*pair.a, *pair.b)}) > 1


def paired_accuracy(pairs: Sequence[Pair]) -> PairedAccuracy:
    """How often each is right, and on how many samples that changed."""
    gains = [pair.gain for pair in pairs]
    unchanged = [pair for pair, gain in zip(pairs, gains, strict=True) if not gain]
    both_right = sum(all(row.verdict == "right" for row in pair.a) for pair in unchanged)
    both_wrong = sum(all(row.verdict != "right" for row in pair.a) for pair in unchanged)
    return PairedAccuracy(
        samples=len(pairs),
        a=share_of([row for pair in pairs for row in pair.a], is_judged),
        b=share_of([row for pair in pairs for row in pair.b], is_judged),
        gained=sum(gain > 0 for gain in gains),
        lost=sum(gain < 0 for gain in gains),
        both_right=both_right,
        both_wrong=both_wrong,
        alike=len(unchanged) - both_right - both_wrong,
        difference=right_difference(gains),
        bootstrap=bootstrap_interval(gains),
    )


def compare_numbers(
    pairs: Sequence[Pair], name: Literal["matched_steps", "written_tokens"]
) -> NumberComparison:
    """A number of the rows, over the samples for which both runs have it."""
    means = [(mean_of(pair.a, name), mean_of(pair.b, name)) for pair in pairs]
    both = [(a, b) for a, b in means if a is not None and b is not None]
    first, second = [a for a, _ in both], [b for _, b in both]
    differences = [b - a for a, b in both]
    return NumberComparison(
        samples=len(both),
        total_a=math.fsum(first),
        total_b=math.fsum(second),
        more=sum(d > 0 for d in differences),
        less=sum(d < 0 for d in differences),
        difference=mean_difference(differences),
        ratio=ratio_of_totals(first, second),
    )
