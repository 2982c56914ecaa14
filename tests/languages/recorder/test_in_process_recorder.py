"""Limits of the recorder without processes; its traces are compared in tests/test_python_314.py."""

import pytest

from worldline.core.trace import Limits, Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.recorder.in_process_recorder import InProcessRecorder

LOOP = "def f():\n    n = 0\n    while True:\n        n += 1\n"
CATCHES_ALL = (
    "def f():\n    try:\n        n = 0\n        while n < 10**6:\n            n += 1\n"
    "    except BaseException:\n        return 'caught'\n"
)


def test_a_trace_is_that_of_the_default_recorder(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    y = [x]\n    print(y)\n    return y * 2\n", "f('a')")
    found, expected = InProcessRecorder().record(program), recorder.record(program)
    assert found.steps == expected.steps
    assert found.scopes == expected.scopes
    assert (found.ending, found.stdout) == (expected.ending, expected.stdout)


@pytest.mark.parametrize("source", [LOOP, CATCHES_ALL])
def test_the_limit_on_steps_ends_a_program(source: str) -> None:
    trace = InProcessRecorder().record(Program(source, "f()"), limits=Limits(steps=50))
    assert trace.ending.reason == "step_limit"
    assert len(trace.steps) == 50


def test_the_limit_on_time_ends_a_program() -> None:
    trace = InProcessRecorder().record(Program(LOOP, "f()"), limits=Limits(seconds=0.2))
    assert (trace.ending.reason, trace.ending.detail) == ("time_limit", "more than 0.2 s")
    assert trace.steps
