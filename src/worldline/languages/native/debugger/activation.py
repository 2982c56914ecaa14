"""Activation of a function: its variables, and the statement that it executes."""

from typing import Any

import gdb

from .memory_reader import UNREADABLE, MemoryReader
from .program_tables import Function, PlaceInfo, Variable


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
        # Variables in scope, and those of them without a value.
        self._in_scope: set[Any] = set()
        self._empty: set[Any] = set()
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
        function = self.function
        kept = {key for key in self._declared if self._loop_of(key) in info.loops}
        declared = {
            variable.key
            for variable in info.variables
            if variable.key in self._declared
            or function.rules.is_declared(function, variable, line, self._last_line)
        }
        self._update_empty(info)
        self._declared = declared | kept
        self._last_line = line
        self._loops.update(info.own_loop)

    def _update_empty(self, info: PlaceInfo) -> None:
        """Note which variables have no value, after the last statement."""
        function, rules = self.function, self.function.rules
        for variable in info.variables:
            key = variable.key
            if key not in self._in_scope:
                is_empty: bool | None = rules.starts_empty(function, variable)
            else:
                is_empty = rules.is_emptied(function, variable, self._last_line)
            if is_empty is not None:
                (self._empty.add if is_empty else self._empty.discard)(key)
        self._in_scope = {variable.key for variable in info.variables}

    @property
    def _loops(self) -> "dict[Any, tuple[int, int]]":
        return self.function.loops

    def _loop_of(self, key: Any) -> "tuple[int, int] | None":
        return self._loops.get(key)

    def changes(
        self, reader: MemoryReader, frame: Any, info: PlaceInfo, *, is_call: bool = False
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
            if variable.key not in self._declared or variable.key in self._empty:
                continue
            if is_call and not variable.is_parameter:
                continue
            if is_call and variable.is_object and _is_constructor(self.function):
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

    def _text(self, reader: MemoryReader, frame: Any, variable: Variable) -> str:
        try:
            return self._read(reader, frame, variable)
        except gdb.error:
            return UNREADABLE

    def _read(self, reader: MemoryReader, frame: Any, variable: Variable) -> str:
        if variable.is_object:
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


def _is_constructor(function: Function) -> bool:
    """Whether the fields of the object have no values yet: A::A."""
    *path, name = function.name.split("::")
    return name in path
