"""Conformance of both tracers with the gold traces, and with Python itself."""

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

from tests.languages.recorder.methods import VERSIONS, python_of, recorder_of
from tests.support.paths import PROJECT_ROOT
from worldline.core.trace import (
    Program,
    Trace,
    python_version,
    state_at,
    trace_from_json,
    trace_to_json,
)

FOLDER = Path(__file__).parent
GOLD = runpy.run_path(str(PROJECT_ROOT / "scripts" / "gold"))
read_program: Callable[[str], Program] = GOLD["read_program"]
gold_text: Callable[[Trace], str] = GOLD["gold_text"]
expected_text: Callable[[str, tuple[int, int]], str] = GOLD["expected_text"]
NAMES: list[str] = GOLD["program_names"]()
LOADED = [name for name in NAMES if not name.startswith("not_")]
ADDRESS = re.compile(r" at 0x[0-9a-f]+")


@dataclass(frozen=True)
class Interpreter:
    """One version of Python with one tracer, and the traces of all programs."""

    path: str
    backend: str
    traces: dict[str, Trace]


@pytest.fixture(scope="module", params=VERSIONS)
def path(request: pytest.FixtureRequest) -> str:
    """The path of each supported version of Python that is installed."""
    return python_of(request.param)


@pytest.fixture(scope="module", params=["core", "settrace"])
def python(path: str, request: pytest.FixtureRequest) -> Iterator[Interpreter]:
    """The traces of all programs, recorded in C and in Python."""
    with recorder_of(path, request.param) as recorder:
        traces = {name: recorder.record(read_program(name)) for name in NAMES}
        yield Interpreter(path, recorder.backend, traces)


@pytest.fixture(scope="module")
def unrecorded(python: Interpreter, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The endings and the output of the programs without the recorder."""
    return _run_unrecorded(python, tmp_path_factory.mktemp("unrecorded"))


@pytest.fixture(scope="module")
def settrace_events(
    python: Interpreter, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Any]:
    """The events of the programs, collected by a simple trace function."""
    return _run_unrecorded(python, tmp_path_factory.mktemp("events"), "--events")


def _run_unrecorded(python: Interpreter, folder: Path, *options: str) -> dict[str, Any]:
    for name in LOADED:
        program = read_program(name)
        (folder / f"{name}.text").write_text(program.text, encoding="utf-8")
        (folder / f"{name}.entry").write_text(program.entry or "")
        (folder / f"{name}.stdin").write_bytes(program.stdin.encode())
    environment = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    command = [python.path, str(FOLDER / "run_unrecorded.py"), *options, str(folder)]
    subprocess.run(command, env=environment, check=True)
    return {
        name: loads((folder / f"{name}.json").read_text())
        | {"stdout": (folder / f"{name}.stdout").read_bytes().decode()}
        for name in LOADED
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_trace_equals_its_gold_file(python: Interpreter, name: str) -> None:
    trace = python.traces[name]
    assert gold_text(trace) == expected_text(name, python_version(trace.origin.python))


@pytest.mark.parametrize("name", LOADED)
def test_recording_does_not_change_the_result(
    python: Interpreter, unrecorded: dict[str, Any], name: str
) -> None:
    trace = python.traces[name]
    reason, detail = unrecorded[name]["ending"]
    assert trace.ending.reason == reason
    recorded = trace.result if reason == "finished" else trace.ending.detail
    assert recorded in (detail, ADDRESS.sub("", detail))
    assert trace.stdout == unrecorded[name]["stdout"]


# Near the recursion limit, a simple trace function itself raises a RecursionError.
@pytest.mark.parametrize("name", [name for name in LOADED if name != "recursion_limit"])
def test_steps_are_the_events_of_settrace(
    python: Interpreter, settrace_events: dict[str, Any], name: str
) -> None:
    trace = python.traces[name]
    functions = [scope.function.rsplit(".", 1)[-1] for scope in trace.scopes]
    events = settrace_events[name]["events"]
    if trace.program.entry is None:
        # Python reports line 0 for the start of a module; the recorder reports line 1.
        assert events[0] == ["call", 0, "<module>"]
        events[0][1] = 1
    assert [[step.event, step.line, functions[step.scope]] for step in trace.steps] == events


@pytest.mark.parametrize("name", LOADED)
def test_scopes_start_with_a_call_and_the_first_ends_last(python: Interpreter, name: str) -> None:
    trace = python.traces[name]
    events_by_scope: dict[int, list[str]] = {}
    for step in trace.steps:
        events_by_scope.setdefault(step.scope, []).append(step.event)
    assert list(events_by_scope) == list(range(len(trace.scopes)))
    assert {events[0] for events in events_by_scope.values()} == {"call"}
    assert (trace.steps[-1].event, trace.steps[-1].scope) == ("return", 0)


def test_a_comprehension_has_its_own_scope_up_to_python_3_11(
    python: Interpreter,
) -> None:
    trace = python.traces["comprehensions"]
    functions = {scope.function.rsplit(".", 1)[-1] for scope in trace.scopes}
    own = {"<listcomp>", "<dictcomp>", "<setcomp>"}
    assert functions & own == (own if trace.origin.has_comprehension_frames else set())


def test_recording_a_program_twice_gives_the_same_bytes(python: Interpreter) -> None:
    with recorder_of(python.path, python.backend) as recorder:
        again = {name: recorder.record(read_program(name)) for name in NAMES}
    for name in NAMES:
        assert dumps(trace_to_json(again[name])) == dumps(trace_to_json(python.traces[name]))


def test_a_trace_survives_the_round_trip_through_json(python: Interpreter) -> None:
    for trace in python.traces.values():
        assert trace_from_json(loads(dumps(trace_to_json(trace)))) == trace


def test_state_at_agrees_with_states(python: Interpreter) -> None:
    for trace in python.traces.values():
        for index, state in enumerate(trace.states()):
            assert state_at(trace.steps, index) == state


def test_every_gold_trace_belongs_to_a_program() -> None:
    gold = {path.name.split(".")[0] for path in (PROJECT_ROOT / "tests" / "gold").glob("*.txt")}
    assert gold == set(NAMES)
