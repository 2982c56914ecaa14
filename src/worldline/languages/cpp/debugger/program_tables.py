"""Functions, line-table rows and variables of the program, from its debug information."""

import re
from typing import Any

import gdb

from .instructions import Instructions


class Function:
    """A function of the program's file.

    Attributes:
        name: Its name, without parameters.
        line: The line of its call events.
        start: Its first address.
        body: The address after its prologue, at which its parameters can be read.
        type: The type that it returns.
        rows: The lines of its addresses in the line table.
        returns: The addresses of its `ret` instructions.
        breakpoints: The addresses in the line table that may begin a statement.
        parameters: The names of its parameters.
        variables: The names of its parameters and local variables.
    """

    def __init__(
        self,
        block: Any,
        rows: "list[tuple[int, int]]",
        syntax: "list[int]",
        statements: "dict[int, int]",
    ) -> None:
        self.line, self.opening_line, self.last_line, self._first_line = syntax
        self._statements = statements
        self.start, self.end = block.start, block.end
        self.symbol = block.function
        self.name = short_name(self.symbol.name)
        self.rows = dict(rows)
        later = sorted(pc for pc in self.rows if pc > self.start)
        self.body = later[0] if later else self.start
        instructions = Instructions(self.start, self.end)
        self.returns = instructions.returns
        lines = {pc: self.statement_of(self.rows[pc]) for pc in later}
        self.breakpoints = sorted(instructions.first_rows(lines))
        self.type = self.symbol.type.target().strip_typedefs()
        arguments = [symbol for symbol in block if symbol.is_argument]
        self.parameters = [symbol.name for symbol in arguments if _is_shown(symbol)]
        self.is_constructor = self.name.split("::")[-1] in self.name.split("::")[:-1]
        self._infos: dict[int, PlaceInfo] = {}
        # Variables of `for (… : …)` by their keys, and the blocks of their loops.
        self.loops: dict[Any, tuple[int, int]] = {}
        self.variables = list(self.parameters)
        for pc in later:
            self.info(pc)

    def statement_of(self, line: int) -> int:
        """The line on which the statement of a line begins; the line itself if it has none."""
        return self._statements.get(line, line)

    def is_shown(self, line: int) -> bool:
        """Whether a line has a statement of the body."""
        if line not in self._statements:
            return False
        # The rows of the head are about the call.
        return self._statements[line] > self.line or line == self._first_line

    def info(self, pc: int) -> "PlaceInfo":
        """The variables that exist at an address."""
        if pc not in self._infos:
            self._infos[pc] = PlaceInfo(self, pc)
        return self._infos[pc]


class Variable:
    """A local variable or parameter: its symbol, and where it is declared."""

    def __init__(self, symbol: Any, block: Any) -> None:
        self.symbol = symbol
        self.name = symbol.name
        self.line = symbol.line
        self.key = (block.start, block.end, symbol.name, symbol.line)
        self.is_parameter = symbol.is_argument
        self.is_static = not symbol.needs_frame
        self.type = symbol.type.strip_typedefs()
        self.is_reference = self.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


class PlaceInfo:
    """What exists at an address: variables, and loops whose variable is kept.

    Attributes:
        variables: The variables in scope, the outer ones first.
        loops: The blocks of `for (… : …)` around it.
        own_loop: The loop whose variable is among the variables, by the variable's key.
    """

    def __init__(self, function: Function, pc: int) -> None:
        self.variables: list[Variable] = []
        self.loops: list[tuple[int, int]] = []
        self.own_loop: dict[Any, tuple[int, int]] = {}
        blocks = []
        block = gdb.block_for_pc(pc)
        while block is not None:
            blocks.append(block)
            if block.function is not None:
                break
            block = block.superblock
        by_name: dict[str, Variable] = {}
        loop = None
        for block in reversed(blocks):
            symbols = list(block)
            for symbol in symbols:
                if _is_shown(symbol):
                    variable = Variable(symbol, block)
                    by_name.pop(symbol.name, None)
                    by_name[symbol.name] = variable
                    if loop is not None:
                        self.own_loop[variable.key] = loop
                    if symbol.name not in function.variables:
                        function.variables.append(symbol.name)
            loop = None
            if any(symbol.name == "__for_begin" for symbol in symbols):
                loop = (block.start, block.end)
                self.loops.append(loop)
        self.variables = list(by_name.values())


def _is_shown(symbol: Any) -> bool:
    is_variable = symbol.is_variable or symbol.is_argument
    # The variable of a handler that nothing can reach has none.
    has_place = symbol.addr_class != gdb.SYMBOL_LOC_OPTIMIZED_OUT
    return bool(symbol.name) and is_variable and has_place and not symbol.name.startswith("__")


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


def read_functions(
    file: str, statements: "dict[int, int]", syntaxes: "list[list[int]]"
) -> "list[Function]":
    """The functions of a file that its text contains; not those that the compiler adds.

    Args:
        file: The name of the file in the line table.
        statements: The line on which the statement of a line begins.
        syntaxes: The lines of the functions in the text: name, opening and closing brace, first
            token of the body.
    """
    tables: dict[tuple[int, int], tuple[Any, list[tuple[int, int]]]] = {}
    for symtab in _symtabs(file, syntaxes):
        for row in symtab.linetable():
            block = gdb.block_for_pc(row.pc)
            while block is not None and block.function is None:
                block = block.superblock
            if block is not None and row.line:
                rows = tables.setdefault((block.start, block.end), (block, []))[1]
                rows.append((row.pc, row.line))
    result = []
    for block, rows in tables.values():
        syntax = _find_syntax(block, [line for _, line in rows], syntaxes)
        if syntax is not None:
            result.append(Function(block, rows, syntax, statements))
    return result


def _symtabs(file: str, syntaxes: "list[list[int]]") -> "list[Any]":
    """The tables of a file; it has none if no function was compiled, such as unused templates."""
    tables = {}
    for syntax in syntaxes:
        try:
            locations = gdb.decode_line(f"{file}:{syntax[2]}")[1] or ()
        except gdb.error:
            continue
        for each in locations:
            tables[each.symtab.fullname()] = each.symtab
    return list(tables.values())


def _find_syntax(block: Any, lines: "list[int]", syntaxes: "list[list[int]]") -> "list[int] | None":
    """The innermost function in the text that begins and ends on the lines of a block."""
    if block.function.name.startswith(("_GLOBAL__", "__static_init", "_ZGV")):
        return None
    last = max(lines)
    fitting = [each for each in syntaxes if each[0] <= lines[0] and each[2] == last]
    if not fitting and not Instructions(block.start, block.end).returns:
        # A function that never returns has no row for its closing brace.
        fitting = [each for each in syntaxes if each[0] <= lines[0] <= each[1] and last <= each[2]]
    return min(fitting, key=lambda each: each[2] - each[0], default=None)
