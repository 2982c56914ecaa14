"""Alignment of predictions in codecs that write only changes."""

from collections.abc import Callable

import pytest

from tests.support.predictions import diagnose_edit, replaced, text_of
from worldline.analysis.alignment import align
from worldline.analysis.diagnosis import Diagnosis
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import CODECS, Codec, get_codec

SOURCE = """\
def f(n):
    a = n + 1
    b = 0
    if a > 2:
        b = a
    else:
        b = 0
    return a + b
"""
TEXTS = {name: codec for name, codec in CODECS.items() if not codec.is_chat}
NUMBERED = ["numbers", "edits", "sparse", "sparse-8"]


def diagnosed(recorder: PythonRecorder, codec: str, edit: Callable[[str], str]) -> Diagnosis:
    return diagnose_edit(recorder, SOURCE, "f(2)", edit, codec=get_codec(codec))


@pytest.mark.parametrize("codec", TEXTS.values(), ids=TEXTS)
def test_the_actual_trace_is_correct_in_every_codec(codec: Codec, recorder: PythonRecorder) -> None:
    trace = recorder.record(Program(SOURCE, "f(2)"))
    decoded = codec.decode(text_of(trace, codec), trace.program)
    alignment = align(trace, decoded)
    assert (alignment.is_complete, alignment.divergence) == (True, None)
    assert alignment.matched_steps == len(trace.steps)


@pytest.mark.parametrize("codec", NUMBERED)
def test_a_wrong_line_number_is_an_action_error(codec: str, recorder: PythonRecorder) -> None:
    # Line 7 has the text of line 3; only their numbers differ.
    shown = diagnosed(recorder, codec, replaced("5<|line_sep|>", "7<|line_sep|>")).facts
    assert shown.divergence is not None
    assert (shown.divergence.where, shown.divergence.predicted_line_number) == ("action", 7)
    assert shown.action is not None
    assert (shown.action.kind, shown.action.is_legal) == ("branch_misjudged", True)


def test_delta_distinguishes_identical_lines_by_number(recorder: PythonRecorder) -> None:
    source = SOURCE.replace("        b = 0", "        b = a")
    trace = recorder.record(Program(source, "f(1)"))
    text = text_of(trace, get_codec("delta"))
    assert "<|action_sep|>        b = a<|arg_sep|>2<|line_sep|>" in text
    wrong = replaced("b = a<|arg_sep|>2", "b = a")
    result = diagnose_edit(recorder, source, "f(1)", wrong, codec=get_codec("delta")).facts
    assert result.divergence is not None
    assert (result.divergence.where, result.divergence.predicted_line_number) == ("action", 5)


@pytest.mark.parametrize("codec", NUMBERED)
@pytest.mark.parametrize("number", ["0", "99", "999999999"])
def test_a_line_number_outside_the_program_is_an_invented_line(
    codec: str, number: str, recorder: PythonRecorder
) -> None:
    result = diagnosed(recorder, codec, replaced("5<|line_sep|>", f"{number}<|line_sep|>")).facts
    assert result.divergence is not None
    assert result.divergence.where == "action"
    assert result.divergence.predicted == f"(no line {number})"
    assert result.action is not None
    assert result.action.kind == "line_invented"


@pytest.mark.parametrize("codec", ["delta", "numbers", "edits", "sparse"])
def test_a_wrong_value_is_a_state_divergence(codec: str, recorder: PythonRecorder) -> None:
    result = diagnosed(recorder, codec, replaced("a=3", "a=4")).facts.divergence
    assert result is not None
    assert (result.where, result.variable, result.actual, result.predicted) == (
        "state",
        "a",
        "3",
        "4",
    )


@pytest.mark.parametrize("codec", ["delta", "numbers"])
def test_an_omitted_change_is_a_state_divergence(codec: str, recorder: PythonRecorder) -> None:
    # The prediction omits that `b` becomes 3, or that `a` is new.
    kept = diagnosed(recorder, codec, replaced("b=3", "")).facts.divergence
    assert kept is not None
    assert (kept.where, kept.variable, kept.actual, kept.predicted) == ("state", "b", "3", "0")
    new = diagnosed(recorder, codec, replaced("a=3", "")).facts.divergence
    assert new is not None
    assert (new.where, new.variable, new.actual, new.predicted) == ("state", "a", "3", "")


