"""JavaScript expressions for the Python expressions of generated programs."""

import ast
import json
import re

from worldline.core.errors import WorldlineError
from worldline.data.generation.javascript.value_types import (
    NUMBERS,
    Types,
    expression_type,
    kind_of,
)


class TranslationError(WorldlineError):
    """A program that has no translation."""


_ATOM = 20
_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "===",
    ast.NotEq: "!==",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_ARITHMETIC: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", 12),
    ast.Sub: ("-", 12),
    ast.Mult: ("*", 13),
    ast.Div: ("/", 13),
}
_SIMPLE_METHODS = {
    "upper": "toUpperCase",
    "lower": "toLowerCase",
    "find": "indexOf",
    "rfind": "lastIndexOf",
    "index": "indexOf",
    "startswith": "startsWith",
    "endswith": "endsWith",
}
_TESTS = {"isalpha": "/^[A-Za-z]+$/", "isdigit": "/^[0-9]+$/"}
# Functions that are added to a program that uses them.
HELPERS = {
    "roundHalfEven": """\
function roundHalfEven(x, digits) {
  const text = Math.abs(x).toFixed(25);
  const cut = text.indexOf(".") + digits;
  const rest = text.slice(cut + 1);
  const low = Number(digits ? text.slice(0, cut + 1) : text.slice(0, cut));
  const isTie = /^50*$/.test(rest);
  const isOdd = Number(text.slice(0, cut + 1).replace(".", "").slice(-1)) % 2 === 1;
  const isUp = isTie ? isOdd : rest >= "5";
  const value = isUp ? Number((low + 10 ** -digits).toFixed(digits)) : low;
  return x < 0 ? 0 - value : value;
}
""",
}


