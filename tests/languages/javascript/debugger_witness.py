"""Compare the steps of recorded programs with those of an independent debugger, V8's own.

    python -m tests.languages.javascript.debugger_witness ../shared/data/cruxeval_x --count 50
    python -m tests.languages.javascript.debugger_witness ../shared/data/cruxeval_x --language typescript

TypeScript is compiled by its own compiler then, and not by removing the types. The debugger stops at every statement of the same programs and reads their variables. It runs outside
of the sandbox: only for programs that are trusted, such as those of a benchmark.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from worldline.core.trace import Program, Trace
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.languages import javascript
from worldline.languages.javascript.javascript_values import parse_literal
from worldline.languages.javascript.node_recorder import NodeRecorder
from worldline.languages.javascript.node_runtime import find_node

WITNESS = Path(__file__).with_name("witness.mjs")
# Installed by scripts/build-javascript.
TYPESCRIPT = Path(javascript.__file__).parent / "node" / "node_modules" / "typescript"
CLOSING = re.compile(r"[\s})\];,]*(?://.*)?")
DECLARED = re.compile(r"\b(?:let|const)\s+(\w+)")
LOOP = re.compile(r"\s*(?:\}\s*)?for\s*\(")


@dataclass(slots=True)
class Stop:
    """A stop at a line: its depth of calls, and the variables there."""

    line: int
    depth: int
    variables: dict[str, Any]
    # Variables without a value that JSON can write, such as undefined ones.
    hidden: frozenset[str] = field(default_factory=frozenset)
    # The stop at the end of the head of a `for`, if it is another one.
    last: "Stop | None" = None


def stops_of_debugger(program: Program, folder: Path) -> list[Stop]:
    """The stops of the debugger; lines that only close brackets are left out."""
    is_typescript = program.language == "typescript"
    file = folder / ("program.ts" if is_typescript else "program.js")
    file.write_text(program.text)
    command = [find_node().path, str(WITNESS), str(file), str(program.entry)]
    command += [str(TYPESCRIPT)] if is_typescript else []
    result = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    stops = []
    for row in map(json.loads, result.stdout.splitlines()):
        variables = {name: json.loads(text) for name, text in row["variables"].items()}
        stops.append(Stop(row["line"], row["depth"], variables, frozenset(row["hidden"])))
    return [stop for stop in stops if not CLOSING.fullmatch(program.line(stop.line))]


def stops_of_trace(trace: Trace) -> list[Stop]:
    """The line steps of a trace, with their full states and their depths."""
    stops, depth = [], 0
    for step, state in zip(trace.steps, trace.states(), strict=True):
        depth += step.event == "call"
        if step.event == "line":
            stops.append(Stop(step.line, depth, dict(state)))
        depth -= step.event == "return"
    return stops


def without_repeats(stops: Iterable[Stop], program: Program, *, is_debugger: bool) -> list[Stop]:
    """Stops without those at the line at which their call already was.

    The debugger stops again on a line after a call, and at each part of the head of a `for`. The
    recorder has one step there: before the first part at first, and before the test later.
    """
    lines: list[int] = []
    kept: list[Stop] = []
    for stop in stops:
        del lines[stop.depth :]
        lines += [0] * (stop.depth - len(lines))
        is_repeated = lines[-1] == stop.line
        lines[-1] = stop.line
        if not is_repeated:
            kept.append(stop)
        elif is_debugger and LOOP.match(program.line(stop.line)):
            last = kept[-1]
            if (last.line, last.depth) == (stop.line, stop.depth):
                last.last = stop
    return kept


def first_difference(trace: Trace, stops: list[Stop]) -> tuple[str, int, int]:
    """What differs first ("" if nothing), and the number of stops and of values compared."""
    recorded = without_repeats(stops_of_trace(trace), trace.program, is_debugger=False)
    stops = without_repeats(stops, trace.program, is_debugger=True)
    values = 0
    for position, (own, other) in enumerate(zip(recorded, stops, strict=False)):
        if (own.line, own.depth) != (other.line, other.depth):
            return f"line {own.line}, the debugger: line {other.line}", position, values
        later = declared_later(trace.program, own.line)
        difference = different_value(own, other, later)
        if difference and other.last is not None:
            difference = different_value(own, other.last, later)
        if difference:
            return f"line {own.line}: {difference}", position, values
        values += len(own.variables.keys() & other.variables.keys())
    if len(recorded) != len(stops):
        return f"{len(recorded)} stops, the debugger: {len(stops)}", len(stops), values
    return "", len(stops), values


def declared_later(program: Program, line: int) -> frozenset[str]:
    """The names that `let` and `const` declare on a line or after it.

    In the second iteration of a loop, V8 shows those of its body with the values of the first,
    before they are declared again: the program cannot read them there.
    """
    rest = program.lines[line - 1 :]
    return frozenset(name for each in rest for name in DECLARED.findall(each))


def different_value(own: Stop, other: Stop, later: frozenset[str]) -> str:
    """The first variable that differs; "" if none does."""
    for name, text in own.variables.items():
        if name in other.variables:
            if parsed(text) != other.variables[name]:
                return f"{name} is {text}, not {other.variables[name]}"
        elif name not in other.hidden and name != "this":
            return f"the debugger has no {name}"
    missing = other.variables.keys() - own.variables.keys() - {"arguments", "this"} - later
    return f"{sorted(missing)} not recorded" if missing else ""


def parsed(text: str) -> Any:
    """The Python value of a recorded one; the text if it is no literal."""
    try:
        return parse_literal(text)
    except ValueError:
        return text


def main() -> None:
    """Compare programs of CRUXEval-X."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--count", type=int, default=50)
    parser.add_argument("--language", choices=["javascript", "typescript"], default="javascript")
    arguments = parser.parse_args()
    questions = cruxeval_x(arguments.data, language=arguments.language).questions
    chosen = questions[:: max(1, len(questions) // arguments.count)][: arguments.count]
    same = total_stops = total_values = 0
    with NodeRecorder() as recorder:
        for question in chosen:
            trace = recorder.record(question.program)
            with tempfile.TemporaryDirectory() as folder:
                stops = stops_of_debugger(question.program, Path(folder))
            difference, count, values = first_difference(trace, stops)
            same += not difference
            total_stops, total_values = total_stops + count, total_values + values
            if difference:
                sys.stdout.write(f"{question.id}: {difference}\n")
    sys.stdout.write(
        f"{same} of {len(chosen)} programs agree; {total_stops} stops and {total_values} values "
        "were compared\n"
    )


if __name__ == "__main__":
    main()
