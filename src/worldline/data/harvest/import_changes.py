"""Statements that change an object while a module is imported, after it was bound to a name."""

import ast

from worldline.data.harvest.module_index import ModuleIndex, TopLevelStatement

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)


def is_part_assignment(node: ast.stmt, name: str) -> bool:
    """Whether it is an assignment to a part of a name: `NAME.x = 1`, `NAME[0] = 1`."""
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    if not isinstance(node, _ASSIGNMENTS):
        return False
    return any(
        isinstance(target, ast.Attribute | ast.Subscript) and _root(target) == name
        for target in targets
    )


def is_decorated_by(node: ast.stmt, name: str) -> bool:
    """Whether it is a function with a decorator such as `@NAME.register`."""
    return isinstance(node, _DEFINITIONS) and any(
        isinstance(expression := each.func if isinstance(each, ast.Call) else each, ast.Attribute)
        and expression.attr == "register"
        and _root(expression) == name
        for each in node.decorator_list
    )


def may_change(index: ModuleIndex, statement: TopLevelStatement, name: str) -> bool:
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


def is_method_call(node: ast.stmt, name: str) -> bool:
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
