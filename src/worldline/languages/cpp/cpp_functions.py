"""Functions in C++ source, from its tokens."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from worldline.core.trace import words
from worldline.languages.cpp.cpp_blocks import Source, read_source
from worldline.languages.source_tokens import Token

_NOT_FUNCTIONS = words(
    "if for while switch catch return sizeof decltype alignas constexpr noexcept"
)
# Between the parameters and the body of a function.
_QUALIFIERS = words("const noexcept override final mutable volatile & && try")


@dataclass(frozen=True, slots=True)
class FunctionBody:
    """A function with a body.

    Attributes:
        line: The line of its name; of a lambda, where it begins.
        opening_line: The line of the brace that opens its body.
        last_line: The line of the brace that closes it.
        first_line: The line of what follows the opening brace.
        parameters: The names of its parameters.
    """

    line: int
    opening_line: int
    last_line: int
    first_line: int
    parameters: tuple[str, ...]


@lru_cache(maxsize=64)
def function_bodies(text: str) -> tuple[FunctionBody, ...]:
    """The functions of a text, outer ones first; lambdas, too.

    "int f(int x) {\\n  return x;\\n}" -> a function in lines 1 to 3 with the parameter x
    """
    source = read_source(text)
    opening_of = {end: start for start, end in source.closing.items()}
    functions = [
        function
        for brace in sorted(source.blocks)
        if (function := _function(source, opening_of, brace)) is not None
    ]
    return tuple(sorted(functions, key=lambda each: (each.line, -each.last_line)))


def _function(source: Source, opening_of: Mapping[int, int], brace: int) -> FunctionBody | None:
    """The function whose body begins at a brace; None for another block."""
    tokens = source.tokens
    head = _head(tokens, opening_of, brace)
    if head is None:
        return None
    opening, name = head
    names: tuple[str, ...] = ()
    if opening is not None:
        parts = _split_parameters(tokens[opening + 1 : source.closing[opening]])
        names = tuple(text for part in parts if (text := _parameter_name(part)))
    end = source.closing[brace]
    line, opening, last, first = (tokens[n].line for n in (name, brace, end, brace + 1))
    return FunctionBody(line, opening, last, first, names)


def _head(
    tokens: Sequence[Token], opening_of: Mapping[int, int], brace: int
) -> tuple[int | None, int] | None:
    """The indices of the parenthesis of the parameters and of the name of a function."""
    index = _before_trailing_type(tokens, opening_of, brace - 1)
    while index >= 0 and tokens[index].text in _QUALIFIERS:
        index -= 1
    while index > 0 and tokens[index].text in (")", "}"):
        opening = opening_of.get(index, -1)
        if opening < 1:
            return None
        before = tokens[opening - 1]
        if before.text in ("noexcept", "decltype"):
            index = _before_trailing_type(tokens, opening_of, opening - 2)
            continue
        if (previous := _before_initializers(tokens, opening_of, opening)) is not None:
            index = previous
            continue
        if tokens[index].text == "}":
            return None
        if before.text == "]":
            return opening, opening_of.get(opening - 1, opening - 1)
        if before.text in _NOT_FUNCTIONS:
            return None
        is_operator = "operator" in [token.text for token in tokens[opening - 3 : opening]]
        return (opening, opening - 1) if before.kind == "name" or is_operator else None
    # A lambda without parameters.
    if index > 0 and tokens[index].text == "]" and index in opening_of:
        return None, opening_of[index]
    return None


def _before_trailing_type(
    tokens: Sequence[Token], opening_of: Mapping[int, int], index: int
) -> int:
    """The index before `-> type` of a function; the same index if it has none."""
    position = index
    while position > 0 and tokens[position].text not in (";", "{", "}", "="):
        if tokens[position].text == "->":
            return position - 1
        position = opening_of.get(position, position) - 1
    return index


def _before_initializers(
    tokens: Sequence[Token], opening_of: Mapping[int, int], opening: int
) -> int | None:
    """The index before `: x(a), y{b}` of a constructor, if this bracket is of one of them."""
    index = opening
    while index > 2 and tokens[index - 1].kind == "name":
        before = index - 2
        if tokens[before].text == ":" and tokens[before - 1].text in (")", "noexcept"):
            return before - 1
        if tokens[before].text != "," or before - 1 not in opening_of:
            return None
        index = opening_of[before - 1]
    return None


def _split_parameters(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """Parameters, separated by commas outside all brackets and templates."""
    depth = start = 0
    for index, token in enumerate(tokens):
        if token.kind == "mark":
            depth += (token.text in "([{<") - (token.text in ")]}>")
            if token.text == "," and depth == 0:
                yield tokens[start:index]
                start = index + 1
    yield tokens[start:]


def _parameter_name(tokens: Sequence[Token]) -> str:
    """The name that a parameter has: `const std::vector<int>& v = {}` -> v."""
    depth, names = 0, []
    for token in tokens:
        if token.kind == "mark":
            depth += (token.text in "([{<") - (token.text in ")]}>")
            if token.text == "=" and depth == 0:
                break
        elif token.kind == "name" and depth == 0:
            names.append(token)
    # The last name of `std::vector<int>` is its type.
    is_type = len(names) < 2 or tokens[tokens.index(names[-1]) - 1].text == "::"
    has_mark = bool(names) and tokens[0] is not names[-1]
    return names[-1].text if names and has_mark and not (is_type and len(names) > 1) else ""
