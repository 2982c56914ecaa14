"""The simulator offers the actual next step always, and few others."""

import random
import sys
from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.cfg.random_programs import (
    FUNCTION_KINDS,
    PRELUDE,
    blocks,
    indent,
    load_sample_program,
)
from tests.support.paths import PROGRAMS_FOLDER
from worldline.core.errors import ProgramError
from worldline.core.trace import EVENTS, Limits, Program, Step, Trace
from worldline.languages.control_flow import CfgSimulator, NextStep, build_cfg
from worldline.languages.python.recorder import PythonRecorder

PROGRAMS = PROGRAMS_FOLDER
BEFORE_312 = sys.version_info < (3, 12)


def simulate(program: Program) -> CfgSimulator:
    return CfgSimulator(build_cfg(program.text), program)


def next_step(step: Step) -> NextStep:
    return NextStep(step.event, step.line)


def follow(trace: Trace, *, tells_unwound: bool) -> Counter[int]:
    """Take every step of a trace, and count how many options there were each time.

    `tells_unwound`: the simulator learns which returns have no value.
    """
    simulator, counts = simulate(trace.program), Counter[int]()
    for number, step in enumerate(trace.steps):
        assert not simulator.is_over
        option, location = next_step(step), f"step {number} of\n{trace.program.text}"
        assert option in simulator.options, location
        assert list(simulator.options) == sorted(set(simulator.options)), location
        unwound = step.value is None if step.event == "return" else None
        assert step.event != "return" or simulator.is_unwound(option) in (None, unwound), location
        counts[len(simulator.options)] += 1
        simulator.take(option, unwound=unwound if tells_unwound else None)
    assert simulator.is_over == trace.is_complete
    assert bool(simulator.options) == (not trace.is_complete)
    return counts


def follow_all(traces: Iterable[Trace]) -> Counter[int]:
    """Follow all traces, with and without telling which returns are unwound."""
    counts = Counter[int]()
    for number, trace in enumerate(traces):
        if trace.ending.reason != "not_loaded":
            counts += follow(trace, tells_unwound=number % 2 == 0)
    return counts


def mean(counts: Counter[int]) -> float:
    return sum(options * steps for options, steps in counts.items()) / counts.total()


# -- the actual step is always an option ------------------------------------------------------


@pytest.mark.data
def test_every_step_of_cruxeval_is_an_option(cruxeval_traces: list[Trace]) -> None:
    counts = follow_all(cruxeval_traces)
    assert counts.total() > 13_000
    assert mean(counts) < 2.1
    assert counts[1] / counts.total() > 0.3
    assert max(counts) <= 5


@pytest.mark.data
def test_every_step_of_humaneval_is_an_option(humaneval_traces: list[Trace]) -> None:
    counts = follow_all(humaneval_traces)
    assert counts.total() > 60_000
    assert mean(counts) < 2.8


def test_every_step_of_the_sample_programs_is_an_option(recorder: PythonRecorder) -> None:
    paths = sorted(PROGRAMS.glob("*.py"))
    limits = Limits(steps=4_000, seconds=2)
    programs = map(load_sample_program, paths)
    counts = follow_all(recorder.record(program, limits=limits) for program in programs)
    assert counts.total() > 1_500


@settings(max_examples=25)
@given(data=st.data(), kind=st.sampled_from(FUNCTION_KINDS), seed=st.integers(0, 10**6))
def test_every_step_of_random_programs_is_an_option(
    recorder: PythonRecorder, data: st.DataObject, kind: tuple[str, tuple[str, ...]], seed: int
) -> None:
    keyword, extra = kind
    body = data.draw(blocks(extra))
    source = f"{PRELUDE.format(seed=seed)}{keyword} f():\n    x = 0\n{indent(body)}\n"
    follow_all([recorder.record(Program(source, "run()"), limits=Limits(steps=1_000))])


