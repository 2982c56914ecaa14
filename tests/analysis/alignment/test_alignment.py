"""Divergences of every kind, with their step, variable and values."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.models.codecs.test_properties import program_in, traces
from tests.support.paths import PROGRAMS_FOLDER
from tests.support.predictions import CWM, replaced, text_of
from worldline.analysis.alignment import Alignment, align
from worldline.core.trace import Limits, Program, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import SpecialToken, decode_without_special_tokens

PROGRAMS = sorted(PROGRAMS_FOLDER.glob("*.py"))
SOURCE = """def f(n):
    total = 0
    for i in range(n):
        if i % 2:
            total += i
    return total
"""
PROGRAM = Program(SOURCE, "f(4)")


@pytest.fixture(scope="module")
def actual(recorder: PythonRecorder) -> Trace:
    return recorder.record(PROGRAM)


def aligned(actual: Trace, text: str) -> Alignment:
    return align(actual, CWM.decode(text, actual.program))


def test_a_correct_prediction_does_not_diverge(actual: Trace) -> None:
    result = aligned(actual, text_of(actual))
    assert result.is_complete
    assert result.divergence is None
    assert result.matched_steps == len(actual.steps)


def test_wrong_argument(actual: Trace) -> None:
    text = replaced('<|call_sep|>{"n": "4"}', '<|call_sep|>{"n": "5"}')(text_of(actual))
    divergence = aligned(actual, text).divergence
    assert divergence is not None
    assert (divergence.step, divergence.where, divergence.variable) == (2, "argument", "n")
    assert (divergence.actual, divergence.predicted) == ("4", "5")
    assert divergence.executed_line == 9


def test_wrong_local(actual: Trace) -> None:
    divergence = aligned(
        actual, replaced('"total": "4"', '"total": "3"')(text_of(actual))
    ).divergence
    assert divergence is not None
    assert (divergence.where, divergence.variable, divergence.executed_line) == (
        "state",
        "total",
        5,
    )
    assert (divergence.actual, divergence.predicted) == ("4", "3")


def test_an_unchanged_value_is_the_previous_one(actual: Trace) -> None:
    divergence = aligned(
        actual, replaced('"total": "4"', '"total": ".."')(text_of(actual))
    ).divergence
    assert divergence is not None
    assert (divergence.actual, divergence.predicted) == ("4", "1")


def test_missing_and_extra_locals(actual: Trace) -> None:
    text = text_of(actual)
    missing = aligned(actual, replaced('{"n": "..", "total": "0"}', '{"n": ".."}')(text)).divergence
    assert missing is not None
    assert (missing.where, missing.variable, missing.actual, missing.predicted) == (
        "state",
        "total",
        "0",
        "",
    )
    more = aligned(actual, replaced('"total": "0"}', '"total": "0", "x": "1"}')(text)).divergence
    assert more is not None
    assert (more.variable, more.actual, more.predicted) == ("x", "", "1")


def test_wrong_line(actual: Trace) -> None:
    text = replaced("            total += i\n", "    for i in range(n):\n")(text_of(actual))
    divergence = aligned(actual, text).divergence
    assert divergence is not None
    assert (divergence.where, divergence.executed_line, divergence.line) == ("action", 4, 5)
    assert divergence.predicted == "    for i in range(n):"


def test_leaving_a_loop_is_an_action_error_even_if_its_variable_differs(actual: Trace) -> None:
    right = '"i": "3"}<|action_sep|>        if i % 2:\n'
    text = replaced(right, '"i": ".."}<|action_sep|>    return total\n')(text_of(actual))
    divergence = aligned(actual, text).divergence
    assert divergence is not None
    assert (divergence.where, divergence.variable, divergence.executed_line) == ("action", None, 3)


def test_wrong_return_value(actual: Trace) -> None:
    divergence = aligned(
        actual, replaced('<|arg_sep|>"4"', '<|arg_sep|>"6"')(text_of(actual))
    ).divergence
    assert divergence is not None
    assert (divergence.where, divergence.event, divergence.line) == ("return", "return", 6)
    assert (divergence.actual, divergence.predicted) == ("4", "6")


def test_wrong_exception(recorder: PythonRecorder) -> None:
    actual = recorder.record(Program("def f(s):\n    return s.index('z')\n", "f('a')"))
    text = replaced("ValueError('substring not found')", "ValueError('not found')")(text_of(actual))
    divergence = aligned(actual, text).divergence
    assert divergence is not None
    assert (divergence.where, divergence.step) == ("exception", 4)


def test_a_missed_exception_is_an_action_error(recorder: PythonRecorder) -> None:
    actual = recorder.record(Program("def f(s):\n    return s.index('z')\n", "f('a')"))
    text = text_of(actual).split("<|exception_sep|>")[0]
    text += "<|return_sep|><|action_sep|>    return s.index('z')\n<|arg_sep|>\"-1\"<|frame_sep|>"
    divergence = aligned(actual, text).divergence
    assert divergence is not None
    assert (divergence.where, divergence.event, divergence.predicted_event) == (
        "action",
        "exception",
        "return",
    )


def test_stopping_early_and_continuing_past_the_end(actual: Trace) -> None:
    frames = text_of(actual).split("<|frame_sep|>")
    early = aligned(actual, "<|frame_sep|>".join(frames[:5]) + "<|frame_sep|><|end_of_text|>")
    assert early.divergence is not None
    assert (early.divergence.where, early.divergence.step) == ("end", 5)
    assert early.divergence.predicted == "the end"


def test_an_uncaught_exception_may_be_the_last_step(recorder: PythonRecorder) -> None:
    """CWM's traces end with the exception of the entry point, without its unwinding."""
    actual = recorder.record(Program("def f(s):\n    return s.index('z')\n", "f('a')"))
    text = text_of(actual)
    short = text[: text.rindex("<|return_sep|>")]
    assert aligned(actual, short).is_complete
    assert aligned(actual, short + "<|end_of_text|>").is_complete


