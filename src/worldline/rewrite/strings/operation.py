"""What is found in a program: an operation on strings, where it stands, and what is to do it."""

import ast
from dataclasses import dataclass

from worldline.rewrite.strings.functions import Function


@dataclass(frozen=True, slots=True)
class StringOperation:
    """An operation that may be one on strings: its line, what it is ("replace", "in", "slice"),
    and the source that says it."""

    line: int
    what: str
    segment: str


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """An operation in a syntax tree: the function that is to do it, or why none may.

    `guarded`: only where its receiver, a variable, is a string: its arguments are evaluated after
    the method is looked up, which other objects may notice.
    """

    node: ast.expr
    line: int
    what: str
    function: Function | None = None
    guarded: bool = False
    why: str = ""
