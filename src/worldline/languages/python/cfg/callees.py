"""Functions that may be called from each line of a program (an over-approximation).

These are the functions that a line names, those that its operations call implicitly (`a + b` calls
`__add__`) and, where it hands control to unknown code, every function that the program uses as a
value. One assumption: if the program defines a method, a call of that name is not a call of an
external object, which might call back.
"""

import ast
from collections.abc import Iterator, Sequence
from enum import IntEnum

from worldline.core.trace import first_line, words
from worldline.languages.control_flow.control_flow_graph import FunctionGraph
from worldline.languages.python.cfg.implicit_calls import may_call_stored_callables
from worldline.languages.python.cfg.name_resolution import (
    ProgramNames,
    looked_up_names,
    resolve_names,
)

_CONSTRUCTORS = words("__init__ __new__ __post_init__")
# Methods without underscores that Python calls implicitly: from built-in functions, and from a
# `yield from` or an `await`, which call those of the object they delegate to.
_IMPLICIT_METHODS = words("keys write flush mro")
_DELEGATION_METHODS = words("send throw close")
# Nodes that call nothing themselves.
_INERT = (
    *(ast.Name, ast.Constant, ast.Expr, ast.Return, ast.Assign, ast.AnnAssign, ast.Pass),
    *(ast.Break, ast.Continue, ast.Global, ast.Nonlocal, ast.List, ast.Tuple, ast.Lambda),
    *(ast.arguments, ast.arg, ast.keyword, ast.expr_context, ast.FunctionDef, ast.operator),
    *(ast.AsyncFunctionDef, ast.Try, ast.TryStar, ast.cmpop, ast.boolop, ast.unaryop),
)
# Nodes that may run a generator, or the function of a lazy `map`.
_RUNS_CALLBACKS = (
    *(ast.For, ast.AsyncFor, ast.comprehension, ast.YieldFrom, ast.Await, ast.Starred, ast.In),
    *(ast.With, ast.AsyncWith, ast.NotIn, ast.ClassDef, ast.Import, ast.ImportFrom, ast.pattern),
)
_Unit = ast.stmt | ast.ExceptHandler | ast.match_case


class _CallReach(IntEnum):
    """Functions that a line may call in addition to those that it names."""

    NONE = 0  # only finalizers, which run when an object is deleted
    OPERATORS = 1  # special methods: __add__, __len__
    CALLBACKS = 2  # functions used as values, and suspended generators


def find_callees(
    tree: ast.Module, functions: Sequence[FunctionGraph]
) -> dict[int, tuple[int, ...]]:
    """Map each line to the indexes of the functions that may be called from it.

    "def g(x):\\n    return x\\ny = g(1)" -> {3: (1,)}
    """
    names = resolve_names(tree)
    by_reach = {
        reach: {i for i, f in enumerate(functions) if _is_in_reach(f, reach, names)}
        for reach in _CallReach
    }
    if may_call_stored_callables(tree):
        by_reach[_CallReach.OPERATORS] = by_reach[_CallReach.CALLBACKS]
    callees_at: dict[int, set[int]] = {}
    for lines, nodes in _statement_units(tree):
        indexes = set(by_reach[max(_call_reach(node, names) for node in nodes)])
        looked_up = {name for node in nodes for name in looked_up_names(node)}
        if looked_up & names.classes:
            looked_up |= _CONSTRUCTORS
        for index, function in enumerate(functions):
            if _runs_where_defined(function):
                is_called = function.first_line in lines
            else:
                is_called = function.name in looked_up
            if is_called:
                indexes.add(index)
        for line in lines if indexes else ():
            callees_at.setdefault(line, set()).update(indexes)
    return {line: tuple(sorted(callees_at[line])) for line in sorted(callees_at)}


def _is_in_reach(function: FunctionGraph, reach: _CallReach, names: ProgramNames) -> bool:
    """Whether a line with this reach may call a function without naming it."""
    name = function.name
    if name == "__del__" or _may_outlive_statement(function, names):
        return True
    if reach == _CallReach.OPERATORS:
        is_operator = (name.startswith("__") and name.endswith("__")) or name in _IMPLICIT_METHODS
        return name in names.external_base_methods or (is_operator and name not in _CONSTRUCTORS)
    return reach == _CallReach.CALLBACKS and (
        function.is_generator
        or function.kind == "lambda"
        or name
        in names.used_as_values
        | names.external_base_methods
        | _IMPLICIT_METHODS
        | _DELEGATION_METHODS
        or (name.startswith("__") and name.endswith("__"))
    )


def _may_outlive_statement(function: FunctionGraph, names: ProgramNames) -> bool:
    # A suspended generator is resumed once more when it is deleted, which may be anywhere.
    return function.is_generator and (
        function.kind != "comprehension" or function.first_line in names.stored_generators
    )


def _runs_where_defined(function: FunctionGraph) -> bool:
    return function.kind == "class" or (function.name.startswith("<") and function.depth > 0)


def _statement_units(tree: ast.Module) -> Iterator[tuple[range, list[ast.AST]]]:
    """Yield the lines and nodes of each simple statement and of each compound statement's header.

    All lines of a unit belong together: a function named on one line may be called from another.
    """
    for node in ast.walk(tree):
        if isinstance(node, _Unit):
            parts = [node, *_descendants(node)]
            located = [
                each for each in parts if isinstance(each, ast.stmt | ast.expr | ast.pattern)
            ]
            is_simple = not (hasattr(node, "body") or hasattr(node, "cases"))
            lines = [line for part in located for line in (first_line(part), part.lineno)]
            lines += [
                part.end_lineno or part.lineno for part in located if is_simple or part is not node
            ]
            yield range(min(lines, default=0), max(lines, default=-1) + 1), parts


def _descendants(node: ast.AST) -> list[ast.AST]:
    """All nodes below one, except the statements of its blocks."""
    descendants: list[ast.AST] = []
    pending = [node]
    while pending:
        for child in ast.iter_child_nodes(pending.pop()):
            if not isinstance(child, _Unit):
                descendants.append(child)
                pending.append(child)
    return descendants


def _call_reach(node: ast.AST, names: ProgramNames) -> _CallReach:
    """How far control may go from one node."""
    if isinstance(node, ast.Call):
        return _reach_of_function(node.func, names)
    if isinstance(node, _RUNS_CALLBACKS) or getattr(node, "decorator_list", []):
        return _CallReach.CALLBACKS
    # Unpacking runs an iterator.
    if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Store):
        return _CallReach.CALLBACKS
    # A class body's namespace may be an object of the program (`__prepare__`).
    if isinstance(node, ast.Name) and names.has_custom_namespaces:
        return _CallReach.OPERATORS
    return _CallReach.NONE if isinstance(node, _INERT) else _CallReach.OPERATORS


def _reach_of_function(called: ast.expr, names: ProgramNames) -> _CallReach:
    if isinstance(called, ast.Name) and called.id in names.functions:
        return _CallReach.NONE
    if isinstance(called, ast.Name) and called.id in names.classes | names.non_calling_builtins:
        return _CallReach.OPERATORS
    if isinstance(called, ast.Attribute) and called.attr in names.non_calling_methods:
        return _CallReach.OPERATORS
    return _CallReach.CALLBACKS
