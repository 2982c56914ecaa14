"""Recorder of Rust programs: rustc compiles them, and gdb executes them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.core.trace import Program
from worldline.languages.native.gdb_runtime import GdbRuntime, find_gdb
from worldline.languages.native.native_recorder import CompileRequest, NativeRecorder
from worldline.languages.rust.rust_compiler import CRATE, RustCompiler, find_compiler
from worldline.languages.rust.rust_driver import add_driver, driver_module
from worldline.languages.rust.rust_moves import copied_types
from worldline.languages.rust.rust_structure import FunctionBody, function_bodies
from worldline.languages.sandbox import Sandbox

# gdb 13 ends itself at values of enums; later versions were not tried.
MIN_GDB = 18
_FILE = "program.rs"


class RustRecorder(NativeRecorder):
    """Recorder of Rust programs; it records one program at a time.

    with RustRecorder() as recorder:
        trace = recorder.record(Program("fn f(x: i32) -> i32 { x + 1 }", "f(1)", language="rust"))
    """

    NAME = "rust"
    TITLE = "Rust"
    TRACER = "rust.debugger.rust_tracer"

    def __init__(
        self,
        *,
        gdb: str | None = None,
        compiler: str = "rustc",
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """Configure a recorder; it starts at the first use.

        Args:
            gdb: The path or name of gdb; by default that of the extra `rust`, or the system's.
            compiler: The path or name of rustc.
            python: The Python that starts the processes in the sandbox; by default this one.
            import_from: Folders that the compiler may read, for `include!("…")`.
            sandbox: The sandbox; by default all layers (see `default_sandbox`).
        """
        super().__init__(python=python, import_from=import_from, sandbox=sandbox)
        self._gdb = gdb
        self._compiler = compiler

    def _find_gdb(self) -> GdbRuntime:
        return find_gdb(self._gdb, title="Rust", extra="rust", minimum=MIN_GDB)

    def _find_compiler(self) -> RustCompiler:
        return find_compiler(self._compiler)

    def _compile_request(self, program: Program) -> CompileRequest:
        compiler = self._find_compiler()
        return CompileRequest(
            add_driver(program.text, program.entry),
            _FILE,
            [compiler.compile_command(_FILE)],
            # There is no /proc, which tells a program where it is.
            {"LD_LIBRARY_PATH": compiler.folders[0]},
            compiler.links,
        )

    def _trace_message(self, program: Program) -> dict[str, Any]:
        bodies = function_bodies(program.text)
        loops = {line for body in bodies for line in body.loops}
        return {
            "statements": {},
            "loops": sorted(loops),
            "functions": [_function_row(body) for body in bodies],
            "lines": program.text.split("\n"),
            "panic": f"{CRATE}::{driver_module(program.text)}::worldline_panic",
            "copied": copied_types(program.text),
        }


def _function_row(body: FunctionBody) -> list[Any]:
    lines = [body.line, body.opening_line, body.last_line, body.first_line]
    rest = [body.deferred, body.assigned, body.moved, body.parameters]
    return [*lines, body.statements, body.is_closure, *rest]
