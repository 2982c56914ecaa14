"""The reference recorder against traces that were read, and against Python itself."""

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterator
from json import dumps, loads
from pathlib import Path

import pytest

from worldline.recorders import PythonRecorder
from worldline.trace import (
    Program,
    Trace,
    python_version,
    state_at,
    trace_from_json,
    trace_to_json,
)

GOLD = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "gold"))
find_python: Callable[[str], str | None] = GOLD["find_python"]
read_program: Callable[[str], Program] = GOLD["read_program"]
gold_text: Callable[[Trace], str] = GOLD["gold_text"]
expected_text: Callable[[str, tuple[int, int]], str] = GOLD["expected_text"]
NAMES: list[str] = GOLD["program_names"]()
LOADED = [name for name in NAMES if not name.startswith("not_")]

ENVIRONMENT = {"PATH": os.environ["PATH"], "PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
ADDRESS = re.compile(r" at 0x[0-9a-f]+")
# Loads the program, calls its entry from a module as a script would, and says how that ended.
PLAIN_CALL = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import program
try:
    ended = ["finished", repr(program.{entry}())]
except SystemExit as error:
    ended = ["exited", str(error.code)]
except BaseException as error:
    ended = ["raised", f"{{type(error).__name__}}: {{error}}"]
import json
sys.stderr.write("\\n" + json.dumps(ended))
"""
# The events of sys.settrace and nothing else: a second recorder, too small to be wrong.
PLAIN_EVENTS = """
import sys
text, entry, sys.argv = sys.argv[1], sys.argv[2], ["program"]
module = type(sys)("program" if entry else "__main__")
sys.modules[module.__name__] = module
module.__dict__["__builtins__"] = __builtins__
code = compile(open(text, encoding="utf-8").read(), "<program>", "exec")
events = []
def on_event(frame, event, arg):
    if frame.f_code.co_filename == "<program>":
        events.append([event, frame.f_lineno, frame.f_code.co_name])
        return on_event
if entry:
    exec(code, module.__dict__)
sys.settrace(on_event)
try:
    result = eval(entry + "()" if entry else code, module.__dict__)
except BaseException:
    pass
sys.settrace(None)
import json
sys.stderr.write("\\n" + json.dumps(events))
"""


@pytest.fixture(scope="module", params=["3.11", "3.12", "3.13"])
def recorder(request: pytest.FixtureRequest) -> Iterator[PythonRecorder]:
    """A recorder for each version of Python that is supported and there."""
    python = find_python(request.param)
    if python is None:
        pytest.skip(f"no Python {request.param} on PATH or in ~/.pyenv/versions")
    with PythonRecorder(python=python) as recorder:
        yield recorder


@pytest.fixture(scope="module")
def traces() -> dict[str, Trace]:
    """All programs, recorded with the interpreter that runs the tests."""
    with PythonRecorder() as recorder:
        return {name: recorder.record(read_program(name)) for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
def test_trace_is_the_one_that_was_read(recorder: PythonRecorder, name: str) -> None:
    trace = recorder.record(read_program(name))
    assert gold_text(trace) == expected_text(name, python_version(trace.origin.python))


@pytest.mark.parametrize("name", [name for name in LOADED if name != "recursion_limit"])
def test_events_are_those_of_python(recorder: PythonRecorder, tmp_path: Path, name: str) -> None:
    program = read_program(name)
    trace = recorder.record(program)
    text = tmp_path / "text"
    text.write_text(program.text, encoding="utf-8")
    python = find_python(".".join(trace.origin.python.split(".")[:2]))
    assert python is not None
    ran = subprocess.run(
        [python, "-c", PLAIN_EVENTS, str(text), program.entry or ""],
        input=program.stdin.encode(),
        capture_output=True,
        env=ENVIRONMENT,
    )
    events = loads(ran.stderr.decode().splitlines()[-1])
    if program.entry is None:
        # Python enters a module on line 0, which no source has.
        assert events[0] == ["call", 0, "<module>"]
        events[0][1] = 1
    functions = [scope.function.rsplit(".", 1)[-1] for scope in trace.scopes]
    assert [[step.event, step.line, functions[step.scope]] for step in trace.steps] == events


@pytest.mark.parametrize("name", LOADED)
def test_recording_changes_no_result(traces: dict[str, Trace], tmp_path: Path, name: str) -> None:
    program, trace = read_program(name), traces[name]
    if program.entry is None:
        (tmp_path / "program").write_text(program.text, encoding="utf-8")
        ran = _run([sys.executable, "program"], program, tmp_path)
        status = {"finished": 0, "raised": 1, "exited": 1}[trace.ending.reason]
        assert (status, trace.stdout) == (ran.returncode, ran.stdout.decode())
        return
    (tmp_path / "program.py").write_text(program.text, encoding="utf-8")
    call = PLAIN_CALL.format(entry=program.entry)
    ran = _run([sys.executable, "-c", call, str(tmp_path)], program, tmp_path)
    reason, said = loads(ran.stderr.decode().splitlines()[-1])
    told = trace.result if reason == "finished" else trace.ending.detail
    assert (trace.ending.reason, told) == (reason, ADDRESS.sub("", said))
    assert trace.stdout == ran.stdout.decode()


def _run(command: list[str], program: Program, folder: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, input=program.stdin.encode(), capture_output=True, cwd=folder, env=ENVIRONMENT
    )


@pytest.mark.parametrize("name", NAMES)
def test_same_program_gives_the_same_bytes(traces: dict[str, Trace], name: str) -> None:
    with PythonRecorder() as recorder:
        again = recorder.record(read_program(name))
    assert dumps(trace_to_json(again)) == dumps(trace_to_json(traces[name]))


@pytest.mark.parametrize("name", NAMES)
def test_trace_survives_json(traces: dict[str, Trace], name: str) -> None:
    trace = traces[name]
    assert trace_from_json(loads(dumps(trace_to_json(trace)))) == trace


@pytest.mark.parametrize("name", NAMES)
def test_state_of_one_step_is_that_of_all(traces: dict[str, Trace], name: str) -> None:
    trace = traces[name]
    all_states = list(trace.states())
    assert len(all_states) == len(trace.steps)
    for index, state in enumerate(all_states):
        assert state_at(trace.steps, index) == state


@pytest.mark.parametrize("name", LOADED)
def test_every_scope_begins_with_a_call_and_ends_once(recorder: PythonRecorder, name: str) -> None:
    trace = recorder.record(read_program(name))
    steps_of: dict[int, list[str]] = {}
    for step in trace.steps:
        steps_of.setdefault(step.scope, []).append(step.event)
    assert sorted(steps_of) == list(range(len(trace.scopes)))
    assert {events[0] for events in steps_of.values()} == {"call"}
    if trace.ending.is_complete:
        last = trace.steps[-1]
        assert (last.event, last.scope) == ("return", 0)


def test_every_gold_file_belongs_to_a_program() -> None:
    gold = {path.name.split(".")[0] for path in (Path(__file__).parents[1] / "gold").glob("*.txt")}
    assert gold == set(NAMES)
