"""All 800 programs of CRUXEval, recorded: right, repeatable, and read back."""

import json
from typing import Any

import pytest

from tests.codecs.test_properties import as_recorded, as_written
from tests.predictions import CWM, text_of
from worldline.align import align
from worldline.codecs import Special, decode_stripped
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
