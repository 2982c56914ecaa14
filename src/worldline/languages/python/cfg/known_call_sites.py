"""Call sites with a statically known target, and loops and truth tests that cannot raise.

A call site is identified by its source span, which the bytecode instructions carry as well.
"""

import ast
import builtins
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from worldline.core.trace import words
from worldline.languages.control_flow.control_flow_graph import FunctionGraph
from worldline.languages.python.cfg.name_resolution import looked_up_names, resolve_names
from worldline.languages.python.expression_frames import COMPREHENSIONS

# First line, last line, first column, last column.
Span = tuple[int | None, int | None, int | None, int | None]

BUILTINS = frozenset(dir(builtins))
# Built-in functions whose result can be iterated without an exception.
_SAFE_ITERABLES = words("range sorted list tuple str bytes")
_SAFE_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp, ast.JoinedStr)
# A program without these words has no object whose truth test may raise.
_TRUTHINESS_HOOKS = ("import", "__bool__", "__len__", "exec", "eval", "memoryview", "compile")

_With = ast.With | ast.AsyncWith
_Loop = ast.For | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@dataclass(frozen=True, slots=True)
class KnownCallSites:
    """Facts that are certain about places in a program's source.

    Attributes:
        calls: span of a call -> functions of the program of which it certainly calls one, and
            immediately. They are called from nowhere else, so their exceptions are raised there.
        generator_creations: span of a call that only creates a generator -> its possible functions.
        safe_loops: spans of loops whose iteration cannot raise, like those over a `range`.
        unshadowed_builtins: built-in names that the program never binds.
        has_builtin_truthiness: whether no truth test in the program can raise.
    """

    calls: dict[Span, tuple[int, ...]]
    generator_creations: dict[Span, tuple[int, ...]]
    safe_loops: frozenset[Span]
    unshadowed_builtins: frozenset[str]
    has_builtin_truthiness: bool


def find_known_call_sites(
    text: str, tree: ast.Module, functions: Sequence[FunctionGraph]
) -> KnownCallSites:
    """Find the call sites of a program with a known target.

    "def f(x):\\n    return x\\nf(1)" -> calls {(3, 3, 0, 4): (1,)}
    """
    nodes = list(ast.walk(tree))
    names = resolve_names(tree)
    has_star_import = any(isinstance(node, ast.alias) and node.name == "*" for node in nodes)
    unshadowed = frozenset[str]() if has_star_import else names.builtins
    callable_names = (
        frozenset[str]() if has_star_import else names.functions - names.used_as_values - BUILTINS
    )
    calls = _find_calls(nodes, functions, callable_names - _called_without_call(nodes))
    are_generators = {
        span: {functions[i].is_generator for i in callees} for span, callees in calls.items()
    }
    return KnownCallSites(
        calls={span: callees for span, callees in calls.items() if are_generators[span] == {False}},
        generator_creations={
            span: callees for span, callees in calls.items() if are_generators[span] == {True}
        },
        safe_loops=frozenset(_safe_loops(nodes, unshadowed)),
        unshadowed_builtins=unshadowed,
        has_builtin_truthiness=not any(word in text for word in _TRUTHINESS_HOOKS),
    )


def node_span(node: ast.stmt | ast.expr) -> Span:
    """The source span of a node."""
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _find_calls(
    nodes: list[ast.AST], functions: Sequence[FunctionGraph], names: frozenset[str]
) -> dict[Span, tuple[int, ...]]:
    """Find calls by some names, and comprehensions that have a frame, with their callees."""
    calls = [
        (node_span(node), callees)
        for node in nodes
        if isinstance(node, ast.expr) and (callees := _known_callees(node, functions, names))
    ]
    counts = Counter(span for span, _ in calls)
    return {span: callees for span, callees in calls if counts[span] == 1}


def _known_callees(
    node: ast.expr, functions: Sequence[FunctionGraph], names: frozenset[str]
) -> tuple[int, ...]:
    """Functions of which a node is known to call one."""
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


def _called_without_call(nodes: list[ast.AST]) -> set[str]:
    """Names of functions that may be called where no call expression names them.

    A decorator is called implicitly, the exit of a `with` has the span of its header, and an
    attribute may be a method of the same name.
    """
    expressions = [
        item.context_expr for node in nodes if isinstance(node, _With) for item in node.items
    ]
    expressions += [each for node in nodes for each in getattr(node, "decorator_list", [])]
    callees = [each.func if isinstance(each, ast.Call) else each for each in expressions]
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return attributes | {name for each in callees for name in looked_up_names(each)}


def _safe_loops(nodes: list[ast.AST], unshadowed: frozenset[str]) -> Iterator[Span]:
    """Yield the spans of safe loops, as the instructions of any Python version carry them."""
    for node in nodes:
        if isinstance(node, _Loop):
            loops = [node] if isinstance(node, ast.For) else node.generators
            if all(_is_safe_iterable(loop.iter, unshadowed) for loop in loops):
                yield node_span(node)
                yield from (node_span(loop.iter) for loop in loops)


def _is_safe_iterable(node: ast.expr, unshadowed: frozenset[str]) -> bool:
    """Whether iterating over an expression cannot raise."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in _SAFE_ITERABLES & unshadowed
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str | bytes)
    return isinstance(node, _SAFE_DISPLAYS)
