"""Small programs that are hard on a walk: the true step is always among its options.

They are in attacks.txt, each under a line with its name. Many were once followed wrongly.
"""

import time
from pathlib import Path

import pytest

from tests.flow.test_walk import OLD, after, follow
from worldline.recorders import PythonRecorder
from worldline.trace import Program


def attacks() -> dict[str, Program]:
    """The programs by name: `f(3)` is called, or the module is run where there is no f."""
    found = {}
    text = Path(__file__).with_name("attacks.txt").read_text(encoding="utf-8")
    for part in text.split("## ")[1:]:
        name, _, source = part.partition("\n")
        assert name not in found
        found[name] = Program(source, "f(3)" if "def f(" in source else None)
    return found


ATTACKS = attacks()


@pytest.mark.parametrize("program", ATTACKS.values(), ids=ATTACKS)
def test_every_step_is_an_option(program: Program, recorder: PythonRecorder) -> None:
    trace = recorder.record(program)
    assert trace.ending.reason in ("finished", "raised")
    assert follow(trace, says_unwound=True).total() == len(trace.steps) > 5
    follow(trace, says_unwound=False)


def test_what_is_awaited_much_is_followed_in_reasonable_time(recorder: PythonRecorder) -> None:
    trace = recorder.record(ATTACKS["with_await"])
    start = time.process_time()
    follow(trace, says_unwound=True)
    # A second, once it was a minute.
    assert time.process_time() - start < 10


# -- and little else ------------------------------------------------------------------------

START = "call 7, line 8, call 1"


@pytest.mark.parametrize(
    ("line", "options"),
    [
        # What a defaultdict keeps may be called by `d[0]`; an iterator that is used up may not.
        ("d = __import__('collections').defaultdict(g)", "call 4, exception 3, return 3"),
        ("d = list(map(g, x))", "exception 3, return 3"),
        ("d = sorted(x, key=g)", "exception 3, return 3"),
        ("d = map(g, x)", "call 4, exception 3, return 3"),
        ("d = map(str, x)", "exception 3, return 3"),
        ("d = iter(x)", "exception 3, return 3"),
        ("d = iter(g, 3)", "call 4, exception 3, return 3"),
        ("d = setattr(x, 'a', 3)", "exception 3, return 3"),
        ("x.__class__.a = g", "call 4, exception 3, return 3"),
        ("x.a = g", "exception 3, return 3"),
    ],
)
def test_an_operation_calls_only_what_may_be_kept(line: str, options: str) -> None:
    source = f"def f(x):\n    {line}\n    return d[0]\ndef g(y):\n    return y"
    assert after(source, f"{START}, line 2, line 3") == options


@pytest.mark.parametrize(
    ("iterated", "may_raise"),
    [("'ab'", False), ("b'ab'", False), ("(1, 2)", False), ("5", True), ("None", True)],
)
def test_only_some_constants_can_be_gone_through(iterated: str, may_raise: bool) -> None:
    source = f"def f(x):\n    for x in {iterated}:\n        x = 1\n    return x"
    options = after(source, "call 6, line 7, call 1, line 2")
    assert ("exception 2" in options) == may_raise


@pytest.mark.skipif(
    not OLD, reason="from 3.12 on a generator that has not run is not run to close it"
)
def test_a_generator_that_was_made_may_be_closed_once() -> None:
    source = "def f(x):\n    a = g()\n    a = 1\n    return a\ndef g():\n    yield 1"
    start = "call 8, line 9, call 1"
    assert after(source, f"{start}") == "line 2"
    assert after(source, f"{start}, line 2, line 3") == "call 5, line 4"
    closed = f"{start}, line 2, line 3, call 5, exception 5"
    assert after(source, closed) == "return 5"
    assert after(source, f"{closed}, return 5") == "line 4"
