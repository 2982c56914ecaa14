"""Checks of predicted steps: what contradicts its own line, and what does not."""

import ast
import json

import pytest

from tests.conftest import data_file
from worldline.analysis.trust import check_steps, count_legal_steps
from worldline.analysis.trust.expression_evaluation import (
    UnknownValueError,
    evaluate_expression,
    evaluate_iterable,
)
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import Decoded, get_codec

SOURCE = """\
def f(xs, n):
    total = 0
    for x in xs:
        if x > n:
            total += x
    return total
"""
PROGRAM = Program(SOURCE, "f([1, 5], 2)")
CORRECT = """\
L1: def f(xs, n): => enter; xs = [1, 5]; n = 2
L2: total = 0 => total = 0
L3: for x in xs: => x = 1
L4: if x > n: => False
L3: for x in xs: => x = 5
L4: if x > n: => True
L5: total += x => total = 5
L3: for x in xs: => done
L6: return total => 5
ANSWER: 5
"""


def decode(text: str, program: Program = PROGRAM) -> Decoded:
    return get_codec("chat-trace").decode(text, program)


def contradictions(text: str, answer: str = "5") -> set[tuple[str, int]]:
    checks = check_steps(PROGRAM, decode(text), answer)
    return {(check.kind, check.line) for check in checks if not check.is_consistent}


def test_a_correct_execution_has_no_contradiction() -> None:
    checks = check_steps(PROGRAM, decode(CORRECT), "5")
    assert all(check.is_consistent for check in checks)
    assert {check.kind for check in checks} == {"value", "branch", "note", "argument", "answer"}
    assert count_legal_steps(PROGRAM, decode(CORRECT)) == len(decode(CORRECT).steps)


@pytest.mark.parametrize(
    ("correct", "wrong", "contradiction"),
    [
        ("L5: total += x => total = 5", "L5: total += x => total = 6", ("value", 5)),
        ("L2: total = 0 => total = 0", "L2: total = 0 => total = 1", ("value", 2)),
        ("L6: return total => 5", "L6: return total => 4", ("value", 6)),
        ("L3: for x in xs: => x = 5", "L3: for x in xs: => x = 4", ("value", 3)),
        ("xs = [1, 5]; n = 2", "xs = [1, 5]; n = 3", ("argument", 1)),
        # The condition is False, and the line inside it is executed next.
        ("=> x = 1\nL4: if x > n: => False", "=> x = 3\nL4: if x > n: => False", ("branch", 4)),
    ],
)
def test_what_contradicts_its_line_is_found(
    correct: str, wrong: str, contradiction: tuple[str, int]
) -> None:
    assert correct in CORRECT
    assert contradiction in contradictions(CORRECT.replace(correct, wrong, 1))


def test_a_loop_that_is_left_early_contradicts_its_items() -> None:
    early = "".join(CORRECT.splitlines(keepends=True)[i] for i in (0, 1, 2, 3, 7, 8, 9))
    assert ("branch", 3) in contradictions(early)


def test_a_result_that_is_written_and_not_followed() -> None:
    text = CORRECT.replace("L4: if x > n: => True", "L4: if x > n: => False")
    assert ("note", 4) in contradictions(text)


def test_a_number_that_no_line_writes() -> None:
    text = CORRECT.replace("L5: total += x => total = 5", "L5: total += x => total = 5; n = 9")
    assert ("unwritten", 5) in contradictions(text)


def test_an_answer_that_is_not_the_returned_value() -> None:
    assert contradictions(CORRECT, answer="6") == {("answer", PROGRAM.text.count("\n"))}


def test_later_steps_that_follow_from_a_wrong_one_do_not_contradict_it() -> None:
    text = CORRECT.replace("total = 5\n", "total = 7\n").replace("=> 5\n", "=> 7\n")
    text = text.replace("ANSWER: 5", "ANSWER: 7")
    assert contradictions(text, answer="7") == {("value", 5)}


def test_a_line_that_cannot_come_next_is_not_legal() -> None:
    text = CORRECT.replace("L2: total = 0 => total = 0\n", "L5: total += x => total = 5\n")
    decoded = decode(text)
    legal = count_legal_steps(PROGRAM, decoded)
    assert legal is not None
    assert legal < len(decoded.steps)


