"""Functions in Go source, found in its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.language import FunctionSyntax
from worldline.core.trace import words
from worldline.languages.go.go_tokens import tokenize
from worldline.languages.source_tokens import Token, matching_bracket, split_at

_COMMA = frozenset(",")
# Tokens that begin a type, after the name of a parameter.
_TYPE_STARTS = words("[ * ( ... map func chan interface struct <-")


@dataclass(frozen=True, slots=True)
class Function:
    """A function, method or function literal with a body.

    Attributes:
        name: Its name; "" for a literal.
        is_method: Whether it has a receiver.
        is_generic: Whether it has type parameters.
        results: The types of its results, as text.
        syntax: Its lines and parameters.
    """

    name: str
    is_method: bool
    is_generic: bool
    results: tuple[str, ...]
    syntax: FunctionSyntax


@lru_cache(maxsize=64)
def functions_of(text: str) -> tuple[Function, ...]:
    """The functions of a text, in the order of their first lines."""
    tokens = tokenize(text)
    functions = (
        _function(text, tokens, index)
        for index, token in enumerate(tokens)
        if token.kind == "name" and token.text == "func"
    )
    return tuple(function for function in functions if function is not None)


def _function(text: str, tokens: Sequence[Token], start: int) -> Function | None:
    """The function whose `func` is at an index; None if it is a type, or has no body."""
    index, receiver, name = start + 1, tokens[0:0], ""
    if _is(tokens, index, "("):
        end = matching_bracket(tokens, index)
        if end + 1 < len(tokens) and tokens[end + 1].kind == "name" and _is(tokens, end + 2, "(["):
            receiver, index = tokens[index + 1 : end], end + 1
    if index < len(tokens) and tokens[index].kind == "name":
        name, index = tokens[index].text, index + 1
    is_generic = _is(tokens, index, "[")
    if is_generic:
        index = matching_bracket(tokens, index) + 1
    if not _is(tokens, index, "("):
        return None
    closing = matching_bracket(tokens, index)
    parameters = tokens[index + 1 : closing]
    opening = _body(tokens, closing + 1)
    if opening is None:
        return None
    last = matching_bracket(tokens, opening)
    names = {*_names(receiver), *_names(parameters)}
    line = tokens[start].line
    first = max(tokens[min(opening + 1, last)].line, line + 1)
    return Function(
        name,
        bool(receiver),
        is_generic,
        _result_types(text, tokens[closing + 1 : opening]),
        FunctionSyntax(line, first, tokens[last].line, frozenset(names - {"_"})),
    )


def _is(tokens: Sequence[Token], index: int, marks: str) -> bool:
    return index < len(tokens) and tokens[index].kind == "mark" and tokens[index].text in marks


def _body(tokens: Sequence[Token], index: int) -> int | None:
    """The index of the `{` of a body, after the results; None without a body."""
    line = tokens[index - 1].line
    while index < len(tokens):
        token = tokens[index]
        if token.text == "{" and tokens[index - 1].text not in ("interface", "struct"):
            return index
        if token.line > line or token.text in (",", ")", ";", ":=", "=", "}", "]"):
            return None
        if token.text in ("(", "[", "{"):
            index = matching_bracket(tokens, index)
        line = tokens[index].line
        index += 1
    return None


def _names(parameters: Sequence[Token]) -> list[str]:
    """The names of parameters; none if there are only types.

    "a, b int, c []string" -> a, b, c
    """
    parts = [part for part in split_at(parameters, _COMMA) if part]
    if not any(_has_name(part) for part in parts):
        return []
    return [part[0].text for part in parts]


def _has_name(part: Sequence[Token]) -> bool:
    """Whether a part is a name and a type: `a int`, not `int` or `pkg.Type`."""
    if len(part) < 2 or part[0].kind != "name" or part[0].text in ("map", "func", "chan"):
        return False
    following = part[1]
    if following.text == "[":
        # `a []int`, or the type `Stack[int]`.
        return matching_bracket(part, 1) < len(part) - 1
    return following.kind == "name" or following.text in _TYPE_STARTS


def _result_types(text: str, tokens: Sequence[Token]) -> tuple[str, ...]:
    """The types of results: "(n int, err error)" -> int, error."""
    if not tokens:
        return ()
    if tokens[0].text != "(" or matching_bracket(tokens, 0) != len(tokens) - 1:
        return (_text(text, tokens),)
    parts = [part for part in split_at(tokens[1:-1], _COMMA) if part]
    if not any(_has_name(part) for part in parts):
        return tuple(_text(text, part) for part in parts)
    types: list[str] = []
    for part in reversed(parts):
        # `a, b int`: both are of this type.
        types.append(_text(text, part[1:]) if len(part) > 1 else types[-1])
    return tuple(reversed(types))


def _text(text: str, tokens: Sequence[Token]) -> str:
    return text[tokens[0].start : tokens[-1].end]
