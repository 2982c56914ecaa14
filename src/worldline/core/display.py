"""Registry of functions that render objects as HTML, for notebooks.

Data classes call `render_html` in `_repr_html_`; `worldline.interfaces.notebook` registers the
functions. A loader imports that module at the first call.
"""

from collections.abc import Callable
from typing import Any, TypeVar

Object = TypeVar("Object")

_functions: dict[type, Callable[[Any], str]] = {}
_loaders: list[Callable[[], object]] = []


def register_html(kind: type[Object], function: Callable[[Object], str]) -> None:
    """Set the function that renders objects of a class as HTML.

    Args:
        kind: The class; subclasses without a function of their own use it, too.
        function: From an object to HTML, with everything in it escaped.
    """
    _functions[kind] = function


def register_html_loader(loader: Callable[[], object]) -> None:
    """Add a function to call once, before the first rendering; it registers the others.

    It keeps modules that render HTML from being imported before one of them is needed.
    """
    _loaders.append(loader)


def render_html(value: object) -> str | None:
    """The HTML of an object, or None if no function is registered for its class."""
    while _loaders:
        _loaders.pop()()
    for kind in type(value).__mro__:
        if kind in _functions:
            return _functions[kind](value)
    return None
