"""Symbols of Rust's debug information; implements `SymbolRules`.

Every `let` begins a block in the debug information, so a variable in scope has been declared.
"""

import re
from typing import Any

import gdb

from ...native.debugger.program_tables import Function, Variable
from .rust_types import is_copied, last_name

FILE = "program.rs"
_FOR = re.compile(r"\bfor\s+(?P<pattern>.*?)\s+in\b")
# Variables of the compiler in `x?`.
_OF_QUESTION_MARK = ("val", "residual")


class RustSymbols:
    """What the symbols of Rust programs mean."""

    OBJECT = ""
    # The end of an `if` jumps, too; `break` and `continue` often have no row at all.
    HAS_JUMPS = False

    def __init__(self, lines: "list[str]", copied: "list[str]") -> None:
        """Create the rules for a program.

        Args:
            lines: The lines of the program's text.
            copied: The names of its types that are copied, not moved.
        """
        self._lines = ["", *lines]
        self._copied = frozenset(copied)

    def function_name(self, block: Any) -> str:
        """The name without the crate and types: Point::sum."""
        name = block.function.name
        if "{closure" in name:
            return "<closure>"
        name = _without_types(name.partition("::")[2])
        if "{impl#" not in name:
            return name
        # The method of a trait: its type is that of `self`.
        own = next((symbol for symbol in block if symbol.name == "self"), None)
        method = name.rpartition("::")[2]
        return method if own is None else f"{last_name(_target(own.type))}::{method}"

    def find_syntax(
        self, block: Any, lines: "list[int]", syntaxes: "list[list[Any]]"
    ) -> "list[Any] | None":
        """The function in the text that is declared where the debug information says."""
        name = block.function.name
        if not name.startswith("program::"):
            return None
        line, is_closure = block.function.line, "{closure" in name
        fitting = [each for each in syntaxes if each[0] == line and each[5] == is_closure]
        last = max(lines)
        # Of several closures on a line, the one that ends where the block ends.
        return min(fitting, key=lambda each: abs(each[2] - last), default=None)

    def is_shown(self, symbol: Any) -> bool:
        """Whether a symbol is a variable of the program's text, not of the compiler or a macro."""
        name = symbol.name
        if not name or not (symbol.is_variable or symbol.is_argument) or name.startswith("__"):
            return False
        if symbol.addr_class == gdb.SYMBOL_LOC_OPTIMIZED_OUT or self.is_loop(symbol):
            return False
        text = self._line(symbol)
        if name in _OF_QUESTION_MARK and "?" in text:
            return re.search(rf"\blet\s+(mut\s+)?{name}\b", text) is not None
        return (
            name == "self" or re.search(rf"(?<![.\w]){re.escape(name)}(?![\w(])", text) is not None
        )

    def is_loop(self, symbol: Any) -> bool:
        """Whether a symbol is the hidden iterator of `for`."""
        if symbol.name != "iter":
            return False
        loop = _FOR.search(self._line(symbol))
        return loop is not None and re.search(r"\biter\b", loop["pattern"]) is None

    def _line(self, symbol: Any) -> str:
        is_own = symbol.symtab.filename.endswith(FILE) and symbol.line < len(self._lines)
        return self._lines[symbol.line] if is_own else ""

    def is_declared(
        self, function: Function, variable: Variable, line: int, last_line: int
    ) -> bool:
        """A variable in scope has been declared, unless its own statement comes next.

        The variables of `if let` are in scope before they have a value.
        """
        is_outside = variable.line < function.line or variable.line > function.last_line
        if variable.is_parameter or is_outside or variable.name in function.syntax[5]:
            return True
        return function.statement_of(variable.line) != line

    def starts_empty(self, function: Function, variable: Variable) -> bool:
        """Whether a variable is declared as `let x;`."""
        return not variable.is_parameter and [variable.line, variable.name] in function.syntax[2]

    def is_emptied(self, function: Function, variable: Variable, last_line: int) -> "bool | None":
        """Whether the statement on `last_line` moved the value of a variable elsewhere."""
        assigned, moved = function.syntax[3:5]
        if last_line in assigned.get(variable.name, ()):
            return False
        if last_line not in moved.get(variable.name, ()):
            return None
        return None if is_copied(variable.type, self._copied) else True


def _target(type: Any) -> Any:
    type = type.strip_typedefs()
    return type.target() if type.code == gdb.TYPE_CODE_PTR else type


def _without_types(name: str) -> str:
    """A name without the types in angle brackets: largest<i32> -> largest"""
    previous = ""
    while previous != name:
        previous, name = name, re.sub(r"(::)?<[^<>]*>", "", name)
    return name
