"""Recordings as columns: the same rows and bytes in a store as by way of steps."""

import json
from typing import Any

import pytest

from tests.support.replay_programs import all_programs
from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program
from worldline.data.generation import generate_programs
from worldline.evaluation.store import (
    TRACE_COLUMNS,
    PartBuilder,
    StoredColumns,
    StoredTrace,
    check_row,
    trace_to_row,
)
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.recorder.python_recorder import scopes_with_variables
from worldline.languages.python.recorder.recorded_columns import decode_columns
from worldline.languages.python.recorder.recording_protocol import RawRecording, decode_rows

LIMITS = Limits(seconds=10, steps=2_000, memory_mb=500, cpu_seconds=2)
# A variable that ends, a class body, an exception, texts that are not ASCII, half of a surrogate
# pair, output, a limit, and a program that is not loaded.
OTHERS = [
    Program("def f(x):\n    y = x\n    del y\n    z = [x]\n    del x, z\n    return 1\n", "f(1)"),
    Program("def f(x):\n    class A:\n        a = x\n        b = a\n    return A.b\n", "f('é')"),
    Program(
        "def f(x):\n    try:\n        x / 0\n    except Exception as e:\n        x = e\n", "f(1)"
    ),
    Program("def f(x):\n    return x / 0\n", "f(1)"),
    Program("def f(x):\n    y = x + 'ü\\\\'\n    return y * 2\n", "f('😀')"),
    Program("def f(x):\n    y = '\\ud800' + x\n    return y\n", "f('a\\\\')"),
    Program("def f(x):\n    print(x, 'é')\n    return x\n", "f('a')"),
    Program("def f(x):\n    while True:\n        x += 1\n", "f(0)"),
    Program("1 / 0\ndef f(x):\n    return x\n", "f(0)"),
    Program("def f(n):\n    yield n\n    return sum(i for i in range(n))\n", "list(f(4))"),
]


def row_of(stored: StoredTrace | StoredColumns) -> dict[str, Any]:
    row = trace_to_row(stored)
    check_row(TRACE_COLUMNS, row)
    return row


def test_columns_make_the_same_rows_as_steps(cruxeval: list[dict[str, Any]]) -> None:
    generated = [question.program for question in generate_programs(count=150, seed=11)]
    published = [Program(row["code"], f"f({row['input']})") for row in cruxeval[:150]]
    programs = [*OTHERS, *published, *generated, *all_programs()]
    with PythonRecorder() as recorder, PythonRecorder(hash_seed=1) as repeat:
        traces = recorder.record_group(programs, limits=LIMITS, repeat=repeat)
        columns = recorder.record_group_columns(programs, limits=LIMITS, repeat=repeat)
    assert [each is None for each in traces] == [each is None for each in columns]
    assert sum(each is not None for each in traces) > 300
    builders = PartBuilder(TRACE_COLUMNS), PartBuilder(TRACE_COLUMNS)
    for number, (trace, each) in enumerate(zip(traces, columns, strict=True)):
        if trace is None or each is None:
            continue
        arguments = (str(number), "1", {"level": 1})
        id, expected, facets = arguments
        rows = (
            row_of(StoredTrace(id, trace, expected, facets)),
            row_of(StoredColumns(id, each, expected, facets)),
        )
        assert rows[0] == rows[1]
        assert (each.n_steps, each.result, each.is_complete, each.gaps) == (
            trace.n_steps,
            trace.result,
            trace.is_complete,
            trace.gaps,
        )
        for builder, row in zip(builders, rows, strict=True):
            builder.add(row)
    first, second = (builder.finish() for builder in builders)
    assert first == second
    shared = {trace.program for trace in traces if trace is not None}
    assert shared.issuperset(OTHERS)
    assert {trace.ending.reason for trace in traces if trace} >= {
        "finished",
        "raised",
        "step_limit",
        "not_loaded",
    }


