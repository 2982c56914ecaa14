"""Stored worked examples, spelled formats, and the notes of branching lines."""

import pytest

from worldline.core.errors import CodecError
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import (
    ROW_CODECS,
    branch_note,
    get_codec,
    select_next_line,
)
from worldline.models.codecs.example_traces import MAX_SHOTS, example_traces

BRANCHES = """\
def f(xs):
    for x in xs:
        if (x and
                x > 1):
            y = 1
        elif x: y = 2
        else:
            y = 3
    while y:
        y -= 1
    return y
"""


def test_the_stored_examples_are_what_the_recorder_records(recorder: PythonRecorder) -> None:
    stored = example_traces(MAX_SHOTS)
    assert len(stored) == MAX_SHOTS
    for trace in stored:
        recorded = recorder.record(trace.program)
        assert recorded.steps == trace.steps
        assert recorded.ending == trace.ending


def test_a_spelled_prompt_has_its_examples_and_no_special_tokens() -> None:
    program = Program("def g(x):\n    return -x\n", "g(1)")
    for shots in range(MAX_SHOTS + 1):
        codec = get_codec("cwm-text", shots=shots)
        assert codec.name == f"cwm-text-{shots}"
        assert get_codec(codec.name) == codec
        (text,) = codec.prompt(program)
        assert text.count("<|end_of_text|>") == shots
        assert text.count("<|trace_context_start|>") == shots + 1
        assert text.endswith(f"<|trace_context_start|>{program.text}<|frame_sep|>")
        assert not codec.special_tokens
    assert "".join(get_codec("cwm-text").prompt(program)).count("<|end_of_text|>") == 2


def test_a_spelled_completion_is_read_up_to_the_next_example() -> None:
    codec, (trace, other) = get_codec("cwm-text"), example_traces(2)
    text = "".join(codec.encode(trace)) + "\n" + "".join(codec.prompt(other.program))
    decoded = codec.decode(text, trace.program)
    assert (decoded.stop, len(decoded.steps)) == ("complete", len(trace.steps))


def test_a_chat_prompt_has_a_number_of_examples() -> None:
    program = Program("def g(x):\n    return -x\n", "g(1)")
    for shots in range(MAX_SHOTS + 1):
        assert len(get_codec(f"chat-trace-{shots}").prompt(program)) == 2 * shots + 1
    assert len(get_codec("chat-trace").prompt(program)) == 3


@pytest.mark.parametrize(
    ("name", "shots", "message"),
    [
        ("cwm-text", 4, "3 worked examples"),
        ("cwm-text-4", None, "3 worked examples"),
        ("cwm", 1, "no worked examples"),
        ("cwm-1", None, "no worked examples"),
        ("sparse-9", None, "no worked examples"),
        ("morse-2", None, "no codec 'morse-2'"),
    ],
)
def test_a_wrong_number_of_examples_is_an_error(name: str, shots: int | None, message: str) -> None:
    with pytest.raises(CodecError, match=message):
        get_codec(name, shots=shots)
    assert get_codec("sparse-8").name == "sparse-8"


@pytest.mark.parametrize(
    ("name", "action", "state"),
    [
        ("chat-trace", "L5: best = w =>", " best = 'to'\n"),
        ("chat-trace-states", "LINE L3 |", " best = 'to'\n"),
        (
            "chat-trace-json",
            '{"line": 5, "code": "best = w", "effect":',
            """ {"best": "'to'"}}\n""",
        ),
    ],
)
def test_a_row_has_an_action_and_a_state(name: str, action: str, state: str) -> None:
    (trace,) = example_traces(1)
    codec = ROW_CODECS[name]
    rows = list(codec.encode_rows(trace))
    assert (action, state) in rows
    assert rows[-1] == (codec.answer_prefix, " 'NOT'\n")
    assert all(row.state.endswith("\n") and "\n" not in row.action for row in rows)
    assert "".join(row.action + row.state for row in rows) == "".join(codec.encode(trace))


@pytest.mark.parametrize(
    ("line", "next_line", "note"),
    [
        (2, 3, None),  # the loop continues
        (2, 9, "done"),
        (2, None, "done"),
        (3, 4, None),  # the second line of the condition
        (3, 5, "True"),
        (3, 6, "False"),
        (6, 2, None),  # the body is on the same line
        (9, 10, "True"),
        (9, 11, "False"),
        (10, 9, None),
    ],
)
def test_a_note_follows_from_the_next_line(
    line: int, next_line: int | None, note: str | None
) -> None:
    assert branch_note(BRANCHES, line, next_line) == note


@pytest.mark.parametrize(
    ("line", "note", "candidates", "selected"),
    [
        (3, "True", [5, 6], 5),
        (3, "False", [5, 6], 6),
        (3, None, [5, 6], None),
        (2, None, [3, 9], 3),
        (2, "done", [3, 9], 9),
        (9, "True", [10, 11], 10),
        (9, "False", [10, 11], 11),
        (9, "False", [10, 11, 2], None),
        (10, None, [9], 9),
        (10, "True", [9, 11], None),
    ],
)
def test_a_note_selects_the_next_line(
    line: int, note: str | None, candidates: list[int], selected: int | None
) -> None:
    assert select_next_line(BRANCHES, line, note, candidates) == selected
