"""Parser of Go values as text: what the recorder writes, and what models write instead."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from worldline.core.trace import words
from worldline.languages.go.go_strings import unescape

NodeKind = Literal[
    "string",
    "int",
    "float",
    "bool",
    "nil",
    "list",  # slices and arrays
    "map",
    "struct",
    "pointer",  # &Point{X: 1}
    "tuple",  # the results of a function: (1, nil)
    "construction",  # errors.New("a"), strings.Builder("a")
    "constant",  # a name, or a complex number
    "opaque",  # <func>
]
# Longer values are not parsed.
MAX_CHARS = 200_000
_MAX_DEPTH = 200
_SPACE = re.compile(r"\s*")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`')
_CHAR = re.compile(r"'(?:[^'\\\n]|\\[^'\n]+|\\')'")
_COMPLEX = re.compile(r"\(?[-+]?[\d.]+(?:e[-+]?\d+)?[-+][\d.]+(?:e[-+]?\d+)?i\)?")
_NUMBER = re.compile(
    r"[+-]?\s*(?:Inf|NaN|0[xX][\da-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+"
    r"|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?!\w)"
)
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_OPAQUE = re.compile(r"<[^<>]*>")
_SIZE = re.compile(r"\[\s*(?:\d*|\.\.\.)\s*\]")
_KEY = re.compile(r"([^\W\d]\w*)\s*:(?!=)\s*")
_WORDS: dict[str, tuple[NodeKind, object]] = {
    "true": ("bool", True),
    "false": ("bool", False),
    "nil": ("nil", None),
    "math.MaxInt": ("int", 2**63 - 1),
    "math.MinInt": ("int", -(2**63)),
    "math.MaxInt64": ("int", 2**63 - 1),
    "math.MinInt64": ("int", -(2**63)),
    "math.MaxInt32": ("int", 2**31 - 1),
    "math.MinInt32": ("int", -(2**31)),
}
# Calls that are the text of a value; others with one argument are conversions.
_CONSTRUCTIONS = words("errors.New fmt.Errorf runtime.Error strings.Builder bytes.NewBufferString")
_CHARACTERS = words("byte uint8 rune int32")
_FLOATS = words("float32 float64")


@dataclass(frozen=True, slots=True)
class Node:
    """A value.

    Attributes:
        kind: What it is.
        value: The Python value of a string, number or boolean; the text of an opaque value.
        name: The type of a literal, or the function of a construction.
        keys: The keys of a map, or the names of the fields of a struct.
        items: The items of a list, map, struct or tuple, or the arguments of a construction.
        is_nil: Whether a list or map is nil.
    """

    kind: NodeKind
    value: object = None
    name: str = ""
    keys: "tuple[Node, ...]" = ()
    items: "tuple[Node, ...]" = ()
    is_nil: bool = False


@lru_cache(maxsize=4096)
def parse_value(text: str) -> Node | None:
    """The value that a text describes; None if it is not one value.

    '[][]int{{1}}', '[][]int{[]int{1}}' -> the same list
    """
    if len(text) > MAX_CHARS:
        return None
    reader = _Reader(text)
    try:
        node = reader.value(0)
    except (ValueError, RecursionError):
        return None
    return node if reader.at_end() else None


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    def at_end(self) -> bool:
        self._take(_SPACE)
        return self.position == len(self.text)

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        space = _SPACE.match(self.text, self.position)
        start = space.end() if space else self.position
        match = pattern.match(self.text, start)
        if match is not None:
            self.position = match.end()
        return match

    def _accept(self, mark: str) -> bool:
        self._take(_SPACE)
        if not self.text.startswith(mark, self.position):
            return False
        self.position += len(mark)
        return True

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            raise ValueError(f"expected {mark}")

    def value(self, depth: int) -> Node:
        """One value."""
        if depth > _MAX_DEPTH:
            raise ValueError("too deep")
        if match := self._take(_STRING):
            return Node("string", unescape(match[0]))
        if match := self._take(_CHAR):
            character = unescape(match[0])
            if len(character) != 1:
                raise ValueError("not one character")
            return Node("int", ord(character))
        if match := self._take(_COMPLEX):
            return Node("constant", match[0].strip("()"))
        if match := self._take(_NUMBER):
            return _number(match[0])
        if match := self._take(_OPAQUE):
            return Node("opaque", match[0])
        if self._accept("&"):
            return Node("pointer", items=(self.value(depth + 1),))
        if self._accept("{"):
            return self._braces("", depth)
        if self._accept("("):
            return self._parentheses(depth)
        return self._typed(depth)

    def _parentheses(self, depth: int) -> Node:
        """The results of a function, a value in parentheses, or a conversion: `(*T)(nil)`."""
        start = self.position
        if self._accept("*") and self._type() and self._accept(")") and self._accept("("):
            node = self.value(depth + 1)
            self._expect(")")
            return node
        self.position = start
        items = self._items(")", depth)
        return items[0] if len(items) == 1 else Node("tuple", items=items)

    def _items(self, end: str, depth: int) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self._accept(end):
            items.append(self.value(depth + 1))
            if not self._accept(","):
                self._expect(end)
                break
        return tuple(items)

    def _typed(self, depth: int) -> Node:
        """A literal with its type, a conversion, a call, or a name."""
        start = self.position
        kind = self._type()
        if kind and self._accept("{"):
            return self._braces(kind, depth)
        if kind and self._accept("("):
            return _call(kind, self._items(")", depth))
        if kind in _WORDS:
            word, value = _WORDS[kind]
            return Node(word, value)
        if kind and _NAME.fullmatch(kind):
            return Node("constant", kind)
        self.position = start
        self._expect("[")
        return self._printed(depth)

    def _printed(self, depth: int) -> Node:
        """The rest of a list as Println writes it: `[1 2]`."""
        items: list[Node] = []
        while not self._accept("]"):
            items.append(self.value(depth + 1))
            self._accept(",")
        return Node("list", items=tuple(items))

    def _type(self) -> str:
        """The text of a type, without spaces; "" if there is none."""
        self._take(_SPACE)
        start = self.position
        if not self._skip_type():
            self.position = start
            return ""
        return re.sub(r"\s+", "", self.text[start : self.position])

    def _skip_type(self) -> bool:
        if self._accept("*") or self._take(_SIZE):
            return self._skip_type()
        match = self._take(_NAME)
        if match is None:
            return False
        name = match[0]
        if name == "map":
            return (
                self._accept("[") and self._skip_type() and self._accept("]") and self._skip_type()
            )
        if name == "chan":
            return self._skip_type()
        if name in ("interface", "struct"):
            return self._skip_brackets("{", "}")
        self._skip_type_arguments()
        return True

    def _skip_type_arguments(self) -> None:
        start = self.position
        if not self._accept("["):
            return
        while self._skip_type() and self._accept(","):
            pass
        if not self._accept("]"):
            self.position = start

    def _skip_brackets(self, opening: str, closing: str) -> bool:
        if not self._accept(opening):
            return False
        depth = 1
        while depth and self.position < len(self.text):
            char = self.text[self.position]
            depth += (char == opening) - (char == closing)
            self.position += 1
        return depth == 0

    def _braces(self, kind: str, depth: int) -> Node:
        """The rest of a literal: a struct with names of fields, a map, or a list."""
        keys: list[Node] = []
        items: list[Node] = []
        is_map = kind.startswith("map[")
        while not self._accept("}"):
            field = None if is_map else self._take(_KEY)
            item = Node("constant", field[1]) if field else self.value(depth + 1)
            if field or self._accept(":"):
                keys.append(item)
                item = self.value(depth + 1)
            items.append(item)
            if not self._accept(","):
                self._expect("}")
                break
        if keys and len(keys) != len(items):
            raise ValueError("keys and items without keys")
        return _literal(kind, tuple(keys), tuple(items))


def _literal(kind: str, keys: tuple[Node, ...], items: tuple[Node, ...]) -> Node:
    if kind.startswith("map["):
        return Node("map", name=kind, keys=keys, items=items)
    if kind.startswith("["):
        if kind in ("[]float64", "[]float32"):
            items = tuple(map(_to_float, items))
        return Node("list", name=kind, items=items)
    if keys and any(key.kind != "constant" for key in keys):
        return Node("map", name=kind, keys=keys, items=items)
    if keys or kind.startswith("struct{"):
        return Node("struct", name=kind, keys=keys, items=items)
    return Node("list", name=kind, items=items)


def _to_float(node: Node) -> Node:
    is_number = node.kind == "int" and isinstance(node.value, int)
    return replace(node, kind="float", value=float(str(node.value))) if is_number else node


def _call(name: str, arguments: tuple[Node, ...]) -> Node:
    """The value of a conversion or a call: int64(1) -> 1."""
    if name in _CONSTRUCTIONS:
        return Node("construction", name=name, items=arguments)
    if name == "math.NaN" and not arguments:
        return Node("float", float("nan"))
    if name == "math.Inf" and len(arguments) == 1:
        return Node("float", float("inf") if int(str(arguments[0].value)) >= 0 else float("-inf"))
    if len(arguments) != 1:
        return Node("construction", name=name, items=arguments)
    (value,) = arguments
    if value.kind == "nil" and name.startswith(("[]", "map[")):
        return Node("list" if name[0] == "[" else "map", name=name, is_nil=True)
    if value.kind == "string" and name.startswith("[]") and name[2:] in _CHARACTERS:
        return Node("list", name=name, items=_characters(str(value.value), name[2:]))
    if name in _FLOATS:
        return _to_float(value)
    return value


def _characters(text: str, kind: str) -> tuple[Node, ...]:
    codes = text.encode("utf-8", "surrogateescape") if kind in ("byte", "uint8") else map(ord, text)
    return tuple(Node("int", code) for code in codes)


def _number(text: str) -> Node:
    digits = re.sub(r"[_\s]", "", text)
    plain = digits.lstrip("+-")
    sign = -1 if digits.startswith("-") else 1
    if plain in ("Inf", "NaN"):
        return Node("float", float(digits))
    if plain[:2].lower() in ("0x", "0b", "0o"):
        return Node("int", sign * int(plain, 0))
    if plain.isdecimal():
        return Node("int", sign * int(plain))
    return Node("float", float(digits))
