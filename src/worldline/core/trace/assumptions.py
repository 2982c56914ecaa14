"""Assumptions: the values that a model provided for calls that could not be executed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from worldline.core.util.text import truncate_text

AssumedKind = Literal[
    "value",  # a Python literal
    "object",  # a value that is not a literal; its methods are assumed, too
    "exception",  # the call raised an exception
]


@dataclass(frozen=True, slots=True)
class AssumedCall:
    """One expression that was not executed, and its assumed value.

    Attributes:
        expression: The call or attribute with its argument values, as in "requests.get('u')".
        kind: What the value is.
        value: The literal; the text of the object; or the exception, as in "KeyError: 'a'".
        step: The number of the step whose line has the call; None if that line was not recorded,
            because it belongs to the module and the trace begins with a call.
        statements: Imports and assignments on assumed objects since the assumed call before.
    """

    expression: str
    kind: AssumedKind
    value: str
    step: int | None = None
    statements: tuple[str, ...] = ()

    def __repr__(self) -> str:
        value = truncate_text(self.value, 40)
        return f"AssumedCall({truncate_text(self.expression, 60)} → {self.kind} {value})"


@dataclass(frozen=True, slots=True)
class Assumptions:
    """All assumed calls of one execution; enough to execute the program again without the model.

    Attributes:
        names: The modules and functions that were not executed.
        model: The model that was asked.
        calls: The assumed calls, in order.
    """

    names: tuple[str, ...]
    model: str
    calls: tuple[AssumedCall, ...] = ()

    def __repr__(self) -> str:
        return f"Assumptions({', '.join(self.names)}: {len(self.calls)} calls, {self.model!r})"

    @property
    def steps(self) -> frozenset[int]:
        """The numbers of the steps whose line has an assumed call."""
        return frozenset(call.step for call in self.calls if call.step is not None)


def first_assumptions(assumptions: Assumptions, steps: int) -> Assumptions:
    """The assumptions of the first steps."""
    calls = tuple(call for call in assumptions.calls if call.step is None or call.step < steps)
    return replace(assumptions, calls=calls)


def assumptions_from_fields(fields: Mapping[str, Any]) -> Assumptions:
    """The assumptions from their stored fields; `assumptions_to_fields` is the inverse."""
    calls = [
        AssumedCall(**{**call, "statements": tuple(call["statements"])}) for call in fields["calls"]
    ]
    return Assumptions(tuple(fields["names"]), fields["model"], tuple(calls))


def assumptions_to_fields(assumptions: Assumptions) -> dict[str, Any]:
    """The fields of assumptions, as JSON data."""
    return {
        "names": list(assumptions.names),
        "model": assumptions.model,
        "calls": [
            {**asdict(call), "statements": list(call.statements)} for call in assumptions.calls
        ],
    }
