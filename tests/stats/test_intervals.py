"""Shares: known values, and what repeats do to them."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.errors import InputError
from worldline.stats import Share, clustered_share, mcnemar, share


def test_wilson_as_published() -> None:
    """Newcombe 1998, table I, method 3: of 263, 148, 20, 29 so many are 81, 15, 0, 1."""
    for right, of, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = share(right, of)
        assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)
        assert found.value == right / of


def test_another_level_is_narrower() -> None:
    wide, narrow = share(8, 10), share(8, 10, level=0.8)
    assert narrow.low is not None
    assert wide.low is not None
    assert wide.low < narrow.low


def test_nothing_has_no_share() -> None:
    assert share(0, 0) == clustered_share([], []) == Share(0, 0, None, None)
    assert share(0, 0).value is None


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_one_repeat_a_sample_is_plain_wilson(rights: list[bool]) -> None:
    counts = [int(right) for right in rights]
    assert clustered_share(counts, [1] * len(counts)) == share(sum(counts), len(counts))


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(2, 9))
def test_repeats_that_never_differ_are_worth_one(rights: list[bool], repeats: int) -> None:
    counts = [repeats * right for right in rights]
    found = clustered_share(counts, [repeats] * len(counts))
    once = share(sum(rights), len(rights))
    assert (found.right, found.of) == (sum(counts), repeats * len(counts))
    assert (found.low, found.high) == pytest.approx((once.low, once.high), abs=1e-9)


@given(st.data())
def test_repeats_are_worth_no_more_than_samples_of_their_own(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=30))
    rights = [data.draw(st.integers(0, size)) for size in sizes]
    found, rows = clustered_share(rights, sizes), share(sum(rights), sum(sizes))
    assert None not in (found.low, found.high, rows.low, rows.high, found.value)
    assert found.low <= rows.low + 1e-9  # type: ignore[operator]
    assert found.high >= rows.high - 1e-9  # type: ignore[operator]
    assert 0 <= found.low <= found.value <= found.high <= 1  # type: ignore[operator]
    mirrored = clustered_share([n - r for r, n in zip(rights, sizes, strict=True)], sizes)
    assert mirrored.low == pytest.approx(1 - found.high)  # type: ignore[operator]


def test_scipy_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys, worldline.stats, worldline.cli; "
        "print([m for m in ('scipy', 'numpy') if m in sys.modules]); "
        "worldline.stats.share(1, 2); print('scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split("\n")[:2] == ["[]", "True"]


def test_where_scipy_is_missing_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(InputError, match=r"need scipy: pip install 'worldline\[runs\]'"):
        mcnemar(1, 2)
