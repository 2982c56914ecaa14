"""Slice of a module: one function with everything that it needs, as a module of its own."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from worldline.data.harvest.allowed_modules import (
    ALLOWED_MODULES,
    FORBIDDEN_ATTRIBUTES,
    FORBIDDEN_BUILTINS,
    MODULE_VARIABLES,
)
from worldline.data.harvest.module_index import BUILTINS, ModuleIndex, TopLevelStatement
from worldline.data.harvest.slice_text import bound_name, write_slice

MAX_LINES = 200
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
    """

    name: str
    line: int
    text: str = ""
    reason: str = ""


class _Refusal(Exception):  # noqa: N818
    """The reason why a function cannot stand alone."""


def slice_functions(index: ModuleIndex) -> Iterator[FunctionSlice]:
    """Slice every function of a module: methods and nested functions only with a reason."""
    for number, statement in enumerate(index.statements):
        node = statement.node
        if isinstance(node, ast.FunctionDef):
            yield _slice_or_reason(index, number, node)
        elif isinstance(node, ast.AsyncFunctionDef):
            yield FunctionSlice(node.name, node.lineno, reason="asynchronous")
        yield from _inner_functions(node)


def _inner_functions(node: ast.stmt) -> Iterator[FunctionSlice]:
    pending: list[tuple[ast.AST, str]] = [(node, "")]
    while pending:
        parent, reason = pending.pop()
        if isinstance(parent, ast.ClassDef):
            reason = "method"
        elif isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
            reason = "nested function"
        for child in ast.iter_child_nodes(parent):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                yield FunctionSlice(
                    child.name, child.lineno, reason=reason or "defined conditionally"
                )
            pending.append((child, reason))


def _slice_or_reason(index: ModuleIndex, number: int, node: ast.FunctionDef) -> FunctionSlice:
    try:
        _check_function(index, number, node)
        text = _slice_text(index, number)
    except _Refusal as refusal:
        return FunctionSlice(node.name, node.lineno, reason=str(refusal))
    if text.count("\n") > MAX_LINES:
        return FunctionSlice(node.name, node.lineno, reason="too long")
    return FunctionSlice(node.name, node.lineno, text)


def _check_function(index: ModuleIndex, number: int, node: ast.FunctionDef) -> None:
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
    if _is_generator(node):
        raise _Refusal("generator")


def _is_generator(node: ast.FunctionDef) -> bool:
    pending: list[ast.AST] = list(node.body)
    while pending:
        each = pending.pop()
        if isinstance(each, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(each, (*_DEFINITIONS, ast.Lambda)):
            pending += ast.iter_child_nodes(each)
    return False


def _slice_text(index: ModuleIndex, number: int) -> str:
    needed, names = {number}, set(_names_of(index, number))
    pending = sorted(names)
    while pending:
        name = pending.pop()
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
    nodes = [index.statements[each].node for each in sorted(needed | imports)]
    return write_slice(index.text, nodes, names | typing_names, future=future)


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
        if _is_part_assignment(node, name):
            yield number
        elif _is_decorated_by(node, name):
            raise _Refusal("registers functions")
        elif is_value and _may_change(index, statement, name):
            if not _is_method_call(node, name):
                raise _Refusal("changed at import")
            yield number


def _is_part_assignment(node: ast.stmt, name: str) -> bool:
    """Whether it is an assignment to a part of a name: `NAME.x = 1`, `NAME[0] = 1`."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    if not isinstance(node, _ASSIGNMENTS):
        return False
    return any(
        isinstance(target, ast.Attribute | ast.Subscript) and _root(target) == name
        for target in targets
    )


def _is_decorated_by(node: ast.stmt, name: str) -> bool:
    """Whether it is a function with a decorator such as `@NAME.register`."""
    return isinstance(node, _DEFINITIONS) and any(
        isinstance(expression := each.func if isinstance(each, ast.Call) else each, ast.Attribute)
        and expression.attr == "register"
        and _root(expression) == name
        for each in node.decorator_list
    )


def _may_change(index: ModuleIndex, statement: TopLevelStatement, name: str) -> bool:
    """Whether a statement that binds no value may change the object of a name."""
    node = statement.node
    if isinstance(node, (*_DEFINITIONS, *_IMPORTS, *_ASSIGNMENTS)):
        return False
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return False
    reached, pending = set[str](), set(statement.uses)
    while pending:
        each = pending.pop()
        reached.add(each)
        for number in index.binders.get(each, ()):
            if isinstance(index.statements[number].node, ast.FunctionDef):
                pending |= index.statements[number].uses - reached
    return name in reached and not _is_main_guard(node)


def _is_main_guard(node: ast.stmt) -> bool:
    """Whether it is `if __name__ == "__main__":`, which is not executed at import."""
    return isinstance(node, ast.If) and "__name__" in {
        each.id for each in ast.walk(node.test) if isinstance(each, ast.Name)
    }


def _is_method_call(node: ast.stmt, name: str) -> bool:
    """Whether it is a call of a method of a name: `NAME.update(…)`."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and _root(node.value.func) == name
    )


def _root(node: ast.expr) -> str | None:
    """The name in front of attributes and subscripts: `a.b[0].c` -> "a"."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None


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
