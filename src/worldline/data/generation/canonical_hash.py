"""Canonical hash: identity of a program up to names, layout, comments and annotations.

Two kinds of equivalent programs still have different hashes: those with different names in
`import a as b`, and those in which a local variable has the name of a module-level one in only one
of the two.
"""

import ast
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from worldline.core.trace import Program, parse_source

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
# Nodes with a namespace of their own.
_SCOPES = (*_DEFINITIONS, ast.Lambda)
# Fields that contain a name that the program may choose.
_NAME_FIELDS = frozenset({"id", "arg", "name"})
# Fields that do not change what is executed.
_IGNORED_FIELDS = frozenset({"ctx", "annotation", "returns", "type_comment", "type_params", "kind"})
# Fields that contain statements, or parts of a statement that do.
_STATEMENT_FIELDS = ("body", "orelse", "handlers", "finalbody", "cases")
# Number of the module itself; its statements are numbered from 1.
_MODULE = 0


def hash_source(source: str) -> str:
    """Hash a source so that equivalent sources have the same hash.

    "def f(a): return a+1", "def g(x):\\n    return (x + 1)  # more" -> the same
    """
    return hash_tree(parse_source(source), source)


def hash_tree(tree: ast.Module | None, source: str) -> str:
    """Hash a source whose syntax tree is known; None if it cannot be parsed."""
    try:
        text = source.strip() if tree is None else _CanonicalWriter().write(tree)
    except RecursionError:
        text = source.strip()
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


def statement_kinds(tree: ast.Module | None) -> str:
    """Kinds of the statements of a source, with their nesting: equivalent sources have the same.

    Much cheaper than `hash_tree`: sources of different kinds have different hashes.

    "def f(a):\\n    b = a\\n    return b" -> "(FunctionDef(AssignReturn))"
    """
    out: list[str] = []
    if tree is not None:
        try:
            _write_kinds(tree, out)
        except RecursionError:
            # The hash is that of the text, then.
            return ""
    return "".join(out)


def _write_kinds(node: ast.AST, out: list[str]) -> None:
    for field in _statement_fields(type(node).__name__):
        statements = getattr(node, field)
        if type(statements) is list:
            out.append("(")
            for each in _executed(node, statements):
                out.append(type(each).__name__)
                _write_kinds(each, out)  # type: ignore[arg-type]
            out.append(")")


def hashed_nodes(tree: ast.Module) -> Iterator[ast.AST]:
    """All nodes of a tree that its canonical hash depends on.

    Their order is not that of the source.
    """
    waiting: list[object] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.AST):
            yield node
            for field in node._fields:
                if field not in _IGNORED_FIELDS:
                    value = getattr(node, field, None)
                    values = value if isinstance(value, list) else [value]
                    waiting += _executed(node, values)


@cache
def _statement_fields(kind: str) -> tuple[str, ...]:
    """Fields of a kind of node that may contain statements: "While" -> ("body", "orelse")."""
    fields = getattr(ast, kind)._fields
    return tuple(field for field in _STATEMENT_FIELDS if field in fields)


def hash_program(program: Program) -> str:
    """Hash a program's source together with its call; of another language, by its text alone."""
    return hash_source(program.text) if program.is_python else program.hash


@dataclass(frozen=True, slots=True)
class _NameOccurrence:
    """Occurrence of a name: its index in the output, and the module's statement that contains it.

    `callee` is set if the name is a keyword of a call: the name of the called function, or "" if
    the callee is not a plain name.
    """

    index: int
    statement: int
    callee: str | None = None


