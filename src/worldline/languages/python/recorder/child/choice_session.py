"""Session of choices: values that do not follow from the program, such as random numbers.

The request of a program may have the values of its first choices. Every other choice is drawn. The
rows of all choices are written when the program ends.
"""

from _thread import _local as local
from collections.abc import Callable
from sys import _getframe
from typing import Any

from .assumed_session import decode_literal
from .bounded_repr import render, type_name, types_with_own_repr
from .interrupts import FILENAME
from .json_lines import OWN_BUILTINS, to_line
from .unit_number import UnitNumber

__builtins__ = OWN_BUILTINS

# Characters of one argument, and of all rows, for which there is space after the steps.
_ARGUMENT_CHARS = 300
_MAX_BYTES = 1_500_000
# After this number of first values, values are drawn: a loop may end only with another one.
_MAX_FIRST = 100
LOST_NOTE = "too many choices: the last ones are not recorded, and cannot be replayed"


class ChoiceSession:
    """The choices of one execution."""

    def __init__(self, request: "dict[str, Any]", notes: "list[str]") -> None:
        """Begin a session.

        Args:
            request: The values of the first choices (`choices`), and whether the others have the
                first value of their domain instead of a random one (`is_systematic`).
            notes: Notes about the recording.
        """
        self.given = request.get("choices", [])
        self.is_systematic = request.get("is_systematic", False)
        self.notes = notes
        self.step_count: Callable[[], int] = int
        self.rows: list[list[Any]] = []
        self.size = 0
        self.thread_local = local()
        # Gives generators without a seed one, so that the draws can be repeated.
        self.seed = request.get("seed")
        # Whether choices are only drawn.
        self.is_unrecorded = False

    def restart(self, choices: "list[Any]", *, is_systematic: bool) -> None:
        """Begin the next execution of the same program."""
        self.given, self.is_systematic = choices, is_systematic
        self.rows, self.size = [], 0

    def is_nested(self) -> bool:
        """Whether the calling thread is within another choice, which this call is a part of."""
        return getattr(self.thread_local, "is_choosing", False)

    def call(self, function: "Callable[..., Any]", *arguments: Any, **named: Any) -> Any:
        """Call a function whose choices are parts of one."""
        self.thread_local.is_choosing = True
        try:
            return function(*arguments, **named)
        finally:
            self.thread_local.is_choosing = False

    def choose(
        self,
        name: str,
        arguments: "tuple[Any, ...]",
        domain: str,
        draw: "Callable[[], Any]",
        first: Any = None,
    ) -> Any:
        """The value of a choice: the given one, or a new one.

        Args:
            name: The function, as in "random.randint".
            arguments: Its arguments.
            domain: The possible values, as in "range(1, 7)"; empty if they are not known.
            draw: Draws a value.
            first: The first value of the domain.
        """
        if self.is_unrecorded:
            return self.call(draw)
        number = len(self.rows)
        if number < len(self.given) and self.given[number][:2] != [name, domain]:
            self.notes.append(
                f"replay: choice {number} is {name}, domain {domain!r}; it was "
                f"{self.given[number][0]}, domain {self.given[number][1]!r}"
            )
            self.given = self.given[:number]
        if number < len(self.given):
            value = decode_literal(self.given[number][2])
        elif self.is_systematic and first is not None and number < len(self.given) + _MAX_FIRST:
            value = first
        else:
            value = self.call(draw)
        row = self._row(name, arguments, domain, value)
        self._add(row)
        if domain == "unit" and self.is_systematic:
            return UnitNumber.create(value, row)
        return value

    def _row(self, name: str, arguments: "tuple[Any, ...]", domain: str, value: Any) -> "list[Any]":
        texts = [_argument_text(argument) for argument in arguments]
        steps = self.step_count()
        # The last items are the numbers that a unit number was compared with, and whether it was
        # used in any other way.
        return ["choice", name, ", ".join(texts), repr(value), domain, _line(), steps, [], False]

    def _add(self, row: "list[Any]") -> None:
        self.size += 60 + sum([len(item) * 2 for item in row if type(item) is str])
        if self.size < _MAX_BYTES:
            self.rows.append(row)
        elif LOST_NOTE not in self.notes:
            self.notes.append(LOST_NOTE)

    def lines(self) -> bytes:
        """The rows of all choices."""
        return b"".join([to_line(row) for row in self.rows])


def _argument_text(value: Any) -> str:
    # A __repr__ of the program must not be called here.
    if types_with_own_repr(value):
        return f"<{type_name(type(value))}>"
    return render(value, _ARGUMENT_CHARS)


def _line() -> int:
    """The line of the program that is being executed; 0 if there is none."""
    frame = _getframe(1)
    while frame is not None:
        if frame.f_code.co_filename is FILENAME:
            return frame.f_lineno or 0
        frame = frame.f_back  # type: ignore[assignment]
    return 0


class Replacement:
    """A function of a module that is replaced, and shown as the original."""

    __slots__ = ("__wrapped__", "function")

    def __init__(self, original: Any, function: Any) -> None:
        self.__wrapped__ = original
        self.function = function

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        return self.function(*arguments, **named)

    def __repr__(self) -> str:
        return repr(self.__wrapped__)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__wrapped__, name)
