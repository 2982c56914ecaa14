"""Codec of CWM: the documented example, and results for malformed text."""

import re

import pytest

from tests.support.paths import DOCS_FOLDER
from worldline.core.errors import CodecError
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import CwmCodec, SpecialToken, get_codec, parse_text_after_trace
from worldline.models.codecs.cwm_tokens import TOKEN_IDS

CODEC = CwmCodec()
ADD = Program("def f(a, b):\n    c = a + b\n    return c\n", "f(1, 3)")
DOCS = DOCS_FOLDER / "reference" / "codecs.md"


def test_the_documented_example_is_exact(recorder: PythonRecorder) -> None:
    section = DOCS.read_text(encoding="utf-8").split("example -->")[1]
    shown = re.findall(r"```\n(.*)\n```", section, re.DOTALL)[0]
    documented = shown.replace("<|frame_sep|>\n", "<|frame_sep|>")
    segments = CODEC.prompt(ADD) + CODEC.encode(recorder.record(ADD))
    assert "".join(segments) == documented


def test_special_tokens_have_the_ids_of_cwm(recorder: PythonRecorder) -> None:
    segments = CODEC.prompt(ADD) + CODEC.encode(recorder.record(ADD))
    ids = [TOKEN_IDS[segment] for segment in segments if isinstance(segment, SpecialToken)]
    assert ids[:6] == [128000, 128107, 128100, 128103, 128101, 128100]
    assert ids[-1] == 128001


def test_a_scope_that_is_returned_to_shows_all_its_variables(recorder: PythonRecorder) -> None:
    program = Program("def g(x):\n    return x\ndef f(a):\n    b = g(a)\n    return b\n", "f(7)")
    text = "".join(CODEC.encode(recorder.record(program)))
    assert '<|line_sep|>{"a": "7", "b": "7"}<|action_sep|>    return b' in text


def test_a_scope_left_by_an_exception_returns_none(recorder: PythonRecorder) -> None:
    program = Program("def f(s):\n    return s.index('z')\n", "f('a')")
    text = "".join(CODEC.encode(recorder.record(program)))
    raised = "(<class 'ValueError'>, ValueError('substring not found'), <traceback object>)"
    line = "<|action_sep|>    return s.index('z')\n"
    assert f'<|exception_sep|>{line}<|arg_sep|>"{raised}"<|frame_sep|>' in text
    assert f'<|return_sep|>{line}<|arg_sep|>"None"<|frame_sep|>' in text


def test_names_of_special_tokens_in_values_are_escaped(recorder: PythonRecorder) -> None:
    program = Program("def f(s):\n    return s\n", "f('<|frame_sep|>')")
    trace = recorder.record(program)
    segments = CODEC.encode(trace)
    values = [
        segment
        for segment in segments
        if not isinstance(segment, SpecialToken) and segment[0] in '{"'
    ]
    assert values
    assert not any("<|" in value for value in values)
    assert CODEC.decode("".join(segments), program).steps == trace.steps


def test_a_program_without_a_call_is_an_error() -> None:
    with pytest.raises(CodecError, match="--call"):
        CODEC.prompt(Program("x = 1\n"))


def test_an_unknown_codec_is_an_error_that_lists_the_codecs() -> None:
    listed = r"available: chat, chat-answer, chat-trace, .*, cwm, .*cwm-text"
    with pytest.raises(CodecError, match=listed):
        get_codec("morse")


CALL = "<|call_sep|>{}<|action_sep|>def main(): # << START_OF_TRACE\n<|frame_sep|>"
LINE = "<|line_sep|>{}<|action_sep|>    return f(1, 3)\n<|frame_sep|>"


@pytest.mark.parametrize(
    ("text", "steps", "stop", "reason"),
    [
        ("", 0, "truncated", "expected"),
        (CALL, 1, "truncated", "a step was expected"),
        (CALL + "<|line_se", 1, "truncated", "a step was expected"),
        (CALL + LINE + '<|call_sep|>{"a": "1', 2, "truncated", "a JSON object"),
        (CALL + LINE + "<|call_sep|>{}<|action_sep|>def f", 2, "truncated", "a newline"),
        (CALL + "<|end_of_text|>", 1, "complete", "the end of the text was written"),
        (CALL + "Now let us think.", 1, "malformed", "found 'Now let us think.'"),
        (
            CALL + "<|line_sep|>{1: 2}<|action_sep|>x\n<|frame_sep|>",
            1,
            "malformed",
            "a JSON object",
        ),
        (CALL + '<|line_sep|>{"a": 1}<|action_sep|>x\n', 1, "malformed", "object of strings"),
        (CALL + "<|line_sep|>{}<|arg_sep|>", 1, "malformed", "expected <|action_sep|>"),
        ('<|return_sep|><|action_sep|>x\n<|arg_sep|>"1"<|frame_sep|>', 0, "malformed", "a call"),
        ("The answer is 4.", 0, "malformed", "expected a step"),
    ],
)
def test_malformed_text_stops_decoding_with_a_reason(
    text: str, steps: int, stop: str, reason: str
) -> None:
    decoded = CODEC.decode(text, ADD)
    assert (len(decoded.steps), decoded.stop) == (steps, stop)
    assert reason in decoded.reason


def test_a_truncated_step_is_kept_as_a_fragment() -> None:
    decoded = CODEC.decode(CALL + LINE + '<|call_sep|>{"a": "1", "b": "[3, \\"x', ADD)
    assert decoded.fragment is not None
    assert decoded.fragment.event == "call"
    assert decoded.fragment.locals == {"a": "1"}
    assert (decoded.fragment.open_name, decoded.fragment.open_value) == ("b", '[3, "x')


def test_a_line_that_is_not_in_the_source_has_number_zero() -> None:
    decoded = CODEC.decode(CALL + LINE.replace("f(1, 3)", "g(1, 3)"), ADD)
    assert decoded.steps[1].line == 0
    assert decoded.step_texts[1].line == "    return g(1, 3)"


def test_text_after_the_trace_is_parsed(recorder: PythonRecorder) -> None:
    text = "".join(CODEC.encode(recorder.record(ADD)))
    answer_text = "So it is 4.\n\n[ANSWER]\nassert f(1, 3) == 4\n[/ANSWER]\n"
    after = parse_text_after_trace(CODEC.decode(text + answer_text, ADD).after)
    assert (after.explanation, after.answer, after.is_repeating) == ("So it is 4.", "4", False)
    repeated = parse_text_after_trace(CODEC.decode(text + answer_text + "\n" + ADD.text, ADD).after)
    assert repeated.is_repeating


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
def test_the_answer_is_the_right_hand_side_of_the_assertion(answer: str, value: str | None) -> None:
    assert parse_text_after_trace(f"[ANSWER]{answer}[/ANSWER]").answer == value


def test_an_unclosed_answer_is_none() -> None:
    assert parse_text_after_trace("[ANSWER]\nassert f(1) == 2").answer is None
