"""Requests about assumed calls: attributes read as data, the calling step, and JSON of literals."""

import json
from typing import Any

import pytest

from tests.languages.recorder.methods import VERSIONS, python_of
from worldline.core.trace import AssumedCall, Assumptions, Program, Step
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.recorder.assumed_request import calling_step, parse_open_call
from worldline.languages.python.recorder.data_uses import find_data_uses
from worldline.languages.python.recorder.literals import literal_to_json

DATA = [
    ("x = m.a", ["a"]),
    ("if m.a == 1: pass", ["a"]),
    ("print(m.a)", ["a"]),
    ("x = (m.a, 1)", ["a"]),
    ("for x in m.a.b: pass", ["b"]),
    ("def f(x=m.a): pass", ["a"]),
    ("from m import a, b\nx = a + b()", ["a"]),
    ("from m import a as b\nreturned = [b]", ["a"]),
]
NAMES_ONLY = [
    "m.a()",
    "m.a.b(1)",
    "m.a",
    "class A(m.a): pass",
    "@m.a\ndef f(): pass",
    "def f(x: m.a) -> m.b: pass",
    "x: m.a = 1",
    "isinstance(x, m.a)",
    "isinstance(x, (m.a, m.b))",
    "try: pass\nexcept m.a: pass",
    "try: pass\nexcept (m.a, m.b): pass",
    "m.f(m.a)",
    "m.f(x, flag=m.a)",
    "m.a[0]",
    "m.a = 1",
    "from m import a\na()",
    "with m.a: pass",
    "def f(:",
]


@pytest.mark.parametrize(("source", "names"), DATA)
def test_attributes_read_as_data(source: str, names: list[str]) -> None:
    assert [name for use in find_data_uses(source) for name in use[2]] == names


@pytest.mark.parametrize("source", NAMES_ONLY)
def test_attributes_that_only_name_something(source: str) -> None:
    assert find_data_uses(source) == []


@pytest.mark.parametrize("version", VERSIONS)
def test_positions_of_every_interpreter(version: str) -> None:
    source = (
        "import m\n"
        "def f(x):\n"
        "    é = 'ü' + m.first; y = [m.second for _ in range(2)]\n"
        "    return (x.\n        third), y, é, m.called(\n            1)\n"
    )
    calls = [
        AssumedCall("m.make()", "object", "<X>"),
        AssumedCall("m.first", "value", "'a'"),
        AssumedCall("m.second", "value", "2"),
        AssumedCall("obj1.third", "value", "3"),
        AssumedCall("m.called(1)", "value", "4"),
    ]
    program = Program(source, "f(m.make())")
    with PythonRecorder(python=python_of(version)) as recorder:
        for count in range(len(calls) + 1):
            assumptions = Assumptions(("m",), "model", tuple(calls[:count]))
            trace, call = recorder.record_assuming(program, assumptions)
            if count < len(calls):
                assert call is not None, trace.ending
                assert call.expression == calls[count].expression
    assert call is None
    assert trace.result == "(3, [2, 2], 'üa', 4)"


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("", None),
        ("call0", 0),
        ("call0 line0", 1),
        ("call0 line0 call1 line1", 3),
        ("call0 line0 call1 line1 return1", 1),
        ("call0 line0 call1 exception1 return1 exception0", 1),
        ("call0 line0 call1 line1 return1 line0 call1 line1", 7),
        ("call0 return0", None),
    ],
)
def test_the_step_whose_line_is_executed(steps: str, expected: int | None) -> None:
    rows: list[Any] = [Step(word[:-1], 1, int(word[-1])) for word in steps.split()]  # type: ignore[arg-type]
    assert calling_step(rows) == expected


@pytest.mark.parametrize("detail", ["", "{", "1", "[]", "[1, 2, 3]", '["a", "", "b"]', "null"])
def test_malformed_calls_are_refused(detail: str) -> None:
    assert parse_open_call(detail, []) is None


def test_types_of_collections_are_kept(recorder: PythonRecorder) -> None:
    value = {(1, "a"): [None, True, 2.5, b"\xff", {3}, (), 1j, {}], "\ud800": -(10**30)}
    assert json.loads(json.dumps(literal_to_json(value)))
    program = Program("import m\ndef f():\n    return m.g()\n", "f()")
    assumptions = Assumptions(("m",), "model", (AssumedCall("m.g()", "value", repr(value)),))
    trace, call = recorder.record_assuming(program, assumptions)
    assert call is None
    assert trace.result == repr(value)
