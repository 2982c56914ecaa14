"""Judged samples with repeats go in; how likely one of k answers is right comes out."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from worldline.measures.accuracy import is_judged
from worldline.runs import Judged
from worldline.stats import pass_at


@dataclass(frozen=True, slots=True)
class PassRate:
    """pass@k: the mean over `samples` of the chance that one of k of their answers is right.

    Samples with fewer than k answers, since others failed in the infrastructure, are left out.
    """

    k: int
    value: float
    samples: int
    left_out: int


def pass_rates(rows: Sequence[Judged]) -> tuple[PassRate, ...]:
    """pass@1, @2, @5, @10 …, as far as samples were asked so often; nothing without repeats.

    One sample right in 1 of 2 repeats, one in both -> pass@1 0.75, pass@2 1.0
    """
    answers: dict[str, list[bool]] = defaultdict(list)
    for row in filter(is_judged, rows):
        answers[row.sample].append(row.verdict == "right")
    most = max(map(len, answers.values()), default=0)
    wanted = [digit * 10**power for power in range(4) for digit in (1, 2, 5)]
    rates = []
    for k in wanted if most > 1 else ():
        enough = [found for found in answers.values() if len(found) >= k]
        if enough:
            value = fmean(pass_at(k, sum(found), len(found)) for found in enough)
            rates.append(PassRate(k, value, len(enough), len(answers) - len(enough)))
    return tuple(rates)
