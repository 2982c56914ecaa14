"""Lengths of examples go in; how well they pack comes out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from worldline.measures import BUDGETS


@dataclass(frozen=True, slots=True)
class Packing:
    """How examples fill rows of a length. `fitting` of them do at all, in `bins` rows when packed:
    `fill` is the share of those that is no padding, `fill_unpacked` with an example a row."""

    budget: int
    fitting: int
    longer: int
    bins: int
    fill: float
    fill_unpacked: float


def pack(counts: Mapping[int, int], budget: int) -> Packing:
    """Put examples into rows of a length, longest first, each where it leaves the least room: what
    TRL's `bfd` does.

    {1500: 1, 500: 2}, 2048 -> 2 rows: 1500 + 500, and 500
    """
    room: Counter[int] = Counter()
    for length in sorted((n for n in counts if n <= budget), reverse=True):
        _put(room, length, counts[length], budget)
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


def pack_all(counts: Mapping[int, int], budgets: Sequence[int] = BUDGETS) -> tuple[Packing, ...]:
    """The same for rows of several lengths."""
    return tuple(pack(counts, budget) for budget in budgets)


def _put(room: Counter[int], length: int, count: int, budget: int) -> None:
    """Put examples of one length into rows, counted by the room they have left.

    The row with the least room that takes one takes all that it can: with less room than before,
    it is still the one with the least.
    """
    for left in sorted(room):
        if left < length or not count:
            continue
        each = left // length
        full = min(room[left], count // each)
        _move(room, left, left - each * length, full)
        count -= full * each
        if count and room[left]:
            _move(room, left, left - count * length, 1)
            count = 0
    each = budget // max(length, 1)
    room[budget - each * length] += count // each
    if count % each:
        room[budget - (count % each) * length] += 1


def _move(room: Counter[int], source: int, target: int, count: int) -> None:
    if not count:
        return
    room[source] -= count
    if not room[source]:
        del room[source]
    room[target] += count