class _CanonicalWriter:
    """Writes a syntax tree as text with canonical names, in one pass.

    Names are replaced at the end, when all bindings are known. A name that the module binds is
    one variable everywhere. Any other name is one variable within a statement of the module, so
    two functions may use the same local name or different ones.
    """

    def __init__(self) -> None:
        self._out: list[str] = []
        self._occurrences: list[_NameOccurrence] = []
        # Pairs of a statement number (or `_MODULE`) and a name that is bound there.
        self._bound: set[tuple[int, str]] = set()
        # The first statement that binds a name for the module; the first class that has it.
        self._module_bindings: dict[str, int] = {}
        self._class_bindings: dict[str, int] = {}
        self._callees: dict[ast.keyword, str] = {}
        self._statement = self._depth = 0
        self._is_class = False

    def write(self, tree: ast.Module) -> str:
        """Write a tree; trees that differ only in their own names give the same text."""
        for number, statement in enumerate(_executed(tree, tree.body), 1):
            self._statement, self._is_class = number, isinstance(statement, ast.ClassDef)
            self._write_value(statement)
        renamed: dict[tuple[int, str], str] = {}
        for occurrence in self._occurrences:
            name = self._out[occurrence.index]
            for scope in self._candidate_scopes(name, occurrence):
                if (scope, name) in self._bound:
                    canonical = renamed.setdefault((scope, name), f"@{len(renamed)}")
                    self._out[occurrence.index] = canonical
                    break
        return " ".join(self._out)

    def _candidate_scopes(self, name: str, occurrence: _NameOccurrence) -> Sequence[int]:
        """Scopes that may bind a name, in the order of lookup."""
        callee, statement = occurrence.callee, occurrence.statement
        if callee is None:
            return (_MODULE, statement)
        if not callee:
            # A method, of a class of the program or of a built-in one, as in xs.sort(key=key).
            return (self._class_bindings[name],) if name in self._class_bindings else ()
        if callee in self._module_bindings:
            return (_MODULE, self._module_bindings[callee])
        return (_MODULE, statement) if (statement, callee) in self._bound else ()

    def _write_node(self, node: ast.AST) -> None:
        self._out.append(type(node).__name__)
        if isinstance(node, ast.Name):
            self._write_name(node.id, is_bound=not isinstance(node.ctx, ast.Load))
            return
        if isinstance(node, ast.Global | ast.Nonlocal):
            for name in node.names:
                self._write_name(name, is_bound=True, is_global=isinstance(node, ast.Global))
            return
        if isinstance(node, ast.Call):
            callee = node.func.id if isinstance(node.func, ast.Name) else ""
            self._callees.update(dict.fromkeys(node.keywords, callee))
        for field in node._fields:
            if field not in _IGNORED_FIELDS:
                # A function's own name is bound in the enclosing scope.
                is_inner = isinstance(node, _SCOPES) and field != "name"
                self._depth += is_inner
                self._write_field(node, field)
                self._depth -= is_inner

    def _write_field(self, node: ast.AST, field: str) -> None:
        value = getattr(node, field, None)
        if isinstance(value, list):
            value = _executed(node, value)
        if isinstance(value, str) and field in _NAME_FIELDS and not isinstance(node, ast.alias):
            # A keyword of a call may be a parameter of one of the program's functions.
            if isinstance(node, ast.keyword):
                self._write_name(value, is_bound=False, callee=self._callees.get(node, ""))
            else:
                self._write_name(value, is_bound=True)
        else:
            self._write_value(value)

    def _write_name(
        self, name: str, *, is_bound: bool, is_global: bool = False, callee: str | None = None
    ) -> None:
        if is_bound and (is_global or self._depth == 0):
            self._bound.add((_MODULE, name))
            self._module_bindings.setdefault(name, self._statement)
        elif is_bound:
            self._bound.add((self._statement, name))
            if self._is_class:
                self._class_bindings.setdefault(name, self._statement)
        self._occurrences.append(_NameOccurrence(len(self._out), self._statement, callee))
        self._out.append(name)

    def _write_value(self, value: object) -> None:
        if isinstance(value, ast.AST):
            self._write_node(value)
        elif isinstance(value, list):
            self._out.append("[")
            for item in value:
                self._write_value(item)
            self._out.append("]")
        else:
            # Python refuses to convert very large numbers to decimal.
            self._out.append(hex(value) if type(value) is int else repr(value))


def _executed(node: ast.AST, values: Sequence[object]) -> list[object]:
    """Drop docstrings and annotations from a list of statements.

    "b: int = a", "c: int" -> "b = a"

    The annotations of a class are kept: they may be the fields of a dataclass.
    """
    has_docstring = isinstance(node, (ast.Module, *_DEFINITIONS))
    kept = [each for each in values if not (has_docstring and _is_string_statement(each))]
    if isinstance(node, ast.ClassDef):
        return kept
    return [
        ast.Assign([each.target], each.value)
        if isinstance(each, ast.AnnAssign) and each.value is not None
        else each
        for each in kept
        if not isinstance(each, ast.AnnAssign) or each.value is not None
    ]


def _is_string_statement(node: object) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
