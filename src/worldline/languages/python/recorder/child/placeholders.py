"""Placeholders: objects that have the text of an expression instead of a value.

An attribute of a placeholder is another one (`requests.get`). Calling it, or applying an operation
to it, is an assumed call. A placeholder for an object (`obj1`) was the value of such a call.
"""

import operator
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from sys import _getframe
from typing import Any

from .interrupts import FILENAME, OWN_FOLDER
from .json_lines import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

_SHOWN_CHARS = 120
# The attributes with such names that are data; the others belong to Python's protocols.
_DATA_DUNDERS = frozenset({"__version__", "__author__"})
_set = object.__setattr__


class Placeholder:
    """An expression that is not executed here."""

    # Unlikely to be attributes of what is assumed.
    __slots__ = (
        "_assumed_is_attribute",
        "_assumed_is_object",
        "_assumed_origin",
        "_assumed_session",
        "_assumed_text",
    )

    def __init__(
        self,
        session: Any,
        text: str,
        *,
        origin: str = "",
        is_object: bool = False,
        is_attribute: bool = False,
    ):
        """Create a placeholder.

        Args:
            session: The `AssumedSession`.
            text: The expression.
            origin: The assumed call whose value it is.
            is_object: Whether it is a value, not the name of a module, function or constant.
            is_attribute: Whether it is an attribute of such a value.
        """
        _set(self, "_assumed_session", session)
        _set(self, "_assumed_text", text)
        _set(self, "_assumed_origin", origin)
        _set(self, "_assumed_is_object", is_object)
        _set(self, "_assumed_is_attribute", is_attribute)

    def __repr__(self) -> str:
        text: str = self._assumed_text
        if self._assumed_session.is_rendering:
            return text
        text = self._assumed_origin or text
        return f"<assumed {text if len(text) <= _SHOWN_CHARS else text[:_SHOWN_CHARS] + '…'}>"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__") and name not in _DATA_DUNDERS:
            text = self._assumed_text
            raise AttributeError(f"the placeholder of {text} has no attribute {name!r}")
        of_object = self._assumed_is_object or self._assumed_is_attribute
        return self._assumed_session.attribute(self._assumed_text, name, of_object=of_object)

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        session, function = self._assumed_session, self._assumed_text
        texts = session.texts([*arguments, *named.values()])
        count = len(arguments)
        pairs = [f"{name}={text}" for name, text in zip(named, texts[count:], strict=True)]
        if function == "input":
            print(*arguments, end="", flush=True)  # noqa: T201
        expression = f"{function}({', '.join([*texts[:count], *pairs])})"
        return session.ask(expression, "str" if function == "input" else "")

    # -- statements ---------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        session = self._assumed_session
        text = session.texts([value])[0]
        session.add_statement(f"{self._assumed_text}.{name} = {text}")

    def __delattr__(self, name: str) -> None:
        self._assumed_session.add_statement(f"del {self._assumed_text}.{name}")

    def __setitem__(self, key: Any, item: Any) -> None:
        session = self._assumed_session
        key_text, item_text = session.texts([key, item])
        session.add_statement(f"{self._assumed_text}[{key_text}] = {item_text}")

    def __delitem__(self, key: Any) -> None:
        session = self._assumed_session
        key_text = session.texts([key])[0]
        session.add_statement(f"del {self._assumed_text}[{key_text}]")

    # -- protocols ----------------------------------------------------------------------------

    __hash__ = object.__hash__

    def __iter__(self) -> "Iterator[Any]":
        value = value_of(self)
        if type(value) is not Placeholder:
            return iter(value)
        items: Iterator[Any] = self._assumed_session.iterate(value._assumed_text)
        return items

    def __len__(self) -> int:
        value = value_of(self)
        if type(value) is not Placeholder:
            return len(value)
        length: int = self._assumed_session.length(value._assumed_text)
        return length

    def __enter__(self) -> "Placeholder":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    async def __aenter__(self) -> "Placeholder":
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    def __await__(self) -> "Generator[None, None, Any]":
        yield from ()
        return self._assumed_session.ask(f"await {self._assumed_text}")

    # A class is only named, as a function that is called.
    def __instancecheck__(self, value: Any) -> bool:
        return self._assumed_check("isinstance", value)

    def __subclasscheck__(self, kind: Any) -> bool:
        return self._assumed_check("issubclass", kind)

    def _assumed_check(self, function: str, value: Any) -> bool:
        session = self._assumed_session
        text = session.texts([value])[0]
        is_class: bool = session.ask(f"{function}({text}, {self._assumed_text})", "bool")
        return is_class

    def __mro_entries__(self, bases: "tuple[Any, ...]") -> "tuple[type, ...]":
        # A class of the program that derives from an assumed one derives from object.
        return ()

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"the placeholder of {self._assumed_text} cannot be copied or pickled")


