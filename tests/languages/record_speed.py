"""Measure how fast programs of each language are recorded, and executed without the recorder.

    python -m tests.languages.record_speed --rounds 5

The program sorts a list with a helper function. Compiled and executed alone means by the language's
own tools. A recording of one item from the cache is the start of the sandbox and the runtime; the
steps a second are those of the other items. As root, with control groups of version 1, times are
CPU times, which other work on the machine changes little; else they are elapsed times.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.support.cpu_meter import CpuMeter
from worldline.core.trace import Limits, Program
from worldline.languages.program_recorder import ProgramRecorder

PROGRAMS = Path(__file__).parents[1] / "programs" / "speed"
LIMITS = Limits(steps=500_000, trace_mb=500, seconds=120)
CARGO = Path.home() / ".cargo" / "bin"


@dataclass(frozen=True)
class Workload:
    """The program of a language.

    Attributes:
        file: Its file.
        main: What is added to execute it alone, with `N` for the number of items.
        run: The command that executes it.
        compile: The command that compiles it.
        function: The name of its function.
    """

    file: str
    main: str
    run: tuple[str, ...]
    compile: tuple[str, ...] = ()
    function: str = "sort"


WORKLOADS = {
    "python": Workload("sort.py", "print(sort(N))", (sys.executable, "sort.py")),
    "javascript": Workload("sort.js", "console.log(sort(N));", ("node", "sort.js")),
    # Node.js 20 does not execute it alone.
    "typescript": Workload("sort.ts", "", ()),
    "cpp": Workload(
        "sort.cpp",
        "int main() { for (int x : sort_numbers(N)) cout << x << ' '; }",
        ("./sort",),
        ("g++", "-std=gnu++20", "-g", "-O0", "-o", "sort", "sort.cpp"),
        "sort_numbers",
    ),
    "java": Workload(
        "Sort.java",
        "class Main { public static void main(String[] a) "
        "{ System.out.println(Arrays.toString(Sort.sort(N))); } }",
        ("java", "Main"),
        ("javac", "-g", "Sort.java"),
    ),
    "rust": Workload(
        "sort.rs",
        'fn main() { println!("{:?}", sort(N)); }',
        ("./sort",),
        ("rustc", "-g", "--edition", "2021", "sort.rs"),
    ),
    "go": Workload(
        "sort.go", "func main() { println(len(sort(N))) }", ("./sort",), ("go", "build", "sort.go")
    ),
}


def bare_seconds(workload: Workload, items: int, rounds: int, meter: CpuMeter) -> tuple[float, ...]:
    """Seconds to compile a program, and to execute it, without Worldline: medians."""
    environment = {**os.environ, "PATH": f"{os.environ['PATH']}:{CARGO}"}
    medians = []
    with tempfile.TemporaryDirectory() as folder:
        text = (PROGRAMS / workload.file).read_text() + workload.main.replace("N", str(items))
        (Path(folder) / workload.file).write_text(f"{text}\n")
        for command in (workload.compile, workload.run):
            seconds = [0.0]
            for _ in range(rounds if command else 0):
                start = meter.seconds()
                subprocess.run(
                    command, cwd=folder, env=environment, check=True, capture_output=True
                )
                seconds.append(meter.seconds() - start)
            medians.append(statistics.median(seconds[1:] or seconds))
    return tuple(medians)


def recording_seconds(
    recorder: ProgramRecorder, program: Program, meter: CpuMeter
) -> tuple[float, float, int]:
    """Seconds of the first and of a second recording, and the number of steps."""
    start = meter.seconds()
    recorder.record(program, limits=LIMITS)
    middle = meter.seconds()
    trace = recorder.record(program, limits=LIMITS)
    end = meter.seconds()
    if not trace.is_complete:
        raise SystemExit(f"{program.language}: {trace.ending}")
    return middle - start, end - middle, len(trace.steps)


def table_row(
    recorder: ProgramRecorder, language: str, arguments: argparse.Namespace, meter: CpuMeter
) -> str:
    """The figures of a language, as a row of a Markdown table."""
    workload = WORKLOADS[language]
    bare = bare_seconds(workload, arguments.items, arguments.rounds, meter)
    first: list[float] = []
    again: dict[int, list[float]] = {1: [], arguments.items: []}
    steps = dict.fromkeys(again, 0)
    source = (PROGRAMS / workload.file).read_text()
    # What is built once for each machine is not part of the first round.
    recorder.record(Program(source, f"{workload.function}(2)", language=language))
    for _ in range(arguments.rounds):
        # Another text each time, so that it is not in the cache.
        text = f"{source}{'#' if language == 'python' else '//'} {time.time_ns()}\n"
        for items in again:
            program = Program(text, f"{workload.function}({items})", language=language)
            compiled, cached, steps[items] = recording_seconds(recorder, program, meter)
            again[items].append(cached)
            first += [compiled] if items == 1 else []
    fixed, whole = (statistics.median(each) for each in again.values())
    cells = [f"{1000 * each:,.0f}" if each else "–" for each in (*bare, statistics.median(first))]
    cells += [f"{1000 * fixed:,.0f}", f"{1000 * whole:,.0f}"]
    rate = (steps[arguments.items] - steps[1]) / (whole - fixed)
    return f"| {language} | {' | '.join(cells)} | {steps[arguments.items]:,} | {rate:,.0f} |"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--items", type=int, default=40)
    parser.add_argument("--languages", default=",".join(WORKLOADS))
    arguments = parser.parse_args()
    meter = CpuMeter()
    unit = "CPU time" if meter.is_cpu else "elapsed time"
    sys.stdout.write(
        f"milliseconds of {unit}, medians of {arguments.rounds}\n"
        "| language | compile alone | execute alone | record 1 item, first | from the cache "
        f"| record {arguments.items} items from the cache | steps | more steps a second |\n"
    )
    with ProgramRecorder() as recorder:
        for language in arguments.languages.split(","):
            sys.stdout.write(f"{table_row(recorder, language, arguments, meter)}\n")
            sys.stdout.flush()
    meter.close()
    sys.stdout.write(f"load of the machine at the end: {os.getloadavg()}\n")


if __name__ == "__main__":
    main()
