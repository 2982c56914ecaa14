"""Change of the accuracy of operations between two runs."""

import pytest

from worldline.evaluation.metrics import compare_operations

A = {
    "str.replace": {f"p{n}": (1, 1) for n in range(12)},
    "int +": {f"p{n}": (1, 1) for n in range(12)},
    "swapped": {"p0": (0, 1), "p1": (1, 1)},
    "only in A": {"p0": (1, 1)},
    "other programs": {"p0": (1, 1)},
}
B = {
    "str.replace": {f"p{n}": (0 if n < 10 else 2, 2) for n in range(12)},
    "int +": {f"p{n}": (1, 1) for n in range(12)},
    "swapped": {"p0": (1, 1), "p1": (0, 1)},
    "other programs": {"p1": (1, 1)},
}


def test_operations_are_compared_by_program() -> None:
    changes = {change.name: change for change in compare_operations(A, B)}
    assert list(changes) == ["str.replace", "int +", "swapped"]
    replaced = changes["str.replace"]
    assert (replaced.a, replaced.b) == ((12, 12), (4, 24))
    assert replaced.difference.value == pytest.approx(-10 / 12)
    # McNemar's exact p-value of 0 gained and 10 lost, adjusted for two tests.
    assert replaced.difference.p == pytest.approx(2 / 2**10)
    assert replaced.adjusted_p == pytest.approx(4 / 2**10)
    assert changes["int +"].adjusted_p is None
    assert changes["swapped"].adjusted_p == 1


def test_nothing_in_common() -> None:
    assert compare_operations({"only in A": {"p": (1, 1)}}, {"only in B": {"p": (1, 1)}}) == ()
