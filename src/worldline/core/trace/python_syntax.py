"""Python syntax of programs: lines, syntax trees, calls and names."""

import ast
from functools import lru_cache

from worldline.core.errors import ProgramError


@lru_cache(maxsize=64)
def source_lines(text: str) -> tuple[str, ...]:
    r"""Lines as Python's compiler counts them: only \n, \r\n and \r end a line.

    "a\x0cb\r\nc" -> "a\x0cb", "c"
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return tuple(lines[:-1] if lines and lines[-1] == "" else lines)


def parse_source(text: str) -> ast.Module | None:
    """The syntax tree of a program, or None if it cannot be parsed for any reason."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def check_call(call: str) -> None:
    """Check that a call is one expression, before it becomes part of a program.

    Raises:
        ProgramError: The call does not parse, or contains `yield` or `await`.
    """
    try:
        tree = ast.parse(call.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ProgramError(
            f"the call {call[:60]!r} is not one Python expression ({error}); "
            "write it as in --call 'f(1, 3)'"
        ) from None
    if any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in ast.walk(tree)):
        raise ProgramError(
            f"the call {call[:60]!r} contains `yield` or `await`; "
            "put it into a function of the program, and call that function"
        )


def unused_name(source: str, *, wanted: str = "main") -> str:
    """The wanted name, with underscores appended until the source neither binds nor uses it.

    "def main(): ..." -> "main_"
    """
    tree = parse_source(source)
    if tree is None:
        return wanted
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    used |= {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    }
    while wanted in used:
        wanted += "_"
    return wanted


def first_line(node: ast.stmt | ast.expr | ast.pattern) -> int:
    """The first line of a node, including its decorators; call events have this line, too.

    "@cache\\ndef f(): ..." -> 1
    """
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def words(text: str) -> frozenset[str]:
    """Set of the names in a text that separates them by white space.

    "a b" -> {"a", "b"}
    """
    return frozenset(text.split())


@lru_cache(maxsize=64)
def function_lines(text: str) -> dict[int, int]:
    """For each line inside a function, the line of the innermost function's `def`.

    "def f():\\n    return 1\\nx = f()" -> {1: 1, 2: 1}; empty for a program that cannot be parsed
    """
    tree = parse_source(text)
    functions = [
        node
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    lines: dict[int, int] = {}
    # Inner functions start later and overwrite the lines of outer ones.
    for node in sorted(functions, key=lambda node: node.lineno):
        end = node.end_lineno or node.lineno
        lines.update(dict.fromkeys(range(first_line(node), end + 1), node.lineno))
    return lines
