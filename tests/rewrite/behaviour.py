"""A program goes in; all that can be seen of its execution comes out, to compare two programs."""

import contextlib
import io
import re
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

ADDRESS = re.compile(r" at 0x[0-9a-f]+")


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
    return compile(source, "program.py", "exec")


def behaviour(source: str, call: str, *, seconds: int = 20) -> Behaviour:
    """Run a source, then a call, here and now: "def f(x): …", "f([1])" -> the value of f([1])."""
    function, _, values = call.partition("(")
    space: dict[str, Any] = {"__name__": "program"}
    printed = io.StringIO()
    arguments: Any = ()
    try:
        with time_limit(seconds), contextlib.redirect_stdout(printed):
            exec(compiled(source), space)
            arguments = eval(f"(lambda *given, **named: (given, named))({values}", space)
            value = space[function](*arguments[0], **arguments[1])
            result = f"{type(value)} {value!r}"
    except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
        result = f"raised {type(error)} {error}"
    return Behaviour(ADDRESS.sub("", result), printed.getvalue(), ADDRESS.sub("", repr(arguments)))
