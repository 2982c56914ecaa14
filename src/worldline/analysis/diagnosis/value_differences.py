"""Differences between two rendered values: their kinds, and where and how much they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from worldline.core.language import ValueKind, ValueSyntax
from worldline.core.util.text import common_prefix_length, truncate_text

ValueChange = Literal["written", "carried_over", "initial"]

CONTAINERS: frozenset[ValueKind] = frozenset({"list", "dict", "set", "tuple"})

# Cells of the edit-distance table beyond which it would take too long.
_MAX_EDIT_CELLS = 250_000
# Maximum number of wrong characters of a slip, and minimum length of the string for each of them.
_MAX_SLIP = 2
_MIN_CHARS_PER_SLIP = 4


@dataclass(frozen=True, slots=True)
class ValueFacts:
    """How a predicted value differs from the actual one.

    Attributes:
        kind: The kind of the actual value.
        leaf_kind: The kind of the actual value at `leaf`.
        leaf: The innermost position at which a container differs, as an index: "[1]['a']".
        change: Whether the executed line wrote the variable (`written`), did not change it
            (`carried_over`), or it is a scope's first value (`initial`).
        actual_chars: Characters of the actual value's text, quotes included.
        predicted_chars: Characters of the predicted value's text, quotes included.
        edit_distance: The edit distance; None if the values are too long.
        is_runaway: Whether the predicted value repeats itself far beyond the actual length.
        is_slip: Whether a string is right but for one or two characters, or a position is by as
            many.
        is_moved_item: Whether both values are strings that a container of the input has as items.
        actual_tokens: Tokens of the actual value; None without a tokenizer.
        predicted_tokens: Tokens of the predicted value; None without a tokenizer.
        changed_tokens: Tokens that remain after removing the common prefix and suffix.
    """

    kind: ValueKind
    leaf_kind: ValueKind
    leaf: str
    change: ValueChange | None
    actual_chars: int
    predicted_chars: int
    edit_distance: int | None
    is_runaway: bool
    is_slip: bool = False
    is_moved_item: bool = False
    actual_tokens: int | None = None
    predicted_tokens: int | None = None
    changed_tokens: int | None = None

    def __repr__(self) -> str:
        leaf = f" at {truncate_text(self.leaf, 30)} ({self.leaf_kind})" if self.leaf else ""
        change = f", {self.change}" if self.change else ""
        distance = "unknown" if self.edit_distance is None else self.edit_distance
        return f"ValueFacts({self.kind}{leaf}{change}, edit distance {distance})"


def is_character_slip(
    actual: str, predicted: str, inputs: Sequence[str], values: ValueSyntax
) -> bool:
    """Whether a string is right but for one or two characters, or a position or length is.

    "'Fridy'", "'Friday'" -> True; "8", "10" -> True

    Two pieces of the same input are not a slip: the operation took the wrong piece.

    Args:
        actual: The actual value.
        predicted: The predicted value.
        inputs: Strings that the value was computed from.
        values: The syntax of the values.
    """
    try:
        a, b = values.parse_literal(actual), values.parse_literal(predicted)
    except ValueError:
        return False
    if type(a) is type(b) is int:
        return abs(a - b) <= _MAX_SLIP
    if not isinstance(a, str) or not isinstance(b, str):
        return False
    if any(a in text and b in text for text in inputs):
        return False
    distance = edit_distance(a, b)
    is_small = distance is not None and distance <= _MAX_SLIP
    return is_small and _MIN_CHARS_PER_SLIP * (distance or 0) <= max(len(a), len(b))


def content_length(text: str, values: ValueSyntax) -> int:
    """Count the characters of a string without its quotes, of another value those of its text.

    "'ab\\n'" -> 3; "[1, 2]" -> 6; "'ab" (the output ends there) -> 2

    Args:
        text: The value.
        values: The syntax of the values.
    """
    if values.value_kind(text) != "str":
        return len(text)
    try:
        content = values.parse_literal(text)
    except ValueError:
        # A string that the output's end or a limit cuts off has no closing quote.
        return len(text) - text.startswith(("'", '"'))
    return len(content) if isinstance(content, str) else len(text)


def edit_distance(a: str, b: str) -> int | None:
    """Characters to insert, delete or replace; None if the texts are too long to compare.

    "kitten", "sitting" -> 3
    """
    start = common_prefix_length(a, b)
    a, b = a[start:], b[start:]
    end = common_prefix_length(a[::-1], b[::-1])
    a, b = a[: len(a) - end], b[: len(b) - end]
    if len(a) * len(b) > _MAX_EDIT_CELLS:
        return None
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        last, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            last, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, last + (x != y))
    return row[-1]


def is_runaway(actual: str, predicted: str) -> bool:
    """Whether a predicted value repeats itself far beyond the actual length.

    "'ab'", "'abababab…" (much longer, with a short period at its end) -> True
    """
    if len(predicted) < 200 or len(predicted) < 4 * len(actual):
        return False
    # The last characters may close the value.
    tail = predicted[-132:-12]
    return any(tail == (tail[:period] * 120)[:120] for period in range(1, 31))


def count_changed_tokens(actual: Sequence[int], predicted: Sequence[int]) -> int:
    """Count the tokens of the longer sequence after removing the common prefix and suffix.

    [1, 2, 3, 4], [1, 9, 4] -> 2
    """
    shorter = min(len(actual), len(predicted))
    start = next((i for i in range(shorter) if actual[i] != predicted[i]), shorter)
    end = next(
        (i for i in range(shorter - start) if actual[-1 - i] != predicted[-1 - i]), shorter - start
    )
    return max(len(actual), len(predicted)) - start - end
