"""pass@k of a run with repeats."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from worldline.analysis.stats import pass_at_k
from worldline.evaluation.metrics.run_accuracy import is_graded
from worldline.evaluation.runs import ScoredSample


@dataclass(frozen=True, slots=True)
class PassAtK:
    """The probability that at least one of k answers is correct: the mean over `samples`.

    Samples with fewer than k answers, because of infrastructure errors, are left out.
    """

    k: int
    value: float
    samples: int
    left_out: int


def pass_at_k_rates(samples: Sequence[ScoredSample]) -> tuple[PassAtK, ...]:
    """Compute pass@1, @2, @5, @10 …, up to the number of repeats; empty without repeats.

    One sample correct in 1 of 2 repeats, one in both -> pass@1 0.75, pass@2 1.0
    """
    answers: dict[str, list[bool]] = defaultdict(list)
    for sample in filter(is_graded, samples):
        answers[sample.sample].append(sample.verdict == "correct")
    repeats = max(map(len, answers.values()), default=0)
    candidates = [digit * 10**power for power in range(4) for digit in (1, 2, 5)]
    rates = []
    for k in candidates if repeats > 1 else ():
        sufficient = [correct for correct in answers.values() if len(correct) >= k]
        if sufficient:
            value = fmean(pass_at_k(k, sum(correct), len(correct)) for correct in sufficient)
            rates.append(PassAtK(k, value, len(sufficient), len(answers) - len(sufficient)))
    return tuple(rates)
