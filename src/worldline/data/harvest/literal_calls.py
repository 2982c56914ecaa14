"""Calls with literal arguments, in doctests and in the code and tests of a package."""

import ast
import doctest
from collections.abc import Iterable, Iterator, Mapping

from worldline.core.trace import parse_source
from worldline.data.harvest.source_packages import SourceFile

_MAX_CALL_CHARS = 500
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def find_literal_calls(file: SourceFile) -> Iterator[tuple[str, str, str]]:
    """Find the calls of a file: the source of the input, the function's name, and the call.

    `add(1, 2)` as an example of a docstring -> ("doctest", "add", "add(1, 2)");
    `x = add(3, 4)` in the code -> ("call", "add", "add(3, 4)"), in a test -> ("test", …)
    """
    tree = parse_source(file.text)
    if tree is None:
        return
    kind = "test" if file.is_test else "call"
    for node in ast.walk(tree):
        if isinstance(node, _Documented):
            for name, call in _doctest_calls(ast.get_docstring(node, clean=True) or ""):
                yield "doctest", name, call
        if isinstance(node, ast.Call):
            yield from ((kind, name, call) for name, call in _literal_call(node))


def _doctest_calls(docstring: str) -> Iterator[tuple[str, str]]:
    if ">>>" not in docstring:
        return
    try:
        examples = doctest.DocTestParser().get_examples(docstring)
    except ValueError:
        return
    for example in examples:
        tree = parse_source(example.source)
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Call):
                yield from _literal_call(node)


def _literal_call(node: ast.Call) -> Iterator[tuple[str, str]]:
    """The call with the bare name of its function, if all of its arguments are literals."""
    if isinstance(node.func, ast.Name):
        name = node.func.id
    elif isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        # `module.add(1, 2)`: the module is left out.
        name = node.func.attr
    else:
        return
    arguments = [*node.args, *(each.value for each in node.keywords)]
    if not arguments or any(each.arg is None for each in node.keywords):
        return
    if all(map(is_literal, arguments)):
        call = ast.unparse(ast.Call(ast.Name(name), node.args, node.keywords))
        if len(call) <= _MAX_CALL_CHARS and "\n" not in call:
            yield name, call


def is_literal(node: ast.expr) -> bool:
    """Whether an expression is a literal: a constant, or a collection of literals."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def calls_by_function(
    calls: Iterable[tuple[str, str, str]],
) -> Mapping[str, list[tuple[str, str]]]:
    """The calls of a package by the function's name: sources of inputs and calls, each once."""
    by_name: dict[str, dict[tuple[str, str], None]] = {}
    for source, name, call in calls:
        by_name.setdefault(name, {})[source, call] = None
    return {name: list(named_calls) for name, named_calls in by_name.items()}
