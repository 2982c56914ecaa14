"""Compare traces of CRUXEval-X in Rust with gdb's own `step` and with rustc's printers.

Another way to the same facts: no breakpoints but steps, an executable with other options (dynamic,
position-independent, without our driver), and values as rustc's own scripts for gdb print them.
`step` does not stop in callbacks of the standard library, so programs with closures are left out.

python -m tests.languages.rust.debugger_witness ../shared/data --count 50
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.languages.cpp.debugger_witness import Stop, recorded_stops, without_repeats
from worldline.core.trace import Limits, Program, Trace
from worldline.evaluation.benchmarks.cruxeval_x import cruxeval_x
from worldline.languages.rust.rust_compiler import find_compiler
from worldline.languages.rust.rust_recorder import RustRecorder
from worldline.languages.rust.rust_structure import statement_lines

_SCRIPT = """
import gdb, json, sys
for setting in ("pagination off", "confirm off", "width 0", "print elements 0", "print repeats 0",
                "debuginfod enabled off", "startup-with-shell off", "language rust"):
    gdb.execute("set " + setting)
sys.path.insert(0, {printers!r})
gdb.execute("file {program}")
import gdb_lookup
gdb_lookup.register_printers(gdb.current_objfile() or gdb.objfiles()[0])
gdb.execute("skip -gfi */library/*")
gdb.execute("break program::call_main")
gdb.execute("run", to_string=True)
stops = []
while len(stops) < 2000 and gdb.selected_inferior().pid:
    frame = gdb.selected_frame()
    place = frame.find_sal()
    if frame.name() == "program::main":
        break
    if place.symtab is None or not place.symtab.filename.endswith("program.rs"):
        gdb.execute("finish", to_string=True)
        continue
    values = {{}}
    block = frame.block()
    while block is not None and not block.is_global and not block.is_static:
        for symbol in block:
            if symbol.is_variable or symbol.is_argument:
                try:
                    values.setdefault(symbol.name, symbol.value(frame).format_string())
                except (gdb.error, RuntimeError, ValueError):
                    pass
        if block.function is not None:
            break
        block = block.superblock
    depth, older = 0, frame.older()
    while older is not None:
        depth, older = depth + 1, older.older()
    # The end of an `if` is a jump, which is on the line of the `if`.
    code = frame.architecture().disassemble(frame.pc())[0]["asm"]
    if code.startswith("jmp"):
        gdb.execute("stepi", to_string=True)
        continue
    # After a call of the library or a jump, in the middle of a row: no statement begins there.
    if frame.pc() != place.pc:
        gdb.execute("step" if code.startswith("call") else "nexti", to_string=True)
        continue
    stops.append([frame.name().partition("::")[2], place.line, values, depth])
    gdb.execute("step", to_string=True)
with open({output!r}, "w") as file:
    json.dump(stops, file)
"""


def witness_stops(program: Program) -> list[Stop]:
    """The stops of gdb's `step`, with the values as rustc's scripts print them."""
    gdb, compiler = RustRecorder()._find_gdb(), find_compiler()
    with tempfile.TemporaryDirectory() as folder:
        source, executable = Path(folder) / "program.rs", Path(folder) / "program"
        output, script = Path(folder) / "stops.json", Path(folder) / "script.py"
        source.write_text(f"{program.text}\nfn main() {{ let _ = call_main(); }}\n")
        command = [compiler.path, "-g", "-A", "warnings", "--edition", "2021", str(source)]
        subprocess.run([*command, "-o", str(executable)], check=True)
        printers = Path(compiler.folders[0]) / "rustlib" / "etc"
        script.write_text(
            _SCRIPT.format(printers=str(printers), program=executable, output=str(output))
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
    text = re.sub(r"Vec\(size=\d+\) = ", "", text)
    text = re.sub(r"^Vec\(size=0\)$", "[]", text)
    if re.search(r"0x|\.\.\.|\\|<|=|::|\(", text):
        return None
    # A character is printed with its number.
    text = re.sub(r"\b\d+ ('.')", r"\1", text)
    text = text.replace("{", "[").replace("}", "]")
    return text if re.fullmatch(r"[-\w\s\"'\[\],.!?;:]*", text) else None


def differences(trace: Trace, stops: list[Stop]) -> tuple[list[str], int]:
    """How the trace differs from the stops, and how many values were compared."""
    statements = statement_lines(trace.program.text)
    theirs = [
        Stop(stop.function.partition("<")[0], statements[stop.line], stop.values, stop.depth)
        for stop in stops
        if stop.line in statements
    ]
    left, right = (without_repeats(each) for each in (recorded_stops(trace), theirs))
    places = [[(stop.function, stop.line) for stop in each] for each in (left, right)]
    if places[0] != places[1]:
        pairs = enumerate(zip(*places, strict=False))
        first = next((f"{n}: {a} and {b}" for n, (a, b) in pairs if a != b), "the end")
        return [f"{len(left)} and {len(right)} statements differ at {first}"], 0
    compared = [
        (name, ours.line, text, other)
        for ours, stop in zip(left, right, strict=True)
        for name, text in ours.values.items()
        if (other := normal_value(stop.values.get(name, "..."))) is not None
    ]
    wrong = [f"{name} on line {line}: {a} and {b}" for name, line, a, b in compared if a != b]
    return wrong, len(compared)


def main() -> None:
    """Record, step and compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data")
    parser.add_argument("--count", type=int, default=50)
    arguments = parser.parse_args()
    questions = [
        question
        for question in cruxeval_x(arguments.data, language="rust").questions
        if "|" not in question.program.source
    ][::4][: arguments.count]
    same = values = statements = 0
    with RustRecorder() as recorder:
        for question in questions:
            trace = recorder.record(question.program, limits=Limits(seconds=60))
            wrong, compared = differences(trace, witness_stops(question.program))
            same += not wrong
            values += compared
            statements += sum(step.event == "line" for step in trace.steps)
            text = "; ".join(wrong[:3]) or f"the same, {compared} values"
            sys.stdout.write(f"{question.id}: {text}\n")
            sys.stdout.flush()
    sys.stdout.write(
        f"{same} of {len(questions)} programs are the same: {statements} steps, {values} values\n"
    )


if __name__ == "__main__":
    main()
