"""Small programs that are hard to simulate: the actual step is always among the options.

They are in adversarial_programs.txt, each below a line with its name. Many were once simulated
wrongly.
"""

import time
from pathlib import Path

import pytest

from tests.languages.cfg.test_simulator import BEFORE_312, follow, options_after
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder


def load_programs() -> dict[str, Program]:
    """Load the programs by name: `f(3)` is called, or the module is run if there is no f."""
    programs = {}
    text = Path(__file__).with_name("adversarial_programs.txt").read_text(encoding="utf-8")
    for part in text.split("## ")[1:]:
        name, _, source = part.partition("\n")
        assert name not in programs
        programs[name] = Program(source, "f(3)" if "def f(" in source else None)
    return programs


PROGRAMS = load_programs()


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_every_step_is_an_option(program: Program, recorder: PythonRecorder) -> None:
    trace = recorder.record(program)
    assert trace.ending.reason in ("finished", "raised")
    assert follow(trace, tells_unwound=True).total() == len(trace.steps) > 5
    follow(trace, tells_unwound=False)


def test_many_awaits_are_simulated_in_reasonable_time(recorder: PythonRecorder) -> None:
    trace = recorder.record(PROGRAMS["with_await"])
    start = time.process_time()
    follow(trace, tells_unwound=True)
    # It takes about a second.
    assert time.process_time() - start < 10


# -- few other steps are options ------------------------------------------------------------

START = "call 7, line 8, call 1"


@pytest.mark.parametrize(
    ("line", "options"),
    [
        # `d[0]` may call the factory of a defaultdict, not the function of an exhausted iterator.
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
def test_an_operation_calls_only_stored_functions(line: str, options: str) -> None:
    source = f"def f(x):\n    {line}\n    return d[0]\ndef g(y):\n    return y"
    assert options_after(source, f"{START}, line 2, line 3") == options


@pytest.mark.parametrize(
    ("iterated", "may_raise"),
    [("'ab'", False), ("b'ab'", False), ("(1, 2)", False), ("5", True), ("None", True)],
)
def test_only_some_constants_can_be_iterated(iterated: str, may_raise: bool) -> None:
    source = f"def f(x):\n    for x in {iterated}:\n        x = 1\n    return x"
    options = options_after(source, "call 6, line 7, call 1, line 2")
    assert ("exception 2" in options) == may_raise


@pytest.mark.skipif(
    not BEFORE_312, reason="from 3.12 on, closing an unstarted generator does not start it"
)
def test_a_created_generator_may_be_closed_once() -> None:
    source = "def f(x):\n    a = g()\n    a = 1\n    return a\ndef g():\n    yield 1"
    start = "call 8, line 9, call 1"
    assert options_after(source, f"{start}") == "line 2"
    assert options_after(source, f"{start}, line 2, line 3") == "call 5, line 4"
    closed = f"{start}, line 2, line 3, call 5, exception 5"
    assert options_after(source, closed) == "return 5"
    assert options_after(source, f"{closed}, return 5") == "line 4"
