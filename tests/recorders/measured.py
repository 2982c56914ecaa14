"""The recorder in C at full size, for `scripts/bench recorder`, `same` and `million`."""

import gzip
import json
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.recorders.methods import find_python
from tests.recorders.same import both_of
from tests.recorders.speed import ENGINE, OTHERS, seconds_of
from tests.recorders.workloads import WORKLOADS
from worldline.generate import LEVELS
from worldline.generate.candidates import write_program
from worldline.recorders import PythonRecorder
from worldline.trace import Limits, Program

# Those that read the source find none in eight hundred texts.
READERS = ("PySnooper", "snoop")


def speed_table(data: Path, *, rounds: int, others: Sequence[str] = OTHERS) -> Iterator[str]:
    """A line a workload: milliseconds untraced, how many times as long with each recorder, and the
    core beside an empty trace function. The least of all rounds counts."""
    names = [*ENGINE[1:], *others]
    yield f"{'':18} untraced ms " + " ".join(f"{name:>9}" for name in names) + " core/empty"
    for workload in (*WORKLOADS, "CRUXEval"):
        least: dict[str, float] = {}
        for _ in range(rounds):
            for methods in (ENGINE, *((other,) for other in others)):
                if workload == "CRUXEval" and methods[0] in READERS:
                    continue
                repeats = 40 if methods == ENGINE else 2
                file = data / "cruxeval.jsonl"
                for method, taken in seconds_of(
                    methods, workload, repeats=repeats, data=file
                ).items():
                    least[method] = min(taken, least.get(method, taken))
        times = (f"{least[m] / least['untraced']:9.1f}" if m in least else " " * 9 for m in names)
        ratio = least["core"] / least["empty"]
        yield f"{workload:18} {least['untraced'] * 1000:11.2f} {' '.join(times)} {ratio:10.2f}"


def programs(data: Path, *, generated: int) -> Iterator[tuple[str, Program]]:
    """CRUXEval, HumanEval with its tests, and generated programs of all levels."""
    for line in (data / "cruxeval.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        yield "CRUXEval", Program(row["code"], f"f({row['input']})")
    with gzip.open(data / "HumanEval.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield "HumanEval", with_its_tests(json.loads(line))
    levels = list(LEVELS)
    for number in range(generated):
        yield "generated", write_program(77, levels[number % len(levels)], number)


def with_its_tests(row: dict[str, Any]) -> Program:
    """A problem of HumanEval, solved and tested; some of the tests draw numbers."""
    solved = row["prompt"] + row["canonical_solution"]
    source = "\n".join(["import random", "random.seed(0)", solved, row["test"]])
    return Program(source, f"check({row['entry_point']})")


def same_everywhere(data: Path, *, generated: int, steps: int) -> Iterator[str]:
    """Every program in C and in Python, on every version that is there; fails where they part."""
    for version in ("3.11", "3.12", "3.13"):
        python = find_python(version)
        if python is None:
            yield f"{version}: not on this machine"
            continue
        count: dict[str, list[int]] = {}
        with both_of(python) as both:
            for name, program in programs(data, generated=generated):
                trace = both.record(program, limits=Limits(seconds=300, steps=steps))
                found = count.setdefault(name, [0, 0])
                found[0] += 1
                found[1] += len(trace.steps)
        told = ", ".join(f"{name} {n:,} ({steps:,} steps)" for name, (n, steps) in count.items())
        yield f"{version}: the same bytes: {told}"


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
    """Traces of growing length: seconds and memory, in the program's process and in this one."""
    with PythonRecorder(method="core") as recorder:
        recorder.record(Program(MILLION.format(turns=10), "main()"))
        for turns in (2_500, 25_000, 250_000):
            program = Program(MILLION.format(turns=turns), "main()")
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            start = time.perf_counter()
            limits = Limits(steps=10**8, seconds=600, trace_mb=10_000)
            trace = recorder.record(program, limits=limits)
            taken = time.perf_counter() - start
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
            say(
                f"{len(trace.steps):9,} steps: {taken:6.2f} s, {grown:7.1f} MB more in the reader, "
                f"{taken / len(trace.steps) * 1e6:.2f} µs a step"
            )
