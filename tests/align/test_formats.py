"""Predictions in formats that write only changes: what is wrong in them, and what is no mistake."""

from collections.abc import Callable

import pytest

from tests.predictions import diagnose_edit, replaced, text_of
from worldline.align import align
from worldline.codecs import CODECS, Codec, codec_named
from worldline.diagnose import Diagnosis
from worldline.recorders import PythonRecorder
from worldline.trace import Program

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
    return diagnose_edit(recorder, SOURCE, "f(2)", edit, codec=codec_named(codec))


@pytest.mark.parametrize("codec", TEXTS.values(), ids=TEXTS)
def test_the_truth_is_right_in_every_format(codec: Codec, recorder: PythonRecorder) -> None:
    trace = recorder.record(Program(SOURCE, "f(2)"))
    decoded = codec.decode(text_of(trace, codec), trace.program)
    alignment = align(trace, decoded)
    assert (alignment.is_whole, alignment.divergence) == (True, None)
    assert alignment.matched == len(trace.steps)


@pytest.mark.parametrize("codec", NUMBERED)
def test_a_wrong_line_number_is_a_wrong_turn(codec: str, recorder: PythonRecorder) -> None:
    # Line 7 has the text of line 3: only their numbers tell them apart.
    shown = diagnosed(recorder, codec, replaced("5<|line_sep|>", "7<|line_sep|>")).facts
    assert shown.divergence is not None
    assert (shown.divergence.where, shown.divergence.predicted_number) == ("action", 7)
    assert shown.action is not None
    assert (shown.action.kind, shown.action.is_legal) == ("branch_misjudged", True)


def test_of_two_lines_of_one_text_delta_tells_which(recorder: PythonRecorder) -> None:
    source = SOURCE.replace("        b = 0", "        b = a")
    trace = recorder.record(Program(source, "f(1)"))
    text = text_of(trace, codec_named("delta"))
    assert "<|action_sep|>        b = a<|arg_sep|>2<|line_sep|>" in text
    wrong = replaced("b = a<|arg_sep|>2", "b = a")
    found = diagnose_edit(recorder, source, "f(1)", wrong, codec=codec_named("delta")).facts
    assert found.divergence is not None
    assert (found.divergence.where, found.divergence.predicted_number) == ("action", 5)


@pytest.mark.parametrize("codec", NUMBERED)
@pytest.mark.parametrize("number", ["0", "99", "999999999"])
def test_a_number_that_no_line_has_is_an_invented_line(
    codec: str, number: str, recorder: PythonRecorder
) -> None:
    found = diagnosed(recorder, codec, replaced("5<|line_sep|>", f"{number}<|line_sep|>")).facts
    assert found.divergence is not None
    assert found.divergence.where == "action"
    assert found.divergence.predicted == f"(no line {number})"
    assert found.action is not None
    assert found.action.kind == "line_invented"


@pytest.mark.parametrize("codec", ["delta", "numbers", "edits", "sparse"])
def test_a_wrong_value_is_a_state_divergence(codec: str, recorder: PythonRecorder) -> None:
    found = diagnosed(recorder, codec, replaced("a=3", "a=4")).facts.divergence
    assert found is not None
    assert (found.where, found.variable, found.true, found.predicted) == ("state", "a", "3", "4")


@pytest.mark.parametrize("codec", ["delta", "numbers"])
def test_a_change_that_is_left_out_is_a_state_divergence(
    codec: str, recorder: PythonRecorder
) -> None:
    # `b` becomes 3 and stays 0 for the model; `a` is new and is not there for it.
    kept = diagnosed(recorder, codec, replaced("b=3", "")).facts.divergence
    assert kept is not None
    assert (kept.where, kept.variable, kept.true, kept.predicted) == ("state", "b", "3", "0")
    new = diagnosed(recorder, codec, replaced("a=3", "")).facts.divergence
    assert new is not None
    assert (new.where, new.variable, new.true, new.predicted) == ("state", "a", "3", "")


@pytest.mark.parametrize("codec", ["delta", "numbers", "edits", "sparse"])
@pytest.mark.parametrize("extra", ["zz=1", "n=7", "n", "zz"])
def test_a_change_too_many_is_a_state_divergence(
    codec: str, extra: str, recorder: PythonRecorder
) -> None:
    found = diagnosed(recorder, codec, replaced("a=3", f"a=3\n{extra}")).facts.divergence
    assert found is not None
    assert (found.where, found.variable) == ("state", extra.partition("=")[0])


def test_what_is_said_again_is_no_mistake(recorder: PythonRecorder) -> None:
    found = diagnosed(recorder, "numbers", replaced("a=3", "a=3\nn=2"))
    assert found.facts.outcome == "correct"


def test_what_a_sparse_format_does_not_show_is_no_difference(recorder: PythonRecorder) -> None:
    codec = codec_named("sparse")
    trace = recorder.record(Program(SOURCE, "f(2)"))
    text = text_of(trace, codec)
    # Only the branch tells what has changed since the call.
    assert "<|line_sep|>2<|line_sep|>3<|line_sep|><|arg_sep|>a=3\nb=0<|action_sep|>4" in text
    decoded = codec.decode(text, trace.program)
    assert [w.shows_state for w in decoded.written][3:7] == [False, False, True, False]
    # What is left out where it should be shown is missed, though nothing changed just there.
    found = diagnosed(recorder, "sparse", replaced("\nb=0", "")).facts.divergence
    assert found is not None
    assert (found.where, found.variable, found.line) == ("state", "b", 4)
    # What is wrong there was made by an earlier line.
    early = diagnosed(recorder, "sparse", replaced("a=3\nb=0", "a=4\nb=0")).facts
    assert early.divergence is not None
    assert (early.divergence.line, early.divergence.executed) == (4, 2)
    assert early.value is not None
    assert early.value.change == "update"


@pytest.mark.parametrize("codec", TEXTS.values(), ids=TEXTS)
def test_a_text_cut_anywhere_is_no_mistake(codec: Codec, recorder: PythonRecorder) -> None:
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
    codec = codec_named("folded")
    trace = recorder.record(Program(LOOP, "f(6)"))
    text = text_of(trace, codec)
    assert text.count("<|action_sep|>4") == 1
    assert "<|trace_context_start|>3<|arg_sep|>" in text
    decoded = codec.decode(text, trace.program)
    assert decoded.steps == trace.steps
    # What is written of a step lies between its start and its end.
    for step, written in zip(decoded.steps, decoded.written, strict=True):
        shown = text[written.start : written.end]
        assert all(f"{name}=" in shown for name in step.changed)
    for position in range(len(text)):
        assert align(trace, codec.decode(text[:position], trace.program)).divergence is None


@pytest.mark.parametrize(
    ("old", "new", "where"),
    [("i=4<", "i=5<", "state"), ("s=1<", "<", "state"), ("3<|arg_sep|>", "2<|arg_sep|>", "action")],
)
def test_mistakes_in_a_folded_loop(
    old: str, new: str, where: str, recorder: PythonRecorder
) -> None:
    codec = codec_named("folded")
    found = diagnose_edit(recorder, LOOP, "f(6)", replaced(old, new), codec=codec).facts
    assert found.divergence is not None
    assert found.divergence.where == where
