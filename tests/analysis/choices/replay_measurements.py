"""Measurement: stored executions of programs with choices, replayed by another process.

python -m tests.analysis.choices.replay_measurements record 2000 /tmp/traces.jsonl
python -m tests.analysis.choices.replay_measurements replay /tmp/traces.jsonl python3.13
"""

import json
import sys
from pathlib import Path

from tests.languages.recorder.choice_measurements import trace_bytes
from tests.support.chance_programs import chance_program
from worldline.core.trace import Trace, trace_from_json, trace_to_json
from worldline.languages.python.recorder import PythonRecorder


def record_traces(count: int, path: Path, *, first_seed: int = 0) -> int:
    """Record programs, and write their traces; the number of choices."""
    choices = 0
    with PythonRecorder() as recorder, path.open("w") as file:
        for seed in range(first_seed, first_seed + count):
            trace = recorder.record(chance_program(seed, is_finite=False))
            choices += len(trace.choices)
            file.write(json.dumps(trace_to_json(trace)) + "\n")
    return choices


def replay_traces(path: Path, python: str | None) -> list[tuple[Trace, Trace]]:
    """Replay the traces of a file; those that differ, each with its replay."""
    different = []
    with PythonRecorder(python=python) as recorder, path.open() as file:
        for line in file:
            trace = trace_from_json(json.loads(line))
            again, _ = recorder.record_choosing(trace.program, trace.choices, limits=trace.limits)
            if trace_bytes(again) != trace_bytes(trace):
                different.append((trace, again))
    return different


def main() -> None:
    """Record or replay, and print how many replays differ."""
    command, *arguments = sys.argv[1:]
    if command == "record":
        count = int(arguments[0])
        choices = record_traces(count, Path(arguments[1]))
        sys.stdout.write(f"{count} executions recorded, {choices} choices\n")
        return
    path, python = Path(arguments[0]), arguments[1]
    different = replay_traces(path, python)
    count = len(path.read_text().splitlines())
    sys.stdout.write(f"{python}: {count} replayed, {len(different)} differ\n")
    for trace, again in different[:3]:
        sys.stdout.write(f"{trace.program.source}\n{trace.choices}\n{again.notes}\n")


if __name__ == "__main__":
    main()
