"""Parser of C++ values as text: what the recorder writes, and what models and tests write."""

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from worldline.languages.cpp.cpp_tokens import tokenize

LiteralKind = Literal[
    "string",
    "char",
    "number",
    "boolean",
    "null",  # nullptr, std::nullopt, void
    "list",  # braces without a name, or a sequence
    "tuple",
    "set",
    "map",
    "object",  # an instance of a class; its name begins with "union" if it is one
    "constant",  # a name, such as that of an enumerator
    "opaque",  # <lambda>, 0x7ffe0010
]
# Longer values are not parsed.
MAX_CHARS = 200_000
_MAX_DEPTH = 200
_MAX_REPEATED = 10_000
_WORDS: dict[str, tuple[LiteralKind, object]] = {
    "true": ("boolean", True),
    "false": ("boolean", False),
    **dict.fromkeys(("nullptr", "NULL", "nullopt", "void", "monostate"), ("null", None)),
    **dict.fromkeys(("inf", "INFINITY", "infinity", "HUGE_VAL"), ("number", float("inf"))),
    **dict.fromkeys(("nan", "NAN", "quiet_NaN"), ("number", float("nan"))),
}
_CONTAINERS: dict[str, LiteralKind] = {
    **dict.fromkeys(
        ("vector", "array", "deque", "list", "forward_list", "initializer_list"), "list"
    ),
    **dict.fromkeys(("tuple", "pair", "make_tuple", "make_pair"), "tuple"),
    **dict.fromkeys(("set", "multiset", "unordered_set", "unordered_multiset"), "set"),
    **dict.fromkeys(("map", "multimap", "unordered_map", "unordered_multimap"), "map"),
    **dict.fromkeys(("queue", "stack", "priority_queue"), "list"),
}
# Names around one value that do not change it.
_TRANSPARENT = ("optional", "make_optional", "string_view", "reference_wrapper", "variant", "any")
_POINTERS = ("make_unique", "make_shared", "unique_ptr", "shared_ptr")
_NUMBERS = frozenset(
    ["int", "long", "short", "unsigned", "signed", "double", "float", "size_t", "bool", "char"]
)
_INTEGERS = _NUMBERS - {"double", "float", "bool", "char"}
_ESCAPE = re.compile(
    r"\\(?:x([\da-fA-F]+)|([0-7]{1,3})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(\r?\n)|(.))", re.DOTALL
)
_SHORT = {"n": 10, "t": 9, "r": 13, "a": 7, "b": 8, "f": 12, "v": 11, "0": 0}
_ADDRESS = re.compile(r"0x[\da-f]{5,16}\Z")


@dataclass(frozen=True, slots=True)
class LiteralNode:
    """A value.

    Attributes:
        kind: What it is.
        value: The Python value of a string, number or boolean; the text of an opaque value.
        name: The name of a class or container; "" for braces without a name.
        keys: The keys of a map, or the fields of an object.
        items: The items of a container, or the values of a map or object.
    """

    kind: LiteralKind
    value: object = None
    name: str = ""
    keys: "tuple[LiteralNode, ...]" = ()
    items: "tuple[LiteralNode, ...]" = ()


