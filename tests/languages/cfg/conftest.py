"""Benchmark programs whose executions are compared with their control-flow graphs."""

from typing import Any

import pytest

from worldline.core.trace import Limits, Program, Trace
from worldline.languages.python.recorder import PythonRecorder


@pytest.fixture(scope="session")
def humaneval_traces(recorder: PythonRecorder, humaneval: list[dict[str, Any]]) -> list[Trace]:
    """The first 2,500 steps of every solution of HumanEval, with the tests that check it."""
    programs = [
        Program(
            f"{row['prompt']}{row['canonical_solution']}\n{row['test']}",
            f"check({row['entry_point']})",
        )
        for row in humaneval
    ]
    return [recorder.record(program, limits=Limits(steps=2_500)) for program in programs]
