"""What a walk offers next always holds the true step, and little else."""

import random
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.flow.test_flow_recorded import FLAVOURS, PRELUDE, blocks, indented, sample_program
from worldline.errors import ProgramError
from worldline.flow import Option, Walk, flow_graph
from worldline.recorders import PythonRecorder
from worldline.trace import EVENTS, Limits, Program, Step, Trace

PROGRAMS = Path(__file__).parent.parent / "programs"
OLD = sys.version_info < (3, 12)


def walk_of(program: Program) -> Walk:
    return Walk(flow_graph(program.text), program)


def option_of(step: Step) -> Option:
    return Option(step.event, step.line)


def follow(trace: Trace, *, says_unwound: bool) -> Counter[int]:
    """Take every step of a trace, and count how many options there were each time.

    `says_unwound`: the walk is told which returns have no value.
    """
    walk, met = walk_of(trace.program), Counter[int]()
    for number, step in enumerate(trace.steps):
        assert not walk.is_over
        option, where = option_of(step), f"step {number} of\n{trace.program.text}"
        assert option in walk.options, where
        assert list(walk.options) == sorted(set(walk.options)), where
        is_unwound = step.value is None if step.event == "return" else None
        assert step.event != "return" or walk.is_unwound(option) in (None, is_unwound), where
        met[len(walk.options)] += 1
        walk.take(option, is_unwound=is_unwound if says_unwound else None)
    assert walk.is_over == trace.is_whole
    assert bool(walk.options) == (not trace.is_whole)
    return met


def follow_all(
    recorder: PythonRecorder, programs: Iterable[Program], limits: Limits
) -> Counter[int]:
    """Record programs and follow them all; both with and without what is known of returns."""
    met = Counter[int]()
    for number, program in enumerate(programs):
        trace = recorder.record(program, limits=limits)
        if trace.ending.reason != "not_loaded":
            met += follow(trace, says_unwound=number % 2 == 0)
    return met


def mean(met: Counter[int]) -> float:
    return sum(options * steps for options, steps in met.items()) / met.total()


# -- the true step is always among them -----------------------------------------------------


@pytest.mark.data
def test_every_step_of_cruxeval_is_an_option(
    recorder: PythonRecorder, cruxeval: list[dict[str, Any]]
) -> None:
    programs = [Program(row["code"], f"f({row['input']})") for row in cruxeval]
    met = follow_all(recorder, programs, Limits())
    assert met.total() > 13_000
    assert mean(met) < 2.1
    assert met[1] / met.total() > 0.3
    assert max(met) <= 5


@pytest.mark.data
def test_every_step_of_humaneval_is_an_option(
    recorder: PythonRecorder, humaneval_programs: list[Program]
) -> None:
    met = follow_all(recorder, humaneval_programs, Limits(steps=2_500))
    assert met.total() > 60_000
    assert mean(met) < 2.8


def test_every_step_of_the_sample_programs_is_an_option(recorder: PythonRecorder) -> None:
    paths = sorted(PROGRAMS.glob("*.py"))
    limits = Limits(steps=4_000, seconds=2)
    met = follow_all(recorder, map(sample_program, paths), limits)
    assert met.total() > 1_500


@settings(max_examples=25)
@given(data=st.data(), flavour=st.sampled_from(FLAVOURS), seed=st.integers(0, 10**6))
def test_every_step_of_random_programs_is_an_option(
    recorder: PythonRecorder, data: st.DataObject, flavour: tuple[str, tuple[str, ...]], seed: int
) -> None:
    word, extra = flavour
    body = data.draw(blocks(extra))
    source = f"{PRELUDE.format(seed=seed)}{word} f():\n    x = 0\n{indented(body)}\n"
    follow_all(recorder, [Program(source, "run()")], Limits(steps=1_000))


@pytest.mark.data
def test_any_way_leads_on_until_the_entry_is_left(cruxeval: list[dict[str, Any]]) -> None:
    ended = 0
    for number, row in enumerate(cruxeval):
        walk = walk_of(Program(row["code"], f"f({row['input']})"))
        choose = random.Random(number)
        for _ in range(200):
            if walk.is_over:
                break
            assert walk.options, row["code"]
            walk.take(choose.choice(walk.options))
        ended += walk.is_over
    assert ended > 700


# -- and little else ------------------------------------------------------------------------


def after(source: str, steps: str, *, call: str | None = "f(1)") -> str:
    """The options after some steps of a program, both as text: "line 2, return 2"."""
    walk = walk_of(Program(source, call))
    for step in filter(None, steps.split(", ")):
        walk.take(option(step))
    return ", ".join(f"{found.event} {found.line}" for found in walk.options)


