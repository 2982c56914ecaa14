"""Inputs from doctests, calls, constants and annotations."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from worldline.core.trace import Program
from worldline.data.harvest.annotation_inputs import annotation_inputs, parse_type
from worldline.data.harvest.branch_coverage import (
    EXIT,
    find_function,
    function_branches,
    reached_branches,
)
from worldline.data.harvest.constant_inputs import constant_inputs
from worldline.data.harvest.function_slice import GENERATOR
from worldline.data.harvest.input_execution import (
    FunctionTask,
    HarvestLimits,
    InputExecutor,
    collect_inputs,
)
from worldline.data.harvest.literal_calls import calls_by_function, find_literal_calls
from worldline.data.harvest.parameter_kinds import parameter_kinds
from worldline.data.harvest.source_packages import SourceFile
from worldline.languages.python.recorder import PythonRecorder

SIGN = """\
def sign(x: int) -> str:
    if x > 41:
        return "large"
    for _ in range(x):
        return "small"
    return "none"
"""


def test_calls_of_a_package() -> None:
    code = (
        'def f(x):\n    """\n    >>> f(1)\n    1\n    >>> f(y)\n    """\nz = f([2], k={"a": 1})\n'
    )
    files = (SourceFile("a.py", code), SourceFile("tests/test_a.py", "m.f((3,)); f(*x); f()"))
    assert calls_by_function(call for file in files for call in find_literal_calls(file)) == {
        "f": [("doctest", "f(1)"), ("call", "f([2], k={'a': 1})"), ("test", "f((3,))")]
    }


def function(text: str) -> ast.FunctionDef:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef)
    return node


def test_kinds_of_parameters() -> None:
    text = (
        "def f(a: 'int | None', b: List[str], s, d, n=1, *, k, o):\n"
        "    return s.split(), d['x'], k - 1"
    )
    assert parameter_kinds(function(text)) == {
        "a": ("int",),
        "b": ("list",),
        "s": ("str",),
        "d": ("dict",),
        "n": ("int",),
        "k": ("int",),
        "o": ("int", "str", "list"),
    }


def test_inputs_have_the_constants_of_the_code() -> None:
    calls = constant_inputs(SIGN, "sign")
    assert calls == constant_inputs(SIGN, "sign")
    assert len(calls) == len(set(calls)) > 5
    assert {"sign(41)", "sign(42)"} & set(calls)
    # An optional parameter may be left out, a keyword-only one is named.
    calls = constant_inputs("def g(a, b=1, *, c: bool): return a", "g")
    assert all(" c=True" in call or " c=False" in call for call in calls)
    for call in calls:
        ast.parse(call)


def test_annotations_leave_no_file_in_the_current_folder(tmp_path: Path) -> None:
    code = (
        "from worldline.data.harvest.annotation_inputs import annotation_inputs\n"
        "print(len(annotation_inputs('def f(x: int, y: str): ...', 'f')))"
    )
    environment = {**os.environ, "WORLDLINE_CACHE": str(tmp_path / "cache")}
    current = tmp_path / "current"
    current.mkdir()
    run = [sys.executable, "-c", code]
    shown = subprocess.run(
        run, cwd=current, env=environment, capture_output=True, text=True, check=True
    )
    assert int(shown.stdout) > 3
    assert list(current.iterdir()) == []


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("int", int),
        ("'list[int] | None'", list[int] | None),
        ("typing.Dict[str, float]", dict[str, float]),
        ("tuple[int, ...]", tuple[int, ...]),
        ("Literal[1, 'a']", None),
        ("MyClass", None),
        ("list[MyClass]", None),
        ("Optional[MyClass]", None),
    ],
)
def test_types_of_annotations(annotation: str, expected: object) -> None:
    found = parse_type(ast.parse(annotation, mode="eval").body)
    if annotation.startswith("Literal"):
        assert found.__args__ == (1, "a")
    else:
        assert found == expected


def test_inputs_of_annotated_types() -> None:
    pytest.importorskip("hypothesis")
    calls = annotation_inputs("def f(x: int, y: list[bool], *, k: str): ...", "f")
    assert len(calls) > 3
    for call in calls:
        node = ast.parse(call, mode="eval").body
        assert isinstance(node, ast.Call)
        x, y = map(ast.literal_eval, node.args)
        assert isinstance(x, int)
        assert all(isinstance(each, bool) for each in y)
        assert [each.arg for each in node.keywords] == ["k"]
    assert annotation_inputs("def f(x: Other): ...", "f") == []


def test_an_input_has_the_first_source_that_found_it() -> None:
    task = FunctionTask("p/a.py:sign", "sign", SIGN, (("call", "sign(5)"), ("doctest", "sign(5)")))
    assert collect_inputs(task, ("doctest", "call")) == {"sign(5)": "doctest"}
    assert collect_inputs(task, ("call",)) == {"sign(5)": "call"}


def test_inputs_are_executed_and_their_branches_found() -> None:
    graph = find_function(SIGN, "sign")
    assert function_branches(graph) == {(2, 3), (2, 4), (4, 5), (4, 6)}
    calls = tuple(("call", f"sign({x})") for x in ("50", "1", "2", "0", "'a'"))
    executor = InputExecutor(HarvestLimits(sources=("call",)))
    try:
        (outcome,) = executor.run([FunctionTask("p/a.py:sign", "sign", SIGN, calls)])
    finally:
        executor.close()
    # An input without a new branch comes last.
    assert [(each.call, each.result, set(each.reached)) for each in outcome.inputs] == [
        ("sign(50)", "'large'", {(2, 3)}),
        ("sign(1)", "'small'", {(2, 4), (4, 5)}),
        ("sign(0)", "'none'", {(2, 4), (4, 6)}),
        ("sign(2)", "'small'", {(2, 4), (4, 5)}),
    ]
    assert outcome.left_out == {("call", "raises an exception"): 1}


def test_a_yield_is_not_the_end_of_a_function(recorder: PythonRecorder) -> None:
    source = "def f(x):\n    if (yield x): return\n    yield 0\n"
    graph = find_function(source, "f")
    assert function_branches(graph) == {(2, 3), (2, EXIT)}
    trace = recorder.record(Program(source, "list(f(3))"))
    assert reached_branches(graph, trace) == {(2, 3)}


def test_generators_are_executed_to_their_end() -> None:
    source = "def f(x):\n    while x:\n        yield x\n        x -= 1\n"
    calls = (("call", "f(2)"), ("call", "f(-1)"))
    task = FunctionTask("p/a.py:f", "f", source, calls, GENERATOR)
    executor = InputExecutor(HarvestLimits(sources=("call",)))
    try:
        (outcome,) = executor.run([task])
    finally:
        executor.close()
    assert [(each.call, each.result) for each in outcome.inputs] == [("list(f(2))", "[2, 1]")]
    assert outcome.left_out == {("call", "too many steps"): 1}


@pytest.mark.parametrize(
    ("source", "call", "reason"),
    [
        ("def f(x): return list({x, x + 'b', 'c', 'd', 'e'})", "f('a')", "not deterministic"),
        ("def f(x): return object()", "f(1)", "the result is no literal"),
        ("def f(x):\n    while x: pass", "f(1)", "too many steps"),
        ("def f(x): return sorted({x, 'b'})", "f('a')", ""),
    ],
)
def test_inputs_that_are_left_out(source: str, call: str, reason: str) -> None:
    executor = InputExecutor(HarvestLimits(max_steps=50, sources=("call",)))
    try:
        (outcome,) = executor.run([FunctionTask("a", "f", source, (("call", call),))])
    finally:
        executor.close()
    assert outcome.left_out == ({("call", reason): 1} if reason else {})
