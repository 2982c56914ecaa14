"""Tracer of Rust programs in gdb: what they return, and where they panic."""

import re
from typing import Any

import gdb

from ...native.debugger.program_tables import Function
from ...native.debugger.recording_file import RecordingFile
from ...native.debugger.trace_program import trace_program
from ...native.debugger.tracer import Tracer
from .rust_reader import RustReader
from .rust_returns import REGISTER_BYTES, returned_text
from .rust_symbols import FILE, RustSymbols
from .rust_text import quote

# Called when a panic has been caught; its name has a prefix since Rust 1.87.
_CAUGHT = "__rust_panic_cleanup"
_NO_MEMORY = "handle_alloc_error"


def main() -> None:
    """Trace the program of the request."""
    trace_program(RustTracer)


class RustTracer(Tracer):
    """Records the steps of a Rust program."""

    LANGUAGE = "rust"
    FILE = FILE

    def __init__(self, request: "dict[str, Any]", recording: RecordingFile) -> None:
        self._values = RustReader(request["limits"]["value_chars"])
        rules = RustSymbols(request["lines"], request["copied"])
        super().__init__(request, recording, self._values, rules)

    def _runtime_breakpoints(self) -> "list[tuple[int, Any]]":
        places = {
            self._panic: _address(self._request["panic"]),
            self._caught: _library_functions(_CAUGHT),
            self._no_memory: _library_functions(_NO_MEMORY),
        }
        return [(address, action) for action, each in places.items() for address in each]

    def _may_be_in_registers(self, type: Any) -> bool:
        return bool(type.sizeof <= REGISTER_BYTES)

    def _returned_text(self, function: Function, frame: Any, first: "int | None") -> str:
        return returned_text(self._values, function, frame, first)

    def _panic(self, frame: Any) -> None:
        if not self._stack:
            return
        address, size = (int(frame.read_register(name)) for name in ("rdi", "rsi"))
        text = "<value>"
        if address:
            text = quote(self._values.memory(address, min(size, self._values.limit)))
        self._start_exception(f"panic!({text})")
        self._record_exception()

    def _caught(self, frame: Any) -> None:
        """A panic has been caught: by a function of the program, or by the driver."""
        if not self._stack or self._thrown is None:
            return
        place = self._catcher(frame)
        if place is None:
            self.uncaught = self.end_by_exception()
            self.is_over = True
            return
        self._leave_below(place)
        self._thrown = None
        self._unwound = set()

    def _no_memory(self, frame: Any) -> None:
        """An allocation failed, which ends the program."""
        self.reason = "memory_limit"
        self.is_over = True

    def _catcher(self, frame: Any) -> "int | None":
        """The activation that called the function which catches; None if none did."""
        while frame is not None:
            pc, place = frame.pc(), int(frame.read_register("rbp")) & ((1 << 64) - 1)
            for each in self._stack:
                if each.frame == place and each.function.start <= pc < each.function.end:
                    return place
            frame = frame.older()
        return None


def _library_functions(name: str) -> "list[int]":
    """The addresses of the library's functions with a name, with or without debug information."""
    listing = gdb.execute(f"info functions -q {name}$", to_string=True)
    addresses = re.findall(rf"^(0x[\da-f]+)\s+(?:.*::)?{name}$", listing, re.MULTILINE)
    names = re.findall(rf"\bfn ((?:\w+::)*{name})\(", listing)
    return [*(int(each, 16) for each in addresses), *(n for each in names for n in _address(each))]


def _address(name: str) -> "list[int]":
    symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    return [] if symbol is None else [int(symbol.value().address)]
