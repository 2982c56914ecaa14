"""The source of a program goes in; a key that is the same for all that differ only in names, in
how they are formatted, in comments, docstrings and annotations comes out.

What is taken for different, though it does the same: `import a as b` with another name for b, and
a name within a function that is, in one of the two, also one of the module's.
"""

import ast
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from worldline.trace import Program, parse_source

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# What has names of its own.
_SCOPES = (*_DEFINITIONS, ast.Lambda)
# Fields that hold names which a program may give to what is its own.
_NAMES = frozenset({"id", "arg", "name"})
# Fields that say nothing of what is executed.
_SILENT = frozenset({"ctx", "annotation", "returns", "type_comment", "type_params", "kind"})
# Statements of a module are counted from 1; this is the module itself.
_MODULE = 0


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


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where a name is: in the text, and in which statement of the module. A keyword of a call has
    the name of what is called, "" where that has none."""

    place: int
    statement: int
    callee: str | None = None


class _Writer:
    """Writes a syntax tree as text, in one pass; names are put in when all that are bound, and so
    may be renamed, are known.

    A name that the module binds is one and the same everywhere; any other is one and the same
    within a statement of the module, so that two functions may call theirs alike or not.
    """

    def __init__(self) -> None:
        self._out: list[str] = []
        self._spots: list[_Spot] = []
        self._bound: set[tuple[int, str]] = set()
        # The first statement that binds a name for the module; the first class that has one.
        self._homes: dict[str, int] = {}
        self._classes: dict[str, int] = {}
        self._callees: dict[ast.keyword, str] = {}
        self._statement = self._depth = 0
        self._is_class = False

    def text(self, tree: ast.Module) -> str:
        """The same text for trees that differ in the names of what is their own."""
        for number, statement in enumerate(_said(tree, tree.body), 1):
            self._statement, self._is_class = number, isinstance(statement, ast.ClassDef)
            self._value(statement)
        renamed: dict[tuple[int, str], str] = {}
        for spot in self._spots:
            name = self._out[spot.place]
            for scope in self._scopes(name, spot):
                if (scope, name) in self._bound:
                    self._out[spot.place] = renamed.setdefault((scope, name), f"@{len(renamed)}")
                    break
        return " ".join(self._out)

    def _scopes(self, name: str, spot: _Spot) -> Sequence[int]:
        """Where a name may be bound, by the first that does."""
        if spot.callee is None:
            return (_MODULE, spot.statement)
        if not spot.callee:
            # A method: of a class of the program's own, or of another, as in xs.sort(key=key).
            return (self._classes[name],) if name in self._classes else ()
        if spot.callee in self._homes:
            return (_MODULE, self._homes[spot.callee])
        is_own = (spot.statement, spot.callee) in self._bound
        return (_MODULE, spot.statement) if is_own else ()

    def _node(self, node: ast.AST) -> None:
        self._out.append(type(node).__name__)
        if isinstance(node, ast.Name):
            self._name(node.id, is_bound=not isinstance(node.ctx, ast.Load))
            return
        if isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                self._name(name, is_bound=True, is_global=isinstance(node, ast.Global))
            return
        if isinstance(node, ast.Call):
            callee = node.func.id if isinstance(node.func, ast.Name) else ""
            self._callees.update(dict.fromkeys(node.keywords, callee))
        for field in node._fields:
            if field not in _SILENT:
                # The name of a function belongs to what is around it.
                is_inner = isinstance(node, _SCOPES) and field != "name"
                self._depth += is_inner
                self._field(node, field)
                self._depth -= is_inner

    def _field(self, node: ast.AST, field: str) -> None:
        value = getattr(node, field, None)
        if isinstance(value, list):
            value = _said(node, value)
        if isinstance(value, str) and field in _NAMES and not isinstance(node, ast.alias):
            # A keyword of a call names a parameter, if any of the program's own.
            if isinstance(node, ast.keyword):
                self._name(value, is_bound=False, callee=self._callees.get(node, ""))
            else:
                self._name(value, is_bound=True)
        else:
            self._value(value)

    def _name(
        self, name: str, *, is_bound: bool, is_global: bool = False, callee: str | None = None
    ) -> None:
        if is_bound and (is_global or self._depth == 0):
            self._bound.add((_MODULE, name))
            self._homes.setdefault(name, self._statement)
        elif is_bound:
            self._bound.add((self._statement, name))
            if self._is_class:
                self._classes.setdefault(name, self._statement)
        self._spots.append(_Spot(len(self._out), self._statement, callee))
        self._out.append(name)

    def _value(self, value: object) -> None:
        if isinstance(value, ast.AST):
            self._node(value)
        elif isinstance(value, list):
            self._out.append("[")
            for each in value:
                self._value(each)
            self._out.append("]")
        else:
            # Of a very large number, Python writes no decimals.
            self._out.append(hex(value) if type(value) is int else repr(value))


def _said(node: ast.AST, values: Sequence[object]) -> list[object]:
    """What is executed of a list: no docstrings, and no annotations but those of a class, whose
    fields they may be.

    "b: int = a", "c: int" -> "b = a"
    """
    has_docstring = isinstance(node, (ast.Module, *_DEFINITIONS))
    said = [each for each in values if not (has_docstring and _is_text(each))]
    if isinstance(node, ast.ClassDef):
        return said
    return [
        ast.Assign([each.target], each.value)
        if isinstance(each, ast.AnnAssign) and each.value is not None
        else each
        for each in said
        if not isinstance(each, ast.AnnAssign) or each.value is not None
    ]


def _is_text(node: object) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
