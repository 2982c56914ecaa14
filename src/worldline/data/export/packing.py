"""Packing of examples into rows of fixed length, from their lengths alone."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldline.evaluation.metrics import CONTEXT_LENGTHS


@dataclass(frozen=True, slots=True)
class Packing:
    """Result of packing examples into rows of `budget` tokens.

    Attributes:
        budget: Tokens per row.
        fitting: Examples that fit into a row.
        longer: Examples that do not.
        bins: Rows after packing.
        fill: Share of the tokens in the rows that is not padding.
        fill_unpacked: The same with one example per row.
    """

    budget: int
    fitting: int
    longer: int
    bins: int
    fill: float
    fill_unpacked: float


def pack(counts: Mapping[int, int], budget: int) -> Packing:
    """Pack examples with best-fit decreasing, as TRL's `packing_strategy="bfd"` does.

    {1500: 1, 500: 2}, 2048 -> 2 rows: 1500 + 500, and 500

    Args:
        counts: Number of examples by length in tokens.
        budget: Tokens per row.
    """
    room: Counter[int] = Counter()
    for length in sorted((n for n in counts if n <= budget), reverse=True):
        _place(room, length, counts[length], budget)
    bins = room.total()
    fitting = sum(count for length, count in counts.items() if length <= budget)
    tokens = sum(length * count for length, count in counts.items() if length <= budget)
    return Packing(
        budget=budget,
        fitting=fitting,
        longer=sum(counts.values()) - fitting,
        bins=bins,
        fill=tokens / (bins * budget) if bins else 0.0,
        fill_unpacked=tokens / (fitting * budget) if fitting else 0.0,
    )


def pack_all(
    counts: Mapping[int, int], budgets: Sequence[int] = CONTEXT_LENGTHS
) -> tuple[Packing, ...]:
    """Pack examples into rows of several lengths."""
    return tuple(pack(counts, budget) for budget in budgets)


def _place(room: Counter[int], length: int, count: int, budget: int) -> None:
    """Place examples of one length into rows; `room` counts rows by their free tokens.

    The fullest row that takes an example takes as many as fit: with less free tokens than before,
    it is still the fullest.
    """
    for free in sorted(room):
        if free < length or not count:
            continue
        per_row = free // length
        full_rows = min(room[free], count // per_row)
        _move(room, free, free - per_row * length, full_rows)
        count -= full_rows * per_row
        if count and room[free]:
            _move(room, free, free - count * length, 1)
            count = 0
    per_row = budget // max(length, 1)
    room[budget - per_row * length] += count // per_row
    if count % per_row:
        room[budget - (count % per_row) * length] += 1


def _move(room: Counter[int], source: int, target: int, count: int) -> None:
    if not count:
        return
    room[source] -= count
    if not room[source]:
        del room[source]
    room[target] += count