def option(text: str) -> Option:
    """ "line 2" -> Option("line", 2)"""
    name, line = text.split()
    (event,) = [event for event in EVENTS if event == name]
    return Option(event, int(line))


SIMPLE = "def f(x):\n    return x"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", "call 4"),
        ("call 4", "line 5"),
        # Arguments that do not fit are an exception of the caller.
        ("call 4, line 5", "call 1, exception 5"),
        ("call 4, line 5, exception 5", "return 5"),
        ("call 4, line 5, call 1", "line 2"),
        ("call 4, line 5, call 1, line 2", "return 2"),
        ("call 4, line 5, call 1, line 2, return 2", "return 5"),
        ("call 4, line 5, call 1, line 2, return 2, return 5", ""),
    ],
)
def test_a_call_is_made_once_and_ends(steps: str, expected: str) -> None:
    assert after(SIMPLE, steps) == expected


QUIET = """\
def f(x):
    y = 1
    while True:
        i = x
        if i:
            continue
        elif y is None:
            pass
        else:
            break
    return y"""
LOOP = "line 3, line 4, line 5"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("line 2", "line 3"),
        ("line 2, line 3", "line 4"),
        ("line 2, line 3, line 4", "line 5"),
        (f"line 2, {LOOP}", "line 6, line 7"),
        (f"line 2, {LOOP}, line 7", "line 8, line 10"),
        (f"line 2, {LOOP}, line 7, line 10", "line 11"),
        (f"line 2, {LOOP}, line 7, line 10, line 11", "return 11"),
    ],
)
def test_what_cannot_raise_has_no_exception(steps: str, expected: str) -> None:
    assert after(QUIET, f"call 13, line 14, call 1, {steps}") == expected


@pytest.mark.parametrize("leaf", ["line 6", "line 7, line 8"])
def test_a_loop_goes_back_without_a_choice(leaf: str) -> None:
    found = after(QUIET, f"call 13, line 14, call 1, line 2, {LOOP}, {leaf}")
    assert found in ("line 3", "line 4")


TRY = """\
def f(x):
    try:
        y = x[0]
    except ValueError:
        y = 2
    finally:
        x = 3
    return y"""


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", "line 3"),
        (", line 3", "exception 3, line 7"),
        # The `finally` knows which way it was entered.
        (", line 3, line 7", "line 8"),
        (", line 3, exception 3", "line 4"),
        (", line 3, exception 3, line 4", "line 5, line 7"),
        (", line 3, exception 3, line 4, line 5, line 7", "line 8"),
        (", line 3, exception 3, line 4, line 7", "return 7"),
        (", line 3, exception 3, line 4, line 7, return 7", "exception 11"),
        (", line 3, exception 3, line 4, line 7, return 7, exception 11", "return 11"),
    ],
)
def test_an_exception_goes_to_its_handlers(steps: str, expected: str) -> None:
    assert after(TRY, f"call 10, line 11, call 1, line 2{steps}") == expected


RAISING = """\
def f(x):
    for i in range(x):
        x = i
    return g(x)
def g(y):
    raise y"""


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", "exception 2, line 3, line 4"),
        # A range that has been got gives its items.
        (", line 3, line 2", "line 3, line 4"),
        (", line 4", "call 5, exception 4"),
        (", line 4, call 5, line 6", "exception 6"),
        (", line 4, call 5, line 6, exception 6", "return 6"),
        (", line 4, call 5, line 6, exception 6, return 6", "exception 4"),
        (", line 4, call 5, line 6, exception 6, return 6, exception 4", "return 4"),
    ],
)
def test_what_a_function_raises_is_raised_by_its_caller(steps: str, expected: str) -> None:
    assert after(RAISING, f"call 8, line 9, call 1, line 2{steps}") == expected


GENERATOR = """\
def g():
    yield 1
    yield 2
def f(x):
    a = g()
    x = next(a)
    return x"""
YIELDED = ", line 6, call 1, line 2, return 2"
# Thrown away before it has run, it is run to be closed.
MADE = "call 1, " if OLD else ""


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", f"{MADE}exception 5, line 6"),
        (", line 6", "call 1, exception 6, line 7"),
        # It may be closed before it has run.
        (", line 6, call 1", "exception 1, line 2"),
        (", line 6, call 1, line 2", "return 2"),
        (YIELDED, "call 1, call 2, exception 6, line 7"),
        # It may be thrown away anywhere.
        (f"{YIELDED}, line 7", "call 2, return 7"),
        (f"{YIELDED}, line 7, return 7", "call 2, return 10"),
        (f"{YIELDED}, line 7, return 7, call 2", "exception 2, line 3"),
        (f"{YIELDED}, line 7, return 7, call 2, line 3, return 3, call 3, return 3", "return 10"),
    ],
)
def test_a_generator_is_resumed_where_it_waits(steps: str, expected: str) -> None:
    assert after(GENERATOR, f"call 9, line 10, call 4, line 5{steps}") == expected


