"""Overhead of the tracers compared to an empty trace function; see `scripts/bench recorder`."""

import pytest

from tests.languages.recorder.methods import recorder_of
from tests.languages.recorder.overhead import INTERPRETER, measure_seconds
from tests.support.pythons import find_python


@pytest.mark.parametrize(
    ("workload", "limit"),
    # Measured 2.0 and 8.4; the limits allow for noise, and a mistake would cost more.
    [("numeric loop", 3.0), ("containers of 100", 14.0)],
)
def test_the_c_tracer_costs_little_more_than_an_empty_trace_function(
    workload: str, limit: float
) -> None:
    python = find_python("3.11")
    assert python is not None
    recorder_of(python, "core").close()
    seconds = measure_seconds(INTERPRETER, workload, repeats=15, python=python)
    assert seconds["core"] < limit * seconds["empty"]
    reference = measure_seconds(["settrace"], workload, repeats=1, python=python)
    assert reference["settrace"] > 10 * seconds["core"]
