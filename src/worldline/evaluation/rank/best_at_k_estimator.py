"""best@k: the probability that one of the k best candidates is correct."""

from collections.abc import Sequence

from worldline.analysis.stats import pass_at_k
from worldline.evaluation.rank.consensus import CandidateGroup


def best_at_k(groups: Sequence[CandidateGroup], is_correct: Sequence[bool], k: int) -> float:
    """Compute the probability that one of k candidates from the best groups is correct.

    One candidate is drawn from each of the k best groups; groups with the same score are one. If
    there are fewer groups, the best ones are drawn from again. Groups with the score 0 are left
    out. If no group has a score, k candidates are drawn at random. This is how CodeT computes it.

    Args:
        groups: The groups, best first.
        is_correct: For each candidate, whether it is correct.
        k: The number of candidates.
    """
    pools = tied_pools(groups)
    if not pools:
        return chance_at_k(is_correct, k)
    wrong = 1.0
    for rank, pool in enumerate(pools[:k]):
        share = sum(not is_correct[position] for position in pool) / len(pool)
        draws = 1 + (k - 1 - rank) // len(pools)
        wrong *= share**draws
    return 1.0 - wrong


def chance_at_k(is_correct: Sequence[bool], k: int) -> float:
    """Compute the probability that one of k random candidates is correct."""
    return pass_at_k(min(k, len(is_correct)), sum(is_correct), len(is_correct))


def tied_pools(groups: Sequence[CandidateGroup]) -> list[tuple[int, ...]]:
    """The candidates of each rank: groups with the same score together, those with 0 left out."""
    pools: list[tuple[int, ...]] = []
    last: float | None = None
    for group in groups:
        if not group.score:
            continue
        if group.score == last:
            pools[-1] += group.candidates
        else:
            pools.append(group.candidates)
        last = group.score
    return pools