def value_of(placeholder: Placeholder) -> Any:
    """The value that a placeholder is the name of; itself if that is an object."""
    if placeholder._assumed_is_object:
        return placeholder
    if placeholder._assumed_is_attribute:
        return placeholder._assumed_session.ask(placeholder._assumed_text)
    return placeholder._assumed_session.constant(placeholder._assumed_text)


def _operation(
    template: str, function: "Callable[..., Any]", expected_type: str
) -> "Callable[..., Any]":
    """A method that applies an operation: to the value if it is known, else it is assumed."""

    def operate(self: Placeholder, *others: Any) -> Any:
        value = value_of(self)
        if type(value) is not Placeholder:
            return function(value, *others)
        texts = self._assumed_session.texts([value, *others])
        return self._assumed_session.ask(template.format(*texts), expected_type)

    return operate


def _swapped(function: "Callable[[Any, Any], Any]") -> "Callable[[Any, Any], Any]":
    return lambda right, left: function(left, right)


# Name, expression, function, and the type that Python expects of the result.
_OPERATIONS: "tuple[tuple[str, str, Callable[..., Any], str], ...]" = (
    ("bool", "bool({0})", bool, "bool"),
    ("str", "str({0})", str, "str"),
    ("format", "format({0}, {1})", format, "str"),
    ("int", "int({0})", int, "int"),
    ("float", "float({0})", float, "float"),
    ("complex", "complex({0})", complex, "complex"),
    ("bytes", "bytes({0})", bytes, "bytes"),
    ("index", "int({0})", operator.index, "int"),
    ("next", "next({0})", next, ""),
    ("reversed", "list(reversed({0}))", lambda value: list(reversed(value)), "list"),
    ("contains", "{1} in {0}", operator.contains, "bool"),
    ("getitem", "{0}[{1}]", operator.getitem, ""),
    ("abs", "abs({0})", abs, ""),
    ("neg", "-{0}", operator.neg, ""),
    ("pos", "+{0}", operator.pos, ""),
    ("invert", "~{0}", operator.invert, ""),
    ("round", "round({0})", round, ""),
    ("eq", "{0} == {1}", operator.eq, ""),
    ("ne", "{0} != {1}", operator.ne, ""),
    ("lt", "{0} < {1}", operator.lt, ""),
    ("le", "{0} <= {1}", operator.le, ""),
    ("gt", "{0} > {1}", operator.gt, ""),
    ("ge", "{0} >= {1}", operator.ge, ""),
)
_BINARY: "tuple[tuple[str, str, Callable[[Any, Any], Any]], ...]" = (
    ("add", "+", operator.add),
    ("sub", "-", operator.sub),
    ("mul", "*", operator.mul),
    ("matmul", "@", operator.matmul),
    ("truediv", "/", operator.truediv),
    ("floordiv", "//", operator.floordiv),
    ("mod", "%", operator.mod),
    ("pow", "**", operator.pow),
    ("lshift", "<<", operator.lshift),
    ("rshift", ">>", operator.rshift),
    ("and", "&", operator.and_),
    ("or", "|", operator.or_),
    ("xor", "^", operator.xor),
)
for _name, _template, _function, _expected_type in _OPERATIONS:
    setattr(Placeholder, f"__{_name}__", _operation(_template, _function, _expected_type))
for _name, _sign, _function in _BINARY:
    setattr(Placeholder, f"__{_name}__", _operation(f"{{0}} {_sign} {{1}}", _function, ""))
    _right = _operation(f"{{1}} {_sign} {{0}}", _swapped(_function), "")
    setattr(Placeholder, f"__r{_name}__", _right)


# -- where the program reads an attribute -----------------------------------------------------


def program_frame() -> Any:
    """The frame that is not of the recorder, and called it."""
    frame: Any = _getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(OWN_FOLDER):
        frame = frame.f_back
    return frame


def is_data_use(frame: Any, name: str, data_uses: "dict[tuple[int, int], list[str]]") -> bool:
    """Whether the instruction of a frame of the program reads this attribute as data."""
    # Before 3.11 an instruction has no columns: there, an attribute is data when it is used.
    if frame is None or frame.f_code.co_filename is not FILENAME or not data_uses:
        return False
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is None:
        return False
    _, end_line, _, end_column = next(islice(positions(), frame.f_lasti // 2, None))
    return name in data_uses.get((end_line, end_column), ())
