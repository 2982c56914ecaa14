"""Measurement: generated programs with threads or tasks, recorded and replayed under schedules.

python -m tests.languages.recorder.schedule_measurements threads 500 3.11 3.12 3.13
python -m tests.languages.recorder.schedule_measurements tasks 100 3.11 3.12 3.13

The first 100 schedules of each program with at most two preemptions are enumerated. The shortest
schedule of up to three outcomes, and a random one, are recorded on the first version, and replayed
on all of them, each time in a new process. Programs with tasks are also recorded on the others.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack

from tests.support.pythons import find_python
from tests.support.task_programs import task_program
from tests.support.thread_programs import thread_program
from worldline.core.trace import Limits, Program, Trace, schedule_of, trace_to_json
from worldline.languages.python.recorder import PythonRecorder, ScheduleBounds

_LIMITS = Limits(seconds=60.0, cpu_seconds=60)
_PROGRAMS = {"threads": thread_program, "tasks": task_program}
# Outcomes of each program whose shortest schedule is recorded.
_MAX_RECORDED = 3


def trace_bytes(trace: Trace) -> bytes:
    """The trace as JSON, without the versions that recorded it."""
    return json.dumps(trace_to_json(trace) | {"origin": None}).encode()


def recorded_traces(
    recorder: PythonRecorder, program: Program, *, preemptions: int, max_executions: int
) -> tuple[list[Trace], int]:
    """Traces of some schedules of a program, and the number of outcomes that were found.

    Raises:
        AssertionError: A recording does not have the outcome that was found with its schedule.
    """
    bounds = ScheduleBounds(preemptions, max_executions)
    search = recorder.search_schedules(program, bounds, limits=_LIMITS)
    traces = []
    for outcome in search.outcomes[:_MAX_RECORDED]:
        trace = recorder.record_scheduled(program, outcome.schedule)
        assert schedule_of(trace.choices) == outcome.schedule
        actual = (trace.ending.reason, trace.result or trace.ending.detail)
        assert actual == (outcome.ending, outcome.result), (actual, outcome)
        traces.append(trace)
    traces.append(recorder.record_scheduled(program, seed=1))
    return traces, len(search.outcomes)


def measure(kind: str, programs: int, versions: list[str]) -> None:
    """Print how many traces have the same bytes, and the same ending and result, if replayed.

    Programs with threads are recorded on the first version and replayed on all. Those with tasks
    are recorded on each version, too, because `asyncio` itself differs between versions.
    """
    with ExitStack() as stack:
        recorders = {
            version: stack.enter_context(
                PythonRecorder(python=find_python(version), has_threads=True)
            )
            for version in versions
        }
        pairs = [(versions[0], version) for version in versions]
        if kind == "tasks":
            pairs += [(version, version) for version in versions[1:]]
        for recorded in dict.fromkeys(first for first, _ in pairs):
            others = {second: recorders[second] for first, second in pairs if first == recorded}
            _measure_version(kind, programs, recorded, others)


def _measure_version(
    kind: str, programs: int, recorded: str, others: Mapping[str, PythonRecorder]
) -> None:
    counts: Counter[str] = Counter()
    started = time.monotonic()
    with PythonRecorder(python=find_python(recorded)) as recorder:
        for seed in range(programs):
            program = _PROGRAMS[kind](seed)
            traces, outcomes = recorded_traces(recorder, program, preemptions=2, max_executions=100)
            counts["outcomes"] += outcomes
            counts["schedules"] += len(traces)
            counts["deadlocks"] += sum(trace.ending.reason == "deadlock" for trace in traces)
            for trace in traces:
                for version, other in others.items():
                    second, _ = other.record_choosing(program, trace.choices)
                    counts[f"same bytes on {version}"] += trace_bytes(trace) == trace_bytes(second)
                    is_same = (trace.ending, trace.result) == (second.ending, second.result)
                    counts[f"same result on {version}"] += is_same
            if seed % 25 == 24:
                sys.stderr.write(f"{recorded}, {seed + 1} programs: {dict(counts)}\n")
    sys.stdout.write(
        f"{programs} programs with {kind}, recorded on {recorded}: {dict(counts)}; "
        f"{time.monotonic() - started:.0f} s\n"
    )


if __name__ == "__main__":
    measure(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
