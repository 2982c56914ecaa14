"""Benchmark programs whose executions are compared with their control-flow graphs."""

from typing import Any

import pytest

from worldline.core.trace import Program


@pytest.fixture(scope="session")
def humaneval_programs(humaneval: list[dict[str, Any]]) -> list[Program]:
    """Every solution of HumanEval with the tests that check it."""
    return [
        Program(
            f"{row['prompt']}{row['canonical_solution']}\n{row['test']}",
            f"check({row['entry_point']})",
        )
        for row in humaneval
    ]
