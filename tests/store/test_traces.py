"""Traces come back from Parquet as they were recorded, whatever they hold."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.errors import InputError
from worldline.recorders import PythonRecorder
from worldline.store import (
    TRACE_COLUMNS,
    Source,
    StoredTrace,
    part_files,
    place_of,
    query,
    read_stored_traces,
    read_traces,
    row_to_trace,
    trace_to_row,
    write_traces,
)
from worldline.trace import (
    EVENTS,
    Ending,
    Limits,
    Origin,
    Program,
    Scope,
    Step,
    Trace,
)

PROGRAMS = sorted((Path(__file__).parent.parent / "programs").glob("*.py"))
# Halves of surrogate pairs, backslashes that look like one spelled out, and nothing at all.
TEXTS = st.text(st.characters(), max_size=8) | st.sampled_from(
    ["\ud83d\ude00", "\\ud800", "\\\\", ""]
)
NUMBERS = st.integers(-(2**31), 2**31 - 1)
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
    st.builds(Program, TEXTS, st.none() | TEXTS, TEXTS, TEXTS, st.none() | TEXTS),
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
# Refused at the door where they hold half a pair.
WORDS = st.text(max_size=8)
FACETS = st.dictionaries(WORDS, WORDS | st.integers(), max_size=2)
STORED = st.builds(StoredTrace, TEXTS, TRACES, st.none() | TEXTS, FACETS)


@given(st.lists(STORED, min_size=1, max_size=3))
def test_any_trace_comes_back_from_a_file_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, stored: list[StoredTrace]
) -> None:
    folder = tmp_path_factory.mktemp("traces")
    assert write_traces(folder, stored) == len(stored)
    assert list(read_stored_traces(folder)) == stored


def test_every_kind_of_program(tmp_path: Path, recorder: PythonRecorder) -> None:
    limits = Limits(seconds=5, steps=3000)
    traces = []
    for path in PROGRAMS:
        trace = recorder.record(Program(path.read_text(encoding="utf-8")), limits=limits)
        traces.append(StoredTrace(path.stem, trace))
    write_traces(tmp_path, traces)
    assert list(read_traces(tmp_path)) == [(stored.id, stored.trace) for stored in traces]
    assert {stored.trace.ending.reason for stored in traces} >= {"finished", "raised", "exited"}


def test_bytes_that_are_no_text_are_spelled_out_and_read_back(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    source = "import sys\ndef f(s):\n    sys.stdout.buffer.write(b'\\xff\\\\')\n    return s\n"
    trace = recorder.record(Program(source, "f('\\ud800')"))
    assert "\udcff\\" in trace.stdout
    row = trace_to_row(StoredTrace("a", trace))
    assert row["is_escaped"]
    assert row["stdout"] == "\\udcff\\\\"
    assert row_to_trace(row).trace == trace


def test_a_row_says_what_can_be_asked_of_it(recorder: PythonRecorder) -> None:
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
    place = place_of(tmp_path)
    sql = "select sum(len(list_filter(event, lambda e: e = 0))) from samples"
    found = query(sql, [Source(place, part_files(place))], TRACE_COLUMNS)
    calls = sum(step.event == "call" for step in trace.steps)
    assert found.rows == ((3 * calls,),)


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


def test_reading_holds_few_traces_at_a_time(tmp_path: Path, recorder: PythonRecorder) -> None:
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
    """The memory of this process that is in use, in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def test_what_is_no_folder_of_traces_is_refused(tmp_path: Path, recorder: PythonRecorder) -> None:
    with pytest.raises(InputError, match=r"there are no traces in .*worldline trace"):
        list(read_traces(tmp_path))
    trace = recorder.record(Program("def f(n):\n    return n\n", "f(1)"))
    write_traces(tmp_path, [StoredTrace("a", trace)])
    with pytest.raises(InputError, match="holds parts already"):
        write_traces(tmp_path, [StoredTrace("a", trace)])


def test_a_number_that_no_column_holds_is_refused(tmp_path: Path, recorder: PythonRecorder) -> None:
    trace = recorder.record(Program("def f(n):\n    return n\n", "f(1)"))
    odd: Any = replace(trace, steps=(replace(trace.steps[0], line=2**31),))
    with pytest.raises(InputError, match="odd: its line is too large a number"):
        write_traces(tmp_path, [StoredTrace("odd", odd)])
