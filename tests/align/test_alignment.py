"""Where two executions part: each place, with the step, the variable and the values."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.codecs.test_properties import program_in, traces
from tests.predictions import CWM, replaced, text_of
from worldline.align import Alignment, align
from worldline.codecs import Special, decode_stripped
from worldline.recorders import PythonRecorder
from worldline.trace import Limits, Program, Trace

PROGRAMS = sorted(Path(__file__).parent.parent.glob("programs/*.py"))
SOURCE = """def f(n):
    total = 0
    for i in range(n):
        if i % 2:
            total += i
    return total
"""
PROGRAM = Program(SOURCE, "f(4)")


@pytest.fixture(scope="module")
def truth(recorder: PythonRecorder) -> Trace:
    return recorder.record(PROGRAM)


def aligned(truth: Trace, text: str) -> Alignment:
    return align(truth, CWM.decode(text, truth.program))


def test_the_right_text_never_parts(truth: Trace) -> None:
    found = aligned(truth, text_of(truth))
    assert found.is_whole
    assert found.divergence is None
    assert found.matched == len(truth.steps)


def test_a_wrong_argument(truth: Trace) -> None:
    text = replaced('<|call_sep|>{"n": "4"}', '<|call_sep|>{"n": "5"}')(text_of(truth))
    divergence = aligned(truth, text).divergence
    assert divergence is not None
    assert (divergence.step, divergence.where, divergence.variable) == (2, "argument", "n")
    assert (divergence.true, divergence.predicted) == ("4", "5")
    assert divergence.executed == 9


def test_a_wrong_local(truth: Trace) -> None:
    divergence = aligned(truth, replaced('"total": "4"', '"total": "3"')(text_of(truth))).divergence
    assert divergence is not None
    assert (divergence.where, divergence.variable, divergence.executed) == ("state", "total", 5)
    assert (divergence.true, divergence.predicted) == ("4", "3")


def test_a_value_said_to_be_unchanged_is_the_one_before(truth: Trace) -> None:
    divergence = aligned(
        truth, replaced('"total": "4"', '"total": ".."')(text_of(truth))
    ).divergence
    assert divergence is not None
    assert (divergence.true, divergence.predicted) == ("4", "1")


def test_a_local_that_is_missing_and_one_too_many(truth: Trace) -> None:
    text = text_of(truth)
    missing = aligned(truth, replaced('{"n": "..", "total": "0"}', '{"n": ".."}')(text)).divergence
    assert missing is not None
    assert (missing.where, missing.variable, missing.true, missing.predicted) == (
        "state",
        "total",
        "0",
        "",
    )
    more = aligned(truth, replaced('"total": "0"}', '"total": "0", "x": "1"}')(text)).divergence
    assert more is not None
    assert (more.variable, more.true, more.predicted) == ("x", "", "1")


def test_a_wrong_line(truth: Trace) -> None:
    text = replaced("            total += i\n", "    for i in range(n):\n")(text_of(truth))
    divergence = aligned(truth, text).divergence
    assert divergence is not None
    assert (divergence.where, divergence.executed, divergence.line) == ("action", 4, 5)
    assert divergence.predicted == "    for i in range(n):"


def test_leaving_a_loop_is_an_action_even_if_its_variable_differs(truth: Trace) -> None:
    right = '"i": "3"}<|action_sep|>        if i % 2:\n'
    text = replaced(right, '"i": ".."}<|action_sep|>    return total\n')(text_of(truth))
    divergence = aligned(truth, text).divergence
    assert divergence is not None
    assert (divergence.where, divergence.variable, divergence.executed) == ("action", None, 3)


def test_a_wrong_return(truth: Trace) -> None:
    divergence = aligned(
        truth, replaced('<|arg_sep|>"4"', '<|arg_sep|>"6"')(text_of(truth))
    ).divergence
    assert divergence is not None
    assert (divergence.where, divergence.event, divergence.line) == ("return", "return", 6)
    assert (divergence.true, divergence.predicted) == ("4", "6")


def test_a_wrong_exception(recorder: PythonRecorder) -> None:
    truth = recorder.record(Program("def f(s):\n    return s.index('z')\n", "f('a')"))
    text = replaced("ValueError('substring not found')", "ValueError('not found')")(text_of(truth))
    divergence = aligned(truth, text).divergence
    assert divergence is not None
    assert (divergence.where, divergence.step) == ("exception", 4)


def test_an_exception_that_was_missed_is_an_action(recorder: PythonRecorder) -> None:
    truth = recorder.record(Program("def f(s):\n    return s.index('z')\n", "f('a')"))
    text = text_of(truth).split("<|exception_sep|>")[0]
    text += "<|return_sep|><|action_sep|>    return s.index('z')\n<|arg_sep|>\"-1\"<|frame_sep|>"
    divergence = aligned(truth, text).divergence
    assert divergence is not None
    assert (divergence.where, divergence.event, divergence.predicted_event) == (
        "action",
        "exception",
        "return",
    )


def test_stopping_early_and_running_on(truth: Trace) -> None:
    frames = text_of(truth).split("<|frame_sep|>")
    early = aligned(truth, "<|frame_sep|>".join(frames[:5]) + "<|frame_sep|><|end_of_text|>")
    assert early.divergence is not None
    assert (early.divergence.where, early.divergence.step) == ("end", 5)
    assert early.divergence.predicted == "the end"


def test_an_uncaught_exception_may_be_the_last_step(recorder: PythonRecorder) -> None:
    """CWM's own traces end with the raise out of the entry point, without its unwinding."""
    truth = recorder.record(Program("def f(s):\n    return s.index('z')\n", "f('a')"))
    text = text_of(truth)
    short = text[: text.rindex("<|return_sep|>")]
    assert aligned(truth, short).is_whole
    assert aligned(truth, short + "<|end_of_text|>").is_whole


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
def test_a_step_that_breaks_off_counts_if_it_is_wrong_already(
    truth: Trace, right: str, cut: str, where: str | None
) -> None:
    text = text_of(truth)
    start = text.index(right)
    found = aligned(truth, text[:start] + cut)
    assert (found.divergence.where if found.divergence else None) == where
    if found.divergence:
        assert found.divergence.is_within_cut
    assert not found.is_whole


