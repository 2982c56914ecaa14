"""Code as javac lays it out, as far as its table of lines depends on it.

The recorder has a line step where the table of lines has a row. javac adds a row when it emits an
instruction after the start of a statement or a call, if the last row has another line. A jump to
the next instruction is removed, so that two rows may fall together; the later one is kept.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from worldline.languages.control_flow.code_emitter import (
    CodeEmitter,
    CodeNode,
    Handler,
    Label,
    LineStart,
)
from worldline.languages.control_flow.instruction_nodes import FrameExit

# Lines that only close something have no step; the same rule is in Instrumenter.java.
_CLOSING = re.compile(r"[\s})\];]*(?://.*)?")


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the table of lines; an optional one may be missing."""

    index: int
    line: int
    is_optional: bool = False


@dataclass(frozen=True, slots=True)
class Jump:
    """A jump whose target is not known yet."""

    node: CodeNode
    label: Label
    is_goto: bool


Chain = list[Jump]


class JavacCode(CodeEmitter):
    """The code of a method while it is emitted.

    Attributes:
        is_alive: Whether the next instruction can be reached from the one before it.
        rows: The table of lines.
    """

    def __init__(self, source_lines: tuple[str, ...]) -> None:
        self.is_alive = True
        self.rows: list[Row] = []
        self._source_lines = source_lines
        self._pending: Chain = []
        self._pending_line: int | None = None
        self._is_pending_optional = False
        # Whether something refers to the position of the next instruction.
        self._is_fixed = False
        super().__init__()

    @property
    def is_reachable(self) -> bool:
        """Whether the next instruction can be reached."""
        return self.is_alive or bool(self._pending)

    @property
    def pending_line(self) -> int | None:
        """The line of the row that the next instruction gets."""
        return self._pending_line

    def start_line(self, line: int | None, *, is_optional: bool = False) -> None:
        """Let the next instruction start a line; None cancels a start."""
        self._pending_line = line
        self._is_pending_optional = is_optional

    def emit(
        self,
        *,
        may_raise: bool = False,
        callees: Iterable[int] = (),
        must_call: bool = False,
        frame_exit: FrameExit | None = None,
        falls_through: bool = True,
        targets: Iterable[Label] = (),
        resumption_line: int | None = None,
    ) -> CodeNode:
        """Add an instruction, unless it cannot be reached."""
        self._resolve_pending()
        if not self.is_alive:
            return CodeNode()
        self._mark_row()
        self._is_fixed = False
        self.is_alive = falls_through
        return super().emit(
            may_raise=may_raise,
            callees=callees,
            must_call=must_call,
            frame_exit=frame_exit,
            falls_through=falls_through,
            targets=targets,
            resumption_line=resumption_line,
        )

    def position(self) -> int:
        """The index of the next instruction, which something refers to."""
        self._resolve_pending()
        if self.is_alive:
            self._mark_row()
        self._pending_line = None
        self._is_fixed = True
        return len(self.nodes)

    def enter(self, label: Label) -> None:
        """Start a handler of exceptions here."""
        label.index = self.position()
        self.is_alive = True

    def goto(self) -> Chain:
        """Jump; jumps to this place jump there as well."""
        chain, self._pending = self._pending, []
        if self.is_alive:
            label = Label()
            node = self.emit(falls_through=False, targets=[label])
            chain = [*chain, Jump(node, label, is_goto=True)]
        return chain

    def conditional_jump(self) -> Chain:
        """Jump or continue."""
        if not self.is_reachable:
            return []
        label = Label()
        return [Jump(self.emit(targets=[label]), label, is_goto=False)]

    def resolve(self, chain: Chain) -> None:
        """Let jumps go to the next instruction."""
        self._pending = [*self._pending, *chain]

    def jump_back(self, chain: Chain, start: int) -> None:
        """Let jumps go to an instruction before them."""
        for jump in chain:
            jump.label.index = start
        self._is_fixed = self._is_fixed or bool(chain)

    def goto_start(self, start: int) -> None:
        """Jump back to the start of a loop, with a step if its test has no row of its own."""
        if self.is_alive:
            self._resolve_pending()
            self.emit()
            line = self._loop_line(start)
            if line is not None:
                self.line_starts[len(self.nodes)] = LineStart(line)
                self.emit()
        self.jump_back(self.goto(), start)

    def _loop_line(self, start: int) -> int | None:
        """The line of the step before a jump back; the same rule is in Instrumenter.java."""
        if any(row.index == start for row in self.rows):
            return None
        before = [row for row in self.rows if row.index <= start] or self.rows[:1]
        if not before:
            return None
        to, origin = before[-1], self.rows[-1]
        is_repeated = origin.line == to.line and origin is not to
        return None if is_repeated or self._is_closing(to.line) else to.line

    def _resolve_pending(self) -> None:
        chain, self._pending = self._pending, []
        if not chain:
            return
        last = next((jump for jump in chain if jump.node is self.nodes[-1]), None)
        if last is not None and last.is_goto and not self._is_fixed:
            # A jump to the next instruction is removed; its row is that of the next one.
            self.nodes.pop()
            chain = [jump for jump in chain if jump is not last]
        for jump in chain:
            jump.label.index = len(self.nodes)
        self._is_fixed = self._is_fixed or bool(chain)
        self.is_alive = True

    def _mark_row(self) -> None:
        line, self._pending_line = self._pending_line, None
        if line is None:
            return
        index = len(self.nodes)
        if self.rows and self.rows[-1].index == index:
            self.rows.pop()
            self.line_starts.pop(index, None)
        last = self._last_lines()
        if last == {line}:
            return
        is_optional = line in last or self._is_pending_optional
        self.rows.append(Row(index, line, is_optional))
        if not self._is_closing(line):
            self.line_starts[index] = LineStart(line, is_optional)

    def _last_lines(self) -> set[int]:
        """The lines that the last row may have."""
        lines = set()
        for row in reversed(self.rows):
            lines.add(row.line)
            if not row.is_optional:
                break
        return lines

    def _is_closing(self, line: int) -> bool:
        return line > len(self._source_lines) or bool(
            _CLOSING.fullmatch(self._source_lines[line - 1])
        )


__all__ = ["Chain", "Handler", "JavacCode", "Jump", "Label", "Row"]
