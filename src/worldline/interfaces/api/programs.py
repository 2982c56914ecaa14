"""Programs from functions, source text and files."""

import ast
import inspect
import textwrap
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any

from worldline.core.errors import ProgramError
from worldline.core.language import get_language, language_of_file
from worldline.core.trace import DEFAULT_LANGUAGE, Program, check_call

ProgramLike = Program | str | Callable[..., Any]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)


def to_program(
    program: ProgramLike,
    *arguments: Any,
    call: str | None = None,
    stdin: str = "",
    language: str = DEFAULT_LANGUAGE,
) -> Program:
    """Make a program from a function and its arguments, or from source text and a call.

    Args:
        program: A function, source text, or a program.
        arguments: For a function, its arguments; for source text, optionally the call.
        call: The call to execute, as source text.
        stdin: The program's standard input.
        language: The language of source text: `python`, `javascript`, `java`, …

    Returns:
        The program.

    Raises:
        ProgramError: The function has no source text, or the call is not one expression.

    Examples:
        >>> to_program("def f(x):\\n    return x + 1\\n", "f(1)").call
        'f(1)'
        >>> to_program("print(1)").call is None
        True
    """
    if isinstance(program, Program):
        _refuse_arguments(arguments, call)
        return program
    if isinstance(program, str):
        if len(arguments) > 1 or (arguments and call is not None):
            raise ProgramError("source text takes one call, as in record(source, 'f(1)')")
        return _from_source(program, arguments[0] if arguments else call, stdin, language)
    if not callable(program):
        raise ProgramError(
            f"cannot make a program of {type(program).__name__}; give a function, or source text "
            "and a call"
        )
    return _from_function(program, arguments, call, stdin)


def _refuse_arguments(arguments: tuple[Any, ...], call: str | None) -> None:
    if arguments or call is not None:
        raise ProgramError("a Program has its own call; give no arguments with it")


def _from_source(source: str, call: Any, stdin: str, language: str) -> Program:
    syntax = get_language(language).source
    if call is not None:
        if not isinstance(call, str):
            raise ProgramError(f"the call must be text, as in 'f(1)', not {type(call).__name__}")
        syntax.check_call(call)
    return Program(textwrap.dedent(source), call, stdin, language)


def _from_function(
    function: Callable[..., Any], arguments: tuple[Any, ...], call: str | None, stdin: str
) -> Program:
    """Use the function's own source text; other names of its module are not part of it."""
    name = getattr(function, "__name__", "")
    if not name.isidentifier() or "<locals>" in getattr(function, "__qualname__", ""):
        raise ProgramError(
            f"{name or function!r} is not a named function at the top level of a module or "
            "notebook cell; give its source text and a call"
        )
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError) as error:
        raise ProgramError(
            f"the source text of {name} is not available ({error}); give it as text, with a call"
        ) from None
    if call is None:
        call = f"{name}({', '.join(map(repr, arguments))})"
    check_call(call)
    return Program(source, call, stdin)


def read_program_file(path: Path, call: str | None = None, *, stdin: str = "") -> Program:
    """Read a program from a file; its suffix names the language.

    Args:
        path: The file: .js for JavaScript, .ts for TypeScript, .cpp for C++, .java for Java, .rs
            for Rust, .go for Go, others for Python.
        call: The call to execute; by default the file is executed as a script.
        stdin: The program's standard input.

    Raises:
        ProgramError: The file cannot be read, or the call is not one expression.
    """
    language = language_of_file(path.name) or get_language(DEFAULT_LANGUAGE)
    try:
        if language.name == DEFAULT_LANGUAGE:
            # In any encoding that Python accepts.
            with tokenize.open(path) as file:
                source = file.read()
        else:
            source = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError, SyntaxError) as error:
        raise ProgramError(f"cannot read the program: {error}") from error
    if call is not None:
        language.source.check_call(call)
    return Program(source, call, stdin, language.name)


def defined_functions(program: Program) -> list[str]:
    """The functions of a program that does nothing but define functions; otherwise none.

    "def f(x):\\n    return x\\n" -> ["f"]; "def f(x):\\n    return x\\nf(1)\\n" -> []
    """
    if not program.is_python:
        return []
    try:
        body = ast.parse(program.source).body
    except (SyntaxError, ValueError):
        return []
    functions = [node.name for node in body if isinstance(node, _FUNCTIONS)]
    is_only_definitions = all(
        isinstance(node, _DEFINITIONS) or _is_docstring(node) for node in body
    )
    return functions if is_only_definitions else []


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
