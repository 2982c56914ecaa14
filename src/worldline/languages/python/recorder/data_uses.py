"""Attributes that a program reads as data, not to call them or to name a class.

`r.status_code == 200` needs a value at once; `requests.get(url)` and `torch.nn.Linear(2, 3)` only
the name of what is called.
"""

import ast
from collections.abc import Iterator

from worldline.core.trace import parse_source

# Last line and end column of an expression, and the attributes that it reads. The beginning is not
# the same in bytecode if the expression has several lines.
DataUse = tuple[int, int, list[str]]
_TYPE_CHECKS = ("isinstance", "issubclass")


def find_data_uses(source: str) -> list[DataUse]:
    """The expressions that read an attribute as data, and the imports of names that are data.

    Args:
        source: The program's text; one that does not compile has none.
    """
    tree = parse_source(source)
    if tree is None:
        return []
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    uses = [
        (*_end(node), [node.attr])
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and _is_data(node, parents)
    ]
    names = {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and _is_data(node, parents)
    }
    return [*uses, *_imported_data(tree, names)]


def _imported_data(tree: ast.Module, names: set[str]) -> Iterator[DataUse]:
    """The `from` imports of names that are read as data somewhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            data = [alias.name for alias in node.names if (alias.asname or alias.name) in names]
            if data:
                yield (*_end(node), data)


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


def _is_data(node: ast.Attribute | ast.Name, parents: dict[ast.AST, ast.AST]) -> bool:
    """Whether the value of a name or attribute is needed where it is read."""
    if not isinstance(node.ctx, ast.Load):
        return False
    child: ast.AST = node
    parent = parents[node]
    # A tuple of classes, or alternatives of a type.
    while isinstance(parent, ast.Tuple | ast.Starred | ast.keyword):
        child, parent = parent, parents[parent]
    match parent:
        case ast.Attribute() | ast.Subscript() | ast.Expr() | ast.ExceptHandler() | ast.ClassDef():
            return False
        case ast.Call(func=called) if called is child:
            return False
        case ast.Call(func=ast.Name(id=name)) if name in _TYPE_CHECKS:
            return False
        case ast.Call(func=called) if _root(called) == _root(node):
            # An argument of a call of the same module, which is assumed as a whole.
            return False
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.arg():
            # A decorator or an annotation.
            return False
        case ast.AnnAssign(annotation=annotation):
            return annotation is not child
        case ast.withitem() | ast.Await() | ast.MatchClass() | ast.MatchValue():
            return False
    return True


def _root(node: ast.expr) -> str | None:
    """The name that an expression begins with: `torch.nn.Linear` -> "torch"."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
