"""Tracer of the program in gdb.

Every row of the line table, every `ret` and the runtime's functions for exceptions have a
breakpoint, whose callback records a step and lets the program continue. A language has a subclass.
"""

import traceback
from typing import Any

import gdb

from .activation import Activation
from .memory_reader import MemoryReader
from .program_tables import Function, SymbolRules, read_functions
from .recording_file import LimitReached, RecordingFile


class _Breakpoint(gdb.Breakpoint):  # type: ignore[misc]
    """A breakpoint at an address; its actions record steps."""

    def __init__(self, tracer: "Tracer", pc: int) -> None:
        super().__init__(f"*{pc:#x}", internal=True)
        self.silent = True
        self.actions: list[Any] = []
        self._tracer = tracer

    def stop(self) -> bool:
        """Record; the program stops only if the recording is over."""
        return self._tracer.handle(self.actions)


class Tracer:
    """Records the steps of the program in gdb.

    Attributes:
        LANGUAGE: The language's name in gdb.
        FILE: The name of the program's file in the line table.
        is_over: Whether no more steps are recorded.
        has_returned: Whether the entry point has returned.
        failure: The traceback of an error of the tracer; "" if there was none.
        reason: The limit that was reached; "" if none was.
        uncaught: The text of an exception that has left the entry point.
    """

    LANGUAGE: str
    FILE: str

    def __init__(
        self,
        request: "dict[str, Any]",
        recording: RecordingFile,
        reader: MemoryReader,
        rules: SymbolRules,
    ) -> None:
        self._request = request
        self._recording = recording
        self._reader = reader
        self._rules = rules
        self._stack: list[Activation] = []
        self._breakpoints: dict[int, _Breakpoint] = {}
        # First arguments of functions that return small classes, by frame.
        self._arguments: dict[int, int] = {}
        # The text of an exception on its way, and the activations in which it was recorded.
        self._thrown: str | None = None
        self._thrown_in: set[int] = set()
        self._unwound: set[int] = set()
        # The text of an exception that the library has caught, which may be to end the program.
        self._uncaught: str | None = None
        self._loops = frozenset(request["loops"])
        self.is_over = False
        self.has_returned = False
        self.failure = ""
        self.reason = ""
        self.uncaught: str | None = None

    # -- breakpoints -----------------------------------------------------------------------------

    def insert_breakpoints(self) -> None:
        """Set breakpoints on all rows of the program's functions, and on exceptions."""
        statements = {int(line): start for line, start in self._request["statements"].items()}
        for function in read_functions(
            self.FILE, statements, self._request["functions"], self._rules
        ):
            self._add(function.body, self._call, function)
            if self._may_be_in_registers(function.type):
                self._add(function.start, self._enter, function)
            for pc in function.breakpoints:
                self._add(pc, self._row, function, pc, function.rows[pc])
            for pc in function.returns:
                self._add(pc, self._return, function)
        for address, action in self._runtime_breakpoints():
            self._add(address, action)

    def _runtime_breakpoints(self) -> "list[tuple[int, Any]]":
        """The addresses of the runtime's functions for exceptions, and their actions."""
        raise NotImplementedError

    def _may_be_in_registers(self, type: Any) -> bool:
        """Whether values of a type are returned in registers, or at the first argument."""
        raise NotImplementedError

    def _returned_text(self, function: Function, frame: Any, first: "int | None") -> str:
        """The text of the value that a function returns; `first` is its first argument."""
        raise NotImplementedError

    def ending(self, text: str) -> "tuple[str, str]":
        """The reason and detail of the ending by an exception that was not caught."""
        return "raised", text

    def _add(self, pc: int, action: Any, *arguments: Any) -> None:
        if pc not in self._breakpoints:
            self._breakpoints[pc] = _Breakpoint(self, pc)
        self._breakpoints[pc].actions.append((action, arguments))

    def handle(self, actions: "list[Any]") -> bool:
        """Execute the actions of a breakpoint; whether the program has to stop."""
        if self.is_over:
            return True
        try:
            thread = gdb.selected_thread()
            if thread is not None and thread.num != 1:
                self._note("threads were started; their steps were not recorded")
                return False
            frame = gdb.newest_frame()
            for action, arguments in actions:
                action(frame, *arguments)
        except LimitReached as limit:
            self.reason = str(limit)
            self.is_over = True
        except Exception:  # noqa: BLE001
            self.failure = traceback.format_exc()
            self.is_over = True
        return self.is_over

    def _note(self, text: str) -> None:
        if text not in self._recording.notes:
            self._recording.notes.append(text)

    # -- events ----------------------------------------------------------------------------------

    def _enter(self, frame: Any, function: Function) -> None:
        if self._stack or self._is_entry(function):
            rsp = int(frame.read_register("rsp"))
            self._arguments[rsp - 8] = int(frame.read_register("rdi")) & (1 << 64) - 1

    def _is_entry(self, function: Function) -> bool:
        return bool(function.name == self._request["entry"])

    def _call(self, frame: Any, function: Function) -> None:
        if not self._stack and not self._is_entry(function):
            return
        place = int(frame.read_register("rbp"))
        if self._stack and self._stack[-1].frame == place and self._stack[-1].function is function:
            return  # a loop whose first row is the first row of the function
        self._leave_below(place + 1)
        activation = Activation(function, place)
        info = function.info(function.body)
        activation.passes(info, 0)
        changed, _ = activation.changes(self._reader, frame, info, is_call=True)
        activation.scope = self._recording.scope(
            function.start,
            function.name,
            function.line,
            function.variables,
            len(function.parameters),
        )
        self._stack.append(activation)
        self._recording.step("call", function.line, activation.scope, changed)

    def _row(self, frame: Any, function: Function, pc: int, line: int) -> None:
        if not self._stack:
            return
        place = int(frame.read_register("rbp"))
        self._leave_below(place)
        activation = self._stack[-1] if self._stack else None
        if activation is None or activation.frame != place or activation.function is not function:
            return
        info = function.info(pc)
        statement = function.statement_of(line)
        activation.passes(info, statement)
        if not function.is_shown(line) or place in self._unwound:
            return
        self._uncaught = None
        if activation.visits(pc, statement, is_loop=statement in self._loops):
            changed, gone = activation.changes(self._reader, frame, info)
            row = ["line", statement, activation.scope]
            if gone:
                row += [changed, gone]
            elif changed:
                row.append(changed)
            self._recording.step(*row)

    def _return(self, frame: Any, function: Function) -> None:
        if not self._stack:
            return
        place = int(frame.read_register("rsp")) - 8
        self._leave_below(place)
        if not self._stack or self._stack[-1].frame != place:
            return
        activation = self._stack.pop()
        first = self._arguments.pop(place, None)
        text = self._returned_text(function, frame, first)
        self._recording.step("return", activation.line, activation.scope, text)
        if not self._stack:
            self.has_returned = True
            self.is_over = True

    def _leave_below(self, place: int) -> None:
        """Record that all activations below a frame were left by an exception."""
        while self._stack and self._stack[-1].frame < place:
            self._record_exception()
            activation = self._stack.pop()
            self._arguments.pop(activation.frame, None)
            self._recording.step("return", activation.line, activation.scope, None)

    # -- exceptions ------------------------------------------------------------------------------

    def _start_exception(self, text: str) -> None:
        """Begin to unwind the stack: rows that only destroy variables are not recorded."""
        self._thrown = text
        self._thrown_in = set()
        self._unwound = {activation.frame for activation in self._stack}

    def _record_exception(self) -> None:
        activation = self._stack[-1]
        if self._thrown is not None and activation.frame not in self._thrown_in:
            self._thrown_in.add(activation.frame)
            self._recording.step("exception", activation.line, activation.scope, self._thrown)

    def end_by_exception(self) -> "str | None":
        """Record that an exception has left all activations; the result is its text."""
        self._thrown = self._thrown or self._uncaught
        if self._stack:
            self._leave_below(1 << 64)
        return self._thrown
