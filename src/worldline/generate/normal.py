"""The source of a program goes in; a key that is the same for all that differ only in names, in
how they are formatted, in comments, docstrings and annotations comes out."""

import ast
import hashlib
from collections.abc import Sequence

from worldline.trace import Program, parse_source

_SCOPES = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Fields that hold names which a program may give to what is its own.
_NAMES = frozenset({"id", "arg", "name"})
# Fields that say nothing of what is executed.
_SILENT = frozenset({"ctx", "annotation", "returns", "type_comment", "type_params", "kind"})


def source_key(source: str) -> str:
    """A short name for a source, the same for every way to write it.

    "def f(a): return a+1", "def g(x):\\n    return (x + 1)  # more" -> the same
    """
    tree = parse_source(source)
    try:
        text = source.strip() if tree is None else _Writer().text(tree)
    except RecursionError:
        text = source.strip()
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def program_key(program: Program) -> str:
    """The same for a source and its call."""
    return source_key(program.text)


class _Writer:
    """Writes a syntax tree as text, in one pass; names are put in when all that are bound, and so
    may be renamed, are known."""

    def __init__(self) -> None:
        self._out: list[str] = []
        self._names: list[int] = []
        self._bound: set[str] = set()

    def text(self, tree: ast.AST) -> str:
        """The same text for trees that differ in the names of what is their own."""
        self._node(tree)
        renamed: dict[str, str] = {}
        for place in self._names:
            name = self._out[place]
            if name in self._bound:
                self._out[place] = renamed.setdefault(name, f"@{len(renamed)}")
        return " ".join(self._out)

    def _node(self, node: ast.AST) -> None:
        self._out.append(type(node).__name__)
        if isinstance(node, ast.Name):
            self._name(node.id, is_bound=not isinstance(node.ctx, ast.Load))
            return
        for field in node._fields:
            if field in _SILENT:
                continue
            value = getattr(node, field, None)
            if field == "body" and isinstance(node, _SCOPES):
                value = [each for each in node.body if not _is_text(each)]
            if isinstance(value, str) and field in _NAMES and not isinstance(node, ast.alias):
                # A keyword of a call names a parameter, if any of the program's own.
                self._name(value, is_bound=not isinstance(node, ast.keyword))
            else:
                self._value(value)

    def _name(self, name: str, *, is_bound: bool) -> None:
        if is_bound:
            self._bound.add(name)
        self._names.append(len(self._out))
        self._out.append(name)

    def _value(self, value: object) -> None:
        if isinstance(value, ast.AST):
            self._node(value)
        elif isinstance(value, list):
            self._list(value)
        else:
            self._out.append(repr(value))

    def _list(self, values: Sequence[object]) -> None:
        self._out.append("[")
        for value in values:
            if isinstance(value, str):
                # The names of a `global` or `nonlocal` statement.
                self._name(value, is_bound=True)
            else:
                self._value(value)
        self._out.append("]")


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is nothing but a string, as docstrings are."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
