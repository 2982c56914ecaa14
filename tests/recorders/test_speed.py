"""Small versions of `scripts/bench recorder`: what recording costs beside the engine's own cost."""

import pytest

from tests.pythons import find_python
from tests.recorders.methods import recorder_of
from tests.recorders.speed import ENGINE, seconds_of


@pytest.mark.parametrize(
    ("workload", "most"),
    # Measured 2.0 and 8.4; machines are noisy, and a mistake costs more than that.
    [("numeric loop", 3.0), ("containers of 100", 14.0)],
)
def test_the_core_costs_little_more_than_an_empty_trace_function(
    workload: str, most: float
) -> None:
    python = find_python("3.11")
    assert python is not None
    recorder_of(python, "core").close()
    found = seconds_of(ENGINE, workload, repeats=15, python=python)
    assert found["core"] < most * found["empty"]
    slow = seconds_of(["settrace"], workload, repeats=1, python=python)
    assert slow["settrace"] > 10 * found["core"]
