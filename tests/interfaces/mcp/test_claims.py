"""Claims are right, wrong at an exact place, or unknown."""

import pytest

from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program, Trace
from worldline.interfaces.mcp.claims import ClaimedStep, check_claim, is_same_exception
from worldline.languages.python.recorder import PythonRecorder

SOURCE = """\
def double(x):
    y = x * 2
    return y

def total(n):
    result = 0
    for i in range(n):
        result += double(i)
    return result

def fail(items):
    squares = [item * item for item in items]
    return squares[9]
"""


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    with PythonRecorder() as recorder:
        calls = ("total(2)", "fail([1, 2])")
        recorded = {call: recorder.record(Program(SOURCE, call)) for call in calls}
        recorded["cut"] = recorder.record(Program(SOURCE, "total(9)"), limits=Limits(steps=8))
    return recorded


def step(line: int, **variables: str) -> ClaimedStep:
    return ClaimedStep(line=line, variables=variables)


RIGHT = [
    [step(6, result="0"), step(7, i="0"), step(8, result="0"), step(7, i="1"), step(8, result="2")],
    # With the lines of the function that is called.
    [step(6), step(7), step(8), step(2, y="0"), ClaimedStep(line=3, returned="0"), step(7)],
    # Only the function that is called.
    [step(2), step(3), step(2, y="2"), ClaimedStep(line=3, returned="2")],
    # With the beginning of a function.
    [step(5, n="2"), step(6)],
    # The last value of a loop variable stays.
    [
        step(6),
        step(7),
        step(8),
        step(7),
        step(8),
        step(7, i="1"),
        ClaimedStep(line=9, returned="2"),
    ],
]


@pytest.mark.parametrize("steps", RIGHT)
def test_right_steps(traces: dict[str, Trace], steps: list[ClaimedStep]) -> None:
    check = check_claim(traces["total(2)"], steps=steps)
    assert check.verdict == "right", check.words
    assert check.checked_steps == len(steps)
    assert check.divergence is None


WRONG = [
    ([step(6), step(8)], 1, 7, None, "line 8: result += double(i)", "line 7: for i in range(n):"),
    ([step(6), step(7, i="1")], 1, 7, "i", "1", "0"),
    ([step(6, results="0")], 0, 6, "results", "0", "no such variable"),
    ([step(2), ClaimedStep(line=3, returned="1")], 1, 3, None, "returns 1", "0"),
    ([step(6), ClaimedStep(line=7, raised="TypeError")], 1, 7, None, "raises TypeError",
     "no exception"),
    ([step(6), step(99)], 1, 7, None, "line 99, which does not exist",
     "line 7: for i in range(n):"),
]  # fmt: skip


@pytest.mark.parametrize(("steps", "claim", "line", "variable", "claimed", "actual"), WRONG)
def test_wrong_steps(
    traces: dict[str, Trace],
    steps: list[ClaimedStep],
    claim: int,
    line: int,
    variable: str | None,
    claimed: str,
    actual: str,
) -> None:
    check = check_claim(traces["total(2)"], steps=steps)
    assert check.verdict == "wrong"
    assert check.checked_steps == claim
    assert check.divergence is not None
    assert check.divergence.model_dump() == {
        "claim": claim,
        "line": line,
        "variable": variable,
        "claimed": claimed,
        "actual": actual,
    }


def test_a_claim_that_goes_on_after_the_end(traces: dict[str, Trace]) -> None:
    steps = [step(2), step(3), step(2), step(3), step(2)]
    check = check_claim(traces["total(2)"], steps=steps)
    assert (check.verdict, check.checked_steps) == ("wrong", 4)
    assert check.words == "Claimed step 4 (line 2) does not run: the execution had ended."


def test_nothing_is_said_about_what_was_not_executed(traces: dict[str, Trace]) -> None:
    steps = [step(6), step(7), step(8), step(7)]
    assert check_claim(traces["cut"], steps=steps).verdict == "unknown"
    assert check_claim(traces["cut"], steps=steps[:2]).verdict == "right"
    assert check_claim(traces["cut"], value="72").verdict == "unknown"


def test_results(traces: dict[str, Trace]) -> None:
    trace = traces["total(2)"]
    assert check_claim(trace, value="2").words == "total(2) returns 2."
    assert check_claim(trace, value="2.0").verdict == "right"
    wrong = check_claim(trace, value="'2'")
    assert (wrong.verdict, wrong.words) == ("wrong", "total(2) returns 2; claimed: '2'.")
    assert check_claim(trace, raised="KeyError").verdict == "wrong"
    # Steps come first, then the result.
    assert check_claim(trace, value="3", steps=[step(6)]).checked_steps == 1
    assert check_claim(trace, value="3", steps=[step(6)]).verdict == "wrong"
    assert check_claim(trace, value="2", steps=[step(7)]).verdict == "wrong"


def test_exceptions(traces: dict[str, Trace]) -> None:
    trace = traces["fail([1, 2])"]
    assert check_claim(trace, raised="IndexError").verdict == "right"
    assert check_claim(trace, raised="IndexError: list index out of range").verdict == "right"
    assert check_claim(trace, raised="IndexError('no')").verdict == "wrong"
    assert check_claim(trace, value="4").words == (
        "fail([1, 2]) raises IndexError: list index out of range; claimed: 4."
    )
    # A comprehension is one line, also where it has a frame of its own.
    steps = [step(12, squares="[1, 4]"), ClaimedStep(line=13, raised="IndexError")]
    assert check_claim(trace, steps=steps).verdict == "right"


@pytest.mark.parametrize(
    ("actual", "claimed", "is_same"),
    [
        ("KeyError: 'x'", "KeyError", True),
        ("KeyError: 'x'", "KeyError('x')", True),
        ("KeyError: 'x'", "KeyError('y')", False),
        ("json.JSONDecodeError: no", "JSONDecodeError", True),
        ("ValueError: no", "KeyError", False),
        ("", "KeyError", False),
    ],
)
def test_exceptions_are_compared_by_class_and_text(
    actual: str, claimed: str, is_same: bool
) -> None:
    assert is_same_exception(actual, claimed) is is_same


def test_a_claim_that_is_too_long_is_refused(traces: dict[str, Trace]) -> None:
    steps = [step(6, result="1" * 19_000) for _ in range(11)]
    with pytest.raises(InputError, match="claim fewer steps"):
        check_claim(traces["total(2)"], steps=steps)
    assert check_claim(traces["total(2)"], steps=steps[:10]).verdict == "wrong"


@pytest.mark.parametrize("value", ["[" * 19_000, "-" * 19_000 + "1", "{" * 9_000 + "}" * 9_000])
def test_hostile_values_are_only_wrong(traces: dict[str, Trace], value: str) -> None:
    assert check_claim(traces["total(2)"], value=value).verdict == "wrong"
    assert check_claim(traces["total(2)"], steps=[step(6, result=value)]).verdict == "wrong"
