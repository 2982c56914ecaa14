"""Observable behaviour of a program: results, output, exceptions and changed arguments."""

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
# Uses the names that a program defines; returns a value and the arguments it was computed from.
Use = Callable[[Namespace], tuple[object, object]]
ADDRESS = re.compile(r"0x[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Result or exception of a call, its output, and its arguments after the call."""

    result: str
    printed: str
    arguments: str = ""


class TooLongError(BaseException):
    """A program did not end in time; no program catches this."""


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
def compile_program(source: str) -> CodeType:
    return compile(source, "program.py", "exec", dont_inherit=True)


def run_and_observe(source: str, use: Use, *, seconds: int = 20) -> Behaviour:
    """Run a program in this process, then use the names that it defines."""
    space: Namespace = {"__name__": "program"}
    printed = io.StringIO()
    arguments = ""
    try:
        with time_limit(seconds), contextlib.redirect_stdout(printed):
            exec(compile_program(source), space)
            value, passed = use(space)
            result, arguments = f"{type(value)} {value!r}", repr(passed)
    except Exception as error:  # noqa: BLE001  # whatever it is, it is compared
        result = f"raised {type(error)} {error}"
    return Behaviour(ADDRESS.sub("0x", result), printed.getvalue(), ADDRESS.sub("0x", arguments))


def behaviour_of_call(source: str, call: str, *, seconds: int = 20) -> Behaviour:
    """Observe a call: "def f(x): …", "f([1])" -> the result of f([1]), and what [1] became."""
    function, _, values = call.partition("(")
    passed: list[Any] = []

    def use(space: Namespace) -> tuple[object, object]:
        given = eval(f"(lambda *given, **named: (given, named))({values}", space)
        passed.append(given)
        return space[function](*given[0], **given[1]), given

    observed = run_and_observe(source, use, seconds=seconds)
    # The arguments are compared even if the call raised.
    return Behaviour(observed.result, observed.printed, ADDRESS.sub("0x", repr(passed)))
