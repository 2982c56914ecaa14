"""Judged samples of a run go in; how many were right, of those answered and of all, comes out."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from worldline.runs.judged import Judged
from worldline.stats import Share, clustered_share

ANSWERED = ("right", "wrong")


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The verdicts on `asked` questions, repeats counted, about so many samples.

    What failed in the infrastructure is outside of both shares.
    """

    samples: int
    asked: int
    right: int
    wrong: int
    no_answer: int
    cut: int
    failed: int
    of_answered: Share
    of_all: Share


def accuracy(rows: Sequence[Judged]) -> Accuracy:
    """Count the verdicts of a run; the intervals know that repeats of a sample are alike."""
    counts = Counter(row.verdict for row in rows)
    return Accuracy(
        samples=len({row.sample for row in rows}),
        asked=len(rows),
        right=counts["right"],
        wrong=counts["wrong"],
        no_answer=counts["no_answer"],
        cut=counts["cut"],
        failed=counts["failed"],
        of_answered=share_of(rows, is_answered),
        of_all=share_of(rows, is_judged),
    )


def is_answered(row: Judged) -> bool:
    """There is an answer, right or wrong."""
    return row.verdict in ANSWERED


def is_judged(row: Judged) -> bool:
    """It says something about the model: the infrastructure did not fail."""
    return row.verdict != "failed"


def share_of(rows: Sequence[Judged], counts: Callable[[Judged], bool]) -> Share:
    """How many of those that count are right."""
    right: dict[str, int] = defaultdict(int)
    size: dict[str, int] = defaultdict(int)
    for row in filter(counts, rows):
        right[row.sample] += row.verdict == "right"
        size[row.sample] += 1
    return clustered_share(list(right.values()), list(size.values()))
