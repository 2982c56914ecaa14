"""Both recorders against traces that were read, and against Python itself."""

import os
import re
import runpy
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from json import dumps, loads
from pathlib import Path
from typing import Any

import pytest

from tests.recorders.methods import python_of, recorder_of
from worldline.trace import (
    Program,
    Trace,
    python_version,
    state_at,
    trace_from_json,
    trace_to_json,
)

HERE = Path(__file__).parent
GOLD = runpy.run_path(str(HERE.parents[1] / "scripts" / "gold"))
read_program: Callable[[str], Program] = GOLD["read_program"]
gold_text: Callable[[Trace], str] = GOLD["gold_text"]
expected_text: Callable[[str, tuple[int, int]], str] = GOLD["expected_text"]
NAMES: list[str] = GOLD["program_names"]()
LOADED = [name for name in NAMES if not name.startswith("not_")]
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclass(frozen=True)
class Interpreter:
    """One version of Python: its path, and all programs recorded with it."""

    path: str
    method: str
    traces: dict[str, Trace]


@pytest.fixture(scope="module", params=["3.11", "3.12", "3.13"])
def path(request: pytest.FixtureRequest) -> str:
    """Each version of Python that is supported, where it is there."""
    return python_of(request.param)


@pytest.fixture(scope="module", params=["core", "settrace"])
def python(path: str, request: pytest.FixtureRequest) -> Iterator[Interpreter]:
    """All programs recorded, in C and in Python."""
    with recorder_of(path, request.param) as recorder:
        traces = {name: recorder.record(read_program(name)) for name in NAMES}
        yield Interpreter(path, recorder.method, traces)


@pytest.fixture(scope="module")
def plain(python: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """How the programs end, and what they print, when nobody looks."""
    return _run_plainly(python, tmp_path_factory.mktemp("plain"))


@pytest.fixture(scope="module")
def watched(python: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The same with the events that a trace function of a few lines is given."""
    return _run_plainly(python, tmp_path_factory.mktemp("watched"), "--events")


def _run_plainly(python: Interpreter, folder: Path, *options: str) -> dict[str, Any]:
    for name in LOADED:
        program = read_program(name)
        (folder / f"{name}.text").write_text(program.text, encoding="utf-8")
        (folder / f"{name}.entry").write_text(program.entry or "")
        (folder / f"{name}.stdin").write_bytes(program.stdin.encode())
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    command = [python.path, str(HERE / "plain_python.py"), *options, str(folder)]
    subprocess.run(command, env=environment, check=True)
    return {
        name: loads((folder / f"{name}.json").read_text())
        | {"stdout": (folder / f"{name}.stdout").read_bytes().decode()}
        for name in LOADED
    }


@pytest.mark.parametrize("name", NAMES)
def test_trace_is_the_one_that_was_read(python: Interpreter, name: str) -> None:
    trace = python.traces[name]
    assert gold_text(trace) == expected_text(name, python_version(trace.origin.python))


@pytest.mark.parametrize("name", LOADED)
def test_recording_changes_no_result(python: Interpreter, plain: dict[str, Any], name: str) -> None:
    trace = python.traces[name]
    reason, said = plain[name]["ended"]
    assert trace.ending.reason == reason
    told = trace.result if reason == "finished" else trace.ending.detail
    assert told in (said, ADDRESS.sub("", said))
    assert trace.stdout == plain[name]["stdout"]


# Near its limit the stack has no room for a trace function that does nothing about it.
@pytest.mark.parametrize("name", [name for name in LOADED if name != "recursion_limit"])
def test_steps_are_the_events_of_python(
    python: Interpreter, watched: dict[str, Any], name: str
) -> None:
    trace = python.traces[name]
    functions = [scope.function.rsplit(".", 1)[-1] for scope in trace.scopes]
    events = watched[name]["events"]
    if trace.program.entry is None:
        # Python enters a module on line 0, which no source has.
        assert events[0] == ["call", 0, "<module>"]
        events[0][1] = 1
    assert [[step.event, step.line, functions[step.scope]] for step in trace.steps] == events


@pytest.mark.parametrize("name", LOADED)
def test_scopes_begin_with_a_call_and_the_first_ends_last(python: Interpreter, name: str) -> None:
    trace = python.traces[name]
    events_of: dict[int, list[str]] = {}
    for step in trace.steps:
        events_of.setdefault(step.scope, []).append(step.event)
    assert list(events_of) == list(range(len(trace.scopes)))
    assert {events[0] for events in events_of.values()} == {"call"}
    assert (trace.steps[-1].event, trace.steps[-1].scope) == ("return", 0)


def test_a_comprehension_is_a_call_of_its_own_where_the_origin_says_so(
    python: Interpreter,
) -> None:
    trace = python.traces["comprehensions"]
    functions = {scope.function.rsplit(".", 1)[-1] for scope in trace.scopes}
    own = {"<listcomp>", "<dictcomp>", "<setcomp>"}
    assert functions & own == (own if trace.origin.has_comprehension_frames else set())


def test_same_programs_give_the_same_bytes(python: Interpreter) -> None:
    with recorder_of(python.path, python.method) as recorder:
        again = {name: recorder.record(read_program(name)) for name in NAMES}
    for name in NAMES:
        assert dumps(trace_to_json(again[name])) == dumps(trace_to_json(python.traces[name]))


def test_traces_survive_json(python: Interpreter) -> None:
    for trace in python.traces.values():
        assert trace_from_json(loads(dumps(trace_to_json(trace)))) == trace


def test_state_at_one_step_is_that_of_all_of_them(python: Interpreter) -> None:
    for trace in python.traces.values():
        for index, state in enumerate(trace.states()):
            assert state_at(trace.steps, index) == state


def test_every_gold_trace_belongs_to_a_program() -> None:
    gold = {path.name.split(".")[0] for path in (HERE.parent / "gold").glob("*.txt")}
    assert gold == set(NAMES)
