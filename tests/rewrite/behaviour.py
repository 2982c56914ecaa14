"""A program goes in; all that can be seen of its execution comes out, to compare two programs."""

import contextlib
import io
import re
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

Namespace = dict[str, Any]
# What a program defines -> a value, and what it was made from.
Use = Callable[[Namespace], tuple[object, object]]
ADDRESS = re.compile(r"0x[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a call gave or raised, what it printed, and its arguments as it left them."""

    result: str
    printed: str
    arguments: str = ""


class TooLongError(BaseException):
    """A program that did not end; no program catches it."""


@contextlib.contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@lru_cache(maxsize=8)
def compiled(source: str) -> CodeType:
    return compile(source, "program.py", "exec", dont_inherit=True)


def observed(source: str, use: Use, *, seconds: int = 20) -> Behaviour:
    """Run a program here and now, then use what it defines."""
    space: Namespace = {"__name__": "program"}
    printed = io.StringIO()
    arguments = ""
    try:
        with time_limit(seconds), contextlib.redirect_stdout(printed):
            exec(compiled(source), space)
            value, given = use(space)
            result, arguments = f"{type(value)} {value!r}", repr(given)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
        result = f"raised {type(error)} {error}"
    return Behaviour(ADDRESS.sub("0x", result), printed.getvalue(), ADDRESS.sub("0x", arguments))


def behaviour(source: str, call: str, *, seconds: int = 20) -> Behaviour:
    """The same with a call: "def f(x): …", "f([1])" -> what f([1]) gives, and what [1] became."""
    function, _, values = call.partition("(")
    left: list[Any] = []

    def use(space: Namespace) -> tuple[object, object]:
        given = eval(f"(lambda *given, **named: (given, named))({values}", space)
        left.append(given)
        return space[function](*given[0], **given[1]), given

    found = observed(source, use, seconds=seconds)
    # Also where it raised.
    return Behaviour(found.result, found.printed, ADDRESS.sub("0x", repr(left)))
