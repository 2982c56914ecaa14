"""CWM's format: one example byte for byte, and what its reader says of damage."""

import re
from pathlib import Path

import pytest

from worldline.codecs import CwmCodec, Special, codec_named, read_after
from worldline.codecs.specials import TOKEN_IDS
from worldline.errors import CodecError
from worldline.recorders import PythonRecorder
from worldline.trace import Program

CODEC = CwmCodec()
ADD = Program("def f(a, b):\n    c = a + b\n    return c\n", "f(1, 3)")
DOCS = Path(__file__).parent.parent.parent / "docs" / "formats.md"


def test_the_documented_example_byte_for_byte(recorder: PythonRecorder) -> None:
    section = DOCS.read_text(encoding="utf-8").split("example -->")[1]
    shown = re.findall(r"```\n(.*)\n```", section, re.DOTALL)[0]
    documented = shown.replace("<|frame_sep|>\n", "<|frame_sep|>")
    pieces = CODEC.prompt(ADD) + CODEC.encode(recorder.record(ADD))
    assert "".join(pieces) == documented


def test_special_tokens_are_pieces_with_metas_ids(recorder: PythonRecorder) -> None:
    pieces = CODEC.prompt(ADD) + CODEC.encode(recorder.record(ADD))
    ids = [TOKEN_IDS[piece] for piece in pieces if isinstance(piece, Special)]
    assert ids[:6] == [128000, 128107, 128100, 128103, 128101, 128100]
    assert ids[-1] == 128001


def test_a_scope_returned_to_shows_its_whole_state(recorder: PythonRecorder) -> None:
    program = Program("def g(x):\n    return x\ndef f(a):\n    b = g(a)\n    return b\n", "f(7)")
    text = "".join(CODEC.encode(recorder.record(program)))
    assert '<|line_sep|>{"a": "7", "b": "7"}<|action_sep|>    return b' in text


def test_an_exception_leaves_a_scope_with_a_return_of_none(recorder: PythonRecorder) -> None:
    program = Program("def f(s):\n    return s.index('z')\n", "f('a')")
    text = "".join(CODEC.encode(recorder.record(program)))
    raised = "(<class 'ValueError'>, ValueError('substring not found'), <traceback object>)"
    line = "<|action_sep|>    return s.index('z')\n"
    assert f'<|exception_sep|>{line}<|arg_sep|>"{raised}"<|frame_sep|>' in text
    assert f'<|return_sep|>{line}<|arg_sep|>"None"<|frame_sep|>' in text


def test_no_special_token_can_be_spelled_in_a_value(recorder: PythonRecorder) -> None:
    program = Program("def f(s):\n    return s\n", "f('<|frame_sep|>')")
    trace = recorder.record(program)
    pieces = CODEC.encode(trace)
    values = [piece for piece in pieces if not isinstance(piece, Special) and piece[0] in '{"']
    assert values
    assert not any("<|" in value for value in values)
    assert CODEC.decode("".join(pieces), program).steps == trace.steps


def test_a_program_without_a_call_has_no_prompt() -> None:
    with pytest.raises(CodecError, match="--call"):
        CODEC.prompt(Program("x = 1\n"))


def test_an_unknown_codec_names_those_there_are() -> None:
    with pytest.raises(CodecError, match="there is chat, cwm"):
        codec_named("morse")


CALL = "<|call_sep|>{}<|action_sep|>def main(): # << START_OF_TRACE\n<|frame_sep|>"
LINE = "<|line_sep|>{}<|action_sep|>    return f(1, 3)\n<|frame_sep|>"


@pytest.mark.parametrize(
    ("text", "steps", "stop", "reason"),
    [
        ("", 0, "cut", "expected"),
        (CALL, 1, "cut", "a step was expected"),
        (CALL + "<|line_se", 1, "cut", "a step was expected"),
        (CALL + LINE + '<|call_sep|>{"a": "1', 2, "cut", "a JSON object"),
        (CALL + LINE + "<|call_sep|>{}<|action_sep|>def f", 2, "cut", "a newline"),
        (CALL + "<|end_of_text|>", 1, "ended", "the end of the text was written"),
        (CALL + "Now let us think.", 1, "damaged", "found 'Now let us think.'"),
        (CALL + "<|line_sep|>{1: 2}<|action_sep|>x\n<|frame_sep|>", 1, "damaged", "a JSON object"),
        (CALL + '<|line_sep|>{"a": 1}<|action_sep|>x\n', 1, "damaged", "object of strings"),
        (CALL + "<|line_sep|>{}<|arg_sep|>", 1, "damaged", "expected <|action_sep|>"),
        ('<|return_sep|><|action_sep|>x\n<|arg_sep|>"1"<|frame_sep|>', 0, "damaged", "a call"),
        ("The answer is 4.", 0, "damaged", "expected a step"),
    ],
)
def test_damage_is_data(text: str, steps: int, stop: str, reason: str) -> None:
    decoded = CODEC.decode(text, ADD)
    assert (len(decoded.steps), decoded.stop) == (steps, stop)
    assert reason in decoded.reason


def test_a_step_that_breaks_off_keeps_what_it_says() -> None:
    decoded = CODEC.decode(CALL + LINE + '<|call_sep|>{"a": "1", "b": "[3, \\"x', ADD)
    assert decoded.fragment is not None
    assert decoded.fragment.event == "call"
    assert decoded.fragment.locals == {"a": "1"}
    assert (decoded.fragment.open_name, decoded.fragment.open_value) == ("b", '[3, "x')


def test_a_line_that_is_not_in_the_source_has_no_number() -> None:
    decoded = CODEC.decode(CALL + LINE.replace("f(1, 3)", "g(1, 3)"), ADD)
    assert decoded.steps[1].line == 0
    assert decoded.written[1].line == "    return g(1, 3)"


def test_what_comes_behind_the_trace_is_kept(recorder: PythonRecorder) -> None:
    text = "".join(CODEC.encode(recorder.record(ADD)))
    more = "So it is 4.\n\n[ANSWER]\nassert f(1, 3) == 4\n[/ANSWER]\n"
    after = read_after(CODEC.decode(text + more, ADD).after)
    assert (after.explanation, after.answer, after.is_repeating) == ("So it is 4.", "4", False)
    again = read_after(CODEC.decode(text + more + "\n" + ADD.text, ADD).after)
    assert again.is_repeating


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        ("assert f('a == b') == [1, 2]", "[1, 2]"),
        ("assert f(1) == 'x == y'", "'x == y'"),
        (" 4 ", "4"),
        ("assert f(1) == 'unclosed", "'unclosed"),
        ("", None),
    ],
)
def test_the_answer_is_the_right_hand_side(answer: str, value: str | None) -> None:
    assert read_after(f"[ANSWER]{answer}[/ANSWER]").answer == value


def test_an_answer_that_was_not_closed_is_none() -> None:
    assert read_after("[ANSWER]\nassert f(1) == 2").answer is None
