"""A prediction of a Java program that is wrong in one place is diagnosed there."""

import random
from pathlib import Path

import pytest

from tests.languages.edited_traces import EDITS, edited_prediction, wrong_fact
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.trace import Program, Trace
from worldline.languages.java.jvm_recorder import JavaRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import make_prediction

SOURCE = (Path(__file__).parents[2] / "programs" / "java" / "Constructs.java").read_text()


@pytest.fixture(scope="module")
def trace(recorder: JavaRecorder) -> Trace:
    return recorder.record(Program(SOURCE, "everything(2)", language="java"))


@pytest.mark.parametrize("kind", EDITS)
def test_the_edit_is_the_divergence(trace: Trace, kind: str) -> None:
    rng = random.Random(kind)
    for _ in range(20):
        edited = edited_prediction(trace, kind, rng)
        assert edited is not None
        edit, prediction = edited
        if trace.program.values.is_opaque(edit.actual):
            # Any prediction of an opaque value is right.
            assert diagnose_prediction(trace, prediction).facts.outcome == "correct"
            continue
        assert wrong_fact(trace, *edited) == ""


def test_a_true_trace_is_correct_and_causes_say_what_they_need(trace: Trace) -> None:
    codec = get_codec("cwm")
    text = "".join(codec.encode(trace))
    prediction = make_prediction("true", trace.program, text, codec, finish="stop")
    assert diagnose_prediction(trace, prediction).facts.outcome == "correct"
    edited = edited_prediction(trace, "return", random.Random(1))
    assert edited is not None
    diagnosis = diagnose_prediction(trace, edited[1])
    assert diagnosis.cause is not None
    assert diagnosis.facts.operation is None
    assert "no operations of lines for Java" in diagnosis.cause.sentence
