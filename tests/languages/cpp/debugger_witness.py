"""Compare traces of CRUXEval-X in C++ with gdb's own `step`, `info locals` and printers.

Another way to the same facts: no breakpoints but steps, an executable with other options (dynamic,
with discriminators, without our assembly), and gdb's printing of values. `step` does not stop in
callbacks of the standard library, so programs with lambdas are left out.

python -m tests.languages.cpp.debugger_witness ../shared/data --count 50
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from worldline.core.trace import Limits, Program, Trace
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.languages.cpp.cpp_compiler import find_compiler
from worldline.languages.cpp.cpp_statements import statement_lines
from worldline.languages.cpp.gdb_recorder import GdbRecorder
from worldline.languages.native.gdb_runtime import find_gdb

_SCRIPT = """
import gdb, json, sys
for setting in ("pagination off", "confirm off", "width 0", "print elements 0", "print repeats 0",
                "debuginfod enabled off", "startup-with-shell off"):
    gdb.execute("set " + setting)
sys.path.insert(0, {printers!r})
from libstdcxx.v6.printers import register_libstdcxx_printers
register_libstdcxx_printers(None)
gdb.execute("file {program}")
gdb.execute("skip -gfi */include/*")
gdb.execute("break call_main")
gdb.execute("run", to_string=True)
stops = []
while len(stops) < 2000:
    frame = gdb.selected_frame()
    place = frame.find_sal()
    if frame.name() == "main":
        break
    if place.symtab is None or not place.symtab.filename.endswith("program.cpp"):
        gdb.execute("finish", to_string=True)
        continue
    values = {{}}
    block = frame.block()
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                try:
                    values.setdefault(symbol.name, str(symbol.value(frame)))
                except gdb.error:
                    pass
        if block.function is not None:
            break
        block = block.superblock
    depth, older = 0, frame.older()
    while older is not None:
        depth, older = depth + 1, older.older()
    # After the call, main destroys its result.
    if depth == 1 and not frame.name().startswith("call_main"):
        break
    stops.append([frame.name().partition("(")[0], place.line, values, depth])
    gdb.execute("step", to_string=True)
    if not gdb.selected_inferior().pid:
        break
with open({output!r}, "w") as file:
    json.dump(stops, file)
"""


@dataclass(frozen=True)
class Stop:
    """A statement that is about to be executed: its function and line, the state, and the depth."""

    function: str
    line: int
    values: dict[str, str]
    depth: int


def witness_stops(program: Program) -> list[Stop]:
    """The stops of gdb's `step`, with the values as gdb prints them."""
    gdb = find_gdb()
    with tempfile.TemporaryDirectory() as folder:
        source, executable = Path(folder) / "program.cpp", Path(folder) / "program"
        output, script = Path(folder) / "stops.json", Path(folder) / "script.py"
        source.write_text(f"{program.text}\nint main() {{ call_main(); }}\n")
        command = [find_compiler().path, "-std=gnu++20", "-g", "-O0", "-w", str(source)]
        subprocess.run([*command, "-o", str(executable)], check=True)
        script.write_text(
            _SCRIPT.format(printers=gdb.printers, program=executable, output=str(output))
        )
        subprocess.run(
            [gdb.path, *gdb.options, "-nx", "-batch-silent", "-x", str(script)],
            env={**gdb.environment, "LC_ALL": "C.UTF-8"},
            stderr=subprocess.DEVNULL,
            check=True,
            timeout=120,
        )
        return [Stop(*stop) for stop in json.loads(output.read_text())]


def normal_value(text: str) -> str | None:
    """gdb's text of a number, boolean, string or vector of these, as we write it; else None."""
    text = re.sub(r"std::vector of length \d+, capacity \d+( = )?", "", text)
    text = re.sub(r"^@0x[\da-f]+: ", "", text)
    if text == "":
        return "{}"
    if re.search(r"std::|0x|\.\.\.|\\|<|\[|=", text):
        return None
    # A character is printed with its number.
    text = re.sub(r"-?\d+ ('.')", r"\1", text)
    return text if re.fullmatch(r"[-\w\s\"'{},.!?;:()]*", text) else None


def recorded_stops(trace: Trace) -> list[Stop]:
    """The line steps of a trace."""
    stops, depth = [], 0
    for step, state in zip(trace.steps, trace.states(), strict=True):
        depth += (step.event == "call") - (step.event == "return")
        if step.event == "line":
            stops.append(Stop(trace.scopes[step.scope].function, step.line, state, depth))
    return stops


def differences(trace: Trace, stops: list[Stop]) -> list[str]:
    """How the trace differs from the stops: in the next statement, or the value of a variable.

    A statement that an activation executes several times in a row is one stop, because `step` also
    stops in the middle of statements. Lines without a statement are left out.
    """
    statements = statement_lines(trace.program.text)
    theirs = [
        replace(stop, function=stop.function.split("[")[0], line=statements[stop.line])
        for stop in stops
        if stop.line in statements
    ]
    left, right = (without_repeats(each) for each in (recorded_stops(trace), theirs))
    places = [[(stop.function, stop.line) for stop in each] for each in (left, right)]
    if places[0] != places[1]:
        pairs = enumerate(zip(*places, strict=False))
        first = next((f"{n}: {a} and {b}" for n, (a, b) in pairs if a != b), "the end")
        return [f"{len(left)} and {len(right)} statements differ at {first}"]
    return [
        f"{name} on line {ours.line}: {text} and {other}"
        for ours, stop in zip(left, right, strict=True)
        for name, text in ours.values.items()
        if (other := normal_value(stop.values.get(name, "..."))) is not None and other != text
    ]


def without_repeats(stops: list[Stop]) -> list[Stop]:
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
        for question in cruxeval_x(arguments.data, language="cpp").questions
        if "[](" not in question.program.source and "[&" not in question.program.source
    ][::10][: arguments.count]
    same = values = statements = 0
    with GdbRecorder() as recorder:
        for question in questions:
            trace = recorder.record(question.program, limits=Limits(seconds=60))
            stops = witness_stops(question.program)
            problems = differences(trace, stops)
            same += not problems
            statements += sum(step.event == "line" for step in trace.steps)
            values += sum(
                normal_value(text) is not None for stop in stops for text in stop.values.values()
            )
            for problem in problems[:3]:
                sys.stdout.write(f"{question.id}: {problem}\n")
    sys.stdout.write(
        f"{same} of {len(questions)} programs are the same: {statements} line steps, "
        f"{values} printed values\n"
    )


if __name__ == "__main__":
    main()
