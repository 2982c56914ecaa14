"""Shares and their intervals, with and without repeats."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.analysis.stats import Share, clustered_share, mcnemar, share
from worldline.core.errors import InputError


def test_wilson_interval_as_published() -> None:
    """Newcombe 1998, table I, method 3: 81 of 263, 15 of 148, 0 of 20, 1 of 29."""
    for correct, of, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        result = share(correct, of)
        assert (result.low, result.high) == pytest.approx((low, high), abs=5e-5)
        assert result.value == correct / of


def test_a_lower_level_gives_a_narrower_interval() -> None:
    wide, narrow = share(8, 10), share(8, 10, level=0.8)
    assert narrow.low is not None
    assert wide.low is not None
    assert wide.low < narrow.low


def test_an_empty_share_has_no_value() -> None:
    assert share(0, 0) == clustered_share([], []) == Share(0, 0, None, None)
    assert share(0, 0).value is None


@given(st.lists(st.booleans(), min_size=1, max_size=60))
def test_one_repeat_per_sample_gives_wilsons_interval(rights: list[bool]) -> None:
    counts = [int(correct) for correct in rights]
    assert clustered_share(counts, [1] * len(counts)) == share(sum(counts), len(counts))


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(2, 9))
def test_identical_repeats_count_as_one(rights: list[bool], repeats: int) -> None:
    counts = [repeats * correct for correct in rights]
    result = clustered_share(counts, [repeats] * len(counts))
    once = share(sum(rights), len(rights))
    assert (result.correct, result.of) == (sum(counts), repeats * len(counts))
    assert (result.low, result.high) == pytest.approx((once.low, once.high), abs=1e-9)


@given(st.data())
def test_repeats_count_at_most_as_independent_samples(data: st.DataObject) -> None:
    sizes = data.draw(st.lists(st.integers(1, 6), min_size=1, max_size=30))
    rights = [data.draw(st.integers(0, size)) for size in sizes]
    result, rows = clustered_share(rights, sizes), share(sum(rights), sum(sizes))
    assert None not in (result.low, result.high, rows.low, rows.high, result.value)
    assert result.low <= rows.low + 1e-9  # type: ignore[operator]
    assert result.high >= rows.high - 1e-9  # type: ignore[operator]
    assert 0 <= result.low <= result.value <= result.high <= 1  # type: ignore[operator]
    mirrored = clustered_share([n - r for r, n in zip(rights, sizes, strict=True)], sizes)
    assert mirrored.low == pytest.approx(1 - result.high)  # type: ignore[operator]


def test_scipy_is_imported_lazily() -> None:
    code = (
        "import sys, worldline.analysis.stats, worldline.interfaces.cli; "
        "print([m for m in ('scipy', 'numpy') if m in sys.modules]); "
        "worldline.analysis.stats.share(1, 2); print('scipy' in sys.modules); "
        "worldline.analysis.stats.mcnemar(1, 2); print('scipy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split("\n")[:3] == ["[]", "False", "True"]


def test_a_missing_scipy_is_an_error_that_names_the_extra(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "scipy.special", None)
    with pytest.raises(InputError, match=r"need scipy: pip install 'worldline\[runs\]'"):
        mcnemar(1, 2)
