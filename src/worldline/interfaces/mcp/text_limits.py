"""Size limits of answers.

Clients truncate an answer at 25,000 tokens. A text never has more tokens than bytes, so an answer
of fewer bytes is complete with every tokenizer.
"""

from collections.abc import Mapping

from worldline.core.util.text import common_prefix_length, truncate_text

# Bytes of the text of one answer or resource; the structured content has at most 15,000 more.
MAX_TEXT_BYTES = 9_000
MAX_ERROR_CHARS = 2_000
VALUE_CHARS = 160
NAME_CHARS = 60
SOURCE_CHARS = 100
# Variables of one executed line.
MAX_VARIABLES = 8


def byte_length(text: str) -> int:
    """The number of bytes of a text in UTF-8; half a surrogate pair has three."""
    return len(text.encode("utf-8", "surrogatepass"))


def short_value(value: str, *, width: int = VALUE_CHARS, around: int = 0) -> str:
    """A value that fits into an answer."""
    return truncate_text(value, width, around=around)


def short_pair_value(value: str, other: str) -> str:
    """A value, shortened around the first character at which it differs from another."""
    is_long = max(len(value), len(other)) > VALUE_CHARS
    return short_value(value, around=common_prefix_length(value, other) if is_long else 0)


def short_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """The first variables of a state, shortened; the last key counts the others.

    {"a": "1", …} -> {"a": "1", …, "…": "5 more"}
    """
    shown = {
        truncate_text(name, NAME_CHARS): short_value(value)
        for name, value in list(variables.items())[:MAX_VARIABLES]
    }
    rest = len(variables) - MAX_VARIABLES
    return {**shown, "…": f"{rest} more"} if rest > 0 else shown


def middle_left_out(sizes: list[int], room: int) -> tuple[int, int]:
    """How many items of a list to show at its beginning and at its end.

    [10, 10, 10, 10], 25 -> (1, 1); [10, 10], 25 -> (2, 0)
    """
    if sum(sizes) <= room:
        return len(sizes), 0
    first = last = used = 0
    while first + last < len(sizes):
        is_first = first <= last
        size = sizes[first] if is_first else sizes[-1 - last]
        if used + size > room:
            break
        used += size
        first, last = (first + 1, last) if is_first else (first, last + 1)
    return first, last