@pytest.mark.data
def test_random_options_lead_to_the_end_of_the_entry_point(cruxeval: list[dict[str, Any]]) -> None:
    ended = 0
    for number, row in enumerate(cruxeval):
        simulator = simulate(Program(row["code"], f"f({row['input']})"))
        chance = random.Random(number)
        for _ in range(200):
            if simulator.is_over:
                break
            assert simulator.options, row["code"]
            simulator.take(chance.choice(simulator.options))
        ended += simulator.is_over
    assert ended > 700


# -- few other steps are options ------------------------------------------------------------


def options_after(source: str, steps: str, *, call: str | None = "f(1)") -> str:
    """Options after some steps of a program, both as text: "line 2, return 2"."""
    simulator = simulate(Program(source, call))
    for step in filter(None, steps.split(", ")):
        simulator.take(option(step))
    return ", ".join(f"{each.event} {each.line}" for each in simulator.options)


def option(text: str) -> NextStep:
    """ "line 2" -> NextStep("line", 2)"""
    name, line = text.split()
    (event,) = [event for event in EVENTS if event == name]
    return NextStep(event, int(line))


SIMPLE = "def f(x):\n    return x"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", "call 4"),
        ("call 4", "line 5"),
        # Wrong arguments raise an exception in the caller.
        ("call 4, line 5", "call 1, exception 5"),
        ("call 4, line 5, exception 5", "return 5"),
        ("call 4, line 5, call 1", "line 2"),
        ("call 4, line 5, call 1, line 2", "return 2"),
        ("call 4, line 5, call 1, line 2, return 2", "return 5"),
        ("call 4, line 5, call 1, line 2, return 2, return 5", ""),
    ],
)
def test_a_call_happens_once_and_returns(steps: str, expected: str) -> None:
    assert options_after(SIMPLE, steps) == expected


WITHOUT_EXCEPTIONS = """\
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
def test_code_that_cannot_raise_has_no_exception_option(steps: str, expected: str) -> None:
    assert options_after(WITHOUT_EXCEPTIONS, f"call 13, line 14, call 1, {steps}") == expected


@pytest.mark.parametrize("leaf", ["line 6", "line 7, line 8"])
def test_a_loop_jumps_back_without_a_choice(leaf: str) -> None:
    options = options_after(WITHOUT_EXCEPTIONS, f"call 13, line 14, call 1, line 2, {LOOP}, {leaf}")
    assert options in ("line 3", "line 4")


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
        # The `finally` remembers how it was entered.
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
    assert options_after(TRY, f"call 10, line 11, call 1, line 2{steps}") == expected


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
def test_an_exception_of_a_callee_is_raised_in_its_caller(steps: str, expected: str) -> None:
    assert options_after(RAISING, f"call 8, line 9, call 1, line 2{steps}") == expected


GENERATOR = """\
def g():
    yield 1
    yield 2