@pytest.mark.parametrize(
    ("right", "cut", "where"),
    [
        ('"total": "4"', '"total": "3', "state"),
        ('"total": "4"', '"total": "', None),
        ('"total": "4"', '"total": "..', "state"),
        ('<|arg_sep|>"4"', '<|arg_sep|>"6', "return"),
        ('<|arg_sep|>"4"', '<|arg_sep|>"', None),
        ("            total += i\n", "            to", None),
        ("            total += i\n", "            tw", "action"),
        ("            total += i\n", "            total +", None),
        ("            total += i\n", "            total +\n", "action"),
        ("            total += i\n", "            total += i\n", None),
    ],
)
def test_a_truncated_step_diverges_if_it_is_already_wrong(
    actual: Trace, right: str, cut: str, where: str | None
) -> None:
    text = text_of(actual)
    start = text.index(right)
    result = aligned(actual, text[:start] + cut)
    assert (result.divergence.where if result.divergence else None) == where
    if result.divergence:
        assert result.divergence.is_within_truncated_step
    assert not result.is_complete


def test_reconvergence_with_a_superficially_correct_result(actual: Trace) -> None:
    once = aligned(actual, replaced('"total": "1"', '"total": "2"')(text_of(actual)))
    assert once.divergence is not None
    assert once.reconvergence is not None
    assert once.reconvergence.times == 1
    assert once.reconvergence.steps > 3
    assert once.reconvergence.is_result_correct is True


def test_no_reconvergence(actual: Trace) -> None:
    text = text_of(actual)
    start = text.index('"total": "1"')
    wrong = text[:start] + text[start:].replace('"total": "', '"total": "9').replace(
        'sep|>"', 'sep|>"9'
    )
    result = aligned(actual, wrong)
    assert result.reconvergence is not None
    assert (result.reconvergence.times, result.reconvergence.is_result_correct) == (0, False)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_recorded_trace_aligned_with_itself_does_not_diverge(
    path: Path, recorder: PythonRecorder
) -> None:
    actual = recorder.record(program_in(path), limits=Limits(steps=3_000, seconds=5))
    if actual.program.entry is None:
        pytest.skip("run as a module: the format has no place for it")
    pieces = CWM.encode(actual)
    result = align(actual, CWM.decode("".join(pieces), actual.program))
    assert result.divergence is None
    assert result.matched_steps == len(actual.steps)
    assert result.is_complete == actual.ending.is_complete
    stripped = "".join(piece for piece in pieces if not isinstance(piece, SpecialToken))
    lost = align(actual, decode_without_special_tokens(stripped, actual.program))
    assert lost.divergence is None


@settings(max_examples=100)
@given(trace=traces())
def test_a_generated_trace_aligned_with_itself_does_not_diverge(trace: Trace) -> None:
    result = align(trace, CWM.decode(text_of(trace), trace.program))
    assert result.divergence is None
    assert result.is_complete