ROWS: list[Any] = [
    ["scope", "main", 5, [], 0],
    ["call", 5, 0],
    ["scope", "f", 1, ["x", "y"], 1],
    ["call", 1, 1, {"x": "1"}],
    ["line", 2, 1, {"y": "'é'", "x": "2"}, []],
    ["line", 3, 1, {}, ["y", "x"]],
    ["exception", 3, 1, "(<class 'ValueError'>)"],
    ["return", 3, 1, None],
    ["again", 2 - 1],
    ["call", 1, 2, {"x": "1"}],
    ["return", 1, 2, "5"],
    ["scope", "A", 7, [], 3],
    ["line", 8, 3, {"b": "1", "a": "2"}],
    ["line", 9, 3, {"c": "1", "b": "2"}, ["a"]],
    ["return", 5, 0, "5"],
    ["end", "finished", "", ["a note"]],
    ["epilogue", 11, 4],
]


def encoded(rows: list[Any]) -> bytes:
    return b"".join(json.dumps(row, separators=(",", ":")).encode() + b"\n" for row in rows)


def test_rows_of_every_kind() -> None:
    recording = RawRecording()
    decode_rows(encoded(ROWS), recording)
    assert not recording.is_tampered
    recorded = decode_columns(encoded(ROWS))
    assert recorded is not None
    columns = recorded.columns
    assert (recorded.end, recorded.notes) == (("finished", ""), ("a note",))
    assert columns.line == [step.line for step in recording.steps]
    assert columns.value == [step.value for step in recording.steps]
    assert columns.n_changed == [len(step.changed) for step in recording.steps]
    assert columns.changed_names == ["x", "y", "x", "x", "b", "a", "c", "b"]
    assert columns.changed_values == ["1", "'é'", "2", "1", "1", "2", "1", "2"]
    assert (columns.gone, columns.n_gone) == (
        ["y", "x", "a"],
        [0, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0],
    )
    scopes = scopes_with_variables(recording)
    assert columns.scope_function == [scope.function for scope in scopes]
    assert columns.scope_n_variables == [len(scope.variables) for scope in scopes]
    assert columns.scope_parameters == [scope.parameters for scope in scopes]
    assert columns.scope_variables == [name for scope in scopes for name in scope.variables]


@pytest.mark.parametrize(
    ("number", "row"),
    [
        (1, ["call", 5, 9]),
        (1, ["call", 5, -1]),
        (1, ["call", "5", 0]),
        (1, ["call", 5.5, 0]),
        (1, ["call", True, 0]),
        (1, ["jump", 5, 0]),
        (1, ["thread", 1]),
        (1, ["choice", "random", [], 1, None, 1, 1, [], True]),
        (1, []),
        (1, 5),
        (3, ["call", 1, 1, [["x", "1"]]]),
        (3, ["call", 1, 1, {"x": 1}]),
        (3, ["call", 1, 1, {"x": None}]),
        (4, ["line", 2, 1, {"y": "1"}, [3]]),
        (2, ["scope", "f", 1, ["x", 2], 1]),
        (2, ["scope", 7, 1, ["x"], 1]),
        (2, ["scope", "f", 1, ["x"], "1"]),
        (2, ["scope", "f"]),
        (7, ["return", 3, 1]),
        (7, ["return", 3, 1, 5]),
        (8, ["again", 7]),
        (15, ["end", "finished", "", [5]]),
        (15, ["end", 5, "", []]),
        (15, ["end", "finished"]),
        (16, ["epilogue", 11, 3]),
        (16, ["epilogue", 10, 4]),
    ],
)
def test_rows_that_no_tracer_writes_are_refused(number: int, row: object) -> None:
    assert decode_columns(encoded(ROWS)) is not None
    assert decode_columns(encoded([*ROWS[:number], row, *ROWS[number + 1 :]])) is None


def test_parts_of_rows_are_refused() -> None:
    rows = encoded(ROWS)
    for size in range(len(rows) - 1):
        assert decode_columns(rows[:size]) is None
    for number in range(len(ROWS)):
        assert decode_columns(encoded([*ROWS[:number], *ROWS[number + 1 :]])) is None


def test_numbers_that_are_too_large_are_refused_by_the_store() -> None:
    with pytest.raises(InputError, match="too large"):
        check_row(TRACE_COLUMNS, {"id": "a", "line": [1, 2**31]})
