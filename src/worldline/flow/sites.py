"""A syntax tree goes in, what is certain about some of its places comes out.

A place is known by where it begins and ends, which the instructions made from it carry too.
"""

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldline.flow.branches import COMPREHENSIONS
from worldline.flow.graph import FunctionFlow
from worldline.flow.names import named, names_of, words

# First line, last line, first column, last column.
Span = tuple[int | None, int | None, int | None, int | None]

BUILTINS = frozenset(dir(builtins))
# Built-in functions that give something whose items can always be had.
_PLAIN_ITERABLES = words("range sorted list tuple str bytes")
_PLAIN_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp, ast.JoinedStr)
# Without these words in its text, a program has nothing whose truth cannot be asked for.
_SHAPE_TRUTH = ("import", "__bool__", "__len__", "exec", "eval", "memoryview", "compile")

_With = ast.With | ast.AsyncWith
_Looping = ast.For | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class Sites:
    """What is certain about a program's places.

    `calls`: a call -> the functions of the program of which it calls one, and at once; they are
    called from nowhere else, so what they raise is raised there.
    `creations`: a call that only makes a generator, which runs nothing of it yet -> the functions
    of which it makes one.
    `plain_loops`: loops over something whose items can always be had, like those of a `range`.
    `builtins`: built-in names that the program never binds.
    `is_truth_plain`: whether everything in the program is true or false, and never raises.
    """

    calls: dict[Span, tuple[int, ...]]
    creations: dict[Span, tuple[int, ...]]
    plain_loops: frozenset[Span]
    builtins: frozenset[str]
    is_truth_plain: bool


def sites(text: str, tree: ast.Module, functions: Sequence[FunctionFlow]) -> Sites:
    """Look through a program for what is certain.

    "def f(x):\\n    return x\\nf(1)" -> calls {(3, 3, 0, 4): (1,)}
    """
    nodes = list(ast.walk(tree))
    known = names_of(tree)
    is_open = any(isinstance(node, ast.alias) and node.name == "*" for node in nodes)
    free = frozenset[str]() if is_open else known.builtins
    only_called = frozenset[str]() if is_open else known.functions - known.values - BUILTINS
    found = _calls(nodes, functions, only_called - _called_unseen(nodes))
    makes = {span: {functions[i].is_generator for i in called} for span, called in found.items()}
    return Sites(
        calls={span: called for span, called in found.items() if makes[span] == {False}},
        creations={span: called for span, called in found.items() if makes[span] == {True}},
        plain_loops=frozenset(_plain_loops(nodes, free)),
        builtins=free,
        is_truth_plain=not any(word in text for word in _SHAPE_TRUTH),
    )


def span_of(node: ast.stmt | ast.expr) -> Span:
    """Where a node begins and ends."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _calls(
    nodes: list[ast.AST], functions: Sequence[FunctionFlow], names: frozenset[str]
) -> dict[Span, tuple[int, ...]]:
    """The calls by some names, and the comprehensions that have a frame, with what they call."""
    found = [
        (span_of(node), called)
        for node in nodes
        if isinstance(node, ast.expr) and (called := _called(node, functions, names))
    ]
    times = Counter(span for span, _ in found)
    return {span: called for span, called in found if times[span] == 1}


def _called(
    node: ast.expr, functions: Sequence[FunctionFlow], names: frozenset[str]
) -> tuple[int, ...]:
    """The functions of which a node is known to call one."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
        name, line = node.func.id, None
    elif type(node) in COMPREHENSIONS:
        name, line = COMPREHENSIONS[type(node)], node.lineno
    else:
        return ()
    return tuple(
        index
        for index, function in enumerate(functions)
        if function.name == name and line in (None, function.first_line)
    )


def _called_unseen(nodes: list[ast.AST]) -> set[str]:
    """Names of what may be called where no call of that name is.

    A decorator is called without one, leaving a `with` claims the place of its head, and an
    attribute may be a method of the same name.
    """
    heads = [item.context_expr for node in nodes if isinstance(node, _With) for item in node.items]
    heads += [part for node in nodes for part in getattr(node, "decorator_list", [])]
    called = [part.func if isinstance(part, ast.Call) else part for part in heads]
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return attributes | {name for part in called for name in named(part)}


def _plain_loops(nodes: list[ast.AST], free: frozenset[str]) -> Iterator[Span]:
    """Loops by the places that the instructions of one or another Python version carry."""
    for node in nodes:
        if isinstance(node, _Looping):
            loops = [node] if isinstance(node, ast.For) else node.generators
            if all(_is_plain(loop.iter, free) for loop in loops):
                yield span_of(node)
                yield from (span_of(loop.iter) for loop in loops)


def _is_plain(node: ast.expr, free: frozenset[str]) -> bool:
    """Whether what a loop goes over is sure to give its items."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in _PLAIN_ITERABLES & free
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    return isinstance(node, _PLAIN_DISPLAYS)
