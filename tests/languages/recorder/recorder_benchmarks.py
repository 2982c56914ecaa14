"""Measurements for `scripts/bench recorder`, `same` and `million`."""

import gzip
import json
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.languages.recorder.both_recorders import both_recorders
from tests.languages.recorder.methods import find_python
from tests.languages.recorder.overhead import INTERPRETER, OTHERS, measure_seconds
from tests.languages.recorder.workloads import WORKLOADS
from worldline.core.trace import Limits, Program
from worldline.data.generation import LEVELS
from worldline.data.generation.candidates import write_program
from worldline.languages.python.recorder import PythonRecorder

# Tracers that read the source from a file, which CRUXEval's programs do not have.
SOURCE_READERS = ("PySnooper", "snoop")


def speed_table(data: Path, *, rounds: int, others: Sequence[str] = OTHERS) -> Iterator[str]:
    """One line per workload: milliseconds without a tracer, the factor of each tracer, and the
    ratio of the tracer in C to an empty trace function. Times are the minimum of all rounds."""
    names = [*INTERPRETER[1:], *others]
    yield f"{'':18} untraced ms " + " ".join(f"{name:>9}" for name in names) + " core/empty"
    for workload in (*WORKLOADS, "CRUXEval"):
        minimum: dict[str, float] = {}
        for _ in range(rounds):
            for tracers in (INTERPRETER, *((other,) for other in others)):
                if workload == "CRUXEval" and tracers[0] in SOURCE_READERS:
                    continue
                repeats = 40 if tracers == INTERPRETER else 2
                file = data / "cruxeval.jsonl"
                for tracer, seconds in measure_seconds(
                    tracers, workload, repeats=repeats, data=file
                ).items():
                    minimum[tracer] = min(seconds, minimum.get(tracer, seconds))
        untraced = minimum["untraced"]
        factors = (f"{minimum[m] / untraced:9.1f}" if m in minimum else " " * 9 for m in names)
        ratio = minimum["core"] / minimum["empty"]
        yield f"{workload:18} {untraced * 1000:11.2f} {' '.join(factors)} {ratio:10.2f}"


def programs(data: Path, *, generated: int) -> Iterator[tuple[str, Program]]:
    """CRUXEval, HumanEval with its tests, and generated programs of all levels."""
    for line in (data / "cruxeval.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield "CRUXEval", Program(row["code"], f"f({row['input']})")
    with gzip.open(data / "HumanEval.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield "HumanEval", program_with_tests(json.loads(line))
    levels = list(LEVELS)
    for number in range(generated):
        yield "generated", write_program(77, levels[number % len(levels)], number)


def program_with_tests(row: dict[str, Any]) -> Program:
    """A problem of HumanEval with its solution and tests; some tests use random numbers."""
    solution = row["prompt"] + row["canonical_solution"]
    source = "\n".join(["import random", "random.seed(0)", solution, row["test"]])
    return Program(source, f"check({row['entry_point']})")


def same_everywhere(data: Path, *, generated: int, steps: int) -> Iterator[str]:
    """Record every program in C and in Python, on every installed version, and compare."""
    for version in ("3.11", "3.12", "3.13"):
        python = find_python(version)
        if python is None:
            yield f"{version}: not installed"
            continue
        counts: dict[str, list[int]] = {}
        with both_recorders(python) as both:
            for name, program in programs(data, generated=generated):
                trace = both.record(program, limits=Limits(seconds=300, steps=steps))
                count = counts.setdefault(name, [0, 0])
                count[0] += 1
                count[1] += len(trace.steps)
        listed = ", ".join(f"{name} {n:,} ({steps:,} steps)" for name, (n, steps) in counts.items())
        yield f"{version}: the same bytes: {listed}"


MILLION = """
def main():
    total, items = 0, []
    for number in range({turns}):
        total += number % 7
        items.append(total)
        if len(items) > 20:
            items.clear()
    return total
"""


def million_steps(say: Callable[[str], None]) -> None:
    """Measure the time and the memory of this process for traces of increasing length."""
    with PythonRecorder(backend="core") as recorder:
        recorder.record(Program(MILLION.format(turns=10), "main()"))
        for turns in (2_500, 25_000, 250_000):
            program = Program(MILLION.format(turns=turns), "main()")
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            start = time.perf_counter()
            limits = Limits(steps=10**8, seconds=600, trace_mb=10_000)
            trace = recorder.record(program, limits=limits)
            seconds = time.perf_counter() - start
            growth = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
            say(
                f"{len(trace.steps):9,} steps: {seconds:6.2f} s, {growth:7.1f} MB more in the "
                f"reader, {seconds / len(trace.steps) * 1e6:.2f} µs per step"
            )
