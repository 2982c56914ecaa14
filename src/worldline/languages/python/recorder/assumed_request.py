"""Request and reply about assumed calls: what the child process gets, and what it asks for."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldline.core.trace import AssumedCall, Assumptions, Program, Step
from worldline.languages.python.recorder.data_uses import find_data_uses
from worldline.languages.python.recorder.literals import literal_to_json, parse_literal

# Reason with which the child process ends at a call that has no value yet.
NEEDED = "assumption_needed"


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that needs an assumed value.

    Attributes:
        expression: The call or attribute with its argument values.
        expected_type: The type that Python needs here, such as "bool"; empty for any.
        statements: Imports and assignments on assumed objects since the call before.
        step: The number of the step whose line has the call; None if that was not recorded.
    """

    expression: str
    expected_type: str
    statements: tuple[str, ...]
    step: int | None


def assumed_request(program: Program, assumptions: Assumptions) -> dict[str, Any]:
    """The fields of a request for an execution with assumptions."""
    return {
        "assume": list(assumptions.names),
        "answers": [_answer(call) for call in assumptions.calls],
        "data_uses": find_data_uses(program.text),
    }


def _answer(call: AssumedCall) -> list[Any]:
    value = literal_to_json(parse_literal(call.value)) if call.kind == "value" else call.value
    return [call.expression, call.kind, value]


def parse_open_call(detail: str, steps: Sequence[Step]) -> OpenCall | None:
    """The call that the child process asks for; None if its text is malformed.

    Args:
        detail: The detail of its ending.
        steps: The steps up to that call.
    """
    try:
        expression, expected_type, statements = json.loads(detail)
    except (ValueError, TypeError):
        return None
    texts = [expression, expected_type, *statements] if isinstance(statements, list) else [None]
    if not all(isinstance(text, str) for text in texts):
        return None
    return OpenCall(expression, expected_type, tuple(statements), calling_step(steps))


def calling_step(steps: Sequence[Step], *, count: int | None = None) -> int | None:
    """The number of the step whose line is being executed after the last step.

    That is the last call or line step of the innermost function that has not returned.

    Args:
        steps: The steps.
        count: The number of steps that are considered; all of them by default.
    """
    left: set[int] = set()
    caller: int | None = None
    for number in range((len(steps) if count is None else count) - 1, -1, -1):
        step = steps[number]
        if caller is None and step.scope not in left:
            # The last step of a scope that was left, or that yielded, is its return.
            caller = None if step.event == "return" else step.scope
            left.add(step.scope)
        if step.scope == caller and step.has_locals:
            return number
    return None