def test_finding_back_and_being_right_for_the_wrong_reasons(truth: Trace) -> None:
    once = aligned(truth, replaced('"total": "1"', '"total": "2"')(text_of(truth)))
    assert once.divergence is not None
    assert once.recovery is not None
    assert once.recovery.times == 1
    assert once.recovery.steps > 3
    assert once.recovery.is_result_right is True


def test_never_finding_back(truth: Trace) -> None:
    text = text_of(truth)
    start = text.index('"total": "1"')
    wrong = text[:start] + text[start:].replace('"total": "', '"total": "9').replace(
        'sep|>"', 'sep|>"9'
    )
    found = aligned(truth, wrong)
    assert found.recovery is not None
    assert (found.recovery.times, found.recovery.is_result_right) == (0, False)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_recorded_trace_aligned_with_itself_never_parts(
    path: Path, recorder: PythonRecorder
) -> None:
    truth = recorder.record(program_in(path), limits=Limits(steps=3_000, seconds=5))
    if truth.program.entry is None:
        pytest.skip("run as a module: the format has no place for it")
    pieces = CWM.encode(truth)
    found = align(truth, CWM.decode("".join(pieces), truth.program))
    assert found.divergence is None
    assert found.matched == len(truth.steps)
    assert found.is_whole == truth.ending.is_complete
    stripped = "".join(piece for piece in pieces if not isinstance(piece, Special))
    lost = align(truth, decode_stripped(stripped, truth.program))
    assert lost.divergence is None


@settings(max_examples=100)
@given(trace=traces())
def test_a_generated_trace_aligned_with_itself_never_parts(trace: Trace) -> None:
    found = align(trace, CWM.decode(text_of(trace), trace.program))
    assert found.divergence is None
    assert found.is_whole


@settings(max_examples=100)
@given(trace=traces(), data=st.data())
def test_a_changed_local_is_found_where_it_is(trace: Trace, data: st.DataObject) -> None:
    """Change one value in the text: the divergence is that step and that variable."""
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
    found = align(trace, CWM.decode(text_of(changed), trace.program)).divergence
    assert found is not None
    assert (found.step, found.variable) == (index, name)
    assert found.predicted == "'something else entirely'"


FRAMES = """def f(rows):
    squares = [x * x for x in rows if x]
    names = {str(x): x for x in squares}
    total = sum(x for x in squares)
    return names, total
"""


def test_comprehensions_of_another_python_are_compared_by_what_they_give(
    recorder: PythonRecorder,
) -> None:
    """A prediction with frames, against a Python without them (or with: then as it is)."""
    program = Program(FRAMES, "f([1, 0, 2, 2])")
    truth = recorder.record(program)
    with_frames = FRAMED_TEXT
    decoded = CWM.decode(with_frames, program)
    found = align(truth, decoded)
    assert found.divergence is None
    assert found.is_whole
    wrong = CWM.decode(with_frames.replace("[1, 4, 4]", "[1, 4]"), program)
    other = align(truth, wrong).divergence
    assert other is not None
    assert other.true == "[1, 4, 4]"
    assert other.where == ("return" if truth.origin.has_comprehension_frames else "state")
    assert found.is_folded != truth.origin.has_comprehension_frames


def _framed() -> str:
    """The trace of FRAMES as Python 3.11 makes it."""
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
