"""One step of an execution, and the state that a run of steps adds up to."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Literal, get_args

Event = Literal["call", "line", "return", "exception"]
EVENTS: tuple[Event, ...] = get_args(Event)

# How a recorder ends a value that was too long for its limit, before it says how long it was.
CUT_MARK = "… <cut: "
NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Step:
    """One event: where it is and what changed.

    `changed` holds the locals that are new or different since the last call or line step of
    the same scope, `gone` those that no longer exist: the full state is what they add up to
    (`states`). A `return` or `exception` step carries a `value` and no locals, as in CWM's
    format; a return with no value is a scope left by an exception. `thread` is 0 for the main
    thread, and counts the others as they began.
    """

    event: Event
    line: int
    scope: int
    changed: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    gone: tuple[str, ...] = ()
    value: str | None = None
    thread: int = 0

    @property
    def has_locals(self) -> bool:
        """Whether the step shows the state before its line."""
        return self.event in ("call", "line")


def states(steps: Sequence[Step]) -> Iterator[dict[str, str]]:
    """The full state of every step, in order: all locals of its scope at that moment.

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
    """The full state of one step, walking back only to where its scope was entered."""
    scope = steps[index].scope
    found: dict[str, str] = {}
    decided: set[str] = set()
    for step in reversed(steps[: index + 1]):
        if step.scope != scope:
            continue
        for name, value in step.changed.items():
            if name not in decided:
                found[name] = value
        decided.update(step.changed, step.gone)
    return found


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Locals whose value is new or different.

    {"x": "1"}, {"x": "1", "y": "2"} -> {"y": "2"}
    """
    return {name: value for name, value in after.items() if before.get(name) != value}
