"""Inputs by symbolic execution: branches behind conditions, and what ends without inputs."""

import json
from pathlib import Path

import pytest

from worldline.core.errors import InputError
from worldline.data.generation import DecontaminationIndex
from worldline.data.harvest import HarvestLimits, functions_path, harvest_file
from worldline.data.harvest.symbolic import SymbolicExecutor, symbolic_inputs
from worldline.data.harvest.symbolic.annotated_source import annotate_parameters
from worldline.data.harvest.symbolic.symbolic_inputs import is_literal_call

GUARDED = """\
def check(code, items):
    if code * 7 == 4641:
        return "number"
    if len(items) > 2 and items[0] + items[1] == 1000:
        return "sum"
    return "other"
"""


def values_of(source: str, calls: list[str]) -> set[object]:
    """What the calls of a trusted source return."""
    names: dict[str, object] = {}
    exec(source, names)
    return {eval(call, names) for call in calls}


def test_branches_behind_equations_are_reached() -> None:
    calls = SymbolicExecutor(seconds=10).find_inputs(GUARDED, "check")
    assert values_of(GUARDED, calls) == {"number", "sum", "other"}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("def f(x):\n    while True:\n        x += 1\n", id="endless"),
        pytest.param("raise SystemExit(3)\ndef f(x):\n    return x\n", id="not loaded"),
        pytest.param("import os\ndef f(x):\n    os._exit(1)\n", id="ends its process"),
    ],
)
def test_what_cannot_be_executed_has_no_inputs(source: str) -> None:
    assert SymbolicExecutor(seconds=1).find_inputs(source, "f") == []


def test_the_code_is_executed_in_the_sandbox(tmp_path: Path) -> None:
    target = tmp_path / "written"
    source = f"open({str(target)!r}, 'w').write('x')\ndef f(x: int):\n    return x > 3\n"
    harmless = "def f(x: int):\n    if x > 3:\n        return 1\n    return 2\n"
    executor = SymbolicExecutor(seconds=3)
    assert executor.find_inputs(source, "f") == []
    assert not target.exists()
    assert executor.find_inputs(harmless, "f")


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("def f(s, n=1): return s.split()[n]", "def f(s: str, n: int=1):"),
        ("def f(x: 'A', y: list[str]): return y", "def f(x: int | str | list[int], y: list[str]):"),
        ("def f(*a, k: float = 0.5, **o): return k", "def f(*a: int, k: float=0.5, **o: int):"),
    ],
)  # fmt: skip
def test_parameters_are_annotated_with_built_in_types(header: str, expected: str) -> None:
    assert annotate_parameters(header, "f").split("\n")[0] == expected


@pytest.mark.parametrize(
    ("text", "is_literal"),
    [
        ("f(1, x=[2, {'a': None}])", True),
        ("f(-1.5)", True),
        ("f(Signals.SIGINT)", False),
        ("f(g(1))", False),
        ("g(1)", False),
        ("f(**{})", False),
        ("f(1", False),
        ("x.f(1)", False),
        (f"f({'1' * 400})", False),
    ],
)
def test_only_calls_with_literals_are_inputs(text: str, is_literal: bool) -> None:
    assert is_literal_call(text, "f") == is_literal


def test_a_harvest_reaches_more_branches_with_symbolic_inputs(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "guarded.py").write_text(GUARDED)
    missed = {}
    for sources in (("constants",), ("constants", "symbolic")):
        output = tmp_path / f"{len(sources)}.jsonl"
        limits = HarvestLimits(sources=sources)
        harvest_file(output, [source], DecontaminationIndex(), limits=limits)
        (row,) = map(json.loads, functions_path(output).read_text().splitlines())
        missed[sources] = len(row["not_reached"])
        assert sum(number for _, number in row["execution_paths"]) == sum(row["running"].values())
    assert missed["constants", "symbolic"] < missed["constants",]


def test_the_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbolic_inputs, "find_spec", lambda _: None)
    with pytest.raises(InputError, match=r"pip install 'worldline\[symbolic\]'"):
        SymbolicExecutor()
