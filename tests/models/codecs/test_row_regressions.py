"""Replies in rows that were once read wrongly."""

import pytest

from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec
from worldline.models.codecs.answer_row import parse_value
from worldline.models.codecs.effect_notation import EffectNotation
from worldline.models.codecs.rows import Item
from worldline.models.codecs.state_notation import StateNotation

PROGRAM = Program("def f(xs):\n    if not xs: return []\n    return xs\n", "f([])")


@pytest.mark.parametrize("text", ["Line 2 is the loop.", "Return 5 if there is none.", "Line 2: a"])
def test_prose_is_not_a_row_with_a_state(text: str) -> None:
    assert StateNotation().parse(text, PROGRAM.lines) is None


@pytest.mark.parametrize(
    "text", ["LINE L2 | x = 1", "LINE L2: x = 1", "line 2 | x = 1", "L2 | x = 1"]
)
def test_marked_lines_are_rows_with_a_state(text: str) -> None:
    parsed = StateNotation().parse(text, PROGRAM.lines)
    assert parsed is not None
    assert (parsed.row.line, parsed.row.items) == (2, (Item("set", "x", "1"),))


@pytest.mark.parametrize("value", ["[]", "()"])
def test_an_empty_value_is_returned_by_a_line_that_may_return(value: str) -> None:
    parsed = EffectNotation().parse(f"L2: if not xs: return [] => {value}", PROGRAM.lines)
    assert parsed is not None
    assert parsed.row.items == (Item("return", value=value),)


def test_no_effect_in_brackets_is_no_effect() -> None:
    parsed = EffectNotation().parse("L1: def f(xs): => (no change)", PROGRAM.lines)
    assert parsed is not None
    assert parsed.row.items == ()


@pytest.mark.parametrize("text", ["`4`.", "`4`", "``4``", "4"])
def test_an_answer_in_backticks(text: str) -> None:
    assert parse_value(text) == Item("return", value="4")


def test_the_line_of_a_truncated_row_is_known_although_it_ends_in_its_own_number() -> None:
    notation = EffectNotation()
    fragment = notation.parse_truncated("- L3: return 3", PROGRAM.lines)
    assert fragment is not None
    assert fragment.line == "    return xs"
    assert notation.parse_truncated("- L3", PROGRAM.lines) is None


def test_a_raised_answer_alone_is_complete() -> None:
    decoded = get_codec("chat-trace").decode("ANSWER: raise ValueError('x')\n", PROGRAM)
    assert (decoded.stop, decoded.answer, decoded.steps) == ("complete", None, ())


@pytest.mark.parametrize(
    ("row", "item"),
    [
        ("L3: return xs => 3 % 42 + 14 => 3 + 14 => 17", Item("return", value="17")),
        ("L3: return xs => '3 => 4'", Item("return", value="'3 => 4'")),
        ("L1: xs = g() => xs = 'a'.upper() => 'A'", Item("set", "xs", "'A'")),
        ("L2: if not xs: => len(xs) == 0 => True", Item("note", value="True")),
    ],
)
def test_the_last_value_of_a_calculation_counts(row: str, item: Item) -> None:
    parsed = EffectNotation().parse(row, PROGRAM.lines)
    assert parsed is not None
    assert parsed.row.items == (item,)


def test_a_value_with_an_arrow_survives_a_round_trip() -> None:
    source = (
        "class A:\n    def __repr__(self):\n        return '<A => b>'\n\n"
        "def f():\n    x = A()\n    return [x]\n"
    )
    codec = get_codec("chat-trace")
    actual = PythonRecorder().record(Program(source, "f()"))
    assert codec.decode("".join(codec.encode(actual)), actual.program).steps == actual.steps


def test_the_key_of_a_key_error_is_quoted_once() -> None:
    program = Program("def f(d):\n    return d['x']\n", "f({})")
    actual = PythonRecorder().record(program)
    codec = get_codec("chat-trace")
    text = "".join(codec.encode(actual)).replace("KeyError('x')", "KeyError: 'x'")
    assert text.count("KeyError: 'x'") == 2
    assert codec.decode(text, program).steps == actual.steps


def test_entering_a_line_that_enters_nothing_is_no_call() -> None:
    program = Program("def f(x):\n    try:\n        x += 1\n    except E:\n        x = 0\n", "f(1)")
    rows = "L1: def f(x): => enter; x = 1\nL2: try: => enter\nL3: x += 1 => x = 2\nANSWER: None\n"
    decoded = get_codec("chat-trace").decode(rows, program)
    assert [(step.event, step.line) for step in decoded.steps[2:5]] == [
        ("call", 1), ("line", 2), ("line", 3),
    ]  # fmt: skip
    # Nothing is known about the state after that line.
    assert [text.shows_state for text in decoded.step_texts[2:5]] == [True, True, False]


def test_a_variable_on_a_return_line_is_the_returned_value() -> None:
    program = Program("def f(xs):\n    return xs[1:]\n", "f([1, 2])")
    rows = "L1: def f(xs): => enter; xs = [1, 2]\nL2: return xs[1:] => xs = [2]\nANSWER: [2]\n"
    codec = get_codec("chat-trace")
    actual = PythonRecorder().record(program)
    assert codec.decode(rows, program).steps == actual.steps


def test_a_return_line_with_a_finally_block_may_change_a_variable() -> None:
    source = "def f(xs):\n    try:\n        return xs.pop()\n    finally:\n        xs.append(0)\n"
    codec = get_codec("chat-trace")
    actual = PythonRecorder().record(Program(source, "f([1, 2])"))
    text = "".join(codec.encode(actual))
    assert "L3: return xs.pop() => xs = [1]" in text
    assert codec.decode(text, actual.program).steps == actual.steps