def test_the_last_of_equal_targets_is_bound() -> None:
    program = Program("def f(s):\n    _, x, _ = s\n    return x\n", "f('abc')")
    correct = """\
L1: def f(s): => enter; s = 'abc'
L2: _, x, _ = s => _ = 'c'; x = 'b'
L3: return x => 'b'
ANSWER: 'b'
"""
    checks = check_steps(program, decode(correct, program), "'b'")
    assert [(check.line, check.is_consistent) for check in checks if check.kind == "value"] == [
        (2, True),
        (2, True),
        (3, True),
    ]
    wrong = decode(correct.replace("_ = 'c'", "_ = 'a'"), program)
    assert any(not check.is_consistent for check in check_steps(program, wrong, "'b'"))


def test_lines_with_the_same_text_are_not_told_apart_without_numbers() -> None:
    """The second `y = x` contradicts the first one's state only if it is taken for the first."""
    source = "def f(xs):\n    y = 0\n    for x in xs:\n        y = x\n    for x in xs:\n"
    program = Program(f"{source}        y = x\n    return y\n", "f([1, 2])")
    codec = get_codec("cwm")
    with PythonRecorder() as recorder:
        trace = recorder.record(program)
    text = "".join(codec.encode(trace))
    decoded = codec.decode(text, program)
    assert all(check.is_consistent for check in check_steps(program, decoded, "2"))
    assert count_legal_steps(program, decoded) == len(decoded.steps)
    # A line that is not repeated is still checked.
    wrong = codec.decode(text.replace('"y": "0"', '"y": "9"'), program)
    checks = check_steps(program, wrong, "2")
    assert ("value", 2) in {(c.kind, c.line) for c in checks if not c.is_consistent}


@pytest.mark.parametrize(
    ("source", "state", "value"),
    [
        ("s[1:] + 'c'", {"s": "'ab'"}, "bc"),
        ("a // b if b else None", {"a": "7", "b": "0"}, None),
        ("x in d and d[x] > 1", {"d": "{'k': 2}", "x": "'k'"}, True),
        ("sorted(xs)[-1] * 2", {"xs": "[1, 3, 2]"}, 6),
        ("' '.join(s.split('-'))", {"s": "'a-b'"}, "a b"),
        ("max(enumerate(xs))", {"xs": "['a', 'b']"}, (1, "b")),
    ],
)
def test_simple_expressions_have_a_value(source: str, state: dict[str, str], value: object) -> None:
    node = ast.parse(source, mode="eval").body
    assert evaluate_expression(node, state) == value


@pytest.mark.parametrize(
    ("source", "state"),
    [
        ("g(x)", {"x": "1"}),
        ("x + y", {"x": "1"}),
        ("xs[5]", {"xs": "[1]"}),
        ("'a' * 10**9", {}),
        ("x ** 9", {"x": "9"}),
        ("s.ljust(10000000)", {"s": "'a'"}),
        ("s.__class__", {"s": "'a'"}),
        ("len(x)", {"len": "<function f>", "x": "'a'"}),
        ("'%1000000s' % s", {"s": "'a'"}),
        ("x + 1", {"x": "<object>"}),
    ],
)
def test_others_have_none(source: str, state: dict[str, str]) -> None:
    with pytest.raises(UnknownValueError):
        evaluate_expression(ast.parse(source, mode="eval").body, state)


def test_sets_have_no_order() -> None:
    with pytest.raises(UnknownValueError):
        evaluate_iterable(ast.parse("s", mode="eval").body, {"s": "{1, 2}"})


@pytest.mark.data
@pytest.mark.parametrize("codec_name", ["chat-trace", "cwm"])
def test_actual_executions_never_contradict_themselves(codec_name: str) -> None:
    """Every 20th program of CRUXEval, executed: no check may fire on the actual execution."""
    data = data_file("cruxeval.jsonl")
    codec = get_codec(codec_name)
    checked = 0
    with PythonRecorder() as recorder:
        for line in data.read_text(encoding="utf-8").splitlines()[::20]:
            problem = json.loads(line)
            program = Program(problem["code"], f"f({problem['input']})")
            trace = recorder.record(program)
            decoded = codec.decode("".join(codec.encode(trace)), program)
            checks = check_steps(program, decoded, trace.result)
            assert [check for check in checks if not check.is_consistent] == [], problem["id"]
            assert count_legal_steps(program, decoded) == len(decoded.steps), problem["id"]
            checked += len(checks)
    assert checked > 300