@pytest.mark.parametrize("codec", ["delta", "numbers", "edits", "sparse"])
@pytest.mark.parametrize("extra", ["zz=1", "n=7", "n", "zz"])
def test_an_extra_change_is_a_state_divergence(
    codec: str, extra: str, recorder: PythonRecorder
) -> None:
    result = diagnosed(recorder, codec, replaced("a=3", f"a=3\n{extra}")).facts.divergence
    assert result is not None
    assert (result.where, result.variable) == ("state", extra.partition("=")[0])


def test_repeating_an_unchanged_value_is_correct(recorder: PythonRecorder) -> None:
    result = diagnosed(recorder, "numbers", replaced("a=3", "a=3\nn=2"))
    assert result.facts.outcome == "correct"


def test_states_that_a_sparse_codec_omits_are_not_compared(recorder: PythonRecorder) -> None:
    codec = get_codec("sparse")
    trace = recorder.record(Program(SOURCE, "f(2)"))
    text = text_of(trace, codec)
    # Only the step after the branch shows what changed since the call.
    assert "<|line_sep|>2<|line_sep|>3<|line_sep|><|arg_sep|>a=3\nb=0<|action_sep|>4" in text
    decoded = codec.decode(text, trace.program)
    assert [w.shows_state for w in decoded.step_texts][3:7] == [False, False, True, False]
    # A change omitted from a shown state is a divergence, even if it happened earlier.
    result = diagnosed(recorder, "sparse", replaced("\nb=0", "")).facts.divergence
    assert result is not None
    assert (result.where, result.variable, result.line) == ("state", "b", 4)
    # The wrong value was written by an earlier line.
    early = diagnosed(recorder, "sparse", replaced("a=3\nb=0", "a=4\nb=0")).facts
    assert early.divergence is not None
    assert (early.divergence.line, early.divergence.executed_line) == (4, 2)
    assert early.value is not None
    assert early.value.change == "written"


@pytest.mark.parametrize("codec", TEXTS.values(), ids=TEXTS)
def test_truncation_at_any_position_is_not_a_divergence(
    codec: Codec, recorder: PythonRecorder
) -> None:
    trace = recorder.record(Program(SOURCE, "f(2)"))
    text = text_of(trace, codec)
    for position in range(len(text)):
        assert align(trace, codec.decode(text[:position], trace.program)).divergence is None


LOOP = """\
def f(n):
    s = 0
    for i in range(n):
        s += i
        if i == 3:
            s = 100
    return s
"""


def test_folded_writes_the_actions_of_a_loop_once(recorder: PythonRecorder) -> None:
    codec = get_codec("folded")
    trace = recorder.record(Program(LOOP, "f(6)"))
    text = text_of(trace, codec)
    assert text.count("<|action_sep|>4") == 1
    assert "<|trace_context_start|>3<|arg_sep|>" in text
    decoded = codec.decode(text, trace.program)
    assert decoded.steps == trace.steps
    # The text of a step lies between its start and its end.
    for step, written in zip(decoded.steps, decoded.step_texts, strict=True):
        shown = text[written.start : written.end]
        assert all(f"{name}=" in shown for name in step.changed)
    for position in range(len(text)):
        assert align(trace, codec.decode(text[:position], trace.program)).divergence is None


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [("i=4<", "i=5<", "state"), ("s=1<", "<", "state"), ("3<|arg_sep|>", "2<|arg_sep|>", "action")],
)
def test_divergences_in_a_folded_loop(
    old: str, new: str, where: str, recorder: PythonRecorder
) -> None:
    codec = get_codec("folded")
    result = diagnose_edit(recorder, LOOP, "f(6)", replaced(old, new), codec=codec).facts
    assert result.divergence is not None
    assert result.divergence.where == where
