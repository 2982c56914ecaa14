"""Policies of the mode `on-demand`: each has rows that it trusts and rows that it does not."""

import math
from typing import Any

import pytest

from tests.models.prediction.test_row_modes import CALLS, EXPRESSIONS, LOOP, RAISES, UNCAUGHT
from worldline.analysis.trust import row_trust
from worldline.core.trace import Program, Trace
from worldline.languages.python.expression_frames import without_expression_frames
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import ChatTraceCodec, find_answer, get_codec
from worldline.models.prediction import Policy, PredictedRow

CODEC = get_codec("chat-trace")
SUM = Program(
    "def f(xs):\n    total = 0\n    for x in xs:\n        if x > 1:\n            total += x\n"
    "    return total\n",
    "f([1, 2])",
)
BEFORE = """\
L1: def f(xs): => enter; xs = [1, 2]
L2: total = 0 => total = 0
L3: for x in xs: => x = 1
L4: if x > 1: => False
L3: for x in xs: => x = 2
"""


def predicted(
    text: str,
    *,
    before: str = BEFORE,
    program: Program = SUM,
    nll: float | None = None,
    seed: int = 0,
) -> PredictedRow:
    assert isinstance(CODEC, ChatTraceCodec)
    row = CODEC.parse_row(text, program)
    is_answer = row is None and find_answer(text) is not None
    number = before.count("\n")
    return PredictedRow(program, CODEC, number, before, text, row, is_answer, nll, seed)


def trust(policy: Policy, text: str, *, before: str = BEFORE, **options: float) -> float:
    return row_trust(policy)(predicted(text, before=before, **options))  # type: ignore[arg-type]


ADDED = f"{BEFORE}L4: if x > 1: => True\nL5: total += x => total = 2\n"
RETURNED = f"{ADDED}L3: for x in xs: => done\n"


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("L4: if x > 1: => True\n", BEFORE, 1.0),
        ("L4: if x > 1: => False\n", BEFORE, 0.0),
        # The line does not follow in the graph, or not from the condition as it is written.
        ("L6: return total => 0\n", BEFORE, 0.0),
        ("L5: total += x => total = 2\n", f"{BEFORE}L4: if x > 1: => True\n", 1.0),
        ("L5: total += x => total = 3\n", f"{BEFORE}L4: if x > 1: => True\n", 0.0),
        ("L5: total += x => total = 2; xs = [1]\n", f"{BEFORE}L4: if x > 1: => True\n", 1.0),
        ("L5: total += x => total = 2; x = 5\n", f"{BEFORE}L4: if x > 1: => True\n", 0.0),
        ("L3: for x in xs: => done\n", ADDED, 1.0),
        ("L3: for x in xs: => x = 3\n", ADDED, 0.0),
        ("L6: return total => 2\n", RETURNED, 1.0),
        ("L6: return total => 1\n", RETURNED, 0.0),
        ("ANSWER: 2\n", f"{RETURNED}L6: return total => 2\n", 1.0),
        ("ANSWER: 3\n", f"{RETURNED}L6: return total => 2\n", 0.0),
        ("L1: def f(xs): => enter; xs = [1, 2]\n", "", 1.0),
        ("L1: def f(xs): => enter; xs = [1]\n", "", 0.0),
        ("I think so.\n", BEFORE, 0.0),
        ("", BEFORE, 0.0),
    ],
)
def test_checks(text: str, before: str, expected: float) -> None:
    assert trust("checks", text, before=before) == expected


def test_what_cannot_be_checked() -> None:
    program = Program("def f(x):\n    y = sorted(x, key=abs)\n    return y\n", "f([1])")
    row = predicted(
        "L2: y = sorted(x, key=abs) => y = [1]\n",
        before="L1: def f(x): => enter; x = [1]\n",
        program=program,
        nll=0.7,
    )
    assert row_trust("checks")(row) == 0.5
    # The policy `trust` has the probability of the tokens instead.
    assert row_trust("trust")(row) == pytest.approx(math.exp(-0.7))
    assert trust("trust", "L4: if x > 1: => True\n", nll=5) == 1.0
    assert trust("trust", "L4: if x > 1: => False\n", nll=0) == 0.0


