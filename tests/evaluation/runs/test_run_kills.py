"""Runs killed at every line of the writing code lose and duplicate nothing."""

import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.evaluation.runs.samples import manifest_of
from worldline.evaluation.runs import RunWriter, query_runs, read_run
from worldline.evaluation.runs import run_writer as run_module
from worldline.evaluation.store import journal, location, lock, parquet_parts

# Two parts, an infrastructure error that is retried, and a row that is only in the journal.
ROWS = [
    {"sample": sample, "repeat": 0, "program": "x", "finish": finish}
    for sample, finish in [
        ("a", "stop"), ("b", "infra_error"), ("c", "stop"), ("b", "stop"), ("d", "truncated"),
        ("e", "stop"),
    ]
]  # fmt: skip
ANSWERED = ["a", "b", "c", "d", "e"]
# Functions that write nothing.
SILENT_FUNCTIONS = {
    "rows_to_arrow",
    "_stored",
    "escape_surrogates",
    "check_row",
    "<listcomp>",
    "<dictcomp>",
}
WATCHED_FILES = {module.__file__ for module in (run_module, journal, lock, parquet_parts, location)}
# Kill at every 11th line; all lines (1) take minutes.
STRIDE = 11


def resume_run(target: Path, pipe: int | None = None, *, restart: bool = False) -> None:
    """Add the missing rows to a run, and report each row after it is added."""
    with RunWriter(target, restart=restart) as run:
        run.begin(manifest_of())
        for row in ROWS:
            if (row["sample"], 0) not in run._done:
                run.add(row)
                if pipe is not None:
                    os.write(pipe, f"{row['sample']} {row['finish']}\n".encode())


def run_until_line(line: int, target: Path, *, restart: bool = False) -> tuple[bool, list[str]]:
    """Resume in a process that exits at that line, as by SIGKILL; whether it did, and its rows."""
    pipe_end, pipe = os.pipe()
    pid = os.fork()
    if pid == 0:
        remaining = line

        def trace(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal remaining
            code = frame.f_code
            if code.co_filename not in WATCHED_FILES or code.co_name in SILENT_FUNCTIONS:
                return None
            if event == "line":
                remaining -= 1
                if remaining < 0:
                    os._exit(9)
            return trace

        sys.settrace(trace)
        try:
            resume_run(target, pipe, restart=restart)
            os._exit(0)
        except BaseException:  # noqa: BLE001
            os._exit(1)
    os.close(pipe)
    with os.fdopen(pipe_end) as pipe_file:
        rows = pipe_file.read().splitlines()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, 9)
    return status == 9, rows


def check(target: Path, reported: list[str]) -> None:
    """Check that every reported row is in the run, once; the last row of a sample counts."""
    if not (target / "manifest.json").exists():
        assert reported == []
        return
    rows = [(row["sample"], row["finish"]) for row in read_run(target)]
    assert len({sample for sample, _ in rows}) == len(rows)
    last = dict(line.split() for line in reported)
    for sample, finish in last.items():
        # The next row may have been added, but not yet reported.
        assert dict(rows)[sample] in (finish, "stop")
    assert query_runs([target], "select count(*) from samples").rows == ((len(rows),),)


@pytest.mark.parametrize("restart", [False, True])
def test_a_run_killed_at_any_line_can_be_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restart: bool
) -> None:
    monkeypatch.setattr(run_module, "PART_ROWS", 2)
    # Without git, which would take most of the time.
    monkeypatch.setattr(run_module, "describe_session", dict)
    was_killed, line = True, 0
    while was_killed:
        target = tmp_path / f"run{line}"
        if restart:
            resume_run(target)
        was_killed, reported = run_until_line(line, target, restart=restart)
        if not restart or reported:
            check(target, reported)
        resume_run(target)
        assert sorted(row["sample"] for row in read_run(target)) == ANSWERED
        assert not [path for path in target.iterdir() if path.name.endswith((".lock", ".new"))]
        line += STRIDE
    assert line > 20 * STRIDE
