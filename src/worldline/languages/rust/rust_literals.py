"""Parser of Rust values as text: what Debug writes, and what models and tests write."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from worldline.core.trace import words
from worldline.languages.rust.rust_tokens import tokenize

ValueNodeKind = Literal[
    "string",
    "char",
    "number",
    "boolean",
    "unit",  # ()
    "list",
    "tuple",
    "set",
    "map",
    "struct",  # a struct or a variant: with named fields, with positions or without any
    "range",
    "opaque",  # <closure>, <dyn Shape>
]
# Longer values are not parsed.
MAX_CHARS = 200_000
_MAX_DEPTH = 200
_MAX_REPEATED = 10_000
_INTEGER = re.compile(
    r"(0x[\da-fA-F_]+?|0o[0-7_]+?|0b[01_]+?|[\d_]+?)(?:[iu](?:8|16|32|64|128|size))?"
)
_FLOAT = re.compile(r"([\d_]+(?:\.[\d_]*)?(?:[eE][+-]?[\d_]+)?)(?:f32|f64)?")
_ESCAPE = re.compile(r"\\(?:x([\da-fA-F]{2})|u\{([\da-fA-F_]+)\}|(\r?\n\s*)|(.))", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_CONSTANTS = {
    "NAN": float("nan"),
    "INFINITY": float("inf"),
    "NEG_INFINITY": float("-inf"),
}
_BITS = {"8": 8, "16": 16, "32": 32, "64": 64, "128": 128, "size": 64}
# Functions that give their argument.
_SAME = ("Box", "Rc", "Arc", "String", "Cow", "Vec", "VecDeque", "BinaryHeap", "LinkedList")
_LISTS = ("Vec", "VecDeque", "BinaryHeap", "LinkedList")
# Methods that do not change a value.
_METHODS = words(
    "to_string to_owned into to_vec as_str clone iter cloned collect into_iter as_slice"
)


@dataclass(frozen=True, slots=True)
class ValueNode:
    """A value.

    Attributes:
        kind: What it is.
        value: The Python value of a string, number or boolean; the text of an opaque value.
        name: The name of a struct or variant, without its path.
        keys: The keys of a map, or the names of fields.
        items: The items of a collection, or the values of a map or of fields.
    """

    kind: ValueNodeKind
    value: object = None
    name: str = ""
    keys: "tuple[ValueNode, ...]" = ()
    items: "tuple[ValueNode, ...]" = ()


@lru_cache(maxsize=4096)
def parse_value(text: str) -> ValueNode | None:
    """The value that a text describes; None if it is not one value.

    'vec![String::from("a")]', '["a"]' -> the same list
    """
    if len(text) > MAX_CHARS:
        return None
    reader = _Reader(text)
    try:
        node = reader.value(0)
    except (ValueError, RecursionError, IndexError):
        return None
    return node if reader.position == len(reader.tokens) else None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0

    def _text(self, ahead: int = 0) -> str:
        index = self.position + ahead
        is_code = index < len(self.tokens) and self.tokens[index].kind not in ("string", "char")
        return self.tokens[index].text if is_code else ""

    def _accept(self, mark: str) -> bool:
        if self._text() != mark:
            return False
        self.position += 1
        return True

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            raise ValueError(f"expected {mark}")

    def value(self, depth: int) -> ValueNode:
        """A value, with what follows it: methods, `as`, or the end of a range."""
        node = self._simple(depth)
        while True:
            if self._text() == "." and self._text(1) in _METHODS:
                self.position += 2
                self._skip_types()
                self._expect("(")
                self._expect(")")
            elif self._accept("as"):
                self.position += 1
            elif self._text() in ("..", "..="):
                mark = self._text()
                self.position += 1
                is_open = self._text() in (",", ")", "]", "}", "")
                ends = (node,) if is_open else (node, self._simple(depth + 1))
                return ValueNode("range", name=mark, items=ends)
            else:
                return node

    def _simple(self, depth: int) -> ValueNode:
        if depth > _MAX_DEPTH:
            raise ValueError("too deep")
        token = self.tokens[self.position]
        if token.kind in ("string", "char", "number"):
            self.position += 1
            return _scalar(token.kind, token.text)
        if token.kind == "name":
            return self._named(depth)
        if self._accept("-"):
            operand = self._simple(depth + 1)
            if operand.kind != "number" or not isinstance(operand.value, int | float):
                raise ValueError("not a number")
            return ValueNode("number", -operand.value)
        if self._accept("&") or self._accept("*") or self._accept("&&"):
            self._accept("mut")
            return self._simple(depth + 1)
        if self._accept("("):
            return self._parentheses(depth)
        if self._accept("["):
            return ValueNode("list", items=self._items("]", depth))
        if token.text == "<":
            return self._opaque()
        self._expect("{")
        return self._braces(depth)

    def _opaque(self) -> ValueNode:
        """Not Rust: <closure>, <dyn Shape>"""
        start = self.tokens[self.position].start
        self._skip_types()
        return ValueNode("opaque", self.text[start : self.tokens[self.position - 1].end])

    def _skip_types(self) -> None:
        """Skip `::<T>` or `<T>`, if it follows."""
        if self._text() == "::" and self._text(1) == "<":
            self.position += 1
        if self._text() != "<":
            return
        depth = 0
        while True:
            depth += (self._text() == "<") - (self._text() == ">")
            self.position += 1
            if depth == 0:
                return
            if self.position >= len(self.tokens):
                raise ValueError("types are not closed")

    def _parentheses(self, depth: int) -> ValueNode:
        start = self.position
        items = self._items(")", depth)
        if not items:
            return ValueNode("unit")
        has_comma = self.tokens[self.position - 2].text == "," and self.position - 2 > start
        return items[0] if len(items) == 1 and not has_comma else ValueNode("tuple", items=items)

    def _items(self, closing: str, depth: int) -> tuple[ValueNode, ...]:
        items: list[ValueNode] = []
        while not self._accept(closing):
            items.append(self.value(depth + 1))
            if self._accept(";"):
                return self._repeated(items, closing, depth)
            if not self._accept(","):
                self._expect(closing)
                break
        return tuple(items)

    def _repeated(self, items: list[ValueNode], closing: str, depth: int) -> tuple[ValueNode, ...]:
        """The items of `[0; 3]`."""
        count = self.value(depth + 1).value
        self._expect(closing)
        if len(items) != 1 or not isinstance(count, int) or not 0 <= count <= _MAX_REPEATED:
            raise ValueError("not a repetition")
        return tuple(items) * count

    def _braces(self, depth: int) -> ValueNode:
        """A map or a set, as Debug writes them."""
        keys: list[ValueNode] = []
        items: list[ValueNode] = []
        while not self._accept("}"):
            items.append(self.value(depth + 1))
            if self._accept(":"):
                keys.append(items.pop())
                items.append(self.value(depth + 1))
            if not self._accept(","):
                self._expect("}")
                break
        if keys and len(keys) != len(items):
            raise ValueError("a map and a set")
        is_set = bool(items) and not keys
        return ValueNode("set" if is_set else "map", keys=tuple(keys), items=tuple(items))

    def _named(self, depth: int) -> ValueNode:
        path = self._path()
        name = path[-1]
        if self._accept("!"):
            closing = {"[": "]", "(": ")"}.get(self._text())
            if closing is None:
                raise ValueError("not a macro")
            self.position += 1
            items = self._items(closing, depth)
            return ValueNode("list", items=items) if name == "vec" else _variant(f"{name}!", items)
        if name in ("true", "false"):
            return ValueNode("boolean", name == "true")
        if self._accept("("):
            return _called(path, self._items(")", depth))
        if self._accept("{"):
            return self._fields(name, depth)
        if len(path) > 1 and name in _CONSTANTS:
            return ValueNode("number", _CONSTANTS[name])
        if name in ("NaN", "inf"):
            return ValueNode("number", float(name))
        return _limit(path) or ValueNode("struct", name=name)

    def _path(self) -> list[str]:
        """The parts of a name, without types: std::vec::Vec::<i32>::new"""
        if self.tokens[self.position].kind != "name":
            raise ValueError("not a name")
        parts = [self._text()]
        self.position += 1
        self._skip_types_in_path()
        while self._accept("::"):
            parts.append(self._text())
            self.position += 1
            self._skip_types_in_path()
        return parts

    def _skip_types_in_path(self) -> None:
        if self._text() == "<" or (self._text() == "::" and self._text(1) == "<"):
            self._skip_types()

    def _fields(self, name: str, depth: int) -> ValueNode:
        keys: list[ValueNode] = []
        items: list[ValueNode] = []
        while not self._accept("}"):
            keys.append(ValueNode("string", self._text()))
            self.position += 1
            self._expect(":")
            items.append(self.value(depth + 1))
            if not self._accept(","):
                self._expect("}")
                break
        return ValueNode("struct", name=name, keys=tuple(keys), items=tuple(items))


def _variant(name: str, items: tuple[ValueNode, ...]) -> ValueNode:
    return ValueNode("struct", name=name, items=items)


def _called(path: list[str], items: tuple[ValueNode, ...]) -> ValueNode:
    """The value of a call: `Vec::new()`, `String::from("a")`, `Some(1)`."""
    name, type = path[-1], path[-2] if len(path) > 1 else ""
    if name in ("new", "from", "from_iter") and type.startswith(("HashMap", "BTreeMap")):
        return _map_of(items)
    if name in ("new", "from", "from_iter") and type.startswith(("HashSet", "BTreeSet")):
        return ValueNode("set" if items else "map", items=items[0].items if items else ())
    if name == "new" and not items:
        return ValueNode("string", "") if type == "String" else ValueNode("list")
    if name in ("new", "from", "from_iter") and type in _SAME and len(items) == 1:
        return items[0]
    return _variant(name, items)


def _map_of(items: tuple[ValueNode, ...]) -> ValueNode:
    pairs = items[0].items if items else ()
    if not all(pair.kind == "tuple" and len(pair.items) == 2 for pair in pairs):
        raise ValueError("not the entries of a map")
    keys, values = (tuple(pair.items[n] for pair in pairs) for n in (0, 1))
    return ValueNode("map", keys=keys, items=values)


def _limit(path: list[str]) -> ValueNode | None:
    """The number of `i32::MAX` and others."""
    match = re.fullmatch(r"([iu])(8|16|32|64|128|size)", path[-2]) if len(path) > 1 else None
    if match is None or path[-1] not in ("MAX", "MIN"):
        return None
    bits = _BITS[match[2]] - (match[1] == "i")
    lowest = -(2**bits) if match[1] == "i" else 0
    return ValueNode("number", 2**bits - 1 if path[-1] == "MAX" else lowest)


def _scalar(kind: str, text: str) -> ValueNode:
    if kind == "number":
        return ValueNode("number", number_of(text))
    if kind == "char":
        content = unescape(text[text.index("'") + 1 : -1])
        is_byte = text.startswith("b")
        return ValueNode("number", ord(content)) if is_byte else ValueNode("char", content)
    content = string_content(text)
    if text.startswith("b"):
        return ValueNode("list", items=tuple(ValueNode("number", ord(each)) for each in content))
    return ValueNode("string", content)


def number_of(text: str) -> int | float:
    """The number of a literal: "1_000usize" -> 1000, "2.5f64" -> 2.5."""
    integer = _INTEGER.fullmatch(text)
    if integer is not None:
        digits = integer[1].replace("_", "")
        return int(digits, 0) if digits[:2] in ("0x", "0o", "0b") else int(digits)
    number = _FLOAT.fullmatch(text)
    if number is None:
        raise ValueError("not a number")
    return float(number[1].replace("_", ""))


def string_content(literal: str) -> str:
    r"""The string of a literal, also of a raw one: '"a\\n"' -> "a" and a newline."""
    start = literal.index('"')
    body = literal[start + 1 : literal.rindex('"')]
    return body if "r" in literal[:start] else unescape(body)


def unescape(body: str) -> str:
    r"""The string of a literal's body: "a\\n" -> "a" and a newline."""
    if "\\" not in body:
        return body

    def replace(match: re.Match[str]) -> str:
        byte, code, newline, char = match.groups()
        if byte or code:
            return chr(int((byte or code).replace("_", ""), 16))
        return "" if newline else _SHORT.get(char, char)

    return _ESCAPE.sub(replace, body)