def f(x):
    a = g()
    x = next(a)
    return x"""
YIELDED_ONCE = ", line 6, call 1, line 2, return 2"
# A generator that is deleted before its first step is started in order to be closed.
CREATED = "call 1, " if BEFORE_312 else ""


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", f"{CREATED}exception 5, line 6"),
        (", line 6", "call 1, exception 6, line 7"),
        # It may be closed before its first step.
        (", line 6, call 1", "exception 1, line 2"),
        (", line 6, call 1, line 2", "return 2"),
        (YIELDED_ONCE, "call 1, call 2, exception 6, line 7"),
        # It may be deleted anywhere.
        (f"{YIELDED_ONCE}, line 7", "call 2, return 7"),
        (f"{YIELDED_ONCE}, line 7, return 7", "call 2, return 10"),
        (f"{YIELDED_ONCE}, line 7, return 7, call 2", "exception 2, line 3"),
        (
            f"{YIELDED_ONCE}, line 7, return 7, call 2, line 3, return 3, call 3, return 3",
            "return 10",
        ),
    ],
)
def test_a_generator_is_resumed_where_it_yielded(steps: str, expected: str) -> None:
    assert options_after(GENERATOR, f"call 9, line 10, call 4, line 5{steps}") == expected


def test_both_of_two_lambdas_on_a_line_may_be_called() -> None:
    source = "def f(x):\n    g = [lambda: 1, lambda: x()]\n    return g[x]()"
    start = "call 5, line 6, call 1, line 2"
    assert options_after(source, start) == "line 3"
    assert options_after(source, f"{start}, line 3") == "call 2, exception 3, return 3"
    assert (
        options_after(source, f"{start}, line 3, call 2, line 2") == "call 2, exception 2, return 2"
    )


@pytest.mark.skipif(not BEFORE_312, reason="from 3.12 on a comprehension has no frame")
def test_a_comprehension_is_called_once() -> None:
    source, start = "def f(x):\n    return [y for y in x]", "call 4, line 5, call 1, line 2"
    assert options_after(source, start) == "call 2, exception 2"
    assert options_after(source, f"{start}, call 2, line 2") == "exception 2, line 2, return 2"
    assert options_after(source, f"{start}, call 2, line 2, return 2") == "return 2"


def test_reading_a_possibly_unassigned_variable_may_raise() -> None:
    source = "def f(x):\n    if x:\n        y = 1\n    return y"
    assert (
        options_after(source, "call 6, line 7, call 1, line 2, line 4") == "exception 4, return 4"
    )
    source = "def f(x):\n    y = 2\n    if x:\n        y = 1\n    return y"
    assert options_after(source, "call 7, line 8, call 1, line 2, line 3, line 5") == "return 5"


def test_a_truth_test_may_raise_only_if_the_program_defines_one() -> None:
    source = "class A:\n    def __bool__(self): return 1\ndef f(x):\n    if x: x = 1\n    return x"
    assert options_after(source, "call 7, line 8, call 3, line 4") == "call 2, exception 4, line 5"


def test_a_with_that_reraises_reports_the_line_of_the_exception() -> None:
    source = """\
class C:
    def __exit__(self, *a): return 0
    def __enter__(self): return 1
def f(x):
    with C() as x:
        x = x[0]
    return x"""
    start = "call 9, line 10, call 4, line 5, call 3, line 3, return 3, line 6, exception 6"
    assert options_after(source, start) == "line 5"
    left = f"{start}, line 5, call 2, line 2, return 2"
    assert options_after(source, left) == "call 2, call 3, exception 5, line 7, return 6"


@pytest.mark.skipif(not BEFORE_312, reason="only 3.11 resumes generators without a call step")
def test_exceptions_thrown_through_generators_do_not_multiply_the_stacks(
    recorder: PythonRecorder,
) -> None:
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
    assert follow(recorder.record(Program(source, "f(5)")), tells_unwound=True).total() > 400


def test_a_module_is_simulated_too() -> None:
    source = "x = 1\nz = x[x]\n"
    assert options_after(source, "", call=None) == "call 1"
    assert options_after(source, "call 1, line 1", call=None) == "line 2"
    assert options_after(source, "call 1, line 1, line 2", call=None) == "exception 2, return 2"
    assert options_after(source, "call 1, line 1, line 2, return 2", call=None) == ""


def test_whether_a_return_is_unwound_is_known_where_possible() -> None:
    simulator = simulate(Program("def f(x):\n    return x[0]", "f(1)"))
    for step in ("call 4", "line 5", "call 1", "line 2"):
        simulator.take(option(step))
    assert simulator.is_unwound(option("return 2")) is False
    simulator.take(option("exception 2"))
    assert simulator.is_unwound(option("return 2")) is True
    with pytest.raises(ValueError, match="unwound=False"):
        simulator.take(option("return 2"), unwound=False)
    simulator.take(option("return 2"), unwound=True)
    assert simulator.options == (option("exception 5"),)


def test_an_impossible_step_is_rejected() -> None:
    simulator = simulate(Program(SIMPLE, "f(1)"))
    with pytest.raises(ValueError, match="cannot come next"):
        simulator.take(option("line 5"))
    assert simulator.options == (option("call 4"),)
    hidden = 'x = """\ndef g(): # << START_OF_TRACE\n"""'
    with pytest.raises(ProgramError, match="no function 'g'"):
        simulate(Program.from_text(hidden))
