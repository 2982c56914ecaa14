"""Parser of Java values as text: what the recorder writes, and what models write instead."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from worldline.core.trace import words

NodeKind = Literal[
    "string",
    "char",
    "int",
    "float",
    "boolean",
    "null",
    "list",  # lists, arrays, queues
    "set",
    "map",
    "entry",  # of a map
    "tuple",  # Pair[1, 2]
    "object",  # a record, or an instance of a class
    "construction",  # new StringBuilder("a"), Optional[1]
    "constant",  # Color.RED, String.class, Optional.empty
    "opaque",  # <lambda>
]
# Longer values are not parsed.
MAX_CHARS = 200_000
_MAX_DEPTH = 200
_SPACE = re.compile(r"\s*")
_STRING = re.compile(r'"""(?s:.*?)(?<!\\)"""|"(?:[^"\\]|\\(?s:.))*"')
_CHAR = re.compile(r"'(?:[^'\\]|\\u+[\da-fA-F]{4}|\\[0-7]{1,3}|\\.)'")
_NUMBER = re.compile(
    r"[+-]?\s*(?:Infinity|NaN|0[xX][\da-fA-F_]+[lL]?|0[bB][01_]+[lL]?"
    r"|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[lLfFdD]?)(?!\w)"
)
_NAME = re.compile(r"[^\W\d][\w$]*(?:\.[^\W\d][\w$]*)*")
_OPAQUE = re.compile(r"<[^<>]*>")
_CAST = re.compile(r"\(\s*[^\W\d][\w.]*\s*(?:<[\w\s,.<>?\[\]]*>)?\s*(?:\[\s*\]\s*)*\)")
_TYPE_ARGUMENTS = re.compile(r"<[\w\s,.<>?\[\]]*>")
_BRACKETS = re.compile(r"(?:\[\s*\]\s*)+")
_KEY = re.compile(r"([^\W\d][\w$]*)\s*=(?!=)\s*")
_ESCAPE = re.compile(r"\\(?:u+([\da-fA-F]{4})|([0-3]?[0-7]{1,2})|(\r\n|(?s:.)))")
_SHORT = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "s": " ", "\n": ""}
_WORDS: dict[str, tuple[NodeKind, object]] = {
    "true": ("boolean", True),
    "false": ("boolean", False),
    "null": ("null", None),
    "Boolean.TRUE": ("boolean", True),
    "Boolean.FALSE": ("boolean", False),
    **{
        f"{name}.{constant}": ("float", value)
        for name in ("Double", "Float")
        for constant, value in (
            ("NaN", float("nan")),
            ("POSITIVE_INFINITY", float("inf")),
            ("NEGATIVE_INFINITY", float("-inf")),
        )
    },
    "Integer.MAX_VALUE": ("int", 2**31 - 1),
    "Integer.MIN_VALUE": ("int", -(2**31)),
    "Long.MAX_VALUE": ("int", 2**63 - 1),
    "Long.MIN_VALUE": ("int", -(2**63)),
}
_LISTS = words("ArrayList LinkedList ArrayDeque Vector Stack PriorityQueue CopyOnWriteArrayList")
_SETS = words("HashSet LinkedHashSet TreeSet ConcurrentSkipListSet")
_MAPS = words("HashMap LinkedHashMap TreeMap ConcurrentHashMap Hashtable")
_TUPLES = words("Unit Pair Triplet Quartet Quintet Sextet Septet Octet Ennead Decade")
# Methods that return a list or set of their arguments.
_LIST_METHODS = words("List.of Arrays.asList Collections.emptyList Collections.singletonList")
_SET_METHODS = words("Set.of Collections.emptySet Collections.singleton")
# Methods that return their argument, or a copy of it.
_COPIES = words(
    "List.copyOf Set.copyOf Map.copyOf Integer.valueOf Long.valueOf Double.valueOf Float.valueOf "
    "Short.valueOf Byte.valueOf Boolean.valueOf Character.valueOf String.valueOf "
    "BigInteger.valueOf Collections.unmodifiableList Collections.unmodifiableSet "
    "Collections.unmodifiableMap"
)
_MAX_NEW_ARRAY = 1000


@dataclass(frozen=True, slots=True)
class Node:
    """A value.

    Attributes:
        kind: What it is.
        value: The Python value of a string, number or boolean; the text of an opaque value.
        name: The class of an object, tuple or construction.
        keys: The keys of a map or an entry, or the names of the fields of an object.
        items: The items of a list, set, map or tuple, or the arguments of a construction.
    """

    kind: NodeKind
    value: object = None
    name: str = ""
    keys: "tuple[Node, ...]" = ()
    items: "tuple[Node, ...]" = ()


@lru_cache(maxsize=4096)
def parse_value(text: str) -> Node | None:
    """The value that a text describes; None if it is not one value.

    '["a"]', 'new ArrayList<>(Arrays.asList("a"))' -> the same list
    """
    if len(text) > MAX_CHARS:
        return None
    reader = _Reader(text)
    try:
        node = reader.item(0)
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

    def item(self, depth: int) -> Node:
        """A value, or an entry: `"a"=1`."""
        left = self._value(depth)
        if self._accept("="):
            return Node("entry", keys=(left,), items=(self._value(depth),))
        return left

    def _value(self, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise ValueError("too deep")
        if match := self._take(_STRING):
            return Node("string", unescape(_string_body(match[0])))
        if match := self._take(_CHAR):
            return Node("char", unescape(match[0][1:-1]))
        if match := self._take(_NUMBER):
            return _number(match[0])
        if self._accept("["):
            return Node("list", items=self._items("]", depth))
        if self._accept("{"):
            return _braces(self._items("}", depth))
        if self._skip_cast():
            return self._value(depth + 1)
        if self._accept("("):
            node = self.item(depth + 1)
            self._expect(")")
            return node
        if match := self._take(_OPAQUE):
            return Node("opaque", match[0])
        return self._named(depth)

    def _skip_cast(self) -> bool:
        start = self.position
        match = self._take(_CAST)
        # `(x)` alone is in parentheses, not a cast.
        if match is not None and not self.at_end() and self.text[self.position] not in ",)]}=;":
            return True
        self.position = start
        return False

    def _items(self, end: str, depth: int) -> tuple[Node, ...]:
        items: list[Node] = []
        while not self._accept(end):
            items.append(self.item(depth + 1))
            if not self._accept(","):
                self._expect(end)
                break
        return tuple(items)

    def _named(self, depth: int) -> Node:
        match = self._take(_NAME)
        if match is None:
            raise ValueError("expected a value")
        name = match[0]
        if name in _WORDS:
            kind, value = _WORDS[name]
            return Node(kind, value)
        if name == "new":
            return self._new(depth)
        self._take(_TYPE_ARGUMENTS)
        if self._accept("("):
            return _method_call(_short(name), self._items(")", depth))
        if self._accept("["):
            return self._bracketed(name, depth)
        if self._accept("{"):
            return self._fields(name, "}", depth)
        return Node("constant", ".".join(name.split(".")[-2:]))

    def _new(self, depth: int) -> Node:
        match = self._take(_NAME)
        if match is None:
            raise ValueError("expected a class")
        name = match[0].rpartition(".")[2]
        self._take(_TYPE_ARGUMENTS)
        if self._take(_BRACKETS):
            self._expect("{")
            return self._array(depth)
        if self._accept("["):
            return self._sized_array(name)
        self._expect("(")
        return _construction(name, self._items(")", depth))

    def _array(self, depth: int) -> Node:
        """The rest of an array, in which braces begin arrays: `{{1}, {}}`."""
        items: list[Node] = []
        while not self._accept("}"):
            items.append(self._array(depth + 1) if self._accept("{") else self.item(depth + 1))
            if not self._accept(","):
                self._expect("}")
                break
        return Node("list", items=tuple(items))

    def _sized_array(self, name: str) -> Node:
        """A new array: `new int[2]`."""
        size = self._take(_NUMBER)
        self._expect("]")
        if size is None or not size[0].isdecimal() or int(size[0]) > _MAX_NEW_ARRAY:
            raise ValueError("not a literal array")
        defaults: dict[str, Node] = {
            **dict.fromkeys(("int", "long", "short", "byte"), Node("int", 0)),
            **dict.fromkeys(("double", "float"), Node("float", 0.0)),
            "boolean": Node("boolean", False),
            "char": Node("char", "\0"),
        }
        return Node("list", items=(defaults.get(name, Node("null")),) * int(size[0]))

    def _bracketed(self, name: str, depth: int) -> Node:
        """`Set[1]`, `Pair[1, 2]`, `Optional[1]`, or a record: `Point[x=1]`."""
        start = self.position
        short = name.rpartition(".")[2]
        if short == "Set":
            return Node("set", items=self._items("]", depth))
        if short in _TUPLES and not _KEY.match(self.text, start):
            return Node("tuple", name=short, items=self._items("]", depth))
        if short.startswith("Optional"):
            return Node("construction", name=short, items=self._items("]", depth))
        return self._fields(short, "]", depth, kind_name=f"{short}[]")

    def _fields(self, name: str, end: str, depth: int, kind_name: str = "") -> Node:
        keys: list[Node] = []
        items: list[Node] = []
        while not self._accept(end):
            match = self._take(_KEY)
            if match is None:
                raise ValueError("expected a field")
            keys.append(Node("constant", match[1]))
            items.append(self._value(depth + 1))
            if not self._accept(","):
                self._expect(end)
                break
        return Node("object", name=kind_name or name, keys=tuple(keys), items=tuple(items))


def _short(name: str) -> str:
    """The last two parts of a name: java.util.List.of -> List.of"""
    return ".".join(name.split(".")[-2:])


def _string_body(literal: str) -> str:
    if not literal.startswith('"""'):
        return literal[1:-1]
    return literal[3:-3].partition("\n")[2]


