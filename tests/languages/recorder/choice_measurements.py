"""Measurement: generated programs with choices, recorded and replayed on other versions of Python.

python -m tests.languages.recorder.choice_measurements 2000 3.11 3.12 3.13
"""

import json
import sys
from contextlib import ExitStack

from tests.support.chance_programs import chance_program
from tests.support.pythons import find_python
from worldline.core.trace import Trace, trace_to_json
from worldline.languages.python.recorder import PythonRecorder


def trace_bytes(trace: Trace) -> bytes:
    """The trace as JSON, without the versions that recorded it."""
    return json.dumps(trace_to_json(trace) | {"origin": None}).encode()


def measure(programs: int, versions: list[str]) -> None:
    """Record on the first version, replay on all of them, and print how many traces are equal."""
    same = dict.fromkeys(versions, 0)
    with ExitStack() as stack:
        recorders = [
            stack.enter_context(PythonRecorder(python=find_python(version))) for version in versions
        ]
        first = stack.enter_context(PythonRecorder(python=find_python(versions[0])))
        choices = 0
        for seed in range(programs):
            trace = first.record(chance_program(seed, is_finite=False))
            choices += len(trace.choices)
            for version, recorder in zip(versions, recorders, strict=True):
                second, _ = recorder.record_choosing(trace.program, trace.choices)
                same[version] += trace_bytes(trace) == trace_bytes(second)
                if trace_bytes(trace) != trace_bytes(second):
                    sys.stdout.write(f"program {seed} differs on {version}\n")
    sys.stdout.write(f"{programs} programs, {choices} choices, the same bytes: {same}\n")


if __name__ == "__main__":
    measure(int(sys.argv[1]), sys.argv[2:])
