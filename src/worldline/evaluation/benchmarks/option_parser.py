"""Parser and formatter of a benchmark's options, as they are typed on the command line."""

import re
from collections.abc import Sequence
from typing import Any, get_args, get_origin

_RANGE = re.compile(r"(-?\d+)-(-?\d+)")
_TYPE_NAMES = {int: "a whole number", float: "a number"}
# Limit on the length of a range, so that a typing error does not fill the memory.
_MAX_RANGE = 100_000


def parse_option(text: str, option_type: Any) -> Any:
    """Parse the text of an option.

    "5", int -> 5; "1-3,8", list[int] -> [1, 2, 3, 8]; "int,str", list[str] -> ["int", "str"]

    Args:
        text: The option as typed.
        option_type: Annotation of the parameter: int, float, str, or a list of one of them.

    Raises:
        ValueError: The text is not of this type; the message says what is expected.
    """
    if get_origin(option_type) not in (list, Sequence):
        return _parse_value(text, option_type)
    (item_type,) = get_args(option_type)
    items = [item.strip() for item in text.split(",")]
    if not all(items):
        raise ValueError("expected values with a comma between them, as in 1,2")
    if item_type is not int:
        return [_parse_value(item, item_type) for item in items]
    return [number for item in items for number in _parse_numbers(item)]


def format_option(value: object) -> str:
    """Format an option's value as one would type it.

    [1, 2, 3] -> "1-3"; ("int", "str") -> "int,str"
    """
    if not isinstance(value, list | tuple):
        return str(value)
    match value:
        case [int(first), _, *_, last] if list(value) == list(range(first, first + len(value))):
            return f"{first}-{last}"
    return ",".join(map(str, value))


def _parse_value(text: str, value_type: Any) -> Any:
    if value_type not in (int, float, str):
        raise TypeError(
            f"an option of type {value_type} cannot be parsed; use int, float, str or a list of "
            "these"
        )
    try:
        return value_type(text)
    except ValueError:
        raise ValueError(f"expected {_TYPE_NAMES[value_type]}") from None


def _parse_numbers(item: str) -> Sequence[int]:
    """Parse a number or a range.

    "8" -> [8]; "1-3" -> 1, 2, 3
    """
    match = _RANGE.fullmatch(item)
    if match is None:
        try:
            return [int(item)]
        except ValueError:
            raise ValueError(
                f"{item!r} is neither a whole number nor a range such as 1-20"
            ) from None
    first, last = int(match[1]), int(match[2])
    if last < first:
        raise ValueError(f"the range {item} is empty; write {last}-{first}")
    if last - first >= _MAX_RANGE:
        raise ValueError(f"the range {item} has more than {_MAX_RANGE:,} numbers")
    return range(first, last + 1)
