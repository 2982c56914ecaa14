"""Python literals: parsed without execution, and encoded as JSON for the child process."""

import ast
from typing import Any

# Texts that Python prints for numbers without a literal.
_SPECIAL_FLOATS = {text: float(text) for text in ("nan", "inf", "-inf")}
# Nested deeper, a text is no plausible value, and could exhaust the parser's stack.
_MAX_DEPTH = 60
_COLLECTIONS = (list, tuple, set, frozenset)


def parse_literal(text: str) -> Any:
    """The value of a Python literal; nothing is executed.

    "{'a': [1, (2,)]}" -> {'a': [1, (2,)]}; "nan" -> float("nan")

    Raises:
        ValueError: The text is not a literal.
    """
    text = text.strip()
    if text in _SPECIAL_FLOATS:
        return _SPECIAL_FLOATS[text]
    if max_depth(text) > _MAX_DEPTH:
        raise ValueError(f"more than {_MAX_DEPTH} nested brackets")
    try:
        return ast.literal_eval(text)
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"not a literal: {error}") from None


def max_depth(text: str) -> int:
    """An upper bound of how deep brackets and signs are nested: "[(1)]" -> 2, "--1" -> 2."""
    depth = deepest = signs = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        signs = signs + 1 if character in "+-~ " else 0
        deepest = max(deepest, depth + signs)
    return deepest


def literal_to_json(value: Any) -> Any:
    """A literal as JSON data with the types of its collections.

    (1, [None]) -> ["tuple", [1, ["list", [None]]]]
    """
    if isinstance(value, bytes):
        return ["bytes", value.decode("latin-1")]
    if isinstance(value, complex):
        return ["complex", [value.real, value.imag]]
    if value is ...:
        return ["ellipsis", []]
    if isinstance(value, dict):
        items = [[literal_to_json(key), literal_to_json(item)] for key, item in value.items()]
        return ["dict", items]
    if isinstance(value, _COLLECTIONS):
        return [type(value).__name__, [literal_to_json(item) for item in value]]
    return value
