"""What holds of every trace: it is read back, and a cut anywhere invents nothing."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from worldline.codecs import CODECS, STEP_CODECS, Codec, Decoded, Special, decode_stripped
from worldline.recorders import PythonRecorder
from worldline.trace import (
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

# All formats that show steps.
TEXTS = {name: codec for name, codec in CODECS.items() if not codec.is_chat}
PROGRAMS = sorted(Path(__file__).parent.parent.glob("programs/*.py"))

# Text that is hard on a format: escapes, newlines, quotes, half surrogates, special tokens.
HARD = st.text(
    st.one_of(
        st.sampled_from(list("\\\"'\n\r\t{}<|>\0\x85\u2028é𝄞")),
        st.characters(exclude_categories=()),
    ),
    max_size=8,
) | st.sampled_from(["<|frame_sep|>", "<|end_of_text|>", "\ud800", "\udc80x", "…", '"}'])
VALUES = HARD.map(repr) | HARD.filter(lambda text: text != "..") | st.integers().map(repr)
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
    """What a format can show of steps: event, line as text, all locals, value."""
    for step, state, line in zip(steps, states(steps), lines, strict=True):
        # The format writes a scope left by an exception as a return of None.
        value = "None" if step.event == "return" and step.value is None else step.value
        yield step.event, line, sorted(state.items()) if step.has_locals else None, value


def as_written(decoded: Decoded) -> list[tuple[Any, ...]]:
    return list(visible(decoded.steps, [written.line for written in decoded.written]))


def as_recorded(trace: Trace) -> list[tuple[Any, ...]]:
    return list(visible(trace.steps, [trace.source_line(step) for step in trace.steps]))


def assert_kept(decoded: Decoded, trace: Trace, *, with_lines: bool = True) -> None:
    """All steps are there; where states are hidden, those that are shown are the true ones."""
    hides = [not written.shows_state for written in decoded.written]
    if not any(hides) and with_lines:
        assert decoded.steps == trace.steps
        return
    keep = {} if with_lines else {"line": 0}
    bare: dict[str, Any] = {"changed": {}, "gone": (), **keep}
    assert [replace(s, **bare) for s in decoded.steps] == [replace(s, **bare) for s in trace.steps]
    pairs = zip(states(decoded.steps), states(trace.steps), hides, strict=True)
    for number, (found, true, is_hidden) in enumerate(pairs):
        assert is_hidden or not trace.steps[number].has_locals or found == true


@pytest.mark.parametrize("codec", TEXTS.values(), ids=TEXTS)
@settings(max_examples=150)
@given(trace=traces())
def test_generated_traces_are_read_back(codec: Codec, trace: Trace) -> None:
    decoded = codec.decode("".join(codec.encode(trace)), trace.program)
    assert_kept(decoded, trace)
    assert decoded.stop == "ended"


@pytest.mark.parametrize("codec", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_recorded_traces_are_read_back(codec: Codec, path: Path, recorder: PythonRecorder) -> None:
    trace = recorder.record(program_in(path), limits=Limits(steps=3_000, seconds=5))
    if trace.program.entry is None:
        pytest.skip("run as a module: the format has no place for it")
    decoded = codec.decode("".join(codec.encode(trace)), trace.program)
    if codec.name == "cwm":
        assert as_written(decoded) == as_recorded(trace)
    else:
        # Only lines that the program does not have cannot be told by their text.
        lines = len(trace.program.lines)
        is_inside = all(step.line <= lines for step in trace.steps)
        assert is_inside or codec.name != "delta" or path.stem == "exec_code"
        assert_kept(decoded, trace, with_lines=is_inside or codec.name != "delta")


def program_in(path: Path) -> Program:
    source = path.read_text(encoding="utf-8")
    first = source.splitlines()[0]
    return Program(source, first.removeprefix("# call:").strip() if "call:" in first else None)


@pytest.mark.parametrize("codec", TEXTS.values(), ids=TEXTS)
@settings(max_examples=15)
@given(trace=traces())
def test_cut_at_every_position_nothing_is_invented(codec: Codec, trace: Trace) -> None:
    text = "".join(codec.encode(trace))
    whole = codec.decode(text, trace.program)
    for position in range(len(text)):
        decoded = codec.decode(text[:position], trace.program)
        count = len(decoded.steps)
        assert decoded.steps == whole.steps[:count]
        assert decoded.written == whole.written[:count]
        if count < len(whole.steps):
            assert decoded.stop == "cut" or whole.steps[count - 1].event == "exception"


@pytest.mark.parametrize("codec", TEXTS.values(), ids=TEXTS)
@settings(max_examples=60)
@given(trace=traces(), data=st.data())
def test_damage_anywhere_is_read_without_an_exception(
    codec: Codec, trace: Trace, data: st.DataObject
) -> None:
    text = "".join(codec.encode(trace))
    specials = st.sampled_from([*codec.specials, "<|", "\n", "=", "@9,9:", "+", "99", "\\", '"'])
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 20)))
    damaged = text[:start] + data.draw(specials | HARD) + text[end:]
    decoded = codec.decode(damaged, trace.program)
    assert decoded.stop in ("ended", "cut", "damaged")
    assert len(decoded.steps) == len(decoded.written)
    # Steps that end before the damage are those that were written.
    before = [w for w in decoded.written if w.end + 20 < start]
    whole = codec.decode(text, trace.program)
    assert decoded.steps[: len(before)] == whole.steps[: len(before)]


@pytest.mark.parametrize("codec", TEXTS.values(), ids=TEXTS)
def test_real_traces_are_read_back_and_cut(
    codec: Codec, cruxeval: list[dict[str, Any]], recorder: PythonRecorder
) -> None:
    for row in cruxeval[::40]:
        trace = recorder.record(Program(row["code"], f"f({row['input']})"))
        text = "".join(codec.encode(trace))
        whole = codec.decode(text, trace.program)
        assert whole.stop == "ended"
        if codec.name != "cwm":
            assert_kept(whole, trace)
        for position in range(0, len(text), max(1, len(text) // 40)):
            cut = codec.decode(text[:position], trace.program)
            assert cut.steps == whole.steps[: len(cut.steps)]
            assert cut.stop == "cut" or len(cut.steps) == len(whole.steps)


@pytest.mark.parametrize("name", ["delta", "numbers", "edits", "sparse"])
@settings(max_examples=100)
@given(trace=traces())
def test_every_true_state_is_within_the_grammar(name: str, trace: Trace) -> None:
    codec = STEP_CODECS[name]
    for step, parts in zip(trace.steps, codec.parts(trace), strict=False):
        grammar = codec.state_grammar(step.event, longest_value=200)
        written = grammar.split("VALUE: ")[1]
        value = "|".join(re.findall(r"/((?:\\.|[^/\\])*)/", written))
        texts = [part.pieces[0] for part in parts if part.role == "state" and part.pieces[1:]]
        for text in texts:
            lines = text.split("\n") if step.has_locals else [f"x={text}"]
            for line in lines:
                name, found, rest = line.partition("=")
                assert re.fullmatch(r"\.?\w{1,40}", name)
                assert not found or re.fullmatch(value, rest)


def test_a_scope_that_is_not_to_be_expected_is_told(recorder: PythonRecorder) -> None:
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
def test_without_special_tokens_nothing_is_invented_either(trace: Trace) -> None:
    pieces = STEP_CODECS["cwm"].encode(trace)
    text = "".join(piece for piece in pieces if not isinstance(piece, Special))
    whole = decode_stripped(text, trace.program)
    assert [w.line for w in whole.written] == [trace.source_line(s) for s in trace.steps][
        : len(whole.steps)
    ]
    for position in range(len(text)):
        decoded = decode_stripped(text[:position], trace.program)
        count = len(decoded.steps)
        assert decoded.steps == whole.steps[:count]


@settings(max_examples=200)
@given(text=st.text() | HARD.map(lambda text: "<|call_sep|>{" + text))
def test_any_text_is_read_without_an_exception(text: str) -> None:
    for codec in TEXTS.values():
        assert codec.decode(text, PROGRAM).steps == ()
    decode_stripped(text, PROGRAM)
