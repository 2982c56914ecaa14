"""All 800 programs of CRUXEval: recorded, encoded, decoded and aligned."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from tests.models.codecs.test_properties import as_recorded, as_written
from tests.support.predictions import CWM, text_of
from worldline.analysis.alignment import align, is_opaque
from worldline.analysis.diagnosis import diagnose_prediction
from worldline.core.trace import Program, Trace, trace_from_json, trace_to_json
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import SpecialToken, decode_without_special_tokens
from worldline.models.prediction import make_prediction

pytestmark = pytest.mark.data


def record_all(rows: list[dict[str, Any]]) -> list[Trace]:
    """Record every program with a new recorder."""
    with PythonRecorder() as recorder:
        return [recorder.record(Program(row["code"], f"f({row['input']})")) for row in rows]


@pytest.fixture(scope="module")
def traces(cruxeval: list[dict[str, Any]]) -> list[Trace]:
    return record_all(cruxeval)


def test_every_program_returns_the_expected_value(
    traces: list[Trace], cruxeval: list[dict[str, Any]]
) -> None:
    assert len(traces) == 800
    wrong = [
        row["id"]
        for row, trace in zip(cruxeval, traces, strict=True)
        if trace.result != row["output"]
    ]
    assert wrong == []


def test_recording_twice_gives_identical_traces(
    traces: list[Trace], cruxeval: list[dict[str, Any]]
) -> None:
    again = record_all(cruxeval)
    for first, second in zip(traces, again, strict=True):
        assert json.dumps(trace_to_json(first)) == json.dumps(trace_to_json(second))


def test_json_round_trip(traces: list[Trace]) -> None:
    for trace in traces:
        assert trace_from_json(json.loads(json.dumps(trace_to_json(trace)))) == trace


def test_cwm_round_trip(traces: list[Trace]) -> None:
    other_lines = 0
    for trace in traces:
        decoded = CWM.decode(text_of(trace), trace.program)
        assert as_written(decoded) == as_recorded(trace)
        other_lines += decoded.steps != trace.steps
    # Two lines of one function with the same text, which the format cannot distinguish.
    assert other_lines == 2


def test_traces_align_with_themselves_even_without_special_tokens(traces: list[Trace]) -> None:
    for trace in traces:
        segments = CWM.encode(trace)
        text = "".join(segment for segment in segments if not isinstance(segment, SpecialToken))
        result = align(trace, decode_without_special_tokens(text, trace.program))
        assert result.is_complete, trace.program.text


def without_tokens(trace: Trace) -> str:
    return "".join(each for each in CWM.encode(trace) if not isinstance(each, SpecialToken))


def test_a_changed_value_is_the_divergence(traces: list[Trace]) -> None:
    """In every fourth program, at a random step: the divergence has that step and variable."""
    rng = random.Random(7)
    for trace in traces[::4]:
        places = [
            (index, name)
            for index, step in enumerate(trace.steps)
            for name, value in step.changed.items()
            if not is_opaque(value)
        ]
        index, name = rng.choice(places)
        steps = list(trace.steps)
        steps[index] = replace(steps[index], changed={**steps[index].changed, name: "'wrong'"})
        wrong = replace(trace, steps=tuple(steps))
        for text in (text_of(wrong), without_tokens(wrong)):
            result = align(trace, CWM.decode(text, trace.program)).divergence
            assert result is not None
            assert (result.step, result.variable, result.predicted) == (index, name, "'wrong'")


def test_a_correct_text_truncated_anywhere_is_truncated(traces: list[Trace]) -> None:
    """In every fourth program, at a random character: never diverged, never malformed."""
    rng = random.Random(7)
    for trace in traces[::4]:
        for text in (text_of(trace), without_tokens(trace)):
            prefix = text[: rng.randrange(1, len(text))]
            prediction = make_prediction("prefix", trace.program, prefix, CWM, finish="truncated")
            assert diagnose_prediction(trace, prediction).facts.outcome in (
                "truncated",
                "correct",
            ), prefix[-80:]
