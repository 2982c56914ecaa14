"""Properties of all codecs: round trips, and prefixes of steps for truncated text."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.paths import PROGRAMS_FOLDER
from worldline.core.trace import (
    Ending,
    Event,
    Limits,
    Origin,
    Program,
    Scope,
    Step,
    Trace,
    states,
)
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import (
    CODECS,
    STEP_CODECS,
    Codec,
    Decoded,
    SpecialToken,
    decode_without_special_tokens,
)

# Codecs of formats with steps.
TEXT_CODECS = {name: codec for name, codec in CODECS.items() if not codec.is_chat}
# The format has no line numbers.
CWM_FORMATS = ("cwm", "cwm-choices", "cwm-text")
PROGRAMS = sorted(PROGRAMS_FOLDER.glob("*.py"))

# Text with escapes, newlines, quotes, half surrogate pairs and special tokens.
UNUSUAL_TEXT = st.text(
    st.one_of(
        st.sampled_from(list("\\\"'\n\r\t{}<|>\0\x85\u2028é𝄞")),
        st.characters(exclude_categories=()),
    ),
    max_size=8,
) | st.sampled_from(["<|frame_sep|>", "<|end_of_text|>", "\ud800", "\udc80x", "…", '"}'])
VALUES = (
    UNUSUAL_TEXT.map(repr)
    | UNUSUAL_TEXT.filter(lambda text: text != "..")
    | st.integers().map(repr)
)
NAMES = st.sampled_from(["a", "b", "c", "x1", "ünder"])
SOURCE = "def f(a):\n    b = 1\n    c = 2\n    return b\n"
PROGRAM = Program(SOURCE, "f(1)")


@st.composite
def traces(draw: st.DrawFn) -> Trace:
    """A trace of main calling f, with any values and any lines in between."""
    steps = [Step("call", 6, 0), Step("line", 7, 0)]
    state: dict[str, str] = {}
    names = ("a", "b", "c", "x1", "ünder")
    for index in range(draw(st.integers(1, 5))):
        event: Event = "line" if index else "call"
        line = draw(st.sampled_from([2, 3, 4])) if index else 1
        changed = {
            name: value
            for name, value in draw(st.dictionaries(NAMES, VALUES, max_size=3)).items()
            if state.get(name) != value
        }
        gone = tuple(
            name
            for name in sorted(state)
            if name not in changed and draw(st.sampled_from([False] * 5 + [True]))
        )
        steps.append(Step(event, line, 1, changed, gone))
        state = {name: value for name, value in {**state, **changed}.items() if name not in gone}
    value = draw(VALUES.filter(lambda text: text != "None"))
    last = steps[-1].line
    if draw(st.booleans()):
        steps += [Step("exception", last, 1, value=value), Step("return", last, 1)]
        steps += [Step("exception", 7, 0, value=value), Step("return", 7, 0)]
    else:
        steps += [Step("return", last, 1, value=value), Step("return", 7, 0, value=value)]
    return Trace(
        program=PROGRAM,
        steps=tuple(steps),
        scopes=(Scope("main", 6, (), 0), Scope("f", 1, names, 1)),
        ending=Ending("finished"),
        limits=Limits(),
        origin=Origin("made", "3.11.0", "0"),
    )


def visible(steps: tuple[Step, ...], lines: list[str]) -> Iterator[tuple[Any, ...]]:
    """The part of steps that a format shows: event, line as text, all locals, value."""
    for step, state, line in zip(steps, states(steps), lines, strict=True):
        # CWM writes a scope that is left by an exception as a return of None.
        value = "None" if step.event == "return" and step.value is None else step.value
        yield step.event, line, sorted(state.items()) if step.has_locals else None, value


def as_written(decoded: Decoded) -> list[tuple[Any, ...]]:
    return list(visible(decoded.steps, [written.line for written in decoded.step_texts]))


def as_recorded(trace: Trace) -> list[tuple[Any, ...]]:
    return list(visible(trace.steps, [trace.source_line(step) for step in trace.steps]))


def assert_same_steps(decoded: Decoded, trace: Trace, *, check_lines: bool = True) -> None:
    """All steps are equal; if states are omitted, those that are shown are equal."""
    are_hidden = [not written.shows_state for written in decoded.step_texts]
    if not any(are_hidden) and check_lines:
        assert decoded.steps == trace.steps
        return
    keep = {} if check_lines else {"line": 0}
    bare: dict[str, Any] = {"changed": {}, "gone": (), **keep}
    assert [replace(s, **bare) for s in decoded.steps] == [replace(s, **bare) for s in trace.steps]
    pairs = zip(states(decoded.steps), states(trace.steps), are_hidden, strict=True)
    for number, (decoded_state, actual, is_hidden) in enumerate(pairs):
        assert is_hidden or not trace.steps[number].has_locals or decoded_state == actual


@pytest.mark.parametrize("codec", TEXT_CODECS.values(), ids=TEXT_CODECS)
@settings(max_examples=150)
@given(trace=traces())
def test_generated_traces_survive_a_round_trip(codec: Codec, trace: Trace) -> None:
    decoded = codec.decode("".join(codec.encode(trace)), trace.program)
    assert_same_steps(decoded, trace)
    assert decoded.stop == "complete"


@pytest.mark.parametrize("codec", TEXT_CODECS.values(), ids=TEXT_CODECS)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_recorded_traces_survive_a_round_trip(
    codec: Codec, path: Path, recorder: PythonRecorder
) -> None:
    trace = recorder.record(program_in(path), limits=Limits(steps=3_000, seconds=5))
    if trace.program.entry is None:
        pytest.skip("a program without a call, which the format does not support")
    decoded = codec.decode("".join(codec.encode(trace)), trace.program)
    if codec.name in CWM_FORMATS:
        assert as_written(decoded) == as_recorded(trace)
    else:
        # A line that is not in the source cannot be identified by its text.
        lines = len(trace.program.lines)
        is_inside = all(step.line <= lines for step in trace.steps)
        assert is_inside or codec.name != "delta" or path.stem == "exec_code"
        assert_same_steps(decoded, trace, check_lines=is_inside or codec.name != "delta")


def program_in(path: Path) -> Program:
    source = path.read_text(encoding="utf-8")
    first = source.splitlines()[0]
    return Program(source, first.removeprefix("# call:").strip() if "call:" in first else None)


@pytest.mark.parametrize("codec", TEXT_CODECS.values(), ids=TEXT_CODECS)
@settings(max_examples=15)
@given(trace=traces())
def test_a_truncated_text_gives_a_prefix_of_the_steps(codec: Codec, trace: Trace) -> None:
    text = "".join(codec.encode(trace))
    complete = codec.decode(text, trace.program)
    for position in range(len(text)):
        decoded = codec.decode(text[:position], trace.program)
        count = len(decoded.steps)
        assert decoded.steps == complete.steps[:count]
        assert decoded.step_texts == complete.step_texts[:count]
        if count < len(complete.steps):
            assert decoded.stop == "truncated" or complete.steps[count - 1].event == "exception"


@pytest.mark.parametrize("codec", TEXT_CODECS.values(), ids=TEXT_CODECS)
@settings(max_examples=60)
@given(trace=traces(), data=st.data())
def test_a_damaged_text_is_decoded_without_an_exception(
    codec: Codec, trace: Trace, data: st.DataObject
) -> None:
    text = "".join(codec.encode(trace))
    special_tokens = st.sampled_from(
        [*codec.special_tokens, "<|", "\n", "=", "@9,9:", "+", "99", "\\", '"']
    )
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    damaged = text[:start] + data.draw(special_tokens | UNUSUAL_TEXT) + text[end:]
    decoded = codec.decode(damaged, trace.program)
    assert decoded.stop in ("complete", "truncated", "malformed")
    assert len(decoded.steps) == len(decoded.step_texts)
    # Steps that end before the damage are unchanged.
    before = [w for w in decoded.step_texts if w.end + 20 < start]
    complete = codec.decode(text, trace.program)
    assert decoded.steps[: len(before)] == complete.steps[: len(before)]


@pytest.mark.parametrize("codec", TEXT_CODECS.values(), ids=TEXT_CODECS)
def test_cruxeval_traces_survive_a_round_trip_and_truncation(
    codec: Codec, cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    for row in cruxeval[::40]:
        trace = recorder.record(Program(row["code"], f"f({row['input']})"))
        text = "".join(codec.encode(trace))
        complete = codec.decode(text, trace.program)
        assert complete.stop == "complete"
        if codec.name not in CWM_FORMATS:
            assert_same_steps(complete, trace)
        for position in range(0, len(text), max(1, len(text) // 40)):
            truncated = codec.decode(text[:position], trace.program)
            assert truncated.steps == complete.steps[: len(truncated.steps)]
            assert truncated.stop == "truncated" or len(truncated.steps) == len(complete.steps)


@pytest.mark.parametrize("name", ["delta", "numbers", "edits", "sparse"])
@settings(max_examples=100)
@given(trace=traces())
def test_every_actual_state_matches_the_grammar(name: str, trace: Trace) -> None:
    codec = STEP_CODECS[name]
    for step, parts in zip(trace.steps, codec.encode_steps(trace), strict=False):
        grammar = codec.state_grammar(step.event, max_value_chars=200)
        written = grammar.split("VALUE: ")[1]
        value = "|".join(re.findall(r"/((?:\\.|[^/\\])*)/", written))
        texts = [part.segments[0] for part in parts if part.role == "state" and part.segments[1:]]
        for text in texts:
            lines = text.split("\n") if step.has_locals else [f"x={text}"]
            for line in lines:
                name, equals, rest = line.partition("=")
                assert re.fullmatch(r"\.?\w{1,40}", name)
                assert not equals or re.fullmatch(value, rest)


def test_a_scope_that_is_not_the_expected_one_is_written(recorder: PythonRecorder) -> None:
    source = (
        "def g(n):\n    for i in range(n):\n        yield i\n\n"
        "def f():\n    a, b = g(3), g(3)\n    next(a)\n    next(b)\n    return next(a) + next(b)\n"
    )
    trace = recorder.record(Program(source, "f()"))
    codec = STEP_CODECS["numbers"]
    text = "".join(codec.encode(trace))
    assert "<|call_sep|><|action_sep|>3<|frame_sep|>2<|line_sep|>" in text
    assert codec.decode(text, trace.program).steps == trace.steps


@settings(max_examples=25)
@given(trace=traces())
def test_a_truncated_text_without_special_tokens_gives_a_prefix_of_the_steps(trace: Trace) -> None:
    segments = STEP_CODECS["cwm"].encode(trace)
    text = "".join(segment for segment in segments if not isinstance(segment, SpecialToken))
    complete = decode_without_special_tokens(text, trace.program)
    assert [w.line for w in complete.step_texts] == [trace.source_line(s) for s in trace.steps][
        : len(complete.steps)
    ]
    for position in range(len(text)):
        decoded = decode_without_special_tokens(text[:position], trace.program)
        count = len(decoded.steps)
        assert decoded.steps == complete.steps[:count]


@settings(max_examples=200)
@given(text=st.text() | UNUSUAL_TEXT.map(lambda text: "<|call_sep|>{" + text))
def test_any_text_is_decoded_without_an_exception(text: str) -> None:
    for codec in TEXT_CODECS.values():
        assert codec.decode(text, PROGRAM).steps == ()
    decode_without_special_tokens(text, PROGRAM)
