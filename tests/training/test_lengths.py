"""Lengths: the distribution, and packing that is what an item by item packing gives."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.measures import Lengths, lengths_of
from worldline.training import pack

COUNTS = st.dictionaries(st.integers(1, 120), st.integers(1, 9), max_size=12)


def packed_by_hand(counts: dict[int, int], budget: int) -> int:
    """Best fit, longest first, one after the other: how many rows it takes."""
    room: list[int] = []
    for length in sorted(Counter(counts).elements(), reverse=True):
        if length > budget:
            continue
        fitting = [left for left in room if left >= length]
        if fitting:
            room.remove(min(fitting))
            room.append(min(fitting) - length)
        else:
            room.append(budget - length)
    return len(room)


@given(COUNTS, st.integers(1, 130))
def test_counted_lengths_pack_like_single_ones(counts: dict[int, int], budget: int) -> None:
    found = pack(counts, budget)
    assert found.bins == packed_by_hand(counts, budget)
    assert found.fitting + found.longer == sum(counts.values())
    tokens = sum(length * count for length, count in counts.items() if length <= budget)
    assert found.fill * found.bins * budget == pytest.approx(tokens)
    assert found.fill_unpacked * found.fitting * budget == pytest.approx(tokens)
    assert 0 <= found.fill_unpacked <= found.fill <= 1


@given(st.lists(st.integers(0, 50), min_size=1, max_size=300))
def test_percentiles_are_those_of_the_sorted_lengths(lengths: list[int]) -> None:
    ordered = sorted(lengths)

    def at(percent: int) -> int:
        return ordered[-(-len(ordered) * percent // 100) - 1]

    assert lengths_of(Counter(lengths)) == Lengths(at(50), at(90), at(99), ordered[-1])


def test_nothing_has_no_length() -> None:
    assert lengths_of({}) == Lengths(0, 0, 0, 0)
    assert pack({}, 100).bins == 0