def test_of_two_lambdas_on_a_line_both_may_be_called() -> None:
    source = "def f(x):\n    g = [lambda: 1, lambda: x()]\n    return g[x]()"
    start = "call 5, line 6, call 1, line 2"
    assert after(source, start) == "line 3"
    assert after(source, f"{start}, line 3") == "call 2, exception 3, return 3"
    assert after(source, f"{start}, line 3, call 2, line 2") == "call 2, exception 2, return 2"


@pytest.mark.skipif(not OLD, reason="from 3.12 on a comprehension has no frame")
def test_a_comprehension_is_called_once() -> None:
    source, start = "def f(x):\n    return [y for y in x]", "call 4, line 5, call 1, line 2"
    assert after(source, start) == "call 2, exception 2"
    assert after(source, f"{start}, call 2, line 2") == "exception 2, line 2, return 2"
    assert after(source, f"{start}, call 2, line 2, return 2") == "return 2"


def test_a_variable_that_may_have_no_value_may_raise() -> None:
    source = "def f(x):\n    if x:\n        y = 1\n    return y"
    assert after(source, "call 6, line 7, call 1, line 2, line 4") == "exception 4, return 4"
    source = "def f(x):\n    y = 2\n    if x:\n        y = 1\n    return y"
    assert after(source, "call 7, line 8, call 1, line 2, line 3, line 5") == "return 5"


def test_truth_is_plain_unless_the_program_makes_its_own() -> None:
    source = "class A:\n    def __bool__(self): return 1\ndef f(x):\n    if x: x = 1\n    return x"
    assert after(source, "call 7, line 8, call 3, line 4") == "call 2, exception 4, line 5"


def test_a_with_that_sends_an_exception_on_claims_its_place() -> None:
    source = """\
class C:
    def __exit__(self, *a): return 0
    def __enter__(self): return 1
def f(x):
    with C() as x:
        x = x[0]
    return x"""
    start = "call 9, line 10, call 4, line 5, call 3, line 3, return 3, line 6, exception 6"
    assert after(source, start) == "line 5"
    left = f"{start}, line 5, call 2, line 2, return 2"
    assert after(source, left) == "call 2, call 3, exception 5, line 7, return 6"


@pytest.mark.skipif(not OLD, reason="only 3.11 resumes generators without a call step")
def test_what_is_thrown_through_generators_does_not_multiply(recorder: PythonRecorder) -> None:
    source = """\
def g(n):
    if n:
        try:
            yield n
        except ValueError:
            pass
        yield from g(n - 1)
        yield from g(n - 1)
def f(n):
    a = g(n)
    next(a)
    for i in range(2**n - 3):
        a.throw(ValueError) if i % 3 else next(a)"""
    assert follow(recorder.record(Program(source, "f(5)")), says_unwound=True).total() > 400


def test_a_module_is_walked_too() -> None:
    source = "x = 1\nz = x[x]\n"
    assert after(source, "", call=None) == "call 1"
    assert after(source, "call 1, line 1", call=None) == "line 2"
    assert after(source, "call 1, line 1, line 2", call=None) == "exception 2, return 2"
    assert after(source, "call 1, line 1, line 2, return 2", call=None) == ""


def test_how_a_scope_is_left_is_known_where_it_can_be() -> None:
    walk = walk_of(Program("def f(x):\n    return x[0]", "f(1)"))
    for step in ("call 4", "line 5", "call 1", "line 2"):
        walk.take(option(step))
    assert walk.is_unwound(option("return 2")) is False
    walk.take(option("exception 2"))
    assert walk.is_unwound(option("return 2")) is True
    with pytest.raises(ValueError, match="is_unwound=False"):
        walk.take(option("return 2"), is_unwound=False)
    walk.take(option("return 2"), is_unwound=True)
    assert walk.options == (option("exception 5"),)


def test_what_is_no_option_is_refused() -> None:
    walk = walk_of(Program(SIMPLE, "f(1)"))
    with pytest.raises(ValueError, match="cannot come next"):
        walk.take(option("line 5"))
    assert walk.options == (option("call 4"),)
    hidden = 'x = """\ndef g(): # << START_OF_TRACE\n"""'
    with pytest.raises(ProgramError, match="no function 'g'"):
        walk_of(Program("", context=hidden))
