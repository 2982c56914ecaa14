"""Scopes of rows: which scope a row belongs to, and which lines are not finished.

Encoder and decoder follow the same rules. A row writes its scope only if the rules do not give it,
so no scope is lost, however unusual the execution.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from worldline.core.trace import Event, Program
from worldline.languages.python.expression_frames import expression_lines
from worldline.models.codecs.replay_state import Activation, ReplayState
from worldline.models.codecs.scope_inference import function_by_line

# Other lines on which a scope is entered or resumed.
_MAY_ENTER = re.compile(r"\b(?:def|class|lambda|yield|await|async)\b|^\s*@")


@dataclass(slots=True, eq=False)
class Frame:
    """What the rows of one scope have shown so far.

    Attributes:
        function: line of its `def`; None for a lambda, a comprehension or a class body.
        open_line: line that has called a function and is not finished.
        has_called: whether the open line has entered a function since.
        resumed_line: line of the `yield` on which it was resumed, until its next row.
        changed: effect of its last row: variables that the next step shows as changed.
        gone: effect of its last row: variables that no longer exist.
        is_unknown: whether the effect of its last row could not be read.
        is_partial: whether some of its variables are unknown.
        effect_start: position of the effect of its last row in the text.
    """

    function: int | None = None
    open_line: int | None = None
    has_called: bool = False
    resumed_line: int | None = None
    changed: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    is_unknown: bool = False
    is_partial: bool = False
    effect_start: int | None = None

    def continues(self, line: int) -> bool:
        """Whether a row on this line continues a line that is not finished."""
        return line in (self.open_line, self.resumed_line)


class RowScopes:
    """Scopes and unfinished lines after the rows so far."""

    def __init__(self, program: Program) -> None:
        self.replay = ReplayState(program)
        self.parameters: Mapping[int, frozenset[str]] = {
            each.line: each.parameters for each in program.syntax.functions(program.text)
        }
        self._function_by_line = function_by_line(program)
        self._expression_lines = (
            expression_lines(program.text) if program.is_python else frozenset[int]()
        )
        self._frames: dict[int, Frame] = {}

    def frame(self, scope: int) -> Frame:
        """What the rows of a scope have shown."""
        return self._frames.setdefault(scope, Frame())

    def has_entered(self, scope: int) -> bool:
        """Whether the scope has had a step."""
        return scope in self._frames

    def scope_of_row(self, line: int) -> int | None:
        """Scope of a row without a call; None if an unwritten call must have preceded it.

        A row belongs to the innermost scope whose function has its line.
        """
        top = self.replay.innermost
        if top is None:
            return None if self.called_function(line) is not None else 0
        if self._contains(top.number, line):
            return top.number
        frame = self.frame(top.number)
        is_calling = frame.open_line is not None and not frame.has_called
        if is_calling and self.called_function(line) is not None:
            return None
        for activation in reversed(self.replay.stack):
            function = self.frame(activation.number).function
            if function is not None and self._contains(activation.number, line):
                return activation.number
        return top.number

    def called_function(self, line: int) -> int | None:
        """Line of the function that has this line, or begins on it; None if there is none."""
        if line in self.parameters:
            return line
        return self._function_by_line.get(line)

    def may_enter(self, line: int) -> bool:
        """Whether a function, a class body or an expression begins, or is resumed, on a line."""
        if line in self.parameters or line in self._expression_lines:
            return True
        if not self.replay.program.is_python:
            return True
        return _MAY_ENTER.search(self.replay.source_line(line)) is not None

    def enter(self, line: int, scope: int) -> Activation:
        """Follow a call step."""
        is_resumed = self.has_entered(scope)
        caller = self.replay.innermost
        if caller is not None:
            self.frame(caller.number).has_called = True
        frame = self.frame(scope)
        if not is_resumed:
            frame.function = line if line in self.parameters else None
        frame.open_line, frame.resumed_line = None, line if is_resumed else None
        return self.replay.advance("call", line, scope=scope)

    def advance(self, event: Event, line: int, scope: int) -> Activation:
        """Follow a line, return or exception step."""
        return self.replay.advance(event, line, scope=scope)

    def expected_call(self, line: int, names: Collection[str]) -> int:
        """Scope that a call on this line is expected to enter or resume."""
        return self.replay.expected_scope("call", line, names)

    def _contains(self, scope: int, line: int) -> bool:
        function = self.frame(scope).function
        if function is None or line == function:
            return True
        return self._function_by_line.get(line) == function
