"""Tracer of C++ programs in gdb: what they return, throw and catch."""

import sys
from contextlib import suppress
from typing import Any

import gdb

from ...native.debugger.program_tables import Function
from ...native.debugger.recording_file import RecordingFile
from ...native.debugger.trace_program import trace_program
from ...native.debugger.tracer import Tracer
from .cpp_symbols import CppSymbols
from .returned_values import is_small_class, returned_text
from .thrown_values import thrown_text
from .value_reader import ValueReader

_NO_MEMORY = ("std::bad_alloc()", "std::bad_array_new_length()")


def main() -> None:
    """Trace the program of the request."""
    trace_program(CppTracer)


class CppTracer(Tracer):
    """Records the steps of a C++ program."""

    LANGUAGE = "c++"
    FILE = "program.cpp"

    def __init__(self, request: "dict[str, Any]", recording: RecordingFile) -> None:
        _load_printers(request["printers"])
        self._values = ValueReader(request["limits"]["value_chars"])
        self._caught: list[str] = []
        super().__init__(request, recording, self._values, CppSymbols())

    def _runtime_breakpoints(self) -> "list[tuple[int, Any]]":
        actions = {
            "__cxa_throw": self._throw,
            "__cxa_rethrow": self._rethrow,
            "__cxa_begin_catch": self._catch,
            "__assert_fail": self._assert,
        }
        addresses = ((_function_address(name), action) for name, action in actions.items())
        return [(address, action) for address, action in addresses if address is not None]

    def _may_be_in_registers(self, type: Any) -> bool:
        return is_small_class(type)

    def _returned_text(self, function: Function, frame: Any, first: "int | None") -> str:
        return returned_text(self._values, function, frame, first)

    def ending(self, text: str) -> "tuple[str, str]":
        """The reason and detail of the ending by an exception that was not caught."""
        return ("memory_limit", "") if text in _NO_MEMORY else super().ending(text)

    def _throw(self, frame: Any) -> None:
        if not self._stack:
            return
        address, type_info = (int(frame.read_register(name)) for name in ("rdi", "rsi"))
        self._throw_text(thrown_text(self._values, address, type_info), frame)

    def _rethrow(self, frame: Any) -> None:
        # The function that ends a program throws again what was not caught, too.
        if self._stack and self._caught and self._is_called_by_program(frame):
            self._throw_text(self._caught[-1], frame)

    def _throw_text(self, text: str, frame: Any) -> None:
        self._start_exception(text)
        # The library may catch what it throws itself.
        if self._is_called_by_program(frame):
            self._record_exception()

    def _is_called_by_program(self, frame: Any) -> bool:
        """Whether the function that has just been called was called by the last activation."""
        rsp = int(frame.read_register("rsp"))
        address = int.from_bytes(self._reader.memory(rsp, 8), "little")
        return any(each.function.start < address <= each.function.end for each in self._stack[-1:])

    def _catch(self, frame: Any) -> None:
        if not self._stack or self._thrown is None:
            return
        place = int(frame.read_register("rbp"))
        rsp = int(frame.read_register("rsp"))
        address = int.from_bytes(self._reader.memory(rsp, 8), "little")
        catcher = [
            each
            for each in self._stack
            if each.frame == place and each.function.start < address <= each.function.end
        ]
        if catcher:
            self._leave_below(place)
            self._record_exception()
        else:
            self._uncaught = self._thrown
        self._caught.append(self._thrown)
        self._thrown = None
        self._unwound = set()

    def _assert(self, frame: Any) -> None:
        if self._stack:
            text = self._values.c_string(int(frame.read_register("rdi")))
            self._throw_text(f"assert({text[1:-1]})", frame)


def _load_printers(folder: str) -> None:
    """Load libstdc++'s printers, if there are any; gdb loads none of the program's own."""
    sys.path.insert(0, folder)
    with suppress(ImportError):
        from libstdcxx.v6.printers import register_libstdcxx_printers

        register_libstdcxx_printers(None)


def _function_address(name: str) -> "int | None":
    if hasattr(gdb, "lookup_minimal_symbol"):
        symbol = gdb.lookup_minimal_symbol(name)
        if symbol is not None:
            return int(symbol.value().address)
    try:
        return int(gdb.parse_and_eval(f"(long)&{name}"))
    except gdb.error:
        return None
