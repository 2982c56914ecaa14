"""A syntax tree goes in, what its names stand for comes out, as far as that never changes.

Names are taken for the whole program, whatever their scope: two functions of one name are one.
"""

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


def words(text: str) -> frozenset[str]:
    """ "a b" -> {"a", "b"}"""
    return frozenset(text.split())


# Built-in functions that run nothing of the program but methods with a meaning to Python.
_PLAIN_FUNCTIONS = words(
    "abs bin bool chr complex divmod float format hash hex id input int isinstance issubclass len "
    "oct ord pow print range repr round slice str super type"
)
# Built-in functions and methods that are done with an iterator when they return.
CONSUMERS = words("all any dict frozenset list max min set sorted sum tuple join extend")
# Methods of built-in types that may run a generator or a function that they are given.
_RUNS_ARGUMENT = words(
    "sort extend update join union intersection difference symmetric_difference isdisjoint "
    "intersection_update difference_update symmetric_difference_update issubset issuperset "
    "fromkeys from_bytes __iadd__ __ior__"
)
_BUILTIN_TYPES = (str, bytes, int, float, list, tuple, dict, set, frozenset, range)
_PLAIN_METHODS = frozenset(name for kind in _BUILTIN_TYPES for name in dir(kind)) - _RUNS_ARGUMENT
# Where these are used, a function may be reached by a name that is nowhere in the source.
_REFLECTION = words(
    "getattr globals locals vars eval exec dir __dict__ __getattribute__ methodcaller attrgetter "
    "__subclasses__ __mro__"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Names:
    """What the names of a program stand for.

    `functions`, `classes`: always that function or class of the program.
    `builtins`: always what Python has by that name.
    `quiet`: built-in functions, `quiet_methods`: methods that run no function they are given.
    `values`: functions that may be called under another name.
    `inherited`: methods that a base class from outside may call.
    `stored_generators`: lines of generator expressions that may live on after their statement.
    `has_own_namespaces`: whether a class body may keep its names in an object of the program's.
    """

    functions: frozenset[str]
    classes: frozenset[str]
    builtins: frozenset[str]
    quiet: frozenset[str]
    quiet_methods: frozenset[str]
    values: frozenset[str]
    inherited: frozenset[str]
    stored_generators: frozenset[int]
    has_own_namespaces: bool


def names_of(tree: ast.Module) -> Names:
    """Look through a whole program for what its names stand for.

    "def f(x):\\n    return x\\ng = f" -> functions {"f"}, values {"f", …}
    """
    nodes = list(ast.walk(tree))
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    methods = [part for node in classes for part in node.body if isinstance(part, Function)]
    others = set(nodes) - set(methods)
    functions = [node for node in others if isinstance(node, Function)]
    extending = extending_classes(classes)
    decorated = _names(node for node in [*methods, *functions, *classes] if node.decorator_list)
    bound = {name for node in nodes for name in bound_names(node)} | decorated
    inherited = _names(
        part for node in extending for part in node.body if isinstance(part, Function)
    )
    return Names(
        functions=frozenset(_names(functions) - bound - _names(classes)),
        classes=frozenset(_names(classes) - bound - _names(extending)),
        builtins=frozenset(dir(builtins)) - bound - _names([*functions, *classes]),
        quiet=_PLAIN_FUNCTIONS - bound - _names([*functions, *classes]),
        quiet_methods=frozenset(
            (_names(methods) | _PLAIN_METHODS) - decorated - inherited - _assigned(nodes)
        )
        - _RUNS_ARGUMENT,
        values=frozenset(used_names(nodes) | decorated | _open(nodes, methods, functions)),
        inherited=frozenset(inherited),
        stored_generators=_stored_generators(nodes),
        has_own_namespaces="__prepare__" in _names(methods),
    )


def named(node: ast.AST) -> Iterator[str]:
    """The name that a node looks up, or the attribute that it touches."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def _names(nodes: Iterable[Function | ast.ClassDef]) -> set[str]:
    return {node.name for node in nodes}


def extending_classes(classes: list[ast.ClassDef]) -> list[ast.ClassDef]:
    """The classes with an ancestor, or a metaclass, that may be from outside the program."""
    own = _names(classes) | {"object"}
    found: list[ast.ClassDef] = []
    count = -1
    while count < len(found):
        count = len(found)
        inside = own - _names(found)
        found = [
            node
            for node in classes
            if node.keywords or any(getattr(base, "id", None) not in inside for base in node.bases)
        ]
    return found


def used_names(nodes: list[ast.AST]) -> set[str]:
    """Names that are looked up otherwise than to be called, as a function or as a decorator."""
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    called |= {part for node in nodes for part in getattr(node, "decorator_list", [])}
    return {name for node in nodes if node not in called for name in named(node)}


def _assigned(nodes: list[ast.AST]) -> set[str]:
    """Attributes that are assigned to."""
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    return {node.attr for node in attributes if not isinstance(node.ctx, ast.Load)}


def _open(nodes: list[ast.AST], methods: list[Function], functions: list[Function]) -> set[str]:
    """Functions that may be called by a name which is not looked up in the source."""
    if any(name in _REFLECTION for node in nodes for name in named(node)):
        return _names([*methods, *functions])
    # A library may call any method of an object that it is given.
    has_imports = any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
    return _names(methods) if has_imports else set()


def _stored_generators(nodes: list[ast.AST]) -> frozenset[int]:
    consumed = {
        part
        for node in nodes
        if isinstance(node, ast.Call) and CONSUMERS.intersection(named(node.func))
        for part in node.args
    }
    return frozenset(
        node.lineno for node in nodes if isinstance(node, ast.GeneratorExp) and node not in consumed
    )


def bound_names(node: ast.AST) -> Iterator[str]:
    """The names that a node binds, other than by `def` and `class`."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name.split(".")[0]
        case (
            ast.ExceptHandler(name=str(name))
            | ast.MatchAs(name=str(name))
            | ast.MatchStar(name=str(name))
            | ast.MatchMapping(rest=str(name))
        ):
            yield name
