"""Names of a program that always refer to the same function, class or built-in.

Scopes are ignored: two functions with the same name are treated as one.
"""

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from worldline.core.trace import words

# Built-in functions that call no functions of the program except special methods.
_NON_CALLING_BUILTINS = words(
    "abs bin bool chr complex divmod float format hash hex id input int isinstance issubclass len "
    "oct ord pow print range repr round slice str super type"
)
# Built-in functions and methods that exhaust or drop an iterator before they return.
CONSUMERS = words("all any dict frozenset list max min set sorted sum tuple join extend")
# Methods of built-in types that may run a generator or function passed to them.
_CALLS_ARGUMENT = words(
    "sort extend update join union intersection difference symmetric_difference isdisjoint "
    "intersection_update difference_update symmetric_difference_update issubset issuperset "
    "fromkeys from_bytes __iadd__ __ior__"
)
_BUILTIN_TYPES = (str, bytes, int, float, list, tuple, dict, set, frozenset, range)
_NON_CALLING_METHODS = (
    frozenset(name for kind in _BUILTIN_TYPES for name in dir(kind)) - _CALLS_ARGUMENT
)
# With these, a function may be reached by a name that is not in the source.
_REFLECTION = words(
    "getattr globals locals vars eval exec dir __dict__ __getattribute__ methodcaller attrgetter "
    "__subclasses__ __mro__"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class ProgramNames:
    """Meanings of the names of a program.

    Attributes:
        functions: names that always refer to one function of the program.
        classes: names that always refer to one class of the program.
        builtins: names that always refer to the built-in.
        non_calling_builtins: built-in functions that do not call their arguments.
        non_calling_methods: methods that do not call their arguments.
        used_as_values: functions that may be called under another name.
        external_base_methods: methods that an external base class may call.
        stored_generators: lines of generator expressions that may outlive their statement.
        has_custom_namespaces: whether a class body's namespace may be an object of the program.
    """

    functions: frozenset[str]
    classes: frozenset[str]
    builtins: frozenset[str]
    non_calling_builtins: frozenset[str]
    non_calling_methods: frozenset[str]
    used_as_values: frozenset[str]
    external_base_methods: frozenset[str]
    stored_generators: frozenset[int]
    has_custom_namespaces: bool


def resolve_names(tree: ast.Module) -> ProgramNames:
    """Resolve the names of a whole program.

    "def f(x):\\n    return x\\ng = f" -> functions {"f"}, used_as_values {"f", …}
    """
    nodes = list(ast.walk(tree))
    classes = [node for node in nodes if isinstance(node, ast.ClassDef)]
    methods = [part for node in classes for part in node.body if isinstance(part, Function)]
    others = set(nodes) - set(methods)
    functions = [node for node in others if isinstance(node, Function)]
    extended = classes_with_external_bases(classes)
    decorated = _definition_names(
        node for node in [*methods, *functions, *classes] if node.decorator_list
    )
    bound = {name for node in nodes for name in bound_names(node)} | decorated
    external_base_methods = _definition_names(
        part for node in extended for part in node.body if isinstance(part, Function)
    )
    return ProgramNames(
        functions=frozenset(_definition_names(functions) - bound - _definition_names(classes)),
        classes=frozenset(_definition_names(classes) - bound - _definition_names(extended)),
        builtins=frozenset(dir(builtins)) - bound - _definition_names([*functions, *classes]),
        non_calling_builtins=_NON_CALLING_BUILTINS
        - bound
        - _definition_names([*functions, *classes]),
        non_calling_methods=frozenset(
            (_definition_names(methods) | _NON_CALLING_METHODS)
            - decorated
            - external_base_methods
            - _assigned_attributes(nodes)
        )
        - _CALLS_ARGUMENT,
        used_as_values=frozenset(
            names_used_as_values(nodes)
            | decorated
            | _callable_by_reflection(nodes, methods, functions)
        ),
        external_base_methods=frozenset(external_base_methods),
        stored_generators=_stored_generators(nodes),
        has_custom_namespaces="__prepare__" in _definition_names(methods),
    )


def looked_up_names(node: ast.AST) -> Iterator[str]:
    """Yield the name that a node reads, or the attribute that it accesses."""
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, ast.Attribute):
        yield node.attr


def _definition_names(nodes: Iterable[Function | ast.ClassDef]) -> set[str]:
    return {node.name for node in nodes}


def classes_with_external_bases(classes: list[ast.ClassDef]) -> list[ast.ClassDef]:
    """Classes with an ancestor, or a metaclass, that may be from outside the program."""
    own = _definition_names(classes) | {"object"}
    extended: list[ast.ClassDef] = []
    count = -1
    while count < len(extended):
        count = len(extended)
        internal = own - _definition_names(extended)
        extended = [
            node
            for node in classes
            if node.keywords
            or any(getattr(base, "id", None) not in internal for base in node.bases)
        ]
    return extended


def names_used_as_values(nodes: list[ast.AST]) -> set[str]:
    """Names that are read for something other than a call or a decorator."""
    called = {node.func for node in nodes if isinstance(node, ast.Call)}
    called |= {part for node in nodes for part in getattr(node, "decorator_list", [])}
    return {name for node in nodes if node not in called for name in looked_up_names(node)}


def _assigned_attributes(nodes: list[ast.AST]) -> set[str]:
    """Attributes that are assigned to."""
    attributes = [node for node in nodes if isinstance(node, ast.Attribute)]
    return {node.attr for node in attributes if not isinstance(node.ctx, ast.Load)}


def _callable_by_reflection(
    nodes: list[ast.AST], methods: list[Function], functions: list[Function]
) -> set[str]:
    """Functions that may be called by a name that is not in the source."""
    if any(name in _REFLECTION for node in nodes for name in looked_up_names(node)):
        return _definition_names([*methods, *functions])
    # A library may call any method of an object passed to it.
    has_imports = any(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
    return _definition_names(methods) if has_imports else set()


def _stored_generators(nodes: list[ast.AST]) -> frozenset[int]:
    consumed = {
        part
        for node in nodes
        if isinstance(node, ast.Call) and CONSUMERS.intersection(looked_up_names(node.func))
        for part in node.args
    }
    return frozenset(
        node.lineno for node in nodes if isinstance(node, ast.GeneratorExp) and node not in consumed
    )


def bound_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds, except by `def` and `class`."""
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