@settings(max_examples=100)
@given(trace=traces(), data=st.data())
def test_a_changed_local_is_found_at_its_step(trace: Trace, data: st.DataObject) -> None:
    """Changing one value in the text makes that step and variable the divergence."""
    choices = [(i, name) for i, step in enumerate(trace.steps) for name in step.changed]
    if not choices:
        return
    index, name = data.draw(st.sampled_from(choices))
    steps = list(trace.steps)
    wrong = {**steps[index].changed, name: "'something else entirely'"}
    steps[index] = type(steps[index])(
        steps[index].event, steps[index].line, steps[index].scope, wrong, steps[index].gone
    )
    changed = type(trace)(
        trace.program, tuple(steps), trace.scopes, trace.ending, trace.limits, trace.origin
    )
    result = align(trace, CWM.decode(text_of(changed), trace.program)).divergence
    assert result is not None
    assert (result.step, result.variable) == (index, name)
    assert result.predicted == "'something else entirely'"


FRAMES = """def f(rows):
    squares = [x * x for x in rows if x]
    names = {str(x): x for x in squares}
    total = sum(x for x in squares)
    return names, total
"""


def test_comprehensions_of_different_python_versions_are_compared_by_their_result(
    recorder: PythonRecorder,
) -> None:
    """A prediction with comprehension frames, against a Python with or without them."""
    program = Program(FRAMES, "f([1, 0, 2, 2])")
    actual = recorder.record(program)
    with_frames = FRAMED_TEXT
    decoded = CWM.decode(with_frames, program)
    result = align(actual, decoded)
    assert result.divergence is None
    assert result.is_complete
    wrong = CWM.decode(with_frames.replace("[1, 4, 4]", "[1, 4]"), program)
    other = align(actual, wrong).divergence
    assert other is not None
    assert other.actual == "[1, 4, 4]"
    assert other.where == ("return" if actual.origin.has_comprehension_frames else "state")
    assert result.excludes_comprehensions != actual.origin.has_comprehension_frames


def _framed() -> str:
    """The trace of FRAMES as Python 3.11 records it."""
    line2 = "    squares = [x * x for x in rows if x]"
    line3 = "    names = {str(x): x for x in squares}"
    line4 = "    total = sum(x for x in squares)"
    rows, squares, names = "[1, 0, 2, 2]", "[1, 4, 4]", "{'1': 1, '4': 4}"
    steps = [
        ("call", "{}", "def main(): # << START_OF_TRACE"),
        ("line", "{}", "    return f([1, 0, 2, 2])"),
        ("call", f'{{"rows": "{rows}"}}', "def f(rows):"),
        ("line", '{"rows": ".."}', line2),
        ("call", '{".0": "<list_iterator object>"}', line2),
        ("line", '{".0": ".."}', line2),
        *[("line", f'{{".0": "..", "x": "{x}"}}', line2) for x in ("1", "0", "2", "..")],
        ("return", squares, line2),
        ("line", f'{{"rows": "{rows}", "squares": "{squares}"}}', line3),
        ("call", '{".0": "<list_iterator object>"}', line3),
        ("line", '{".0": ".."}', line3),
        *[("line", f'{{".0": "..", "x": "{x}"}}', line3) for x in ("1", "4", "..")],
        ("return", names, line3),
        ("line", f'{{"rows": "{rows}", "squares": "{squares}", "names": "{names}"}}', line4),
        ("call", '{".0": "<list_iterator object>"}', line4),
        ("line", '{".0": ".."}', line4),
        *[
            part
            for x in ("1", "4", "4")
            for part in (
                ("return", x, line4),
                ("call", f'{{".0": "<list_iterator object>", "x": "{x}"}}', line4),
                ("line", '{".0": "..", "x": ".."}', line4),
            )
        ],
        ("return", "None", line4),
        (
            "line",
            f'{{"rows": "{rows}", "squares": "{squares}", "names": "{names}", "total": "9"}}',
            "    return names, total",
        ),
        ("return", f"({names}, 9)", "    return names, total"),
        ("return", f"({names}, 9)", "    return f([1, 0, 2, 2])"),
    ]
    text = ""
    for event, shown, line in steps:
        if event == "return":
            text += f'<|return_sep|><|action_sep|>{line}\n<|arg_sep|>"{shown}"<|frame_sep|>'
        else:
            text += f"<|{event}_sep|>{shown}<|action_sep|>{line}\n<|frame_sep|>"
    return text + "<|end_of_text|>"


FRAMED_TEXT = _framed()
