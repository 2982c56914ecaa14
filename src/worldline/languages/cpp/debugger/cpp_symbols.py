"""Symbols of C++'s debug information; implements `SymbolRules`."""

import re
from typing import Any

import gdb

from ...native.debugger.instructions import Instructions
from ...native.debugger.program_tables import Function, Variable


class CppSymbols:
    """What the symbols of C++ programs mean."""

    OBJECT = "this"
    HAS_JUMPS = True

    def function_name(self, block: Any) -> str:
        """The name without parameters and templates."""
        return short_name(block.function.name)

    def is_shown(self, symbol: Any) -> bool:
        """Whether a symbol is a variable of the program's text."""
        is_variable = symbol.is_variable or symbol.is_argument
        # The variable of a handler that nothing can reach has none.
        has_place = symbol.addr_class != gdb.SYMBOL_LOC_OPTIMIZED_OUT
        return bool(symbol.name) and is_variable and has_place and not symbol.name.startswith("__")

    def is_loop(self, symbol: Any) -> bool:
        """Whether a symbol is the hidden iterator of `for (… : …)`."""
        return bool(symbol.name == "__for_begin")

    def is_declared(
        self, function: Function, variable: Variable, line: int, last_line: int
    ) -> bool:
        """Whether the declaration of a variable was executed."""
        if variable.is_parameter or variable.is_static:
            return True
        if function.statement_of(variable.line) == last_line:
            return True
        # Captured by a lambda: it is declared outside.
        is_long = function.last_line > function.opening_line
        is_before = is_long and variable.line <= function.opening_line
        return bool(is_before or variable.line > function.last_line)

    def starts_empty(self, function: Function, variable: Variable) -> bool:
        """Not known: the compiler marks memory without a value."""
        return False

    def is_emptied(self, function: Function, variable: Variable, last_line: int) -> "bool | None":
        """A value that was moved from is still one."""
        return None

    def find_syntax(
        self, block: Any, lines: "list[int]", syntaxes: "list[list[Any]]"
    ) -> "list[Any] | None":
        """The innermost function in the text that begins and ends on the lines of a block."""
        if block.function.name.startswith(("_GLOBAL__", "__static_init", "_ZGV")):
            return None
        last = max(lines)
        fitting = [each for each in syntaxes if each[0] <= lines[0] and each[2] == last]
        if not fitting and not Instructions(block.start, block.end).returns:
            # A function that never returns has no row for its closing brace.
            fitting = [
                each for each in syntaxes if each[0] <= lines[0] <= each[1] and last <= each[2]
            ]
        return min(fitting, key=lambda each: each[2] - each[0], default=None)


def short_name(name: str) -> str:
    """The name of a function without parameters and templates.

    "A::largest<int>(std::vector<int> const&) const" -> "A::largest"
    """
    if "<lambda" in name or name.startswith("operator()"):
        return "<lambda>"
    name = re.sub(r"\[abi:\w+\]", "", name)
    operator = re.search(r"operator\s*(<<|>>|<=>|<=|>=|->|<|>|\(\))", name)
    if operator is not None:
        name = name.replace(operator[0], "operator\1", 1)
    previous = ""
    while previous != name:
        previous, name = name, re.sub(r"\([^()]*\)|<[^<>]*>", "", name)
    name = name.partition(" const")[0].split(" ")[-1]
    return name if operator is None else name.replace("\1", operator[1])
