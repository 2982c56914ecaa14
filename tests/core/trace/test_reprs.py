"""One-line representations of the data classes, however large the data."""

import pytest

from worldline.core.trace import Ending, Limits, Origin, Program, Scope, Step, Trace

LONG = "very long \n" * 1000
LINE_STEP = Step("line", 2, 0, {"x": "1"}, ("y",))
RETURN_STEP = Step("return", 2, 0, value="'NOT'")
TRACE = Trace(
    Program("def f(x):\n    return x.upper()\n", "f('not')"),
    (LINE_STEP, RETURN_STEP),
    (Scope("f", 1, ("x",), 1),),
    Ending("finished"),
    Limits(),
    Origin("core", "3.11.7", "0.1.0"),
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (TRACE, "Trace(2 steps, finished: 'NOT', python 3.11.7)"),
        (LINE_STEP, "Step(line, line 2, scope 0: x=1  gone: y)"),
        (RETURN_STEP, "Step(return, line 2, scope 0: = 'NOT')"),
        (Step("line", 3, 4, thread=1), "Step(line, line 3, scope 4, thread 1)"),
        (Ending("finished"), "Ending(finished)"),
        (Ending("raised", "ValueError: no"), "Ending(raised: ValueError: no)"),
        (TRACE.scopes[0], "Scope(f, line 1, [x])"),
        (
            TRACE.program,
            r"""Program('def f(x):\n    return x.upper()\n', call="f('not')", """
            f"hash {TRACE.program.hash})",
        ),
    ],
)
def test_a_repr_shows_the_main_facts(value: object, text: str) -> None:
    assert repr(value) == text


@pytest.mark.parametrize(
    "value",
    [
        Program(LONG, LONG, LONG, "javascript"),
        Step("line", 10_000, 10_000, {LONG: LONG, "x": LONG}, (LONG,), thread=10),
        Step("return", 10_000, 10_000, value=LONG),
        Scope(LONG, 10_000, (LONG, LONG), 2),
        Ending("raised", LONG),
        Limits(1_000_000, 600.0, 16_384, 100_000, 1024, 64, 600),
        Origin("settrace", "3.11.7", "0.1.0", 12345),
        Trace(
            Program(LONG, LONG),
            (RETURN_STEP,) * 100_000,
            (),
            Ending("not_loaded", LONG),
            Limits(),
            TRACE.origin,
        ),
    ],
)
def test_a_repr_is_one_short_line(value: object) -> None:
    assert len(repr(value)) <= 120
    assert repr(value).isprintable()


def test_endings_by_elapsed_time_are_distinguished_from_those_by_cpu_time() -> None:
    cpu = Ending.from_cpu_time_limit(2)
    assert cpu == Ending("time_limit", "more than 2 s of a CPU")
    assert not cpu.is_elapsed_time_limit
    assert Ending("time_limit", "more than 10 s").is_elapsed_time_limit
    assert not Ending("step_limit").is_elapsed_time_limit
