"""Functions, line-table rows and variables of the program, from its debug information."""

from typing import Any, Protocol

import gdb

from .instructions import Instructions


class SymbolRules(Protocol):
    """What a language's debug information means."""

    OBJECT: str
    """Name of the pointer to the object whose method is called; "" if there is none."""

    HAS_JUMPS: bool
    """Whether a row that only jumps is a statement, such as `break;`."""

    def function_name(self, block: Any) -> str:
        """The name of a function in a trace."""
        ...

    def find_syntax(
        self, block: Any, lines: "list[int]", syntaxes: "list[list[Any]]"
    ) -> "list[Any] | None":
        """The function in the text that a block with rows on these lines is of."""
        ...

    def is_shown(self, symbol: Any) -> bool:
        """Whether a symbol is a variable of the program's text."""
        ...

    def is_loop(self, symbol: Any) -> bool:
        """Whether a symbol is the hidden iterator of a loop over items."""
        ...

    def is_declared(
        self, function: "Function", variable: "Variable", line: int, last_line: int
    ) -> bool:
        """Whether the declaration of a variable in scope was executed.

        Args:
            function: The function.
            variable: The variable.
            line: The line of the statement that is about to be executed.
            last_line: The line of the one before.
        """
        ...

    def starts_empty(self, function: "Function", variable: "Variable") -> bool:
        """Whether a variable is declared without a value."""
        ...

    def is_emptied(
        self, function: "Function", variable: "Variable", last_line: int
    ) -> "bool | None":
        """Whether the statement on `last_line` moved the value of a variable elsewhere.

        False if it assigned a value, None if it did neither.
        """
        ...


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
        syntax: "list[Any]",
        statements: "dict[int, int]",
        rules: SymbolRules,
    ) -> None:
        self.line, self.opening_line, self.last_line, self._first_line, *own = syntax
        # Some languages have the statements of each function, and more that their rules need.
        self._statements = (
            {int(line): start for line, start in own[0].items()} if own else statements
        )
        self.syntax = own
        self.rules = rules
        self.start, self.end = block.start, block.end
        self.symbol = block.function
        self.name = rules.function_name(block)
        self.rows = dict(rows)
        later = sorted(pc for pc in self.rows if pc > self.start)
        self.body = later[0] if later else self.start
        instructions = Instructions(self.start, self.end)
        self.returns = instructions.returns
        lines = {pc: self.statement_of(self.rows[pc]) for pc in later}
        self.breakpoints = sorted(instructions.first_rows(lines, with_jumps=rules.HAS_JUMPS))
        self.type = self.symbol.type.target().strip_typedefs()
        arguments = [symbol for symbol in block if symbol.is_argument]
        self.parameters = [symbol.name for symbol in arguments if rules.is_shown(symbol)]
        self._infos: dict[int, PlaceInfo] = {}
        # Variables of loops over items by their keys, and the blocks of their loops.
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
        return bool(self._statements[line] > self.line or line == self._first_line)

    def info(self, pc: int) -> "PlaceInfo":
        """The variables that exist at an address."""
        if pc not in self._infos:
            self._infos[pc] = PlaceInfo(self, pc)
        return self._infos[pc]


class Variable:
    """A local variable or parameter: its symbol, and where it is declared."""

    def __init__(self, symbol: Any, block: Any, rules: SymbolRules) -> None:
        self.symbol = symbol
        self.name = symbol.name
        self.line = symbol.line
        self.key = (block.start, block.end, symbol.name, symbol.line)
        self.is_parameter = symbol.is_argument
        self.is_static = not symbol.needs_frame
        self.type = symbol.type.strip_typedefs()
        self.is_object = bool(rules.OBJECT) and symbol.name == rules.OBJECT
        self.is_reference = self.type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)


class PlaceInfo:
    """What exists at an address: variables, and loops whose variable is kept.

    Attributes:
        variables: The variables in scope, the outer ones first.
        loops: The blocks of loops over items around it.
        own_loop: The loop whose variable is among the variables, by the variable's key.
    """

    def __init__(self, function: Function, pc: int) -> None:
        self.variables: list[Variable] = []
        self.loops: list[tuple[int, int]] = []
        self.own_loop: dict[Any, tuple[int, int]] = {}
        blocks = []
        rules = function.rules
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
                if rules.is_shown(symbol):
                    variable = Variable(symbol, block, rules)
                    by_name.pop(symbol.name, None)
                    by_name[symbol.name] = variable
                    if loop is not None:
                        self.own_loop[variable.key] = loop
                    if symbol.name not in function.variables:
                        function.variables.append(symbol.name)
            loop = None
            if any(rules.is_loop(symbol) for symbol in symbols):
                loop = (block.start, block.end)
                self.loops.append(loop)
        self.variables = list(by_name.values())


def read_functions(
    file: str,
    statements: "dict[int, int]",
    syntaxes: "list[list[Any]]",
    rules: SymbolRules,
) -> "list[Function]":
    """The functions of a file that its text contains; not those that the compiler adds.

    Args:
        file: The name of the file in the line table.
        statements: The line on which the statement of a line begins.
        syntaxes: The lines of the functions in the text: name, opening and closing brace, first
            token of the body.
        rules: The rules of the language.
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
        syntax = rules.find_syntax(block, [line for _, line in rows], syntaxes)
        if syntax is not None:
            result.append(Function(block, rows, syntax, statements, rules))
    return result


def _symtabs(file: str, syntaxes: "list[list[Any]]") -> "list[Any]":
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
