"""Entry point that only wraps the call; the notations for chat models do not show its steps."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.core.trace import Program, Step


@dataclass(frozen=True, slots=True)
class HiddenEntry:
    """The entry point `def main(): return f(1)` of a program.

    Attributes:
        line: line of its `def`.
        return_line: line of its `return`.
        lines: all of its lines.
    """

    line: int
    return_line: int
    lines: range

    def hides(self, steps: Sequence[Step]) -> bool:
        """Whether the entry point only calls and returns, so that its steps are implied.

        A trace without any other step is not implied by its answer.
        """
        if tuple(steps[:2]) != self.first_steps():
            return False
        rest = steps[2:]
        inner = [step for step in rest if step.scope != 0]
        own = tuple(step for step in rest if step.scope == 0)
        if not inner or (own and own != tuple(rest[len(inner) :])):
            return False
        return not own or own == self.last_steps(own[0].event == "exception", own[0].value or "")

    def first_steps(self) -> tuple[Step, ...]:
        """Steps before the first one that is shown."""
        return Step("call", self.line, 0), Step("line", self.return_line, 0)

    def last_steps(self, is_exception: bool, value: str) -> tuple[Step, ...]:
        """Steps that the answer implies."""
        if is_exception:
            raised = Step("exception", self.return_line, 0, value=value)
            return raised, Step("return", self.return_line, 0)
        return (Step("return", self.return_line, 0, value=value),)


def find_hidden_entry(program: Program) -> HiddenEntry | None:
    """The entry point, if it does nothing but return a call."""
    if program.call is not None:
        first = len(program.syntax.source_lines(program.source.rstrip())) + 2
        lines = program.lines
        # In some languages, the entry point is part of a class instead.
        if program.syntax.START_MARK in "".join(lines[first - 1 : first]):
            return HiddenEntry(first, first + 1, range(first, len(lines) + 1))
    entry, split = program.entry, program.split_entry()
    if entry is None or split is None or split == (program.source, f"{entry}()"):
        return None
    place = program.syntax.entry_lines(program.text, entry)
    return None if place is None else HiddenEntry(place[0], place[1], range(place[0], place[2] + 1))
