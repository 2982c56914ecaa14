"""An option's text, as typed, and its type go in; its value comes out, and back."""

import re
from collections.abc import Sequence
from typing import Any, get_args, get_origin

_RANGE = re.compile(r"(-?\d+)-(-?\d+)")
_NAMES = {int: "a whole number", float: "a number"}
# More than anyone means: a slip in a range is not to fill the memory.
_MOST = 100_000


def option_from_text(text: str, kind: Any) -> Any:
    """Read an option; a ValueError that says what was expected where it cannot be.

    "5", int -> 5; "1-3,8", list[int] -> [1, 2, 3, 8]; "int,str", list[str] -> ["int", "str"]
    """
    if get_origin(kind) not in (list, Sequence):
        return _one(text, kind)
    (item,) = get_args(kind)
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise ValueError("expected values with a comma between them, as in 1,2")
    if item is not int:
        return [_one(part, item) for part in parts]
    return [number for part in parts for number in _numbers(part)]


def option_to_text(value: object) -> str:
    """How one would type a value: [1, 2, 3] -> "1-3"; ("int", "str") -> "int,str"."""
    if not isinstance(value, list | tuple):
        return str(value)
    match value:
        case [int(first), _, *_, last] if list(value) == list(range(first, first + len(value))):
            return f"{first}-{last}"
    return ",".join(map(str, value))


def _one(text: str, kind: Any) -> Any:
    if kind not in (int, float, str):
        raise TypeError(f"an option of the kind {kind} cannot be typed; see worldline.benchmarks")
    try:
        return kind(text)
    except ValueError:
        raise ValueError(f"expected {_NAMES[kind]}") from None


def _numbers(part: str) -> Sequence[int]:
    """ "8" -> [8]; "1-3" -> 1, 2, 3"""
    found = _RANGE.fullmatch(part)
    if found is None:
        try:
            return [int(part)]
        except ValueError:
            raise ValueError(
                f"{part!r} is neither a whole number nor a range such as 1-20"
            ) from None
    first, last = int(found[1]), int(found[2])
    if last < first:
        raise ValueError(f"the range {part} is empty; write {last}-{first}")
    if last - first >= _MOST:
        raise ValueError(f"the range {part} has more than {_MOST:,} numbers")
    return range(first, last + 1)
