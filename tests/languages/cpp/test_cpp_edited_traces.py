"""A prediction about a C++ program that is wrong in one place is diagnosed there."""

import random
from pathlib import Path

import pytest

from tests.languages.edited_traces import EDITS, edited_prediction, wrong_fact
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.trace import Program, Trace
from worldline.languages.cpp.gdb_recorder import GdbRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import make_prediction

SOURCE = (Path(__file__).parents[2] / "programs" / "cpp" / "constructs.cpp").read_text()
CALLS = ("safely(1, 0)", "loops(3)", "group({1, 2})")


@pytest.fixture(scope="module")
def traces(recorder: GdbRecorder) -> list[Trace]:
    return [recorder.record(Program(SOURCE, call, language="cpp")) for call in CALLS]


@pytest.mark.parametrize("kind", EDITS)
def test_the_edit_is_the_divergence(traces: list[Trace], kind: str) -> None:
    rng = random.Random(kind)
    count = 0
    for trace in traces * 8:
        edited = edited_prediction(trace, kind, rng)
        if edited is None:
            continue
        assert wrong_fact(trace, *edited) == ""
        count += 1
    assert count >= 20


def test_a_true_trace_is_correct_and_causes_say_what_they_need(traces: list[Trace]) -> None:
    codec = get_codec("cwm")
    for trace in traces:
        text = "".join(codec.encode(trace))
        prediction = make_prediction("true", trace.program, text, codec, finish="stop")
        assert diagnose_prediction(trace, prediction).facts.outcome == "correct"
    edited = edited_prediction(traces[0], "return", random.Random(1))
    assert edited is not None
    diagnosis = diagnose_prediction(traces[0], edited[1])
    assert diagnosis.cause is not None
    assert "no operations of lines for C++" in diagnosis.cause.sentence
