"""Programs of tests/programs/hidden_modules: each function with its calls is a program."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.paths import PROGRAMS_FOLDER
from worldline.core.trace import Program

FOLDER = PROGRAMS_FOLDER / "hidden_modules"
MODULES = ("collections", "datetime", "json", "re", "statistics")


@dataclass(frozen=True)
class HiddenModuleProgram:
    """A program that uses one module.

    Attributes:
        id: Module, function and number of the call: "re.count_words.0".
        module: The module.
        program: The function and the call.
        lines: The lines of the function's statements.
    """

    id: str
    module: str
    program: Program
    lines: frozenset[int]

    @property
    def without_module(self) -> Program:
        """The same program where the module cannot be imported; the lines have their numbers."""
        hide = f"import sys; sys.modules[{self.module!r}] = None; "
        return Program(hide + self.program.source, self.program.call)


def hidden_module_programs() -> list[HiddenModuleProgram]:
    """All programs, by module."""
    return [program for module in MODULES for program in _programs(module)]


def _programs(module: str) -> Iterator[HiddenModuleProgram]:
    text = (FOLDER / f"{module}_programs.py").read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if not isinstance(node, ast.FunctionDef):
            continue
        comment = lines[node.lineno - 2].removeprefix("# ")
        body = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        source = f"import {module}\n\n\n{body}\n"
        for number, call in enumerate(_calls(comment)):
            name = f"{module}.{node.name}.{number}"
            yield HiddenModuleProgram(name, module, Program(source, call), statement_lines(source))


def _calls(comment: str) -> list[str]:
    """ "f(1), f(2)" -> ["f(1)", "f(2)"]"""
    tree = ast.parse(comment, mode="eval").body
    assert isinstance(tree, ast.Tuple)
    return [ast.unparse(call) for call in tree.elts]


def statement_lines(source: str) -> frozenset[int]:
    """The first lines of the statements in functions."""
    return frozenset(
        statement.lineno
        for function in ast.walk(ast.parse(source))
        if isinstance(function, ast.FunctionDef)
        for statement in ast.walk(function)
        if isinstance(statement, ast.stmt) and statement is not function
    )
