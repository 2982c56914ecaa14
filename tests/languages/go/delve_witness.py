"""Compare traces of CRUXEval-X in Go with the debugger delve, on programs without instrumentation.

Delve steps through an executable that Go's own compiler built without optimisations, outside of the
sandbox. Programs that iterate over a map are left out: Go chooses that order at random.

python -m tests.languages.go.delve_witness ../shared/data/cruxeval_x --count 50
"""

import argparse
import json
import re
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.trace import Limits, Program, Trace
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.languages.go.go_recorder import GoRecorder
from worldline.languages.go.go_source import complete_source
from worldline.languages.go.go_strings import quote

_LOAD = {
    "FollowPointers": True,
    "MaxVariableRecurse": 3,
    "MaxStringLen": 5000,
    "MaxArrayValues": 500,
    "MaxStructFields": -1,
}
_MAX_STOPS = 2000
# Kinds of Go's package reflect.
_BOOL, _INTEGERS, _STRING, _SLICE = 1, range(2, 13), 24, 23
# Lines on which only delve stops: they execute nothing of the source.
_EMPTY_LINE = re.compile(r"[\s})\],;]*(?://.*)?|\s*default:.*|\s*\}\s*else\s*\{")


@dataclass(frozen=True)
class Stop:
    """A line that is about to be executed: its number, the variables, and the depth of calls."""

    line: int
    values: dict[str, str]
    depth: int


class _Delve:
    """A connection to delve's JSON-RPC."""

    def __init__(self, address: str) -> None:
        host, _, port = address.rpartition(":")
        self._socket = socket.create_connection((host, int(port)), timeout=60)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._file = self._socket.makefile("r", encoding="utf-8")

    def call(self, method: str, **arguments: Any) -> dict[str, Any]:
        request = {"method": f"RPCServer.{method}", "params": [arguments], "id": 0}
        self._socket.sendall(json.dumps(request).encode())
        reply = json.loads(self._file.readline())
        if reply.get("error"):
            raise RuntimeError(f"{method}: {reply['error']}")
        return dict(reply["result"] or {})

    def close(self) -> None:
        self._file.close()
        self._socket.close()


