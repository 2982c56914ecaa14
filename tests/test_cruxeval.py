"""All 800 programs of CRUXEval, recorded: right, repeatable, and read back."""

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from tests.codecs.test_properties import as_recorded, as_written
from tests.predictions import CWM, text_of
from worldline.align import align, is_opaque
from worldline.codecs import Special, decode_stripped
from worldline.diagnose import diagnose
from worldline.predict import make_prediction
from worldline.recorders import PythonRecorder
from worldline.trace import Program, Trace, trace_from_json, trace_to_json

pytestmark = pytest.mark.data


def record_all(rows: list[dict[str, Any]]) -> list[Trace]:
    """Every program, with a recorder of their own."""
    with PythonRecorder() as recorder:
        return [recorder.record(Program(row["code"], f"f({row['input']})")) for row in rows]


@pytest.fixture(scope="module")
def traces(cruxeval: list[dict[str, Any]]) -> list[Trace]:
    return record_all(cruxeval)


def test_every_program_returns_what_the_benchmark_says(
    traces: list[Trace], cruxeval: list[dict[str, Any]]
) -> None:
    assert len(traces) == 800
    wrong = [
        row["id"]
        for row, trace in zip(cruxeval, traces, strict=True)
        if trace.result != row["output"]
    ]
    assert wrong == []


def test_twice_in_a_row_byte_for_byte_the_same(
    traces: list[Trace], cruxeval: list[dict[str, Any]]
) -> None:
    again = record_all(cruxeval)
    for first, second in zip(traces, again, strict=True):
        assert json.dumps(trace_to_json(first)) == json.dumps(trace_to_json(second))


def test_all_are_stored_and_read_back(traces: list[Trace]) -> None:
    for trace in traces:
        assert trace_from_json(json.loads(json.dumps(trace_to_json(trace)))) == trace


def test_all_are_written_and_read_back_in_cwm(traces: list[Trace]) -> None:
    other_lines = 0
    for trace in traces:
        decoded = CWM.decode(text_of(trace), trace.program)
        assert as_written(decoded) == as_recorded(trace)
        other_lines += decoded.steps != trace.steps
    # The same text on two lines of one function, which the format cannot tell apart.
    assert other_lines == 2


def test_all_align_with_themselves_even_without_special_tokens(traces: list[Trace]) -> None:
    for trace in traces:
        pieces = CWM.encode(trace)
        text = "".join(piece for piece in pieces if not isinstance(piece, Special))
        found = align(trace, decode_stripped(text, trace.program))
        assert found.is_whole, trace.program.text


def without_tokens(trace: Trace) -> str:
    return "".join(piece for piece in CWM.encode(trace) if not isinstance(piece, Special))


def test_one_changed_value_is_found_where_it_is(traces: list[Trace]) -> None:
    """In every fourth program, at random: the divergence is that step and that variable."""
    chance = random.Random(7)
    for trace in traces[::4]:
        places = [
            (index, name)
            for index, step in enumerate(trace.steps)
            for name, value in step.changed.items()
            if not is_opaque(value)
        ]
        index, name = chance.choice(places)
        steps = list(trace.steps)
        steps[index] = replace(steps[index], changed={**steps[index].changed, name: "'wrong'"})
        wrong = replace(trace, steps=tuple(steps))
        for text in (text_of(wrong), without_tokens(wrong)):
            found = align(trace, CWM.decode(text, trace.program)).divergence
            assert found is not None
            assert (found.step, found.variable, found.predicted) == (index, name, "'wrong'")


def test_a_right_text_cut_anywhere_is_truncated(traces: list[Trace]) -> None:
    """In every fourth program, at random places: never a divergence, never malformed."""
    chance = random.Random(7)
    for trace in traces[::4]:
        for text in (text_of(trace), without_tokens(trace)):
            cut = text[: chance.randrange(1, len(text))]
            prediction = make_prediction("cut", trace.program, cut, CWM, finish="length")
            assert diagnose(trace, prediction).facts.outcome in ("truncated", "correct"), cut[-80:]
