"""A run is killed at every line of what keeps it, and gone on with: nothing is lost or twice."""

import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.runs.samples import manifest_of
from worldline.runs import Run, query_runs, read_run
from worldline.runs import run as run_module
from worldline.store import journal, lock, parts, place

# Two parts, a failure that is asked again and answered, and an open row.
ROWS = [
    {"sample": sample, "repeat": 0, "program": "x", "finish": finish}
    for sample, finish in [
        ("a", "stop"), ("b", "error"), ("c", "stop"), ("b", "stop"), ("d", "length"), ("e", "stop"),
    ]
]  # fmt: skip
ANSWERED = ["a", "b", "c", "d", "e"]
# Nothing is written in these.
QUIET = {"rows_to_arrow", "_stored", "as_stored", "check_row", "<listcomp>", "<dictcomp>"}
WATCHED = {module.__file__ for module in (run_module, journal, lock, parts, place)}
# Every so many lines; all of them (1) take minutes.
STRIDE = 11


def go_on(target: Path, told: int | None = None, *, is_restarted: bool = False) -> None:
    """Add the rows that a run does not have, and say of each that it is in."""
    with Run(target, is_restarted=is_restarted) as run:
        run.begin(manifest_of())
        for row in ROWS:
            if (row["sample"], 0) not in run._done:
                run.add(row)
                if told is not None:
                    os.write(told, f"{row['sample']} {row['finish']}\n".encode())


def killed_at(line: int, target: Path, *, is_restarted: bool = False) -> tuple[bool, list[str]]:
    """Do it in a process that ends at that line, as by SIGKILL; whether it did, and what was in."""
    heard, told = os.pipe()
    pid = os.fork()
    if pid == 0:
        left = line

        def trace(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal left
            code = frame.f_code
            if code.co_filename not in WATCHED or code.co_name in QUIET:
                return None
            if event == "line":
                left -= 1
                if left < 0:
                    os._exit(9)
            return trace

        sys.settrace(trace)
        try:
            go_on(target, told, is_restarted=is_restarted)
            os._exit(0)
        except BaseException:  # noqa: BLE001
            os._exit(1)
    os.close(told)
    with os.fdopen(heard) as said:
        rows = said.read().splitlines()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in (0, 9)
    return status == 9, rows


def check(target: Path, said: list[str]) -> None:
    """What was said to be in is in, once; the last word on a sample counts."""
    if not (target / "manifest.json").exists():
        assert said == []
        return
    found = [(row["sample"], row["finish"]) for row in read_run(target)]
    assert len({sample for sample, _ in found}) == len(found)
    last = dict(line.split() for line in said)
    for sample, finish in last.items():
        # The next one may have been in before it could be said.
        assert dict(found)[sample] in (finish, "stop")
    assert query_runs([target], "select count(*) from samples").rows == ((len(found),),)


@pytest.mark.parametrize("is_restarted", [False, True])
def test_killed_at_every_line_a_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_restarted: bool
) -> None:
    monkeypatch.setattr(run_module, "PART_ROWS", 2)
    # Git is asked for the state of the repository, which takes longer than all the rest.
    monkeypatch.setattr(run_module, "this_session", dict)
    was_killed, line = True, 0
    while was_killed:
        target = tmp_path / f"run{line}"
        if is_restarted:
            go_on(target)
        was_killed, said = killed_at(line, target, is_restarted=is_restarted)
        if not is_restarted or said:
            check(target, said)
        go_on(target)
        assert sorted(row["sample"] for row in read_run(target)) == ANSWERED
        assert not [path for path in target.iterdir() if path.name.endswith((".lock", ".new"))]
        line += STRIDE
    assert line > 20 * STRIDE
