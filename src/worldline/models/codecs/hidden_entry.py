"""Entry point that only wraps the call; the notations for chat models do not show its steps."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.trace import Program, Step, parse_source, source_lines


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
        line = len(source_lines(program.source.rstrip())) + 2
        return HiddenEntry(line, line + 1, range(line, len(program.lines) + 1))
    entry, split = program.entry, program.split_entry()
    if entry is None or split is None or split == (program.source, f"{entry}()"):
        return None
    return _entry_in(program.text, entry)


@lru_cache(maxsize=64)
def _entry_in(text: str, entry: str) -> HiddenEntry | None:
    tree = parse_source(text)
    for node in tree.body if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name == entry:
            end = node.end_lineno or node.lineno
            return HiddenEntry(node.lineno, node.body[0].lineno, range(node.lineno, end + 1))
    return None