@lru_cache(maxsize=4096)
def parse_value(text: str) -> LiteralNode | None:
    """The value that a text describes; None if it is not one value.

    "std::vector<long>({(long)1, 2L})", "{1, 2}" -> the same list
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
        return self.tokens[index].text if index < len(self.tokens) else ""

    def _accept(self, mark: str) -> bool:
        if self._text() != mark or self.tokens[self.position].kind == "string":
            return False
        self.position += 1
        return True

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            raise ValueError(f"expected {mark}")

    def value(self, depth: int) -> LiteralNode:
        if depth > _MAX_DEPTH:
            raise ValueError("too deep")
        token = self.tokens[self.position]
        if token.kind == "string":
            return self._string()
        if token.kind == "char":
            self.position += 1
            return LiteralNode("char", unescape(token.text[token.text.index("'") + 1 : -1]))
        if token.kind == "number":
            self.position += 1
            return _number(token.text)
        if token.kind == "name":
            return self._named(depth)
        if self._accept("-") or self._accept("+"):
            operand = self.value(depth + 1)
            if operand.kind != "number" or not isinstance(operand.value, int | float):
                raise ValueError("not a number")
            return LiteralNode("number", -operand.value) if token.text == "-" else operand
        if self._accept("&"):
            return LiteralNode("object", name="&", items=(self.value(depth + 1),))
        if self._accept("&&"):
            inner = LiteralNode("object", name="&", items=(self.value(depth + 1),))
            return LiteralNode("object", name="&", items=(inner,))
        if self._accept("("):
            return self._parentheses(depth)
        if token.text == "<":
            # Not C++: <lambda>, <std::ostringstream>
            self._skip_template()
            return LiteralNode(
                "opaque", self.text[token.start : self.tokens[self.position - 1].end]
            )
        self._expect("{")
        return self._braces("", depth)

    def _string(self) -> LiteralNode:
        parts = []
        while self.position < len(self.tokens) and self.tokens[self.position].kind == "string":
            parts.append(string_content(self._text()))
            self.position += 1
        if self._text() in ("s", "sv"):
            self.position += 1
        return LiteralNode("string", "".join(parts))

    def _parentheses(self, depth: int) -> LiteralNode:
        """A value in parentheses, or one after the type that it is converted to."""
        start = self.position
        name = self._type()
        if name and self._accept(")") and self._text() not in (*",)}", ""):
            return _converted(self.value(depth + 1), name)
        self.position = start
        node = self.value(depth + 1)
        self._expect(")")
        return node

    def _type(self) -> str:
        """The last word of the name of a type, without templates; "" if there is none."""
        name = ""
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            if token.kind == "name":
                name = token.text
                self.position += 1
            elif token.text in ("::", "*", "&", "&&"):
                self.position += 1
            elif token.text == "<" and name:
                self._skip_template()
            else:
                break
        return name

    def _skip_template(self) -> None:
        depth = 0
        while True:
            depth += (self._text() == "<") - (self._text() == ">")
            self.position += 1
            if depth == 0:
                return
            if self.position >= len(self.tokens):
                raise ValueError("a template is not closed")

    def _named(self, depth: int) -> LiteralNode:
        start = self.position
        name = self._type()
        path = self.text[self.tokens[start].start : self.tokens[self.position - 1].end]
        if self._accept("("):
            return self._constructed(name, path, self._arguments(depth))
        if name in _WORDS:
            if self._accept("{"):
                self._expect("}")
            kind, value = _WORDS[name]
            return LiteralNode(kind, value)
        if self._accept("{"):
            node = self._braces(path.partition("<")[0], depth)
            return node if name not in _CONTAINERS else _container(name, node.items)
        return LiteralNode("constant", path)

    def _arguments(self, depth: int) -> tuple[LiteralNode, ...]:
        items = []
        while not self._accept(")"):
            items.append(self.value(depth + 1))
            if not self._accept(","):
                self._expect(")")
                break
        return tuple(items)

    def _constructed(self, name: str, path: str, items: tuple[LiteralNode, ...]) -> LiteralNode:
        if name in _WORDS and not items:
            return LiteralNode(*_WORDS[name])
        if name in ("string", "basic_string"):
            return _new_string(items)
        if name in _TRANSPARENT or name in _NUMBERS:
            return items[0] if items else LiteralNode("null")
        if name in _POINTERS:
            return LiteralNode("object", name="&", items=items) if items else LiteralNode("null")
        if name in _CONTAINERS:
            return _new_container(name, items)
        return LiteralNode("object", name=path.partition("<")[0], items=items)

    def _braces(self, name: str, depth: int) -> LiteralNode:
        keys: list[LiteralNode] = []
        items: list[LiteralNode] = []
        while not self._accept("}"):
            if self._accept("."):
                keys.append(LiteralNode("constant", self._text()))
                self.position += 1
                self._expect("=")
            items.append(self.value(depth + 1))
            if not self._accept(","):
                self._expect("}")
                break
        if keys and len(keys) != len(items):
            raise ValueError("fields with and without names")
        kind: LiteralKind = "object" if name or keys else "list"
        return LiteralNode(kind, name=name, keys=tuple(keys), items=tuple(items))


def _converted(node: LiteralNode, name: str) -> LiteralNode:
    """A value that is converted to a type: `(long)4.5` -> 4, `(std::vector<int>)2` -> {0, 0}."""
    is_fraction = isinstance(node.value, float) and math.isfinite(node.value)
    if is_fraction and name in _INTEGERS:
        return LiteralNode("number", math.trunc(node.value))  # type: ignore[arg-type]
    is_count = node.kind == "number" and _CONTAINERS.get(name) == "list"
    return _new_container(name, (node,)) if is_count else node


def _container(name: str, items: tuple[LiteralNode, ...]) -> LiteralNode:
    """A container of the standard library with these items."""
    kind = _CONTAINERS[name]
    if kind == "map":
        if not all(len(each.items) == 2 for each in items):
            raise ValueError("not the items of a map")
        keys, values = (tuple(each.items[n] for each in items) for n in (0, 1))
        return LiteralNode("map", name=name, keys=keys, items=values)
    is_sequence = kind == "list" and name not in ("queue", "stack", "priority_queue")
    return LiteralNode(kind, name="" if is_sequence else name.removeprefix("make_"), items=items)


def _new_container(name: str, items: tuple[LiteralNode, ...]) -> LiteralNode:
    """A container from the arguments of its constructor: a list, or a count and a value."""
    if _CONTAINERS[name] == "tuple":
        return _container(name, items)
    if len(items) == 1 and items[0].kind in ("list", _CONTAINERS[name]):
        inner = items[0]
        return _container(name, inner.items) if inner.kind == "list" else inner
    if not items:
        return _container(name, ())
    count = items[0].value
    if _CONTAINERS[name] == "list" and isinstance(count, int) and count <= _MAX_REPEATED:
        value = items[1] if len(items) > 1 else LiteralNode("number", 0)
        return _container(name, (value,) * count)
    raise ValueError("not the arguments of a container")


def _new_string(items: tuple[LiteralNode, ...]) -> LiteralNode:
    if not items:
        return LiteralNode("string", "")
    if len(items) == 2 and isinstance(items[0].value, int) and items[1].kind == "char":
        return LiteralNode("string", str(items[1].value) * min(items[0].value, MAX_CHARS))
    if items[0].kind != "string":
        raise ValueError("not the arguments of a string")
    return items[0]


def _number(text: str) -> LiteralNode:
    if _ADDRESS.match(text):
        return LiteralNode("opaque", text)
    digits = text.replace("'", "")
    if re.match(r"0[xX]", digits):
        return LiteralNode("number", int(digits.rstrip("uUlL"), 16))
    if re.match(r"0[bB]", digits):
        return LiteralNode("number", int(digits.rstrip("uUlL"), 2))
    if re.fullmatch(r"\d+[uUlLzZ]*", digits):
        digits = digits.rstrip("uUlLzZ")
        is_octal = len(digits) > 1 and digits[0] == "0" and set(digits) <= set("01234567")
        return LiteralNode("number", int(digits, 8 if is_octal else 10))
    return LiteralNode("number", float(digits.rstrip("fFlL")))


def string_content(literal: str) -> str:
    r"""The string of a literal, also of a raw one: '"a\\n"' -> "a" and a newline."""
    start = literal.index('"')
    if literal[:start].endswith("R"):
        opening = literal.index("(")
        return literal[opening + 1 : len(literal) - (opening - start) - 1]
    return unescape(literal[start + 1 : -1])


def unescape(body: str) -> str:
    r"""The string of a literal's body: "a\\n" -> "a" and a newline; bytes are those of UTF-8."""
    if "\\" not in body:
        return body

    def replace(match: re.Match[str]) -> bytes:
        number, octal, short_code, long_code, newline, char = match.groups()
        if number or octal:
            return bytes([int(number or octal, 16 if number else 8) & 0xFF])
        if short_code or long_code:
            return chr(int(short_code or long_code, 16)).encode("utf-8", "surrogatepass")
        if newline:
            return b""
        return bytes([_SHORT[char]]) if char in _SHORT else char.encode("utf-8", "surrogatepass")

    parts, position = [], 0
    for match in _ESCAPE.finditer(body):
        parts += [body[position : match.start()].encode("utf-8", "surrogateescape"), replace(match)]
        position = match.end()
    parts.append(body[position:].encode("utf-8", "surrogateescape"))
    return b"".join(parts).decode("utf-8", "surrogateescape")