@pytest.mark.parametrize(
    ("source", "call"),
    [
        ("def f(x):\n    return x\n", "len([f(2)])"),
        ("def f(x):\n    yield x\n", "list(f(2))"),
        ("def d(g):\n    return lambda x: 7\n\n\n@d\ndef f(x):\n    return x\n", "f(2)"),
        ("class f:\n    def __init__(self, x):\n        self.x = x\n", "f(2).x"),
    ],
)
def test_answers_that_are_not_what_a_function_returned(
    recorder: PythonRecorder, source: str, call: str
) -> None:
    trace = without_expression_frames(recorder.record(Program(source, call)))
    answer = rows_of(trace)[-1]
    assert answer.is_answer
    assert row_trust("checks")(answer) == 0.5


def test_legality() -> None:
    assert trust("illegal", "L4: if x > 1: => False\n") == 1.0
    assert trust("illegal", "L5: total += x => total = 2\n") == 0.0
    assert trust("illegal", "ANSWER: 2\n") == 0.0
    assert trust("illegal", "ANSWER: 3\n", before=f"{RETURNED}L6: return total => 2\n") == 1.0


def test_branches() -> None:
    assert trust("branch", "L4: if x > 1: => False\n") == 0.0
    assert trust("branch", "L3: for x in xs: => done\n") == 0.0
    assert trust("branch", "L5: total += x => total = 2\n") == 1.0
    assert trust("branch", "ANSWER: 2\n") == 1.0


def test_likelihood() -> None:
    assert trust("likelihood", "L4: if x > 1: => False\n", nll=0) == 1.0
    assert trust("likelihood", "L4: if x > 1: => False\n", nll=2) == pytest.approx(math.exp(-2))


def test_chance_depends_on_the_row_and_the_seed_alone() -> None:
    first = trust("random", "L4: if x > 1: => False\n")
    assert first == trust("random", "ANSWER: 7\n", nll=3)
    assert first != trust("random", "L4: if x > 1: => False\n", seed=1)
    draws = [trust("random", "", before="\n" * number) for number in range(300)]
    assert 0.4 < sum(draws) / 300 < 0.6
    assert 0 <= min(draws) < 0.05
    assert 0.95 < max(draws) < 1


def test_ends() -> None:
    assert trust("none", "nonsense") == 1.0
    assert trust("all", "L4: if x > 1: => True\n") == 0.0


def rows_of(trace: Trace) -> list[PredictedRow]:
    """The rows of an actual execution, as if a model had written them."""
    assert isinstance(CODEC, ChatTraceCodec)
    rows: list[PredictedRow] = []
    before = ""
    for row in CODEC.encode_rows(trace):
        text = row.action + row.state
        rows.append(predicted(text, before=before, program=trace.program))
        before += text
    return rows


@pytest.mark.parametrize("program", [LOOP, CALLS, RAISES, EXPRESSIONS, UNCAUGHT])
def test_actual_rows_are_never_contradicted(recorder: PythonRecorder, program: Program) -> None:
    rows = rows_of(without_expression_frames(recorder.record(program)))
    assert [row.text for row in rows if row_trust("checks")(row) == 0] == []
    assert [row.text for row in rows if row_trust("illegal")(row) == 0] == []


@pytest.mark.data
def test_actual_rows_of_cruxeval_are_never_contradicted(
    recorder: PythonRecorder, cruxeval: list[dict[str, Any]]
) -> None:
    counts = {0.0: 0, 0.5: 0, 1.0: 0}
    for problem in cruxeval[::40]:
        trace = recorder.record(Program(problem["code"], f"f({problem['input']})"))
        for row in rows_of(without_expression_frames(trace)):
            counts[row_trust("checks")(row)] += 1
    assert counts[0.0] == 0
    # Most rows can be checked.
    assert counts[1.0] > counts[0.5]
