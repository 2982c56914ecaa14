"""Recorder of C++ programs: g++ compiles them, and gdb executes them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.core.trace import Program
from worldline.languages.cpp.cpp_compiler import (
    GnuCompiler,
    can_use_header,
    compiled_header,
    find_compiler,
    header_folder,
)
from worldline.languages.cpp.cpp_functions import function_bodies
from worldline.languages.cpp.cpp_statements import loop_lines, statement_lines
from worldline.languages.native.gdb_runtime import GdbRuntime, find_gdb
from worldline.languages.native.native_recorder import CompileRequest, NativeRecorder
from worldline.languages.sandbox import Sandbox


class GdbRecorder(NativeRecorder):
    """Recorder of C++ programs; it records one program at a time.

    with GdbRecorder() as recorder:
        trace = recorder.record(Program("int f(int x) { return x + 1; }", "f(1)", language="cpp"))
    """

    NAME = "cpp"
    TITLE = "C++"
    TRACER = "cpp.debugger.cpp_tracer"

    def __init__(
        self,
        *,
        gdb: str | None = None,
        compiler: str = "g++",
        python: str | None = None,
        import_from: Sequence[str | Path] = (),
        sandbox: Sandbox | None = None,
    ) -> None:
        """Configure a recorder; it starts at the first use.

        Args:
            gdb: The path or name of gdb; by default that of the extra `cpp`, or the system's.
            compiler: The path or name of g++.
            python: The Python that starts the processes in the sandbox; by default this one.
            import_from: Folders for `#include "…"`.
            sandbox: The sandbox; by default all layers (see `default_sandbox`).
        """
        super().__init__(python=python, import_from=import_from, sandbox=sandbox)
        self._gdb = gdb
        self._compiler = compiler

    def _find_gdb(self) -> GdbRuntime:
        return find_gdb(self._gdb)

    def _find_compiler(self) -> GnuCompiler:
        return find_compiler(self._compiler)

    def _compiler_folders(self) -> list[str]:
        return [str(header_folder(self._find_compiler()))]

    def _compile_request(self, program: Program) -> CompileRequest:
        compiler = self._find_compiler()
        header = compiled_header(compiler) if can_use_header(program.text) else None
        commands = [
            compiler.compile_command(header, include_from=self._import_from),
            compiler.link_command(wraps_main=program.entry is not None),
        ]
        return CompileRequest(_with_driver(program), "program.cpp", commands)

    def _trace_message(self, program: Program) -> dict[str, Any]:
        return {
            "statements": statement_lines(program.text),
            "loops": sorted(loop_lines(program.text)),
            "functions": [
                [each.line, each.opening_line, each.last_line, each.first_line]
                for each in function_bodies(program.text)
            ],
        }


def _with_driver(program: Program) -> str:
    """The text of a program with the function that calls its entry point."""
    text = f'#line 1 "program.cpp"\n{program.text}\n'
    if program.entry is None:
        return text
    return (
        f'{text}\n#line 1 "driver.cpp"\n'
        f'extern "C" int __wrap_main() {{ (void){program.entry}(); return 0; }}\n'
    )
