"""Two runs go in; the samples that both have come out, with the verdicts of each side."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from worldline.measures.accuracy import is_judged
from worldline.runs.judged import Judged, Verdict

Rows = tuple[Judged, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """One sample in two runs: its repeats in each, at least one, without failed ones."""

    sample: str
    a: Rows
    b: Rows

    @property
    def gain(self) -> float:
        """How much more often B is right than A: from -1 to 1, with repeats something between."""
        return right_share(self.b) - right_share(self.a)

    @property
    def losing(self) -> Rows:
        """The answers that are not right, of the side that is right less often; none in a tie."""
        rows = self.a if self.gain > 0 else self.b if self.gain < 0 else ()
        return tuple(row for row in rows if row.verdict != "right")

    @property
    def not_right(self) -> Rows:
        """The answers of either side that are not right."""
        return tuple(row for row in (*self.a, *self.b) if row.verdict != "right")


@dataclass(frozen=True, slots=True)
class Pairing:
    """The pairs, how many samples only one run has, and how many were left out because all
    repeats in either failed."""

    pairs: tuple[Pair, ...]
    only_a: int
    only_b: int
    left_out: int


def pair_runs(a: Sequence[Judged], b: Sequence[Judged]) -> Pairing:
    """Pair the samples of two runs by name, in the order of the first."""
    rows_a, rows_b = _by_sample(a), _by_sample(b)
    shared = [sample for sample in rows_a if sample in rows_b]
    pairs = [
        Pair(
            sample,
            tuple(filter(is_judged, rows_a[sample])),
            tuple(filter(is_judged, rows_b[sample])),
        )
        for sample in shared
    ]
    kept = tuple(pair for pair in pairs if pair.a and pair.b)
    return Pairing(
        kept, len(rows_a) - len(shared), len(rows_b) - len(shared), len(shared) - len(kept)
    )


def _by_sample(rows: Sequence[Judged]) -> Mapping[str, Sequence[Judged]]:
    found = defaultdict(list)
    for row in rows:
        found[row.sample].append(row)
    return found


def right_share(rows: Rows) -> float:
    """How often one sample was right."""
    return sum(row.verdict == "right" for row in rows) / len(rows)


def verdict_changes(pairs: Sequence[Pair]) -> dict[tuple[Verdict, Verdict], float]:
    """How many samples went from which verdict to which; all together are the samples.

    With repeats a sample is split, and as little of it changes as must: right, right, cut against
    right, wrong, cut is 2/3 of a sample that stayed and 1/3 that went from right to wrong.
    """
    totals: dict[tuple[Verdict, Verdict], float] = defaultdict(float)
    for pair in pairs:
        a, b = _verdict_shares(pair.a), _verdict_shares(pair.b)
        for verdict in a.keys() & b.keys():
            totals[verdict, verdict] += min(a[verdict], b[verdict])
        left = {v: share - b.get(v, 0.0) for v, share in a.items() if share > b.get(v, 0.0)}
        come = {v: share - a.get(v, 0.0) for v, share in b.items() if share > a.get(v, 0.0)}
        moved = sum(come.values())
        for before, less in left.items():
            for after, more in come.items():
                totals[before, after] += less * more / moved
    return {change: number for change, number in totals.items() if number > 1e-9}


def _verdict_shares(rows: Rows) -> dict[Verdict, float]:
    return {v: n / len(rows) for v, n in Counter(row.verdict for row in rows).items()}


def mean_of(rows: Rows, name: str) -> float | None:
    """The mean over repeats of a number that a sample may have, such as `matched_steps`."""
    numbers = [value for row in rows if (value := getattr(row, name)) is not None]
    return fmean(numbers) if numbers else None