def _braces(items: tuple[Node, ...]) -> Node:
    """A map of entries, or else a set."""
    if all(each.kind == "entry" for each in items):
        return _map(items)
    return Node("set", items=items)


def _map(entries: tuple[Node, ...]) -> Node:
    if not all(each.kind == "entry" for each in entries):
        raise ValueError("expected entries")
    return Node(
        "map",
        keys=tuple(each.keys[0] for each in entries),
        items=tuple(each.items[0] for each in entries),
    )


def _method_call(name: str, arguments: tuple[Node, ...]) -> Node:
    owner, _, method = name.rpartition(".")
    if name in _COPIES and len(arguments) == 1:
        return arguments[0]
    if name in _LIST_METHODS:
        return Node("list", items=arguments)
    if name in _SET_METHODS:
        return Node("set", items=arguments)
    if name == "Map.of" and len(arguments) % 2 == 0:
        return Node("map", keys=arguments[::2], items=arguments[1::2])
    if name in ("Map.ofEntries", "Collections.emptyMap"):
        return _map(arguments)
    if name == "Map.entry" and len(arguments) == 2:
        return Node("entry", keys=arguments[:1], items=arguments[1:])
    if owner in _TUPLES and method == "with":
        return Node("tuple", name=owner, items=arguments)
    if owner.startswith("Optional"):
        if method == "empty" or (method == "ofNullable" and arguments[0].kind == "null"):
            return Node("constant", f"{owner}.empty")
        return Node("construction", name=owner, items=arguments)
    return _construction(name, arguments)


