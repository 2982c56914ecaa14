"""Codecs with rows of executed lines: exact round trips, and tolerance for models' replies."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.models.codecs.test_properties import UNUSUAL_TEXT, program_in, traces
from tests.support.paths import PROGRAMS_FOLDER
from worldline.analysis.alignment import align
from worldline.core.errors import CodecError
from worldline.core.trace import Limits, Program, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import ROW_CODECS, Decoded, RowCodec, get_codec
from worldline.models.codecs.example_traces import example_traces
from worldline.models.prediction import make_prediction

CODECS = list(ROW_CODECS.values())
NAMES = list(ROW_CODECS)
PROGRAMS = sorted(PROGRAMS_FOLDER.glob("*.py"))
CODEC = ROW_CODECS["chat-trace"]
WORDS, CALLS, RAISES = example_traces(3)
REPLY = "".join(CODEC.encode(WORDS))
each_codec = pytest.mark.parametrize("codec", CODECS, ids=NAMES)


def assert_round_trip(codec: RowCodec, trace: Trace) -> None:
    decoded = codec.decode("".join(codec.encode(trace)), trace.program)
    assert decoded.steps == trace.steps
    assert decoded.skipped == ()
    assert decoded.stop == ("complete" if trace.ending.is_complete else "truncated")
    alignment = align(trace, decoded)
    assert alignment.divergence is None
    assert alignment.is_complete == trace.is_complete


@each_codec
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_recorded_traces_survive_a_round_trip(
    codec: RowCodec, path: Path, recorder: PythonRecorder
) -> None:
    trace = recorder.record(program_in(path), limits=Limits(steps=3_000, seconds=5))
    if trace.program.entry is None:
        with pytest.raises(CodecError, match="needs a call"):
            list(codec.encode_rows(trace))
        return
    assert_round_trip(codec, trace)


def test_all_cruxeval_traces_survive_a_round_trip(cruxeval_traces: list[Trace]) -> None:
    for trace in cruxeval_traces:
        for codec in CODECS:
            assert_round_trip(codec, trace)
        text = "".join(get_codec("cwm-text").encode(trace))
        assert text == "".join(get_codec("cwm").encode(trace))


def test_all_humaneval_traces_survive_a_round_trip(
    humaneval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    for row in humaneval:
        call = re.search(r"assert candidate(\(.*?\)) ==", row["test"])
        if call is None:
            continue
        source = (row["prompt"] + row["canonical_solution"]).lstrip("\n")
        program = Program(source, f"{row['entry_point']}{call[1]}")
        trace = recorder.record(program, limits=Limits(steps=2_000))
        if trace.steps:
            for codec in CODECS:
                assert_round_trip(codec, trace)


@each_codec
@settings(max_examples=150)
@given(trace=traces())
def test_generated_traces_survive_a_round_trip(codec: RowCodec, trace: Trace) -> None:
    decoded = codec.decode("".join(codec.encode(trace)), trace.program)
    assert decoded.steps == trace.steps
    assert decoded.stop == "complete"


def test_steps_of_several_threads_cannot_be_written() -> None:
    program = program_in(PROGRAMS_FOLDER / "threads.py")
    with PythonRecorder(has_threads=True) as with_threads:
        trace = with_threads.record(program)
    assert trace.has_threads
    for codec in CODECS:
        with pytest.raises(CodecError, match="several threads"):
            codec.encode(trace)


@each_codec
@pytest.mark.parametrize("trace", [WORDS, CALLS, RAISES], ids=["words", "calls", "raises"])
def test_a_text_cut_at_every_character_gives_a_prefix_of_the_steps(
    codec: RowCodec, trace: Trace
) -> None:
    assert_cuts_give_prefixes(codec, trace)


@each_codec
@settings(max_examples=6, phases=[Phase.explicit, Phase.generate])
@given(trace=traces())
def test_a_truncated_text_gives_a_prefix_of_the_steps(codec: RowCodec, trace: Trace) -> None:
    assert_cuts_give_prefixes(codec, trace)


def assert_cuts_give_prefixes(codec: RowCodec, trace: Trace) -> None:
    text = "".join(codec.encode(trace))
    complete = codec.decode(text, trace.program)
    for position in range(len(text)):
        decoded = codec.decode(text[:position], trace.program)
        count = len(decoded.steps)
        assert decoded.steps == complete.steps[:count]
        assert decoded.step_texts == complete.step_texts[:count]
        assert decoded.stop == "truncated"
        # A correct text, cut anywhere, has no divergence: the fragment is right, too.
        assert align(trace, decoded).divergence is None


@each_codec
@settings(max_examples=60)
@given(trace=traces(), data=st.data())
def test_a_damaged_text_is_decoded_without_an_exception(
    codec: RowCodec, trace: Trace, data: st.DataObject
) -> None:
    text = "".join(codec.encode(trace))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    marks = st.sampled_from(["\n", "=", "=>", "L99:", '"', "'", "; ", ",", "{", "]", "# ", "enter"])
    damaged = text[:start] + data.draw(marks | UNUSUAL_TEXT) + text[end:]
    decoded = codec.decode(damaged, trace.program)
    complete = codec.decode(text, trace.program)
    align(trace, decoded)
    # Rows before the damaged one are read as before.
    row_start = text.rfind("\n", 0, start) + 1
    before = sum(step_text.end < row_start for step_text in complete.step_texts)
    assert decoded.steps[:before] == complete.steps[:before]


@each_codec
@settings(max_examples=200)
@given(text=st.text() | UNUSUAL_TEXT.map(lambda text: f"L1: def f(a): => {text}\n"))
def test_any_text_is_decoded_without_an_exception(codec: RowCodec, text: str) -> None:
    decoded = codec.decode(text, WORDS.program)
    assert len(decoded.steps) == len(decoded.step_texts)


def changed_replies() -> Iterator[tuple[str, str]]:
    """Replies that say the same as the perfect one."""
    yield "fenced", f"```text\n{REPLY}```\n"
    yield "prose around", f"Here is the trace:\n\n{REPLY}\nThe function returns the longest word.\n"
    yield "reasoning", f"<think>\nL2: x => y\nANSWER: 3\n</think>\n\n{REPLY}"
    yield "reasoning without its first tag", f"L2: x => y\nhm\n</think>\n{REPLY}"
    yield "blank lines", REPLY.replace("\n", "\n\n")
    yield "bullets", "".join(f"- {row}\n" for row in REPLY.splitlines())
    yield "bold", "".join(f"* **{row}**\n" for row in REPLY.splitlines())
    yield "code", "".join(f"1. `{row}`\n" for row in REPLY.splitlines())
    yield "thin arrow", REPLY.replace("=>", "->")
    yield "unicode arrow", REPLY.replace(" => ", "→")
    yield "no colons", REPLY.replace(": ", " ")
    yield "comments", REPLY.replace("\n", "  # so it is\n")
    yield "spacing", REPLY.replace(": ", ":   ").replace(" = ", "  =  ").replace("=>", "  =>  ")
    yield "double quotes", REPLY.replace("'", '"')
    yield "curly quotes", re.sub(r"'([^']*)'", r"‘\1’", REPLY)
    yield "windows", REPLY.replace("\n", "\r\n")
    yield "answer in tags", REPLY.replace("ANSWER: 'NOT'", "[ANSWER]\n'NOT'\n[/ANSWER]")
    yield "assertion", REPLY.replace("ANSWER: ", "ANSWER: assert f(['to', 'a', 'not']) == ")
    yield "equation", REPLY.replace("ANSWER: ", "ANSWER: f(['to', 'a', 'not']) == ")
    yield "answer on the next line", REPLY.replace("ANSWER: ", "ANSWER:\n")
    yield "bold answer", REPLY.replace("ANSWER: 'NOT'", "**Answer:** `'NOT'`")
    yield "program first", _numbered(WORDS.program) + REPLY
    yield "long words", re.sub(r"^L(\d)", r"Line \1", REPLY, flags=re.MULTILINE)


def _numbered(program: Program) -> str:
    return "".join(f"L{n}: {line}\n" for n, line in enumerate(program.source.splitlines(), 1))


@pytest.mark.parametrize(
    "reply", [reply for _, reply in changed_replies()], ids=[name for name, _ in changed_replies()]
)
def test_a_reply_that_is_written_differently_says_the_same(reply: str) -> None:
    decoded = CODEC.decode(reply, WORDS.program)
    alignment = align(WORDS, decoded)
    assert (alignment.divergence, alignment.is_complete) == (None, True)
    assert [(s.event, s.line) for s in decoded.steps] == [(s.event, s.line) for s in WORDS.steps]
    assert decoded.answer is not None
    assert decoded.answer.strip("'\"‘’") == "NOT"
    assert all(text.shows_state for text in decoded.step_texts)


def decode(old: str, new: str, trace: Trace = WORDS) -> Decoded:
    text = "".join(CODEC.encode(trace))
    assert old in text
    return CODEC.decode(text.replace(old, new, 1), trace.program)


@pytest.mark.parametrize(
    "effect", ["best = 'to", "he takes it", "best", "best = [1, 2", "best['x'] = 1"]
)
def test_an_effect_that_cannot_be_read_is_unknown(effect: str) -> None:
    decoded = decode("=> best = 'to'", f"=> {effect}")
    assert len(decoded.steps) == len(WORDS.steps)
    assert [n for n, text in enumerate(decoded.step_texts) if not text.shows_state] == [7]
    alignment = align(WORDS, decoded)
    assert (alignment.divergence, alignment.is_complete) == (None, True)


def test_a_row_without_an_effect_is_unknown_and_an_empty_effect_is_not() -> None:
    decoded = decode("best = w => best = 'to'", "best = w")
    assert align(WORDS, decoded).divergence is None
    divergence = align(WORDS, decode("best = w => best = 'to'", "best = w =>")).divergence
    assert divergence is not None
    assert (divergence.step, divergence.variable, divergence.where) == (7, "best", "state")


def test_values_after_an_unknown_effect_are_compared_again() -> None:
    decoded = decode("best = ''\n", "it is empty\n")
    wrong = CODEC.decode(
        REPLY.replace("=> best = ''\n", "=> it is empty\n").replace("best = 'not'", "best = 'no'"),
        WORDS.program,
    )
    assert align(WORDS, decoded).divergence is None
    divergence = align(WORDS, wrong).divergence
    assert divergence is not None
    assert (divergence.variable, divergence.predicted) == ("best", "'no'")


@pytest.mark.parametrize(
    ("old", "new", "step", "where"),
    [
        ("best = 'to'", "best = 'xx'", 7, "state"),
        ("w = 'a'", "w = 'b'", 8, "state"),
        ("words = ['to'", "words = ['xx'", 2, "argument"),
        ("=> 'NOT'", "=> 'NO'", 14, "return"),
        ("ANSWER: 'NOT'", "ANSWER: 'NO'", 15, "return"),
        ("L5: best = w => best = 'to'", "L99: best = w => best = 'to'", 6, "action"),
        ("L5: best = w => best = 'to'", "L6: best = w => 'to'", 6, "action"),
        ("L5: best = w => best = 'to'\n", "", 6, "action"),
        ("L6: return best.upper() => 'NOT'\n", "", 13, "action"),
    ],
)
def test_a_wrong_row_is_a_divergence(old: str, new: str, step: int, where: str) -> None:
    divergence = align(WORDS, decode(old, new)).divergence
    assert divergence is not None
    assert (divergence.step, divergence.where) == (step, where)


def test_the_number_decides_which_line_is_meant() -> None:
    decoded = decode("L5: best = w =>", "L5: something else =>")
    assert align(WORDS, decoded).divergence is None
    assert decoded.step_texts[6].line == "            best = w"


@pytest.mark.parametrize(
    ("old", "new", "trace"),
    [
        ("L1: def f(words): => enter; words = ['to', 'a', 'not']\n", "", WORDS),
        ("=> enter; words = ['to', 'a', 'not']", "=> enter", WORDS),
        ("=> enter; words = ['to', 'a', 'not']", "=>", WORDS),
        ("=> enter; words = ['to', 'a', 'not']", "=> words = ['to', 'a', 'not']", WORDS),
        ("enter; n = 3; limit = 10", "enter; n = 3", CALLS),
        ("L1: def double(n): => enter; n = 3\n", "", CALLS),
        ("L8: n = double(n) => n = 6\n", "", CALLS),
    ],
)
def test_what_is_not_written_of_a_call_is_unknown(old: str, new: str, trace: Trace) -> None:
    decoded = decode(old, new, trace)
    assert [(s.event, s.line) for s in decoded.steps] == [(s.event, s.line) for s in trace.steps]
    alignment = align(trace, decoded)
    assert (alignment.divergence, alignment.is_complete) == (None, True)


def test_text_that_is_not_a_row_is_skipped_and_reported() -> None:
    decoded = CODEC.decode(REPLY.replace("L3:", "Now the loop.\nL3:", 1), WORDS.program)
    assert decoded.steps == WORDS.steps
    start = REPLY.index("L3:")
    assert decoded.skipped == ((start, start + len("Now the loop.")),)


def test_a_reply_without_rows_is_only_an_answer() -> None:
    decoded = CODEC.decode("It is the longest word.\nANSWER: 'NOT'\n", WORDS.program)
    assert (decoded.steps, decoded.shows_steps, decoded.answer) == ((), False, "'NOT'")
    malformed = CODEC.decode("It is the longest word.\n", WORDS.program)
    assert (malformed.steps, malformed.stop) == ((), "malformed")
    assert CODEC.decode("<think>\nL1: def f(words): => enter", WORDS.program).stop == "truncated"


def test_a_reply_without_its_answer_has_no_divergence() -> None:
    decoded = decode("ANSWER: 'NOT'\n", "")
    assert (decoded.stop, decoded.answer, len(decoded.steps)) == ("truncated", None, 15)
    assert align(WORDS, decoded).divergence is None


def test_the_last_line_counts_if_the_model_ended_its_reply() -> None:
    reply = REPLY.rstrip("\n")
    ended = make_prediction("a", WORDS.program, reply, CODEC, finish="stop")
    assert (ended.answer, ended.decoded.stop) == ("'NOT'", "complete")
    cut = make_prediction("a", WORDS.program, reply, CODEC, finish="truncated")
    assert (cut.answer, cut.decoded.stop) == (None, "truncated")
    assert cut.decoded.fragment is not None
    assert cut.decoded.fragment.open_value == "'NOT'"


def test_a_truncated_row_keeps_its_line_and_the_effect_before_it() -> None:
    wrong = REPLY.replace("best = 'to'", "best = 'xx'")
    cut = wrong[: wrong.index("'xx'") + len("'xx'\nL3: fo")]
    decoded = CODEC.decode(cut, WORDS.program)
    assert decoded.fragment is not None
    assert (decoded.fragment.event, decoded.fragment.line) == ("line", "    for w in words:")
    divergence = align(WORDS, decoded).divergence
    assert divergence is not None
    assert (divergence.variable, divergence.is_within_truncated_step) == ("best", True)


@each_codec
def test_values_with_newlines_and_separators_are_quoted(
    codec: RowCodec, recorder: PythonRecorder
) -> None:
    source = (
        "class A:\n    def __repr__(self):\n        return 'a; b = 1\\n# it\\'s'\n\n"
        "def f(a, s):\n    b = a\n    return b\n"
    )
    program = Program(source, "f(A(), '; x = 1 # no')")
    trace = recorder.record(program)
    assert any("\n" in value for step in trace.steps for value in step.changed.values())
    assert_round_trip(codec, trace)


@each_codec
def test_a_program_without_a_call_is_an_error(codec: RowCodec) -> None:
    with pytest.raises(CodecError, match="--call"):
        codec.prompt(Program("x = 1\n"))


@each_codec
def test_the_prompt_numbers_the_lines_and_hides_the_entry_point(codec: RowCodec) -> None:
    program = Program("def g(x):\n    return -x\n", "g(1)")
    *_, question = codec.prompt(program)
    assert question == "L1: def g(x):\nL2:     return -x\n\nCall: g(1)"
    marked = Program.from_text(
        "def main(): # << START_OF_TRACE\n    return g(1)\n\ndef g(x):\n    return -x\n"
    )
    *_, question = codec.prompt(marked)
    assert question == "L3:\nL4: def g(x):\nL5:     return -x\n\nCall: g(1)"


def test_json_rows_with_wrong_quotes_and_missing_commas() -> None:
    codec = ROW_CODECS["chat-trace-json"]
    text = "".join(codec.encode(WORDS))
    old = """"effect": {"best": "'to'"}"""
    assert old in text
    for new, is_shown in (
        ("""'effect': {'best': "'to'"}""", True),
        (""""effect": {"best" "'to'"}""", False),
        (""""effect": {"best": "'to'\"""", False),
    ):
        decoded = codec.decode(text.replace(old, new), WORDS.program)
        assert len(decoded.steps) == len(WORDS.steps)
        assert decoded.step_texts[7].shows_state == is_shown
        assert align(WORDS, decoded).divergence is None
