"""Arguments of requests, checked: a wrong type is an error response, not a crash."""

from collections.abc import Mapping, Sequence
from typing import Any

from worldline.core.errors import WorldlineError

Arguments = Mapping[str, Any]


class RequestError(WorldlineError):
    """A request that cannot be answered; its text is shown to the user."""


def text_argument(arguments: Arguments, name: str) -> str | None:
    """A text; None if it is missing."""
    value = arguments.get(name)
    if value is not None and not isinstance(value, str):
        raise RequestError(f"{name} must be a text, not {type(value).__name__}")
    return value


def number_argument(arguments: Arguments, name: str) -> int | None:
    """A whole number; None if it is missing."""
    value = arguments.get(name)
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise RequestError(f"{name} must be a whole number, not {type(value).__name__}")
    return value


def flag_argument(arguments: Arguments, name: str, *, default: bool = False) -> bool:
    """A boolean."""
    value = arguments.get(name)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise RequestError(f"{name} must be true or false, not {type(value).__name__}")
    return value


def object_argument(arguments: Arguments, name: str) -> dict[str, Any]:
    """An object; empty if it is missing."""
    value = arguments.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise RequestError(f"{name} must be an object, not {type(value).__name__}")
    return value


def list_argument(arguments: Arguments, name: str) -> list[Any]:
    """A list; empty if it is missing."""
    value = arguments.get(name)
    if value is None:
        return []
    if not isinstance(value, list):
        raise RequestError(f"{name} must be a list, not {type(value).__name__}")
    return value


def object_list(arguments: Arguments, name: str) -> list[dict[str, Any]]:
    """A list of objects; empty if it is missing."""
    values = list_argument(arguments, name)
    if not all(isinstance(value, dict) for value in values):
        raise RequestError(f"{name} must be a list of objects")
    return values


def required_text(arguments: Arguments, name: str) -> str:
    """A text that must be there."""
    value = text_argument(arguments, name)
    if value is None:
        raise RequestError(f"{name} is missing")
    return value


def required_number(arguments: Arguments, name: str) -> int:
    """A number that must be there."""
    value = number_argument(arguments, name)
    if value is None:
        raise RequestError(f"{name} is missing")
    return value


def refuse_unknown(arguments: Arguments, known: Sequence[str], what: str) -> None:
    """Refuse names that are misspelled; those that start with `__` are the client's own."""
    unknown = [name for name in arguments if name not in known and not name.startswith("__")]
    if unknown:
        raise RequestError(
            f"{what} has no option {', '.join(unknown)}; it has {', '.join(sorted(known))}"
        )
