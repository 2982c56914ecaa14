"""Length percentiles and packing, compared with straightforward implementations."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.data.export import pack
from worldline.evaluation.metrics import LengthPercentiles, length_percentiles

COUNTS = st.dictionaries(st.integers(1, 120), st.integers(1, 9), max_size=12)


def count_packed_rows(counts: dict[int, int], budget: int) -> int:
    """Number of rows that best-fit decreasing needs, computed one example at a time."""
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
def test_packing_by_counts_equals_packing_one_by_one(counts: dict[int, int], budget: int) -> None:
    packing = pack(counts, budget)
    assert packing.bins == count_packed_rows(counts, budget)
    assert packing.fitting + packing.longer == sum(counts.values())
    tokens = sum(length * count for length, count in counts.items() if length <= budget)
    assert packing.fill * packing.bins * budget == pytest.approx(tokens)
    assert packing.fill_unpacked * packing.fitting * budget == pytest.approx(tokens)
    assert 0 <= packing.fill_unpacked <= packing.fill <= 1


@given(st.lists(st.integers(0, 50), min_size=1, max_size=300))
def test_percentiles_equal_those_of_the_sorted_lengths(lengths: list[int]) -> None:
    ordered = sorted(lengths)

    def at(percent: int) -> int:
        return ordered[-(-len(ordered) * percent // 100) - 1]

    assert length_percentiles(Counter(lengths)) == LengthPercentiles(
        at(50), at(90), at(99), ordered[-1]
    )


def test_no_examples_have_length_zero_and_no_rows() -> None:
    assert length_percentiles({}) == LengthPercentiles(0, 0, 0, 0)
    assert pack({}, 100).bins == 0
