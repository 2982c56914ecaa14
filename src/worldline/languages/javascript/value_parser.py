"""Parser of JavaScript values as text: what the recorder writes, and what models write instead."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

NodeKind = Literal[
    "string",
    "number",
    "bigint",
    "boolean",
    "null",
    "undefined",
    "list",
    "map",
    "set",
    "object",  # a plain object, or an instance of a class
    "construction",  # new Date(…), new Error(…)
    "opaque",  # [Function: f], [class A], Symbol(x), /x/g
]
# Longer values are not parsed.
MAX_CHARS = 200_000
_MAX_DEPTH = 200
_SPACE = re.compile(r"\s*")
_STRING = re.compile(r"'(?:[^'\\]|\\(?s:.))*'|\"(?:[^\"\\]|\\(?s:.))*\"|`(?:[^`\\]|\\(?s:.))*`")
_NUMBER = re.compile(
    r"[+-]?\s*(?:Infinity|0[xX][\da-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)n?"
)
_NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
_OPAQUE = re.compile(
    r"\[(?:Function|AsyncFunction|GeneratorFunction|class|Getter|Setter|Circular|Object|Array|Proxy"
    r"|Generator|Number|String|Boolean)\b[^\]]*\]|Symbol\([^)]*\)|/(?:[^/\\\n]|\\.)+/[a-z]*"
    r"|Promise \{[^}]*\}"
)
_EMPTY_ITEMS = re.compile(r"<(\d+) empty items?>")
_INSPECTED = re.compile(r"(Map|Set)(?:\(\d+\))?\s*\{")
_NULL_PROTOTYPE = "[Object: null prototype] "
_ESCAPE = re.compile(r"\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|(\r\n|(?s:.)))")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}
_WORDS: dict[str, tuple[NodeKind, object]] = {
    "true": ("boolean", True),
    "false": ("boolean", False),
    "null": ("null", None),
    "undefined": ("undefined", None),
    "NaN": ("number", float("nan")),
}


@dataclass(frozen=True, slots=True)
class Node:
    """A value.

    Attributes:
        kind: What it is.
        value: The Python value of a string, number or boolean; the text of an opaque value.
        name: The class of an instance or a construction; "" for a plain object.
        keys: The keys of an object, or of a map.
        items: The items of a list, set, map or object, or the arguments of a construction.
    """

    kind: NodeKind
    value: object = None
    name: str = ""
    keys: "tuple[Node, ...]" = ()
    items: "tuple[Node, ...]" = ()


@lru_cache(maxsize=4096)
def parse_value(text: str) -> Node | None:
    """The value that a text describes; None if it is not one value.

    "new Map([['a', 1]])", "Map(1) { 'a' => 1 }" -> the same map
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
        self._skip_space()
        return self.position == len(self.text)

    def _skip_space(self) -> None:
        match = _SPACE.match(self.text, self.position)
        self.position = match.end() if match else self.position

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        self._skip_space()
        match = pattern.match(self.text, self.position)
        if match is not None:
            self.position = match.end()
        return match

    def _accept(self, mark: str) -> bool:
        self._skip_space()
        if not self.text.startswith(mark, self.position):
            return False
        self.position += len(mark)
        return True

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            raise ValueError(f"expected {mark}")

    def value(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise ValueError("too deep")
        if self._accept(_NULL_PROTOTYPE):
            return self.value(depth)
        if match := self._take(_OPAQUE):
            return Node("opaque", match[0])
        if match := self._take(_STRING):
            return Node("string", unescape(match[0][1:-1]))
        if match := self._take(_NUMBER):
            return _number(match[0])
        if match := self._take(_INSPECTED):
            return self._inspected(match[1], depth)
        if self._accept("["):
            return Node("list", items=self._list("]", depth))
        if self._accept("{"):
            return self._object("", depth)
        return self._named(depth)

    def _named(self, depth: int) -> Node:
        match = self._take(_NAME)
        if match is None:
            raise ValueError("expected a value")
        word = match[0]
        if word in _WORDS:
            kind, value = _WORDS[word]
            return Node(kind, value)
        if word == "new":
            name = self._take(_NAME)
            if name is None:
                raise ValueError("expected a class")
            return self._construction(name[0], depth)
        if self._accept("{"):
            return self._object(word, depth)
        if self._accept("["):
            return Node("construction", name=word, items=self._list("]", depth))
        raise ValueError("not a value")

    def _construction(self, name: str, depth: int) -> Node:
        arguments = self._list(")", depth) if self._accept("(") else ()
        if name in ("Map", "Set", "Array") and all(each.kind == "list" for each in arguments):
            items = arguments[0].items if arguments else ()
            if name == "Map" and all(len(each.items) == 2 for each in items):
                keys, values = (tuple(each.items[n] for each in items) for n in (0, 1))
                return Node("map", keys=keys, items=values)
            if name == "Set":
                return Node("set", items=items)
        extra = self._object("", depth) if self._accept("{") else Node("object")
        return Node("construction", name=name, keys=extra.keys, items=(*arguments, *extra.items))

    def _list(self, end: str, depth: int) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self._accept(end):
            if match := self._take(_EMPTY_ITEMS):
                items += [Node("opaque", "<empty>")] * int(match[1])
            elif self.text.startswith(",", self.position):
                items.append(Node("opaque", "<empty>"))
            elif key := self._key_of_array():
                items.append(
                    Node("object", name="property", keys=(key,), items=(self.value(depth + 1),))
                )
            else:
                items.append(self.value(depth + 1))
            if not self._accept(","):
                self._expect(end)
                break
            self._skip_space()
        return tuple(items)

    def _key_of_array(self) -> Node | None:
        """The key of a named property of an array: `['a', index: 0]`."""
        match = re.compile(r"([^\W\d][\w$]*)\s*:\s*").match(self.text, self.position)
        if match is None:
            return None
        self.position = match.end()
        return Node("string", match[1])

    def _object(self, name: str, depth: int) -> Node:
        keys: list[Node] = []
        items: list[Node] = []
        while not self._accept("}"):
            keys.append(self._key())
            self._expect(":")
            items.append(self.value(depth + 1))
            if not self._accept(","):
                self._expect("}")
                break
        return Node(
            "object", name=name if name != "Object" else "", keys=tuple(keys), items=tuple(items)
        )

    def _key(self) -> Node:
        if match := self._take(_STRING):
            return Node("string", unescape(match[0][1:-1]))
        if match := self._take(_NAME):
            return Node("string", match[0])
        if match := self._take(_NUMBER):
            number = _number(match[0]).value
            return Node("string", str(number))
        self._expect("[")
        symbol = self._take(_OPAQUE) or self._take(_STRING)
        self._expect("]")
        if symbol is None:
            raise ValueError("expected a key")
        return Node("opaque", symbol[0])

    def _inspected(self, name: str, depth: int) -> Node:
        """The items of a collection as Node's console shows it."""
        keys: list[Node] = []
        items: list[Node] = []
        while not self._accept("}"):
            items.append(self.value(depth + 1))
            if name == "Map":
                keys.append(items.pop())
                self._expect("=>")
                items.append(self.value(depth + 1))
            if not self._accept(","):
                self._expect("}")
                break
        return Node("map" if name == "Map" else "set", keys=tuple(keys), items=tuple(items))


def _number(text: str) -> Node:
    digits = text.replace("_", "").replace(" ", "")
    if digits.endswith("n"):
        return Node("bigint", int(digits[:-1], 0))
    if digits.lstrip("+-") == "Infinity":
        return Node("number", float(digits.replace("Infinity", "inf")))
    if re.match(r"[+-]?0[xX]", digits):
        return Node("number", int(digits, 16))
    value = float(digits)
    is_integer = value.is_integer() and abs(value) < 2**53 and not (value == 0 and digits[0] == "-")
    return Node("number", int(value) if is_integer else value)


def unescape(body: str) -> str:
    r"""The string of a literal's body: "a\\n" -> "a" and a newline."""

    def replace(match: re.Match[str]) -> str:
        code = match[1] or match[2] or match[3]
        return chr(int(code, 16)) if code else _SHORT.get(match[4], match[4])

    if "\\" not in body:
        return body
    text = _ESCAPE.sub(replace, body)
    # Two halves of a surrogate pair are one character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


def write_value(node: Node, *, sorts: Callable[[NodeKind], bool] = lambda kind: False) -> str:
    """The text of a value, as the recorder writes it.

    Args:
        node: The value.
        sorts: Whether the items of an object, map or set are sorted.
    """
    texts = [write_value(item, sorts=sorts) for item in node.items]
    keys = [write_value(key, sorts=sorts) for key in node.keys]
    match node.kind:
        case "string":
            return quote(str(node.value))
        case "number":
            return number_text(node.value)
        case "bigint":
            return f"{node.value}n"
        case "boolean":
            return "true" if node.value else "false"
        case "list":
            return f"[{', '.join(texts)}]"
        case "set":
            items = sorted(texts) if sorts("set") else texts
            return f"new Set([{', '.join(items)}])" if items else "new Set()"
        case "map":
            pairs = [f"[{key}, {text}]" for key, text in zip(keys, texts, strict=True)]
            pairs = sorted(pairs) if sorts("map") else pairs
            return f"new Map([{', '.join(pairs)}])" if pairs else "new Map()"
        case "object":
            pairs = [f"{key}: {text}" for key, text in zip(keys, texts, strict=True)]
            pairs = sorted(pairs) if sorts("object") else pairs
            name = f"{node.name} " if node.name else ""
            return f"{name}{{{', '.join(pairs)}}}"
        case "construction":
            return f"new {node.name}({', '.join(texts)}){{{', '.join(keys)}}}"
        case "null" | "undefined":
            return node.kind
    return str(node.value)


def quote(value: str) -> str:
    """A string literal as the recorder writes it, without escapes that do not matter here."""
    mark = '"' if "'" in value and '"' not in value else "'"
    escaped = value.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r")
    if mark == "'":
        escaped = escaped.replace("'", "\\'")
    return f"{mark}{escaped}{mark}"


def number_text(value: object) -> str:
    """The text of a number: 1, 0.5, -0, NaN, Infinity."""
    if isinstance(value, int):
        return str(value)
    assert isinstance(value, float)
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    return "-0" if value == 0 else repr(value)
