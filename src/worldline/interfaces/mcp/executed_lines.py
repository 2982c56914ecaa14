"""Executed lines of a trace: each with what it changed, returned or raised.

A step of a trace has the state before its line. An `ExecutedLine` has the effect of its own line.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from worldline.core.trace import Program, Scope, Step, Trace

Kind = Literal["call", "line"]


@dataclass(slots=True)
class ExecutedLine:
    """One executed line, or one call of a function.

    Attributes:
        step: The number of its step in the trace, from 0.
        kind: "call" for the beginning of a function, whose arguments are in `changed`.
        line: The line number.
        scope: The number of the activation.
        function: The qualified name of the function.
        depth: The number of functions around it.
        changed: The variables that are new or different after the line.
        gone: The variables that no longer exist after it.
        returned: The value that it returned.
        raised: The exceptions that it raised, or that passed through it.
        is_left: Whether an exception left the function at this line.
        effect_step: The number of the step that shows the state after the line, or what it
            returned; None if the recording ended before.
        is_followed: Whether the state after the line was recorded.
    """

    step: int
    kind: Kind
    line: int
    scope: int
    function: str
    depth: int
    changed: dict[str, str] = field(default_factory=dict)
    gone: tuple[str, ...] = ()
    returned: str | None = None
    raised: list[str] = field(default_factory=list)
    is_left: bool = False
    effect_step: int | None = None
    is_followed: bool = False

    @property
    def has_effect(self) -> bool:
        """Whether it changed, returned or raised something, or calls a function."""
        is_result = self.returned is not None or bool(self.raised)
        is_call = self.kind == "call" and self.function != "<module>"
        return is_call or is_result or bool(self.changed or self.gone)

    def apply(self, state: dict[str, str]) -> None:
        """Turn the state of its scope before the line into that after it."""
        state.update(self.changed)
        for name in self.gone:
            state.pop(name, None)


def executed_lines(
    program: Program, steps: Sequence[Step], scopes: Sequence[Scope] = ()
) -> list[ExecutedLine]:
    """List the executed lines of a trace, without those of the entry point that only calls.

    Args:
        program: The program.
        steps: Its steps, actual or predicted.
        scopes: The activations of functions; without them, functions have no names.
    """
    has_entry = program.call is not None
    lines: list[ExecutedLine] = []
    last: dict[int, ExecutedLine] = {}
    depth = 0
    for index, step in enumerate(steps):
        if has_entry and step.scope == 0:
            continue
        current = last.get(step.scope)
        if step.has_locals:
            if current is not None and not current.is_followed and current.returned is None:
                _add_changes(current, step, index)
            is_call = step.event == "call"
            depth += is_call
            function = scopes[step.scope].function if step.scope < len(scopes) else ""
            line = ExecutedLine(
                index, "call" if is_call else "line", step.line, step.scope, function,
                max(0, depth - 1),
            )  # fmt: skip
            if is_call:
                _add_changes(line, step, index)
            lines.append(line)
            last[step.scope] = line
        elif step.event == "exception":
            if current is not None:
                current.raised.append(step.value or "")
        else:
            depth -= 1
            if current is not None:
                current.returned, current.is_left = step.value, step.value is None
                current.effect_step = index
    return lines


def _add_changes(line: ExecutedLine, step: Step, index: int) -> None:
    line.changed, line.gone = dict(step.changed), step.gone
    line.effect_step, line.is_followed = index, True


def lines_of_trace(trace: Trace) -> list[ExecutedLine]:
    """The executed lines of a recorded trace."""
    return executed_lines(trace.program, trace.steps, trace.scopes)