def _construction(name: str, arguments: tuple[Node, ...]) -> Node:
    """The value of `new name(arguments)`."""
    copied = arguments[0] if len(arguments) == 1 else None
    is_empty = copied is None or copied.kind == "int"
    items = copied.items if copied is not None and not is_empty else ()
    if name in _LISTS and (is_empty or (copied and copied.kind in ("list", "set"))):
        return Node("list", items=items)
    if name in _SETS and (is_empty or (copied and copied.kind in ("list", "set"))):
        return Node("set", items=items)
    if name in _MAPS and (is_empty or (copied and copied.kind == "map")):
        return Node("map", keys=copied.keys if copied else (), items=items)
    if name == "SimpleEntry" and len(arguments) == 2:
        return Node("entry", keys=arguments[:1], items=arguments[1:])
    if name in _TUPLES:
        return Node("tuple", name=name, items=arguments)
    if name == "String" and copied is not None and copied.kind == "string":
        return copied
    if name == "BigInteger" and copied is not None and copied.kind == "string":
        return Node("int", int(str(copied.value)))
    return Node("construction", name=name, items=arguments)


def _number(text: str) -> Node:
    digits = re.sub(r"[_\s]", "", text)
    plain = digits.lstrip("+-")
    sign = -1 if digits.startswith("-") else 1
    if plain in ("Infinity", "NaN"):
        return Node("float", float(digits.replace("Infinity", "inf")))
    if plain[:2].lower() in ("0x", "0b"):
        return Node("int", sign * int(plain.rstrip("lL"), 0))
    if plain[-1] in "lL":
        return Node("int", sign * int(plain[:-1]))
    if plain.isdecimal():
        return Node("int", sign * int(plain))
    return Node("float", float(digits.rstrip("fFdD")))


def unescape(body: str) -> str:
    r"""The string of a literal's body: "a\\n" -> "a" and a newline."""

    def replace(match: re.Match[str]) -> str:
        if match[1]:
            return chr(int(match[1], 16))
        return chr(int(match[2], 8)) if match[2] else _SHORT.get(match[3], match[3])

    if "\\" not in body:
        return body
    text = _ESCAPE.sub(replace, body)
    # Two halves of a surrogate pair are one character.
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
