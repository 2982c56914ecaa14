"""Activation of a function: its variables, and the statement that it executes."""

from typing import Any

import gdb

from .program_tables import Function, PlaceInfo, Variable
from .scalar_reader import UNREADABLE
from .value_reader import ValueReader


class Activation:
    """One activation of a function on the stack.

    Attributes:
        function: The function.
        frame: The frame pointer, which no other activation has at the same time.
        scope: The number of its scope.
        line: The line of its last call or line step.
    """

    def __init__(self, function: Function, frame: int) -> None:
        self.function = function
        self.frame = frame
        self.scope = -1
        self.line = function.line
        self._visited: set[int] = set()
        self._first = 0
        self._declared: set[Any] = set()
        self._addresses: dict[Any, int] = {}
        self._texts: dict[Any, str] = {}
        self._last_line = 0

    def visits(self, pc: int, line: int, *, is_loop: bool) -> bool:
        """Whether a row begins a statement, or a new iteration of one.

        A statement has many rows, some of them in loops of the compiler. It begins if the line is
        another one, or if its first row is reached again.

        Args:
            pc: The address of the row.
            line: The line on which its statement begins.
            is_loop: Whether there is a whole loop on that line: any row that is reached again
                begins its next iteration.
        """
        is_again = pc in self._visited if is_loop else pc == self._first
        if line == self.line and self._visited and not is_again:
            self._visited.add(pc)
            return False
        self.line = line
        self._first = pc
        self._visited = {pc}
        return True

    def passes(self, info: PlaceInfo, line: int) -> None:
        """Note which declarations have been executed when a row is reached.

        Args:
            info: What exists at the row.
            line: The line on which the statement of the row begins.
        """
        kept = {key for key in self._declared if self._loop_of(key) in info.loops}
        declared = {
            variable.key
            for variable in info.variables
            if variable.key in self._declared or self._is_declared(variable)
        }
        self._declared = declared | kept
        self._last_line = line
        self._loops.update(info.own_loop)

    @property
    def _loops(self) -> "dict[Any, tuple[int, int]]":
        return self.function.loops

    def _loop_of(self, key: Any) -> "tuple[int, int] | None":
        return self._loops.get(key)

    def _is_declared(self, variable: Variable) -> bool:
        if variable.is_parameter or variable.is_static:
            return True
        function = self.function
        line = function.statement_of(variable.line)
        if line == self._last_line:
            return True
        # Captured by a lambda: it is declared outside.
        is_long = function.last_line > function.opening_line
        is_before = is_long and variable.line <= function.opening_line
        return bool(is_before or variable.line > function.last_line)

    def changes(
        self, reader: ValueReader, frame: Any, info: PlaceInfo, *, is_call: bool = False
    ) -> "tuple[dict[str, str], list[str]]":
        """The variables that are new or have another value, and those that no longer exist."""
        texts: dict[Any, str] = {}
        names: dict[str, Any] = {}
        active = {variable.key for variable in info.variables}
        for key in sorted(self._declared - active):
            # The variable of a loop, between its iterations.
            if key in self._texts:
                texts[key] = self._texts[key]
                names[key[2]] = key
        for variable in info.variables:
            if variable.key not in self._declared or (is_call and not variable.is_parameter):
                continue
            if is_call and variable.name == "this" and self.function.is_constructor:
                continue
            names.pop(variable.name, None)
            names[variable.name] = variable.key
            texts[variable.key] = self._text(reader, frame, variable)
        before = {key[2]: text for key, text in self._texts.items()}
        after = {name: texts[key] for name, key in names.items()}
        changed = {name: text for name, text in after.items() if before.get(name) != text}
        gone = [name for name in before if name not in after]
        self._texts = {key: texts[key] for key in names.values()}
        return changed, gone

    def _text(self, reader: ValueReader, frame: Any, variable: Variable) -> str:
        try:
            return self._read(reader, frame, variable)
        except gdb.error:
            return UNREADABLE

    def _read(self, reader: ValueReader, frame: Any, variable: Variable) -> str:
        if variable.name == "this":
            return reader.read(variable.type.target(), int(variable.symbol.value(frame)))
        if variable.is_reference:
            return reader.read(
                variable.type.target(), int(variable.symbol.value(frame).referenced_value().address)
            )
        if variable.key not in self._addresses:
            address = variable.symbol.value(frame).address
            if address is None:
                return "<no address>"
            self._addresses[variable.key] = int(address)
        return reader.read(variable.type, self._addresses[variable.key])
