"""Step: one event of an execution, and the state that steps add up to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

from worldline.core.errors import InputError
from worldline.core.util.text import truncate_text

Event = Literal["call", "line", "return", "exception"]
EVENTS: tuple[Event, ...] = get_args(Event)
# Symbols of the events in listings.
EVENT_MARKS = {"call": "→", "line": " ", "return": "←", "exception": "!"}

# Mark at which the recorder shortened a value; the length of the complete value follows.
SHORTENED_MARK = "… <cut: "
NO_VARIABLES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Step:
    """One event of an execution: its line, its scope, and what changed.

    A `call` or `line` step has the state before its line as a difference to the previous call or
    line step of its scope; `states` computes full states. A `return` or `exception` step has a
    value and no locals, as in CWM's format.

    Attributes:
        event: The kind of event.
        line: The line in the program's text, from 1.
        scope: The number of the scope (activation of a function) in the trace.
        changed: The locals that are new or have a different value.
        gone: The locals that no longer exist.
        value: The value that was returned or raised; None for a scope that an exception left.
        thread: 0 for the main thread; the others are numbered in the order of their start.
    """

    event: Event
    line: int
    scope: int
    changed: Mapping[str, str] = field(default_factory=lambda: NO_VARIABLES)
    gone: tuple[str, ...] = ()
    value: str | None = None
    thread: int = 0

    def __repr__(self) -> str:
        gone = f"  gone: {', '.join(self.gone)}" if self.gone else ""
        text = truncate_text(f"{step_text(self)}{gone}".strip(), 70)
        position = f"line {self.line}, scope {self.scope}"
        thread = f", thread {self.thread}" if self.thread else ""
        return f"Step({self.event}, {position}{thread}{f': {text}' if text else ''})"

    @property
    def has_locals(self) -> bool:
        """Whether the step has the state before its line."""
        return self.event in ("call", "line")


def make_step(
    event: Event,
    line: int,
    scope: int,
    changed: Mapping[str, str] | None,
    gone: Sequence[str],
    value: str | None,
    thread: int = 0,
) -> Step:
    """Build a step from the fields of a received or stored row.

    Raises:
        InputError: There is no such event.
    """
    if event not in EVENTS:
        raise InputError(f"{event!r} is not an event; expected one of {', '.join(EVENTS)}")
    # Most steps change nothing and share one empty mapping.
    return Step(event, line, scope, changed or NO_VARIABLES, tuple(gone), value, thread)


def states(steps: Sequence[Step]) -> Iterator[dict[str, str]]:
    """The full state of every step, in order: all locals of its scope at that step.

    [call {"x": "1"}, line {}, line {"y": "2"}] -> {"x": "1"}, {"x": "1"}, {"x": "1", "y": "2"}
    """
    scopes: dict[int, dict[str, str]] = {}
    for step in steps:
        state = scopes.setdefault(step.scope, {})
        state.update(step.changed)
        for name in step.gone:
            state.pop(name, None)
        yield dict(state)


def state_at(steps: Sequence[Step], index: int) -> dict[str, str]:
    """The full state of one step; visits only the steps before it."""
    scope = steps[index].scope
    state: dict[str, str] = {}
    visited: set[str] = set()
    for step in reversed(steps[: index + 1]):
        if step.scope != scope:
            continue
        for name, value in step.changed.items():
            if name not in visited:
                state[name] = value
        visited.update(step.changed, step.gone)
    return state


def changed_locals(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Locals whose value is new or different.

    {"x": "1"}, {"x": "1", "y": "2"} -> {"y": "2"}
    """
    return {name: value for name, value in after.items() if before.get(name) != value}


def step_text(step: Step) -> str:
    """The changed locals of a step, or its value, as text.

    Step("line", 3, 0, {"x": "1", "y": "2"}) -> "x=1  y=2"; Step("return", …, value="3") -> "= 3"
    """
    if step.event in ("return", "exception"):
        return "" if step.value is None else f"= {step.value}"
    return "  ".join(f"{name}={value}" for name, value in step.changed.items())


def exception_text(value: str) -> str:
    """The words for a recorded exception.

    "(<class 'ValueError'>, ValueError('no'), <traceback object>)" -> "raises ValueError('no')"
    """
    # The end of a coroutine or generator that is awaited has no traceback.
    suffix = next(
        (each for each in (", <traceback object>)", ", None)") if value.endswith(each)), ""
    )
    inside = value.removesuffix(suffix).partition(">, ")[2]
    return f"raises {inside or value}"


def step_mark(step: Step) -> str:
    """The symbol of a step's event, after the number of its thread if that is not the main one."""
    return f"[{step.thread}] {EVENT_MARKS[step.event]}" if step.thread else EVENT_MARKS[step.event]
