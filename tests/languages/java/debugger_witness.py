"""Compare the steps of recorded programs with those of an independent debugger (JDI).

    python -m tests.languages.java.debugger_witness ../shared/data/cruxeval_x --count 50

The debugger stops at every line of the same programs and reads their variables. It runs outside of
the sandbox: only for programs that are trusted, such as those of a benchmark.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from worldline.core.trace import Program, Trace
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.languages.java.java_value_parser import parse_value
from worldline.languages.java.jvm_recorder import JavaRecorder
from worldline.languages.java.jvm_runtime import find_java

WITNESS = Path(__file__).with_name("Witness.java")
# Calls the entry point, as the recorder does.
LAUNCHER = "class Launcher { public static void main(String[] a) throws Throwable { %s.%s(); } }"
CLOSING = re.compile(r"[\s})\];]*(?://.*)?")
FOR_EACH = re.compile(r"\bfor\s*\([^;]*:[^;]*\)")


@dataclass(frozen=True, slots=True)
class Stop:
    """A stop at a line, and the variables there that both sides can show."""

    line: int
    variables: dict[str, str]


def compile_witness(folder: str) -> None:
    """Compile the debugger."""
    compiler = str(Path(find_java().home, "bin", "javac"))
    subprocess.run([compiler, "-d", folder, str(WITNESS)], check=True, capture_output=True)


def stops_of_debugger(program: Program, folder: Path, class_path: str, witness: str) -> list[Stop]:
    """The stops of the debugger; lines that only close brackets are left out."""
    home = Path(find_java().home)
    (folder / "Program.java").write_text(program.text)
    (folder / "Launcher.java").write_text(LAUNCHER % ("Problem", program.entry))
    path = os.pathsep.join(filter(None, [str(folder), class_path]))
    files = [str(folder / name) for name in ("Program.java", "Launcher.java")]
    compiler = [str(home / "bin" / "javac"), "-g", "-nowarn", "-cp", path, "-d", str(folder)]
    subprocess.run([*compiler, *files], check=True, capture_output=True)
    command = [str(home / "bin" / "java"), "-cp", witness, "Witness"]
    result = subprocess.run(
        [*command, path, "Launcher", "Problem"], check=True, capture_output=True, text=True
    )
    rows = (row.split("\t") for row in result.stdout.splitlines())
    stops = [Stop(int(r[1]), dict(each.split("=", 1) for each in r[2:])) for r in rows]
    return [stop for stop in stops if not CLOSING.fullmatch(program.line(stop.line))]


def stops_of_trace(trace: Trace) -> list[Stop]:
    """The line steps of a trace, with their full states."""
    pairs = zip(trace.steps, trace.states(), strict=True)
    return [Stop(step.line, state) for step, state in pairs if step.event == "line"]


def shown_text(value: str) -> str | None:
    """A recorded value as the debugger prints it; None for objects."""
    node = parse_value(value)
    if node is None or node.kind in ("null", "int", "boolean"):
        return value
    if node.kind == "float":
        return value
    if node.kind == "string":
        return "s" + str(node.value).encode().hex()
    return f"c{ord(str(node.value))}" if node.kind == "char" else None


def first_difference(trace: Trace, stops: list[Stop]) -> tuple[str, int, int]:
    """What differs first ("" if nothing), and the number of stops and of values that were compared.

    Before each further item of a `for` over a collection, the recorder has a step at a place where
    the line table has no row.
    """
    position = values = 0
    for stop in stops_of_trace(trace):
        other = stops[position] if position < len(stops) else None
        if other is None or other.line != stop.line:
            if FOR_EACH.search(trace.program.line(stop.line)):
                continue
            return f"line {stop.line}, the debugger: {other}", position, values
        position += 1
        for name, text in other.variables.items():
            recorded = shown_text(stop.variables.get(name, "not shown"))
            # Boxed numbers are objects for the debugger, and are not in its row.
            if recorded != text:
                return f"line {stop.line}: {name} is {recorded}, not {text}", position, values
            values += 1
    if position != len(stops):
        return f"{len(stops) - position} more stops of the debugger", position, values
    return "", position, values


def main() -> None:
    """Compare programs of CRUXEval-X."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--count", type=int, default=50)
    arguments = parser.parse_args()
    class_path = os.environ.get("CLASSPATH", "")
    questions = cruxeval_x(arguments.data, language="java").questions
    chosen = questions[:: max(1, len(questions) // arguments.count)][: arguments.count]
    same = total_stops = total_values = 0
    with JavaRecorder() as recorder, tempfile.TemporaryDirectory() as witness:
        compile_witness(witness)
        for question in chosen:
            trace = recorder.record(question.program)
            with tempfile.TemporaryDirectory() as folder:
                stops = stops_of_debugger(question.program, Path(folder), class_path, witness)
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
