"""An expression goes in; the built-in type that its value surely has comes out, if one is sure.

Exactly that type, no subclass: what its methods do is known then, and that they are there.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from worldline.rewrite.expressions.facts import words
from worldline.rewrite.expressions.names import Names
from worldline.rewrite.scopes import Binding, Scope, owner

_TYPES: dict[str, type] = {
    kind.__name__: kind for kind in (str, bytes, int, float, bool, list, tuple, dict, set)
}
_DISPLAYS = {
    ast.List: "list",
    ast.ListComp: "list",
    ast.Tuple: "tuple",
    ast.Dict: "dict",
    ast.DictComp: "dict",
    ast.Set: "set",
    ast.SetComp: "set",
    ast.JoinedStr: "str",
}
_FUNCTIONS = {
    **{name: name for name in ("str", "list", "dict", "set", "tuple", "int", "float", "bool")},
    **dict.fromkeys(("any", "all", "isinstance", "issubclass", "callable", "hasattr"), "bool"),
    **dict.fromkeys(("len", "ord", "hash", "id"), "int"),
    **dict.fromkeys(("chr", "repr", "ascii", "bin", "hex", "oct", "input", "format"), "str"),
    **dict.fromkeys(("sorted", "dir"), "list"),
    "range": "range",
    "enumerate": "enumerate",
}
_STR_METHODS = {
    **dict.fromkeys(
        words(
            "strip lstrip rstrip lower upper replace join format title capitalize swapcase center "
            "ljust rjust zfill removeprefix removesuffix expandtabs translate casefold"
        ),
        "str",
    ),
    **dict.fromkeys(words("split rsplit splitlines"), "list"),
    **dict.fromkeys(words("partition rpartition"), "tuple"),
    **dict.fromkeys(words("find rfind index rindex count"), "int"),
    **dict.fromkeys(
        words(
            "startswith endswith isalpha isdigit isalnum isupper islower isspace istitle "
            "isnumeric isdecimal isidentifier isascii isprintable"
        ),
        "bool",
    ),
}
_METHODS: dict[str, dict[str, str]] = {
    "str": _STR_METHODS,
    "list": {"copy": "list", "index": "int", "count": "int"},
    "tuple": {"index": "int", "count": "int"},
    "dict": {"copy": "dict"},
    "set": {"copy": "set"},
    "int": {"bit_length": "int"},
}
_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.BitAnd, ast.BitOr, ast.BitXor)
_REAL = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod)
_NUMBERS = ("int", "float", "bool")


@dataclass(slots=True)
class Kinds:
    """Types of the expressions of one function.

    `parameters`: those that are known of its parameters. `added`: of names that a rewrite made.
    """

    names: Names
    parameters: Mapping[tuple[Scope, str], str] = field(default_factory=dict)
    added: dict[str, str | None] = field(default_factory=dict)
    _known: dict[str, str | None] = field(default_factory=dict)

    def has_method(self, node: ast.expr, method: str) -> bool:
        """Whether an expression's value surely has a method, and always the same."""
        kind = self.of(node)
        return kind in _TYPES and hasattr(_TYPES[kind], method)

    def of(self, node: ast.expr) -> str | None:
        """The type of an expression's value.

        "'a'.upper()" -> "str"; "x" -> None, where x is a parameter
        """
        match node:
            case ast.Constant(value=value):
                return type(value).__name__
            case ast.Name(id=name):
                return self.added[name] if name in self.added else self._variable(name)
            case ast.NamedExpr(value=value):
                return self.of(value)
            case ast.UnaryOp(op=ast.Not()):
                return "bool"
            case ast.UnaryOp(operand=operand):
                kind = self.of(operand)
                return kind if kind in ("int", "float") else None
            case ast.IfExp(body=body, orelse=orelse):
                return self._same([body, orelse])
            case ast.BoolOp(values=values):
                return self._same(values)
            case ast.BinOp(left=left, op=op, right=right):
                return _combined(self.of(left), op, self.of(right))
            case ast.Compare():
                return self._comparison(node)
            case ast.Subscript():
                return self._part(node)
            case ast.Call():
                return self._call(node)
        return _DISPLAYS.get(type(node))

    def _same(self, nodes: list[ast.expr]) -> str | None:
        kinds = {self.of(node) for node in nodes}
        return kinds.pop() if len(kinds) == 1 else None

    def _comparison(self, node: ast.Compare) -> str | None:
        plain = ast.Is | ast.IsNot | ast.In | ast.NotIn
        if all(isinstance(op, plain) for op in node.ops):
            return "bool"
        parts = [node.left, *node.comparators]
        return "bool" if all(self.of(part) in _TYPES for part in parts) else None

    def _part(self, node: ast.Subscript) -> str | None:
        kind = self.of(node.value)
        if kind == "str" or (kind in ("list", "tuple") and isinstance(node.slice, ast.Slice)):
            return kind
        return None

    def _call(self, node: ast.Call) -> str | None:
        # With subclasses about, `str(x)` may give one of them.
        if self.names.facts.has_subclasses:
            return None
        match node.func:
            case ast.Name(id=name) if self.names.is_builtin(name):
                return _FUNCTIONS.get(name)
            case ast.Attribute(value=value, attr=method):
                return _METHODS.get(self.of(value) or "", {}).get(method)
        return None

    def _variable(self, name: str) -> str | None:
        if name not in self._known:
            # While it is being worked out it is unknown, so that nothing is concluded from itself.
            self._known[name] = None
            self._known[name] = self._bound(name)
        return self._known[name]

    def _bound(self, name: str) -> str | None:
        scope = self.names.scope
        home = owner(scope, name)
        if home.parent is None:
            return self._global(home.bindings.get(name, []), name)
        if home is not scope:
            return None
        if any(name in inner.nonlocals for inner in scope.within()):
            return None
        made = scope.bindings.get(name, [])
        first = {self._binding(name, each) for each in made if each.kind != "added"}
        kind = first.pop() if len(first) == 1 else None
        if kind is None:
            return None
        self._known[name] = kind
        added = (each for each in made if each.kind == "added")
        is_kept = all(self._keeps(kind, each) for each in added)
        return kind if is_kept else None

    def _global(self, made: list[Binding], name: str) -> str | None:
        """The type of a global that is bound once, to something whose type is plain to see."""
        facts = self.names.facts
        if len(made) != 1 or facts.is_reflective or name in facts.rebound:
            return None
        value = made[0].expression if made[0].kind == "value" else None
        is_plain = isinstance(value, (ast.Constant, *_DISPLAYS))
        return self.of(value) if value is not None and is_plain else None

    def _binding(self, name: str, binding: Binding) -> str | None:
        if binding.kind == "value" and binding.expression is not None:
            return self.of(binding.expression)
        if binding.kind == "parameter":
            return self.parameters.get((self.names.scope, name))
        if binding.kind == "item" and binding.expression is not None:
            return self.item(binding.expression, binding.place)
        return None

    def item(self, source: ast.expr, place: int | None) -> str | None:
        kind = self.of(source)
        if kind == "enumerate" and isinstance(source, ast.Call) and source.args:
            return "int" if place == 0 else self.item(source.args[0], None) if place == 1 else None
        return {"range": "int", "str": "str"}.get(kind or "") if place is None else None

    def _keeps(self, kind: str, binding: Binding) -> bool:
        """Whether `x += …` leaves a name's type as it is."""
        if binding.expression is None or binding.operator is None:
            return False
        if kind == "list" and isinstance(binding.operator, ast.Add):
            return True
        return _combined(kind, binding.operator, self.of(binding.expression)) == kind


def _combined(left: str | None, op: ast.operator, right: str | None) -> str | None:
    """The type that an operator gives: "str", +, "str" -> "str"."""
    if left == "str" and isinstance(op, ast.Mod):
        return "str"
    if left == right and left in ("str", "list", "tuple") and isinstance(op, ast.Add):
        return left
    if isinstance(op, ast.Mult) and "int" in (left, right):
        other = left if right == "int" else right
        if other in ("str", "list", "tuple"):
            return other
    if left == right == "set" and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor | ast.Sub):
        return left
    if left not in _NUMBERS or right not in _NUMBERS:
        return None
    if "float" in (left, right) or isinstance(op, ast.Div):
        return "float" if isinstance(op, _REAL) else None
    is_bits = left == right == "bool" and isinstance(op, ast.BitAnd | ast.BitOr | ast.BitXor)
    return None if is_bits or not isinstance(op, _WHOLE) else "int"
