"""Journal of executions: resumed, damaged, killed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from worldline.core.errors import InputError
from worldline.evaluation.rank import ExecutionJournal
from worldline.languages.python.batch_runner import Batch, BatchItem

ITEMS = (
    BatchItem("assert f(2) == 4"),
    BatchItem("f(2)", "expression"),
    BatchItem("f('a')", "expression"),
)


def batch(factor: int) -> Batch:
    return Batch(f"def f(x):\n    return x * x * {factor} + 0", ITEMS)


def test_outcomes_are_read_from_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "executions.jsonl"
    with ExecutionJournal(path) as journal:
        first = journal.run([batch(1), batch(2), batch(1)])
        assert journal.totals.batches == journal.totals.processes == 2
        assert journal.totals.resumed == 0
    assert [item.status for item in first[1].items] == ["failed", "value", "raised"]
    with ExecutionJournal(path) as journal:
        second = journal.run([batch(1), batch(2), batch(3)])
        assert (journal.totals.batches, journal.totals.resumed) == (3, 2)
    assert [outcome.items for outcome in second[:2]] == [outcome.items for outcome in first[:2]]
    assert second[2].items[1].detail == "12"


def test_restart_executes_again(tmp_path: Path) -> None:
    path = tmp_path / "executions.jsonl"
    with ExecutionJournal(path) as journal:
        journal.run([batch(1)])
    with ExecutionJournal(path, restart=True) as journal:
        journal.run([batch(1)])
        assert journal.totals.resumed == 0


def test_outcomes_of_another_interpreter_are_kept_and_not_used(tmp_path: Path) -> None:
    path = tmp_path / "executions.jsonl"
    with ExecutionJournal(path) as journal:
        journal.run([batch(1)])
    with ExecutionJournal(path, python=sys.executable) as journal:
        journal.run([batch(1)])
        assert journal.totals.resumed == 0
    assert len(path.read_text().splitlines()) == 2


def test_several_workers_have_the_same_outcomes(tmp_path: Path) -> None:
    batches = [batch(n) for n in range(8)]
    with ExecutionJournal() as one, ExecutionJournal(workers=3) as three:
        expected = [outcome.items for outcome in one.run(batches)]
        assert [outcome.items for outcome in three.run(batches)] == expected


def test_an_unfinished_line_is_executed_again(tmp_path: Path) -> None:
    path = tmp_path / "executions.jsonl"
    with ExecutionJournal(path) as journal:
        journal.run([batch(1), batch(2)])
    path.write_bytes(path.read_bytes()[:-5])
    with ExecutionJournal(path) as journal:
        journal.run([batch(1), batch(2)])
        assert journal.totals.resumed == 1
    assert len(path.read_text().splitlines()) == 2


def test_another_file_is_refused_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "executions.jsonl"
    path.write_text(json.dumps({"id": "x"}) + "\n")
    with pytest.raises(InputError, match="is not a journal of executions"):
        ExecutionJournal(path)
    assert json.loads(path.read_text()) == {"id": "x"}


def test_two_processes_do_not_write_the_same_journal(tmp_path: Path) -> None:
    path = tmp_path / "executions.jsonl"
    with ExecutionJournal(path), pytest.raises(InputError, match="another process"):
        ExecutionJournal(path)


KILLED = """
import sys
from pathlib import Path
from worldline.evaluation.rank import ExecutionJournal
from worldline.languages.python.batch_runner import Batch, BatchItem
with ExecutionJournal(Path(sys.argv[1])) as journal:
    journal.run([
        Batch(f"def f(x):\\n    return x + {n}", (BatchItem("f(1)", "expression"),))
        for n in range(60)
    ])
    print(journal.totals.resumed, journal.totals.batches)
"""


def test_a_killed_process_is_resumed(tmp_path: Path) -> None:
    path = tmp_path / "executions.jsonl"
    command = [sys.executable, "-c", KILLED, str(path)]
    process = subprocess.Popen(command)
    deadline = time.monotonic() + 60
    while (not path.exists() or path.stat().st_size < 1_000) and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    kept = path.read_bytes().count(b"\n")
    assert 0 < kept < 60
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(kept), "60"]
    values = [json.loads(line)["details"]["0"] for line in path.read_text().splitlines()]
    assert sorted(map(int, values)) == list(range(1, 61))
