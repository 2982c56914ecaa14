"""Slice of a module: one function with everything that it needs, as a module of its own."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from worldline.data.harvest.allowed_modules import (
    ALLOWED_MODULES,
    FORBIDDEN_ATTRIBUTES,
    FORBIDDEN_BUILTINS,
    MODULE_VARIABLES,
)
from worldline.data.harvest.import_changes import (
    is_decorated_by,
    is_method_call,
    is_part_assignment,
    may_change,
)
from worldline.data.harvest.method_functions import (
    BUILT_IN_DECORATORS,
    Method,
    function_source,
    method_reason,
)
from worldline.data.harvest.module_index import (
    BUILTINS,
    ModuleIndex,
    TopLevelStatement,
    index_method,
)
from worldline.data.harvest.slice_text import bound_name, write_slice

MAX_LINES = 200
FUNCTION, STATIC_METHOD, METHOD = "function", "static method", "method without self"
# A function or a method with `yield`; its calls are `list(f(…))`.
GENERATOR = "generator"
KINDS = (FUNCTION, STATIC_METHOD, METHOD, GENERATOR)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
_TEST_PREFIXES = ("test_", "Test")


@dataclass(frozen=True, slots=True)
class FunctionSlice:
    """A function that can stand alone, or the reason why it cannot.

    Attributes:
        name: name of the function.
        line: line of its definition in the module.
        text: the slice; empty if there is a reason.
        reason: why there is no slice.
        kind: one of `KINDS`.
        class_name: the class of a method.
    """

    name: str
    line: int
    text: str = ""
    reason: str = ""
    kind: str = FUNCTION
    class_name: str = ""


class _Refusal(Exception):  # noqa: N818
    """The reason why a function cannot stand alone."""


def slice_function(index: ModuleIndex, number: int, node: ast.FunctionDef) -> FunctionSlice:
    """Slice a function at the top level of a module."""
    kind = GENERATOR if _is_generator(node) else FUNCTION
    return _slice_or_reason(index, number, {}, FunctionSlice(node.name, node.lineno, kind=kind))


def slice_method(index: ModuleIndex, number: int, method: Method) -> FunctionSlice:
    """Slice a method of a class at the top level of a module, if it is a function.

    Its class is no part of the slice: a method that needs it is left out.
    """
    node = method.node
    kind = STATIC_METHOD if method.is_static else METHOD
    part = FunctionSlice(
        node.name,
        node.lineno,
        kind=GENERATOR if _is_generator(node) else kind,
        class_name=method.class_name,
    )
    if reason := method_reason(method):
        return replace(part, reason=reason)
    if node.decorator_list and BUILT_IN_DECORATORS & index.binders.keys():
        return replace(part, reason="decorated method")
    others = {
        node.name: "method with the name of what it needs",
        **dict.fromkeys(index.statements[number].binds, "method that names its own class"),
    }
    source = function_source(method, index.text.encode().splitlines(keepends=True))
    return _slice_or_reason(index_method(index, number, source), number, others, part)


def _slice_or_reason(
    index: ModuleIndex, number: int, refused: Mapping[str, str], part: FunctionSlice
) -> FunctionSlice:
    """Slice a function; `refused` has names that it must not need, and the reasons."""
    try:
        _check_function(index, number)
        text = _slice_text(index, number, refused)
    except _Refusal as refusal:
        return replace(part, reason=str(refusal))
    if text.count("\n") > MAX_LINES:
        return replace(part, reason="too long")
    return replace(part, text=text)


def _check_function(index: ModuleIndex, number: int) -> None:
    node = index.statements[number].node
    assert isinstance(node, ast.FunctionDef)
    arguments = node.args
    if (
        not [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        and not arguments.vararg
    ):
        raise _Refusal("no parameters")
    if node.name.startswith(_TEST_PREFIXES):
        raise _Refusal("test")
    if index.binders[node.name][-1] != number:
        raise _Refusal("bound again later")
    if _has_star_after(index, number):
        raise _Refusal("star import")
    # `list(f(…))` needs what the function itself returns, and the built-in `list`.
    if _is_generator(node) and (node.decorator_list or "list" in index.binders):
        raise _Refusal("decorated generator" if node.decorator_list else "generator")


def _is_generator(node: ast.FunctionDef) -> bool:
    pending: list[ast.AST] = list(node.body)
    while pending:
        each = pending.pop()
        if isinstance(each, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(each, (*_DEFINITIONS, ast.Lambda)):
            pending += ast.iter_child_nodes(each)
    return False


def _slice_text(index: ModuleIndex, number: int, refused: Mapping[str, str]) -> str:
    needed, names = {number}, set(_names_of(index, number))
    pending = sorted(names)
    while pending:
        name = pending.pop()
        if name in refused:
            raise _Refusal(refused[name])
        for other in _statements_of(index, name):
            if other in needed:
                continue
            needed.add(other)
            new = _names_of(index, other) - names
            names |= new
            pending += sorted(new)
    statements = [index.statements[each] for each in sorted(needed)]
    typing_names, is_complete = _annotation_imports(index, statements, names)
    has_annotations = any(each.annotation_names for each in statements)
    future = has_annotations and (index.has_future_annotations or not is_complete)
    imports = {each for name in typing_names for each in index.binders[name]}
    written = [index.statements[each] for each in sorted(needed | imports)]
    return write_slice(index.text, written, names | typing_names, future=future)


def _names_of(index: ModuleIndex, number: int) -> frozenset[str]:
    """Names that a statement needs; checks what it does."""
    statement = index.statements[number]
    node = statement.node
    if isinstance(node, _IMPORTS):
        return frozenset()
    if statement.assigns_global:
        raise _Refusal("assigns a global variable")
    if statement.attributes & FORBIDDEN_ATTRIBUTES:
        raise _Refusal("reads the clock or its own module")
    for inner in ast.walk(node):
        if isinstance(inner, _IMPORTS):
            _check_import(inner, None)
    return statement.uses


def _statements_of(index: ModuleIndex, name: str) -> list[int]:
    """Statements that a name needs: those that bind it, and those that change it."""
    if name in MODULE_VARIABLES:
        raise _Refusal("uses a variable of its module")
    numbers = index.binders.get(name, ())
    if index.has_star and (not numbers or _has_star_after(index, numbers[-1])):
        raise _Refusal("star import")
    if not numbers:
        if name not in BUILTINS:
            raise _Refusal("unknown name")
        if name in FORBIDDEN_BUILTINS:
            raise _Refusal(f"uses {name}")
        return []
    last = index.statements[numbers[-1]].node
    if isinstance(last, (*_DEFINITIONS, *_IMPORTS)) and not _is_used_between(index, name, numbers):
        numbers = numbers[-1:]
    for number in numbers:
        _check_binder(index.statements[number], name)
    return [*numbers, *_changes(index, name, last)]


def _has_star_after(index: ModuleIndex, number: int) -> bool:
    """Whether `from … import *` may bind the names of a statement again."""
    return index.has_star and any(each.has_star for each in index.statements[number:])


def _is_used_between(index: ModuleIndex, name: str, numbers: tuple[int, ...]) -> bool:
    """Whether an assignment between the first and the last binding of a name uses it."""
    between = index.statements[numbers[0] : numbers[-1]]
    return any(isinstance(each.node, _ASSIGNMENTS) and name in each.uses for each in between)


def _check_binder(statement: TopLevelStatement, name: str) -> None:
    node = statement.node
    if isinstance(node, _IMPORTS):
        _check_import(node, name)
    elif not isinstance(node, (*_DEFINITIONS, *_ASSIGNMENTS)):
        raise _Refusal("needs a name that is defined conditionally")


def _check_import(node: ast.Import | ast.ImportFrom, name: str | None) -> None:
    """Check that the module of an import is allowed; only the part that binds `name`, if given."""
    if isinstance(node, ast.ImportFrom):
        if node.level:
            raise _Refusal("relative import")
        modules = [node.module or ""]
    else:
        modules = [each.name for each in node.names if name in (None, bound_name(each))]
    for module in modules:
        if module not in ALLOWED_MODULES:
            raise _Refusal("imports a module that is not allowed")


def _changes(index: ModuleIndex, name: str, binder: ast.stmt) -> Iterator[int]:
    """Statements that change an object at import, after it was bound to a name."""
    is_value = isinstance(binder, _ASSIGNMENTS)
    for number, statement in enumerate(index.statements):
        node = statement.node
        if is_part_assignment(node, name):
            yield number
        elif is_decorated_by(node, name):
            raise _Refusal("registers functions")
        elif is_value and may_change(index, statement, name):
            if not is_method_call(node, name):
                raise _Refusal("changed at import")
            yield number


def _annotation_imports(
    index: ModuleIndex, statements: list[TopLevelStatement], names: set[str]
) -> tuple[set[str], bool]:
    """Names in annotations that allowed imports bind, and whether these are all."""
    wanted = {name for each in statements for name in each.annotation_names} - names
    imported: set[str] = set()
    for name in wanted:
        numbers = index.binders.get(name, ())
        try:
            nodes = [index.statements[number].node for number in numbers]
            if not nodes or not all(isinstance(node, _IMPORTS) for node in nodes):
                continue
            for number in numbers:
                _check_binder(index.statements[number], name)
        except _Refusal:
            continue
        imported.add(name)
    return imported, all(name in BUILTINS or name in imported for name in wanted)