@contextmanager
def _debugged(program: Program) -> Iterator[_Delve]:
    with tempfile.TemporaryDirectory() as folder:
        text = re.sub(r"\Apackage \w+", "package main", complete_source(program.text))
        Path(folder, "program.go").write_text(f"{text}\nfunc main() {{ {program.entry}() }}\n")
        Path(folder, "go.mod").write_text("module program\n\ngo 1.19\n")
        command = ["go", "build", "-gcflags=-N -l", "-o", "program", "."]
        subprocess.run(command, cwd=folder, check=True, timeout=300)
        server = subprocess.Popen(
            ["dlv", "exec", "./program", "--headless", "--api-version=2", "--listen=127.0.0.1:0"],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert server.stdout is not None
        try:
            delve = _Delve(server.stdout.readline().split()[-1])
            yield delve
            delve.call("Detach", Kill=True)
            delve.close()
        finally:
            server.terminate()
            server.wait(30)


def witness_stops(program: Program) -> list[Stop]:
    """The stops of delve's `step` in the program's own functions."""
    stops: list[Stop] = []
    with _debugged(program) as delve:
        delve.call("CreateBreakpoint", Breakpoint={"functionName": f"main.{program.entry}"})
        state = delve.call("Command", name="continue")["State"]
        while len(stops) < _MAX_STOPS and not state.get("exited"):
            place = state["currentThread"]
            name = place["function"]["name"]
            if name in ("main.main", "runtime.main"):
                break
            if not place["file"].endswith("/program.go"):
                state = delve.call("Command", name="stepOut")["State"]
                continue
            scope = {"GoroutineID": -1, "Frame": 0}
            depth = len(delve.call("Stacktrace", Id=-1, Depth=60)["Locations"])
            values: dict[str, str] = {}
            for method, key in (("ListFunctionArgs", "Args"), ("ListLocalVars", "Variables")):
                found = delve.call(method, Scope=scope, Cfg=_LOAD)[key] or []
                # Of several variables with a name, the last one hides the others.
                values |= {each["name"]: _text(each) or "" for each in found}
            stops.append(Stop(place["line"], values, depth))
            state = delve.call("Command", name="step")["State"]
    return stops


def _text(variable: dict[str, Any]) -> str | None:
    """The text of a number, boolean, string or slice of these, as we write it; else None."""
    kind = variable["kind"]
    if kind == _BOOL or kind in _INTEGERS:
        return str(variable["value"]).split(" ")[0]
    if kind == _STRING:
        return quote(variable["value"]) if len(variable["value"]) < 1000 else None
    if kind == _SLICE and variable["len"] == len(variable["children"]) and variable["base"]:
        items = [_text(each) for each in variable["children"]]
        name = variable["type"].replace("int32", "rune").replace("uint8", "byte")
        if None not in items:
            return f"{name}{{{', '.join(map(str, items))}}}"
    return None


def recorded_stops(trace: Trace) -> list[Stop]:
    """The line steps of a trace."""
    stops, depth = [], 0
    for step, state in zip(trace.steps, trace.states(), strict=True):
        depth += (step.event == "call") - (step.event == "return")
        if step.event == "line":
            stops.append(Stop(step.line, dict(state), depth))
    return stops


def differences(trace: Trace, stops: list[Stop]) -> tuple[list[str], int]:
    """How the trace differs from delve's stops, and the number of values that were compared.

    A line on which an activation stays is one stop, because `step` also stops in the middle of
    lines, and after a call returns to them.
    """
    lines = trace.program.lines
    first = {scope.line for scope in trace.scopes}
    theirs = [
        stop
        for stop in stops
        if not _EMPTY_LINE.fullmatch(lines[stop.line - 1]) and stop.line not in first
    ]
    left, right = _without_repeats(recorded_stops(trace)), _without_repeats(theirs)
    left = [stop for stop in left if stop.line not in first]
    if [stop.line for stop in left] != [stop.line for stop in right]:
        pairs = enumerate(zip(left, right, strict=False))
        place = next((f"{n}: {a.line} and {b.line}" for n, (a, b) in pairs if a.line != b.line), "")
        return [f"{len(left)} and {len(right)} lines differ at {place or 'the end'}"], 0
    problems, count = [], 0
    for ours, other in zip(left, right, strict=True):
        for name, text in ours.values.items():
            seen = other.values.get(name)
            if seen:
                count += 1
                if seen != text:
                    problems.append(f"{name} on line {ours.line}: {text} and {seen}")
    return problems, count


def _without_repeats(stops: list[Stop]) -> list[Stop]:
    """The stops without those on the line on which their activation was before."""
    kept: list[Stop] = []
    lines: list[int] = []
    base = min((stop.depth for stop in stops), default=0)
    for stop in stops:
        depth = stop.depth - base + 1
        del lines[depth:]
        if len(lines) == depth and lines[-1] == stop.line:
            continue
        lines[depth - 1 :] = [stop.line]
        kept.append(stop)
    return kept


def main() -> None:
    """Record, step and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--count", type=int, default=50)
    arguments = parser.parse_args()
    questions = [
        question
        for question in cruxeval_x(arguments.data, language="go").questions
        if "func main(" not in question.program.text
        and not ("map[" in question.program.text and "range" in question.program.text)
    ][::10][: arguments.count]
    same = values = lines = 0
    with GoRecorder() as recorder:
        for question in questions:
            trace = recorder.record(question.program, limits=Limits(seconds=60))
            if not trace.is_complete:
                sys.stdout.write(f"{question.id}: {trace.ending!r}\n")
                continue
            problems, count = differences(trace, witness_stops(question.program))
            same += not problems
            values += count
            lines += sum(step.event == "line" for step in trace.steps)
            for problem in problems[:3]:
                sys.stdout.write(f"{question.id}: {problem}\n")
            sys.stdout.flush()
    sys.stdout.write(
        f"{same} of {len(questions)} programs are the same: {lines} line steps, "
        f"{values} values compared\n"
    )


if __name__ == "__main__":
    main()