def literal(value: object) -> str:
    """A value as JavaScript; lists and tuples are arrays, dictionaries are maps."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if abs(value) > 2**53:
            raise TranslationError(f"the number {value} is too large")
        case int() | float():
            return json.dumps(value)
        case str():
            return quote(value)
        case list() | tuple():
            return f"[{', '.join(map(literal, value))}]"
        case set():
            return f"new Set([{', '.join(map(literal, sorted(value)))}])"
        case dict():
            items = ", ".join(f"[{literal(k)}, {literal(v)}]" for k, v in value.items())
            return f"new Map([{items}])" if value else "new Map()"
    raise TranslationError(f"{type(value).__name__} has no translation")


def quote(text: str) -> str:
    """A string in single quotes."""
    inner = json.dumps(text)[1:-1].replace('\\"', '"').replace("'", "\\'")
    return f"'{inner}'"


class Expressions:
    """Translates the expressions of one function."""

    def __init__(self, types: Types, results: Types, helpers: set[str]) -> None:
        self.types = types
        self._results = results
        self._helpers = helpers

    def type_of(self, node: ast.expr) -> str:
        """The type of an expression."""
        return expression_type(node, self.types, self._results)

    def text(self, node: ast.expr, level: int = 0) -> str:
        """Translate an expression; in parentheses if it binds less than `level`."""
        text, own = self._translate(node)
        return f"({text})" if own < level else text

    def condition(self, node: ast.expr, level: int = 0) -> str:
        """Translate an expression whose truth counts."""
        kind = kind_of(self.type_of(node))
        if kind in ("list", "tuple"):
            text, own = f"{self.text(node, 18)}.length > 0", 10
        elif kind in ("dict", "set"):
            text, own = f"{self.text(node, 18)}.size > 0", 10
        elif isinstance(node, ast.BoolOp):
            operator, own = ("&&", 5) if isinstance(node.op, ast.And) else ("||", 4)
            text = f" {operator} ".join(self.condition(each, own + 1) for each in node.values)
        else:
            return self.text(node, level)
        return f"({text})" if own < level else text

    def _translate(self, node: ast.expr) -> tuple[str, int]:
        match node:
            case ast.Constant(value=value):
                return literal(value), _ATOM
            case ast.Name(id=name):
                return name, _ATOM
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return f"[{', '.join(map(self.text, items))}]", _ATOM
            case ast.Set(elts=items):
                return f"new Set([{', '.join(map(self.text, items))}])", 18
            case ast.Dict():
                return self._dict(node), 18
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return f"!{self.condition(operand, 14)}", 14
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=value)):
                return f"-{literal(value)}", 14
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return f"0 - {self.text(operand, 13)}", 12  # `-x` would be -0 for 0
            case ast.BoolOp():
                return self._boolean(node)
            case ast.IfExp(test=test, body=body, orelse=other):
                parts = self.condition(test, 4), self.text(body, 4), self.text(other, 3)
                return f"{parts[0]} ? {parts[1]} : {parts[2]}", 3
            case ast.Compare():
                return self._compare(node)
            case ast.BinOp():
                return self._operation(node)
            case ast.Subscript():
                return self._subscript(node)
            case ast.Call(func=ast.Attribute()):
                return self._method(node)
            case ast.Call(func=ast.Name()):
                return self._call(node)
        raise TranslationError(f"{type(node).__name__} has no translation")

    def _boolean(self, node: ast.BoolOp) -> tuple[str, int]:
        # `xs and y` is a list in Python; generated programs use conditions only.
        if any(self.type_of(each) != "bool" for each in node.values[:-1]):
            raise TranslationError("a boolean operator on other values has no translation")
        operator, level = ("&&", 5) if isinstance(node.op, ast.And) else ("||", 4)
        return f" {operator} ".join(self.text(each, level + 1) for each in node.values), level

    def _dict(self, node: ast.Dict) -> str:
        items = [
            f"...{self.text(value)}" if key is None else f"[{self.text(key)}, {self.text(value)}]"
            for key, value in zip(node.keys, node.values, strict=True)
        ]
        return f"new Map([{', '.join(items)}])" if items else "new Map()"

    def _compare(self, node: ast.Compare) -> tuple[str, int]:
        operands = [node.left, *node.comparators]
        parts = [
            self._comparison(left, op, right, is_part=len(node.ops) > 1)
            for left, op, right in zip(operands, node.ops, operands[1:], strict=False)
        ]
        return " && ".join(parts), 5 if len(parts) > 1 else 9

    def _comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr, *, is_part: bool) -> str:
        kind = kind_of(self.type_of(right))
        if isinstance(op, ast.In | ast.NotIn):
            method = "has" if kind in ("dict", "set") else "includes"
            sign = "!" if isinstance(op, ast.NotIn) else ""
            return f"{sign}{self.text(right, 18)}.{method}({self.text(left)})"
        sign = _COMPARISONS.get(type(op), "")
        if isinstance(op, ast.Is | ast.IsNot) and self.type_of(right) == "none":
            sign = "===" if isinstance(op, ast.Is) else "!=="
        kinds = {kind_of(self.type_of(left)), kind}
        if kinds & {"list", "tuple"} and sign in ("===", "!=="):
            parts = (f"JSON.stringify({self.text(each)})" for each in (left, right))
            return f" {sign} ".join(parts)
        if (
            not sign
            or kinds & {"list", "tuple", "dict", "set", "?"}
            or ("bool" in kinds and len(kinds) > 1)
        ):
            raise TranslationError("a comparison of these types has no translation")
        return f"{self.text(left, 10)} {sign} {self.text(right, 10)}"

    def _operation(self, node: ast.BinOp) -> tuple[str, int]:
        left, right = self.type_of(node.left), self.type_of(node.right)
        kinds = {kind_of(left), kind_of(right)}
        if isinstance(node.op, ast.Add) and kinds & {"list", "tuple"}:
            items = [self._spread(each) for each in (node.left, node.right)]
            return f"[{', '.join(filter(None, items))}]", _ATOM
        if isinstance(node.op, ast.Mult) and kinds & {"str", "list"}:
            return self._repeat(node)
        if "set" in kinds:
            return self._set_operation(node)
        if not kinds <= NUMBERS and kinds != {"str"}:
            raise TranslationError("an operator on these types has no translation")
        a, b = node.left, node.right
        if isinstance(node.op, ast.FloorDiv):
            return f"Math.floor({self._number(a, 13)} / {self._number(b, 14)})", 18
        if isinstance(node.op, ast.Mod) and kinds <= NUMBERS:
            divisor = self._number(b, 14)
            return f"(({self._number(a, 13)} % {divisor}) + {divisor}) % {divisor}", 13
        if type(node.op) not in _ARITHMETIC:
            raise TranslationError(f"{type(node.op).__name__} has no translation")
        sign, level = _ARITHMETIC[type(node.op)]
        return f"{self._number(a, level)} {sign} {self._number(b, level + 1)}", level

    def _number(self, node: ast.expr, level: int) -> str:
        """An operand; a boolean becomes a number."""
        if self.type_of(node) == "bool":
            return f"Number({self.text(node)})"
        return self.text(node, level)

    def _spread(self, node: ast.expr) -> str:
        if isinstance(node, ast.List | ast.Tuple):
            return ", ".join(map(self.text, node.elts))
        return f"...{self.text(node)}"

    def _repeat(self, node: ast.BinOp) -> tuple[str, int]:
        value, count = node.left, node.right
        if self.type_of(value) in NUMBERS:
            value, count = count, value
        times = self._number(count, 0)
        if not isinstance(count, ast.Constant):
            times = f"Math.max(0, {times})"
        if kind_of(self.type_of(value)) == "str":
            return f"{self.text(value, 18)}.repeat({times})", 18
        if isinstance(value, ast.List) and len(value.elts) == 1:
            return f"Array({times}).fill({self.text(value.elts[0])})", 18
        return f"Array({times}).fill({self.text(value)}).flat()", 18

    def _set_operation(self, node: ast.BinOp) -> tuple[str, int]:
        left, right = self.text(node.left), self.text(node.right)
        match node.op:
            case ast.BitOr():
                return f"new Set([...{left}, ...{right}])", 18
            case ast.BitAnd():
                return f"new Set([...{left}].filter((x) => {self.text(node.right, 18)}.has(x)))", 18
            case ast.Sub():
                return (
                    f"new Set([...{left}].filter((x) => !{self.text(node.right, 18)}.has(x)))",
                    18,
                )
        raise TranslationError("an operator on sets has no translation")

    def _subscript(self, node: ast.Subscript) -> tuple[str, int]:
        value = self.text(node.value, 18)
        kind = kind_of(self.type_of(node.value))
        if kind == "dict":
            return f"{value}.get({self.text(node.slice)})", 18
        if kind not in ("list", "tuple", "str"):
            raise TranslationError("an index of this type has no translation")
        if isinstance(node.slice, ast.Slice):
            return self._slice(node.value, node.slice, is_str=kind == "str")
        if isinstance(node.slice, ast.Constant):
            return f"{value}[{self.text(node.slice)}]", 18
        return f"{value}.at({self._number(node.slice, 0)})", 18

    def _slice(self, value: ast.expr, part: ast.Slice, *, is_str: bool) -> tuple[str, int]:
        if part.step is None:
            bounds = [self.text(part.lower) if part.lower else "0"]
            bounds += [self.text(part.upper)] if part.upper else []
            return f"{self.text(value, 18)}.slice({', '.join(bounds)})", 18
        step = ast.unparse(part.step)
        start = ast.unparse(part.lower) if part.lower else "0"
        items = f"[...{self.text(value)}]"
        if part.upper is not None or step not in ("-1", "2") or start not in ("0", "1"):
            raise TranslationError("this slice has no translation")
        if step == "-1":
            if part.lower is not None:
                raise TranslationError("this slice has no translation")
            text = f"{items}.reverse()"
        else:
            text = f"{items}.filter((_, index) => index % 2 === {start})"
        return (f"{text}.join('')" if is_str else text), 18

    # -- calls -----------------------------------------------------------------------------------

    def items(self, node: ast.expr) -> str:
        """An array of the items of a container or an iterator."""
        kind = kind_of(self.type_of(node))
        text = self.text(node)
        if kind == "dict":
            return f"[...{self.text(node, 18)}.keys()]"
        return text if kind in ("list", "tuple") else f"[...{text}]"

    def _call(self, node: ast.Call) -> tuple[str, int]:
        assert isinstance(node.func, ast.Name)
        name, arguments = node.func.id, node.args
        if name in self._results:
            return f"{name}({', '.join(map(self.text, arguments))})", 18
        first = arguments[0] if arguments else ast.Constant("")
        kind = kind_of(self.type_of(first))
        match name:
            case "len":
                size = "size" if kind in ("dict", "set") else "length"
                return f"{self.text(first, 18)}.{size}", 18
            case "abs":
                return f"Math.abs({self._number(first, 0)})", 18
            case "max" | "min" if len(arguments) > 1:
                if any(self.type_of(each) not in NUMBERS for each in arguments):
                    raise TranslationError(f"{name} of these types has no translation")
                numbers = ", ".join(self._number(each, 0) for each in arguments)
                return f"Math.{name}({numbers})", 18
            case "max" | "min" if self._has_numbers(first):
                return f"Math.{name}(...{self._iterable(first)})", 18
            case "sum" if self._has_numbers(first):
                return f"{self.items(first)}.reduce((a, b) => a + b, 0)", 18
            case "str" if kind in ("int", "str"):
                return f"String({self.text(first)})", 18
            case "int" if kind in NUMBERS:
                return (
                    f"Math.trunc({self.text(first)})"
                    if kind == "float"
                    else self._number(first, 20)
                ), 18
            case "round" if kind == "float":
                self._helpers.add("roundHalfEven")
                digits = self.text(arguments[1]) if len(arguments) > 1 else "0"
                return f"roundHalfEven({self.text(first)}, {digits})", 18
            case "round" if kind == "int":
                return self.text(first), 0
            case "ord":
                return f"{self.text(first, 18)}.charCodeAt(0)", 18
            case "list":
                return self._copy(first, arguments)
            case "sorted":
                return f"[...{self._iterable(first)}].sort({self.order(node, first)})", 18
            case "reversed":
                return f"[...{self._iterable(first)}].reverse()", 18
            case "set":
                return f"new Set({self.text(first)})" if arguments else "new Set()", 18
            case "dict":
                return f"new Map({self.text(first)})" if arguments else "new Map()", 18
            case "isinstance" if ast.unparse(arguments[1]) == "list":
                return f"Array.isArray({self.text(first)})", 18
        raise TranslationError(f"{name} has no translation for these arguments")

    def _has_numbers(self, node: ast.expr) -> bool:
        return self.type_of(node).partition(" of ")[2] in ("int", "float")

    def _iterable(self, node: ast.expr) -> str:
        is_dict = kind_of(self.type_of(node)) == "dict"
        return f"{self.text(node, 18)}.keys()" if is_dict else self.text(node)

    def _copy(self, first: ast.expr, arguments: list[ast.expr]) -> tuple[str, int]:
        match first:
            case ast.Call(func=ast.Name(id="range"), args=[stop]):
                return f"Array.from({{ length: Math.max(0, {self.text(stop)}) }}, (_, i) => i)", 18
            case ast.Call(func=ast.Name(id="reversed")):
                return self._call(first)
        return (f"[...{self._iterable(first)}]" if arguments else "[]"), _ATOM

    def order(self, node: ast.Call, items: ast.expr) -> str:
        """The function that compares the items of a sort."""
        is_reverse = any(each.arg == "reverse" for each in node.keywords)
        if any(each.arg != "reverse" for each in node.keywords):
            raise TranslationError("a sort by a key has no translation")
        if self._has_numbers(items):
            return "(a, b) => b - a" if is_reverse else "(a, b) => a - b"
        kind = self.type_of(items)
        if kind.partition(" of ")[2] not in ("", "?") or kind in ("str", "dict"):
            return "(a, b) => (a < b ? 1 : -1)" if is_reverse else ""
        raise TranslationError("a sort of these items has no translation")

    def _method(self, node: ast.Call) -> tuple[str, int]:
        assert isinstance(node.func, ast.Attribute)
        name, value = node.func.attr, node.func.value
        kind = kind_of(self.type_of(value))
        owner = self.text(value, 18)
        arguments = [self.text(each) for each in node.args]
        if kind == "dict":
            return self._dict_method(name, owner, node)
        if name == "join":
            return f"{self.items(node.args[0])}.join({owner})", 18
        if kind == "str":
            return self._string_method(name, owner, node, arguments)
        if kind not in ("list", "tuple"):
            raise TranslationError(f"{name} has no translation for this type")
        match name:
            case "count":
                return f"{owner}.filter((x) => x === {arguments[0]}).length", 18
            case "index":
                return f"{owner}.indexOf({arguments[0]})", 18
            case "copy":
                return f"[...{owner}]", _ATOM
            case "pop" if not arguments:
                return f"{owner}.pop()", 18
            case "pop":
                return f"{owner}.splice({arguments[0]}, 1)[0]", 18
        raise TranslationError(f"{name} has no translation")

    def _dict_method(self, name: str, owner: str, node: ast.Call) -> tuple[str, int]:
        arguments = [self.text(each, 6) for each in node.args]
        match name, arguments:
            case "get", [key, default]:
                return f"{owner}.get({key}) ?? {default}", 3
            case "get", [key]:
                return f"{owner}.get({key}) ?? null", 3
            case (("keys" | "values"), []):
                return f"[...{owner}.{name}()]", _ATOM
            case "items", []:
                return f"[...{owner}]", _ATOM
        raise TranslationError(f"{name} has no translation")

    def _string_method(
        self, name: str, owner: str, node: ast.Call, arguments: list[str]
    ) -> tuple[str, int]:
        if name in _SIMPLE_METHODS:
            return f"{owner}.{_SIMPLE_METHODS[name]}({', '.join(arguments)})", 18
        if name in _TESTS:
            return f"{_TESTS[name]}.test({owner})", 18
        match name, arguments:
            case "replace", [old, new]:
                # In a plain replacement, `$` has a meaning.
                is_plain = isinstance(node.args[1], ast.Constant) and "$" not in new
                replacement = new if is_plain else f"() => {new}"
                return f"{owner}.replaceAll({old}, {replacement})", 18
            case "count", [part]:
                return f"{owner}.split({part}).length - 1", 12
            case "split", [part]:
                return f"{owner}.split({part})", 18
            case "split", []:
                return f"{owner}.split(/\\s+/).filter((word) => word)", 18
            case "strip", []:
                return f"{owner}.trim()", 18
            case (("strip" | "lstrip" | "rstrip"), [_]):
                return f"{owner}.replace({self._strip_pattern(name, node.args[0])}, '')", 18
            case "removeprefix", [part]:
                return (
                    f"({owner}.startsWith({part}) ? {owner}.slice({part}.length) : {owner})",
                    _ATOM,
                )
            case (("islower" | "isupper"), []):
                own, other = ("Lower", "Upper") if name == "islower" else ("Upper", "Lower")
                return (
                    f"{owner} === {owner}.to{own}Case() && {owner} !== {owner}.to{other}Case()",
                    5,
                )
            case "capitalize", []:
                return f"{owner}.charAt(0).toUpperCase() + {owner}.slice(1).toLowerCase()", 12
            case "title", []:
                change = "(w) => w[0].toUpperCase() + w.slice(1).toLowerCase()"
                return f"{owner}.replace(/[A-Za-z]+/g, {change})", 18
            case "swapcase", []:
                change = "(c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())"
                return f"{owner}.replace(/[A-Za-z]/g, {change})", 18
        raise TranslationError(f"{name} has no translation")

    def _strip_pattern(self, name: str, node: ast.expr) -> str:
        if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
            raise TranslationError(f"{name} of a variable has no translation")
        chars = "".join(re.sub(r"[\\\]^/-]", r"\\\g<0>", char) for char in node.value)
        left, right = f"^[{chars}]+", f"[{chars}]+$"
        return {"strip": f"/{left}|{right}/g", "lstrip": f"/{left}/", "rstrip": f"/{right}/"}[name]
