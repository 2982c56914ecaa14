"""A syntax tree and its functions go in, for each line the functions it may call come out.

Rather too many than too few: what a line names, what its operations call by themselves (`a + b`
calls `__add__`), and, where it hands control to something that is not known, every function
that the program uses as a value. One assumption is made: where the program defines a method, a
call of that name is not one of an object from outside, which might call back.
"""

import ast
from collections.abc import Iterator, Sequence
from enum import IntEnum

from worldline.flow.branches import first_line
from worldline.flow.graph import FunctionFlow
from worldline.flow.keeping import operations_call_values
from worldline.flow.names import Names, named, names_of, words

_CONSTRUCTORS = words("__init__ __new__ __post_init__")
# Methods that Python calls although their names do not look like it: built-in functions do, and
# a `yield from` or an `await` calls those of what it delegates to.
_PROTOCOL = words("keys write flush mro")
_DELEGATED = words("send throw close")
# Nodes that by themselves call nothing at all.
_INERT = (
    *(ast.Name, ast.Constant, ast.Expr, ast.Return, ast.Assign, ast.AnnAssign, ast.Pass),
    *(ast.Break, ast.Continue, ast.Global, ast.Nonlocal, ast.List, ast.Tuple, ast.Lambda),
    *(ast.arguments, ast.arg, ast.keyword, ast.expr_context, ast.FunctionDef, ast.operator),
    *(ast.AsyncFunctionDef, ast.Try, ast.TryStar, ast.cmpop, ast.boolop, ast.unaryop),
)
# Nodes that may run a generator, or what a lazy `map` was given.
_RUNS_VALUES = (
    *(ast.For, ast.AsyncFor, ast.comprehension, ast.YieldFrom, ast.Await, ast.Starred, ast.In),
    *(ast.With, ast.AsyncWith, ast.NotIn, ast.ClassDef, ast.Import, ast.ImportFrom, ast.pattern),
)
_Unit = ast.stmt | ast.ExceptHandler | ast.match_case


class _Reach(IntEnum):
    """How far control may go from a line, beyond the functions that it names."""

    NOTHING = 0  # but what runs when an object dies
    OPERATORS = 1  # methods with a meaning to Python: __add__, __len__
    VALUES = 2  # functions that the program uses as values, and suspended generators


def callees(tree: ast.Module, functions: Sequence[FunctionFlow]) -> dict[int, tuple[int, ...]]:
    """For each line the indexes of the functions that may be called from it.

    "def g(x):\\n    return x\\ny = g(1)" -> {3: (1,)}
    """
    names = names_of(tree)
    within = {
        reach: {i for i, f in enumerate(functions) if _is_within(f, reach, names)}
        for reach in _Reach
    }
    if operations_call_values(tree):
        within[_Reach.OPERATORS] = within[_Reach.VALUES]
    found: dict[int, set[int]] = {}
    for lines, parts in _units(tree):
        called = set(within[max(_reach(part, names) for part in parts)])
        looked_up = {name for part in parts for name in named(part)}
        if looked_up & names.classes:
            looked_up |= _CONSTRUCTORS
        for index, function in enumerate(functions):
            if _runs_where_made(function):
                is_called = function.first_line in lines
            else:
                is_called = function.name in looked_up
            if is_called:
                called.add(index)
        for line in lines if called else ():
            found.setdefault(line, set()).update(called)
    return {line: tuple(sorted(found[line])) for line in sorted(found)}


def _is_within(function: FunctionFlow, reach: _Reach, names: Names) -> bool:
    """Whether a line of this reach may call a function without naming it."""
    name = function.name
    if name == "__del__" or _may_outlive_statement(function, names):
        return True
    if reach == _Reach.OPERATORS:
        is_operator = (name.startswith("__") and name.endswith("__")) or name in _PROTOCOL
        return name in names.inherited or (is_operator and name not in _CONSTRUCTORS)
    return reach == _Reach.VALUES and (
        function.is_generator
        or function.kind == "lambda"
        or name in names.values | names.inherited | _PROTOCOL | _DELEGATED
        or (name.startswith("__") and name.endswith("__"))
    )


def _may_outlive_statement(function: FunctionFlow, names: Names) -> bool:
    # A suspended generator runs once more where it is thrown away, and that may be anywhere.
    return function.is_generator and (
        function.kind != "comprehension" or function.first_line in names.stored_generators
    )


def _runs_where_made(function: FunctionFlow) -> bool:
    return function.kind == "class" or (function.name.startswith("<") and function.depth > 0)


def _units(tree: ast.Module) -> Iterator[tuple[range, list[ast.AST]]]:
    """Each simple statement, and each head of a compound one: its lines and its nodes.

    They are kept together because a function that is named on one line of a statement may be
    called from another.
    """
    for node in ast.walk(tree):
        if isinstance(node, _Unit):
            parts = [node, *_parts(node)]
            placed = [p for p in parts if isinstance(p, ast.stmt | ast.expr | ast.pattern)]
            is_simple = not (hasattr(node, "body") or hasattr(node, "cases"))
            lines = [line for part in placed for line in (first_line(part), part.lineno)]
            lines += [
                part.end_lineno or part.lineno for part in placed if is_simple or part is not node
            ]
            yield range(min(lines, default=0), max(lines, default=-1) + 1), parts


def _parts(node: ast.AST) -> list[ast.AST]:
    """All nodes below one, down to the statements of its blocks."""
    found: list[ast.AST] = []
    waiting = [node]
    while waiting:
        for part in ast.iter_child_nodes(waiting.pop()):
            if not isinstance(part, _Unit):
                found.append(part)
                waiting.append(part)
    return found


def _reach(node: ast.AST, names: Names) -> _Reach:
    """How far control may go from one node."""
    if isinstance(node, ast.Call):
        return _reach_of_call(node.func, names)
    if isinstance(node, _RUNS_VALUES) or getattr(node, "decorator_list", []):
        return _Reach.VALUES
    # An assignment to several targets runs an iterator.
    if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Store):
        return _Reach.VALUES
    # The names in a class body may be kept by an object of the program's.
    if isinstance(node, ast.Name) and names.has_own_namespaces:
        return _Reach.OPERATORS
    return _Reach.NOTHING if isinstance(node, _INERT) else _Reach.OPERATORS


def _reach_of_call(called: ast.expr, names: Names) -> _Reach:
    if isinstance(called, ast.Name) and called.id in names.functions:
        return _Reach.NOTHING
    if isinstance(called, ast.Name) and called.id in names.classes | names.quiet:
        return _Reach.OPERATORS
    if isinstance(called, ast.Attribute) and called.attr in names.quiet_methods:
        return _Reach.OPERATORS
    return _Reach.VALUES
