"""Traces round-trip through Parquet without loss, whatever they contain."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.paths import PROGRAMS_FOLDER
from worldline.core.errors import InputError
from worldline.core.trace import (
    EVENTS,
    Ending,
    Limits,
    Origin,
    Program,
    Scope,
    Step,
    Trace,
    trace_from_json,
    trace_to_json,
)
from worldline.evaluation.store import (
    TRACE_COLUMNS,
    QuerySource,
    StoredTrace,
    open_location,
    part_files,
    query,
    read_stored_traces,
    read_traces,
    row_to_trace,
    trace_to_row,
    write_traces,
)
from worldline.languages.python.recorder import PythonRecorder

PROGRAMS = sorted((PROGRAMS_FOLDER).glob("*.py"))
# Lone surrogates, text that looks like an escaped one, and the empty text.
TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(
    ["\ud83d\ude00", "\\ud800", "\\\\", ""]
)
NUMBERS = st.integers(-(2**31), 2**31 - 1)
LANGUAGES = st.sampled_from(["python", "javascript"])
STEPS = st.builds(
    Step,
    st.sampled_from(EVENTS),
    NUMBERS,
    NUMBERS,
    st.dictionaries(TEXTS, TEXTS, max_size=3),
    st.lists(TEXTS, max_size=2).map(tuple),
    st.none() | TEXTS,
    st.just(0) | st.integers(0, 3),
)
TRACES = st.builds(
    Trace,
    st.builds(Program, TEXTS, st.none() | TEXTS, TEXTS, LANGUAGES),
    st.lists(STEPS, max_size=4).map(tuple),
    st.lists(
        st.builds(Scope, TEXTS, NUMBERS, st.lists(TEXTS, max_size=3).map(tuple), NUMBERS),
        max_size=3,
    ).map(tuple),
    st.builds(Ending, st.sampled_from(["finished", "raised", "step_limit"]), TEXTS),
    st.builds(Limits, seconds=st.floats(0.001, 1e9)),
    st.builds(Origin, TEXTS, TEXTS, TEXTS, st.integers(0, 2**32)),
    TEXTS,
    st.lists(TEXTS, max_size=2).map(tuple),
)
# Lone surrogates in these are refused earlier.
WORDS = st.text(max_size=8)
FACETS = st.dictionaries(WORDS, WORDS | st.integers(), max_size=2)
STORED = st.builds(StoredTrace, TEXTS, TRACES, st.none() | TEXTS, FACETS)


@given(st.lists(STORED, min_size=1, max_size=3))
def test_any_trace_round_trips_through_a_store(
    tmp_path_factory: pytest.TempPathFactory, stored: list[StoredTrace]
) -> None:
    folder = tmp_path_factory.mktemp("traces")
    assert write_traces(folder, stored) == len(stored)
    assert list(read_stored_traces(folder)) == stored


def test_traces_of_all_sample_programs_round_trip(tmp_path: Path, recorder: PythonRecorder) -> None:
    limits = Limits(seconds=5, steps=3000)
    traces = []
    for path in PROGRAMS:
        trace = recorder.record(Program(path.read_text(encoding="utf-8")), limits=limits)
        traces.append(StoredTrace(path.stem, trace))
    write_traces(tmp_path, traces)
    assert list(read_traces(tmp_path)) == [(stored.id, stored.trace) for stored in traces]
    assert {stored.trace.ending.reason for stored in traces} >= {"finished", "raised", "exited"}


def test_bytes_that_are_not_text_are_escaped_and_read_back(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    source = "import sys\ndef f(s):\n    sys.stdout.buffer.write(b'\\xff\\\\')\n    return s\n"
    trace = recorder.record(Program(source, "f('\\ud800')"))
    assert "\udcff\\" in trace.stdout
    row = trace_to_row(StoredTrace("a", trace))
    assert row["is_escaped"]
    assert row["stdout"] == "\\udcff\\\\"
    assert row_to_trace(row).trace == trace


def test_context_column_of_an_older_version_becomes_the_source(recorder: PythonRecorder) -> None:
    text = "def main(): # << START_OF_TRACE\n    return 1\n"
    trace = recorder.record(Program.from_text(text, stdin="in"))
    row = trace_to_row(StoredTrace("a", trace))
    assert (row["source"], row["call"], row["context"]) == (text, None, None)
    before = {**row, "call": "f(1)", "context": text}
    assert row_to_trace(before) == row_to_trace(row) == StoredTrace("a", trace)
    data = trace_to_json(trace)
    assert trace_from_json({**data, "program": {**data["program"], "context": text}}) == trace


def test_row_contains_result_steps_and_variables(recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    y = x + 1\n    del x\n    return y\n", "f(1)")
    trace = recorder.record(program)
    row = trace_to_row(StoredTrace("a", trace, "2", {"depth": 3}))
    assert row.keys() == {column.name for column in TRACE_COLUMNS}
    assert (row["result"], row["steps"], row["is_expected"]) == ("2", 8, True)
    assert row["program"] == program.hash
    assert [EVENTS[n] for n in row["event"]] == [step.event for step in trace.steps]
    assert sum(row["n_changed"]) == len(row["changed_names"]) == len(row["changed_values"])
    assert row["gone"] == ["x"]
    assert trace_to_row(StoredTrace("a", trace, "3"))["is_expected"] is False
    assert trace_to_row(StoredTrace("a", trace))["is_expected"] is None


def test_sql_counts_steps(tmp_path: Path, recorder: PythonRecorder) -> None:
    trace = recorder.record(Program("def f(n):\n    return n\n", "f(1)"))
    write_traces(tmp_path, [StoredTrace(str(n), trace) for n in range(3)])
    location = open_location(tmp_path)
    sql = "select sum(len(list_filter(event, lambda e: e = 0))) from samples"
    result = query(sql, [QuerySource(location, part_files(location))], TRACE_COLUMNS)
    calls = sum(step.event == "call" for step in trace.steps)
    assert result.rows == ((3 * calls,),)


def test_hugging_face_reads_the_parts(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    datasets = pytest.importorskip("datasets")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    trace = recorder.record(Program("def f(n):\n    return n\n", "f(1)"))
    write_traces(tmp_path / "traces", [StoredTrace("a", trace)])
    loaded = datasets.load_dataset(
        "parquet",
        data_files=str(tmp_path / "traces" / "parts" / "*.parquet"),
        cache_dir=str(tmp_path / "cache"),
        split="train",
    )
    assert row_to_trace(loaded[0]).trace == trace


def test_reading_keeps_few_traces_in_memory(tmp_path: Path, recorder: PythonRecorder) -> None:
    source = "def f(n):\n    a = 'a' * n\n    b = 'b' * n\n    c = 'c' * n\n    return a\n"
    trace = recorder.record(Program(source, "f(9000)"))
    write_traces(tmp_path, (StoredTrace(str(n), trace) for n in range(6000)))
    before = _resident()
    chars = sum(
        len(v) for _, t in read_traces(tmp_path) for s in t.steps for v in s.changed.values()
    )
    assert chars > 1.6e8
    assert _resident() - before < chars / 3


def _resident() -> int:
    """Resident memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_folder_without_traces_is_refused(tmp_path: Path, recorder: PythonRecorder) -> None:
    with pytest.raises(InputError, match=r"there are no traces in .*worldline trace"):
        list(read_traces(tmp_path))
    trace = recorder.record(Program("def f(n):\n    return n\n", "f(1)"))
    write_traces(tmp_path, [StoredTrace("a", trace)])
    with pytest.raises(InputError, match="already contains traces"):
        write_traces(tmp_path, [StoredTrace("a", trace)])


def test_number_that_is_too_large_for_its_column_is_refused(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    trace = recorder.record(Program("def f(n):\n    return n\n", "f(1)"))
    large: Any = replace(trace, steps=(replace(trace.steps[0], line=2**31),))
    with pytest.raises(InputError, match="large: the number in `line` is too large to store"):
        write_traces(tmp_path, [StoredTrace("large", large)])
