"""Declarations in Java source: types, methods and lambdas, found in its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.language import FunctionSyntax
from worldline.core.trace import words
from worldline.languages.java.java_tokens import tokenize
from worldline.languages.source_tokens import (
    CLOSING,
    OPENING,
    Token,
    matching_bracket,
)

_TYPES = words("class interface enum record")
# Names before `(…) {` that are not those of methods.
_CONTROL = words("if for while switch catch synchronized try return do else super this")


@dataclass(frozen=True, slots=True)
class Method:
    """A method, constructor or lambda.

    Attributes:
        name: Its name; "" for a lambda.
        start: The index of the token of its name.
        is_static: Whether it is declared static.
        is_void: Whether it returns nothing.
        syntax: Its lines and parameters.
    """

    name: str
    start: int
    is_static: bool
    is_void: bool
    syntax: FunctionSyntax


@dataclass(frozen=True, slots=True)
class TypeDeclaration:
    """A type at the top level.

    Attributes:
        keyword: class, interface, enum or record.
        name: Its name.
        end: The position of its closing brace.
        methods: Its own methods, without those of inner types.
    """

    keyword: str
    name: str
    end: int
    methods: tuple[Method, ...]


@lru_cache(maxsize=64)
def types(text: str) -> tuple[TypeDeclaration, ...]:
    """The types that a text declares at its top level."""
    tokens = tokenize(text)
    result = []
    index = 0
    while index + 2 < len(tokens):
        token = tokens[index]
        if token.text in OPENING:
            index = matching_bracket(tokens, index) + 1
            continue
        is_type = token.text in _TYPES and tokens[index + 1].kind == "name"
        opening = next((n for n in range(index, len(tokens)) if tokens[n].text == "{"), None)
        if is_type and opening is not None:
            end = matching_bracket(tokens, opening)
            own = _own_methods(tokens, opening, end)
            result.append(
                TypeDeclaration(token.text, tokens[index + 1].text, tokens[end].start, own)
            )
            index = end
        index += 1
    return tuple(result)


def _own_methods(tokens: Sequence[Token], opening: int, end: int) -> tuple[Method, ...]:
    depths: dict[int, int] = {}
    depth = 0
    for index in range(opening, end + 1):
        depth -= tokens[index].text in CLOSING and tokens[index].kind == "mark"
        depths[index] = depth
        depth += tokens[index].text in OPENING and tokens[index].kind == "mark"
    return tuple(each for each in methods(tokens) if depths.get(each.start) == 1)


def methods(tokens: Sequence[Token]) -> list[Method]:
    """All methods and constructors with a body."""
    result = []
    for index in range(1, len(tokens)):
        if tokens[index].text != "(" or tokens[index - 1].kind != "name":
            continue
        before = tokens[index - 2].text if index > 1 else ""
        if tokens[index - 1].text in _CONTROL or before in ("new", ".", "record", "::", "="):
            continue
        closing = matching_bracket(tokens, index)
        body = _body(tokens, closing + 1)
        if body is not None:
            result.append(_method(tokens, index - 1, tokens[index + 1 : closing], body))
    return result


def _body(tokens: Sequence[Token], index: int) -> int | None:
    """The index of the `{` of a body, after `throws`; None without a body."""
    if index < len(tokens) and tokens[index].text == "throws":
        while index < len(tokens) and tokens[index].text not in ("{", ";"):
            index += 1
    return index if index < len(tokens) and tokens[index].text == "{" else None


def _method(tokens: Sequence[Token], name: int, parameters: Sequence[Token], body: int) -> Method:
    modifiers = _before(tokens, name)
    is_void = name > 0 and tokens[name - 1].text == "void"
    syntax = _function(tokens, tokens[name].line, parameters, body)
    return Method(tokens[name].text, name, "static" in modifiers, is_void, syntax)


def _before(tokens: Sequence[Token], name: int) -> list[str]:
    """The modifiers and the type before a name."""
    result = []
    for index in range(name - 1, -1, -1):
        if tokens[index].text in (";", "{", "}", "("):
            break
        result.append(tokens[index].text)
    return result


def lambdas(tokens: Sequence[Token]) -> list[Method]:
    """All lambdas with a block as their body."""
    result = []
    for index in range(1, len(tokens) - 1):
        if tokens[index].text != "->" or tokens[index + 1].text != "{" or _is_case(tokens, index):
            continue
        parameters: Sequence[Token] = tokens[index - 1 : index]
        line = parameters[0].line
        if parameters[0].text == ")":
            opening = _opening(tokens, index - 1)
            parameters, line = tokens[opening + 1 : index - 1], tokens[opening].line
        result.append(
            Method("", index, False, False, _function(tokens, line, parameters, index + 1))
        )
    return result


def _is_case(tokens: Sequence[Token], arrow: int) -> bool:
    """Whether an arrow is that of a `case`."""
    depth = 0
    for index in range(arrow - 1, -1, -1):
        text = tokens[index].text
        depth += (text in CLOSING) - (text in OPENING)
        if depth < 0 or (depth == 0 and text in (";", "}")):
            return False
        if depth == 0 and text in ("case", "default"):
            return True
    return False


def _opening(tokens: Sequence[Token], closing: int) -> int:
    depth = 0
    for index in range(closing, -1, -1):
        depth += (tokens[index].text in CLOSING) - (tokens[index].text in OPENING)
        if depth == 0:
            return index
    return 0


def _function(
    tokens: Sequence[Token], line: int, parameters: Sequence[Token], body: int
) -> FunctionSyntax:
    end = matching_bracket(tokens, body)
    first = tokens[min(body + 1, end)].line
    return FunctionSyntax(line, max(first, line + 1), tokens[end].line, _names(parameters))


def _names(parameters: Sequence[Token]) -> frozenset[str]:
    """The names of parameters: the last one before each comma, outside of type arguments.

    "Map<String, Integer> m, int[] a" -> m, a
    """
    names: list[str] = []
    last, depth = "", 0
    for token in parameters:
        depth += (token.text in ("<", "(", "[")) - (token.text in (">", ")", "]"))
        if token.text == "," and depth == 0:
            names.append(last)
            last = ""
        elif token.kind == "name" and depth == 0:
            last = token.text
    return frozenset(name for name in (*names, last) if name)
