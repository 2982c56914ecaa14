"""An interrupted or killed command resumes; a different command on the same file is an error."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from worldline.core.errors import InputError
from worldline.data.generation import (
    DecontaminationIndex,
    GenerationRequest,
    about_path,
    generate_file,
    program_file,
)
from worldline.data.generation.generator import Decision, Progress
from worldline.data.generation.program_file import journal_path
from worldline.evaluation.store import Journal
from worldline.models.prediction import read_questions

REQUEST = GenerationRequest(60, seed=9, levels=("strings", "reassign"))
SCRIPT = """
import sys
from pathlib import Path
from worldline.data.generation import (
    DecontaminationIndex,
    GenerationRequest,
    generate_file,
    program_file,
)
program_file._BATCH_DECISIONS = 3
if __name__ == "__main__":
    request = GenerationRequest(60, seed=9, levels=("strings", "reassign"))
    path = Path(sys.argv[1])
    generate_file(path, request, DecontaminationIndex(), workers=int(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def expected_bytes(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("expected_bytes") / "a.jsonl"
    generate_file(path, REQUEST, DecontaminationIndex())
    return path.read_bytes()


def test_a_file_is_read_as_questions(tmp_path: Path, expected_bytes: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(expected_bytes)
    questions = list(read_questions(path))
    assert len(questions) == 60
    assert {question.facets["level"] for question in questions} == {"strings", "reassign"}
    row = json.loads(expected_bytes.splitlines()[0])
    assert list(row) == ["id", "code", "call", "expected", "facets"]
    assert list(row["facets"]) == [
        "level", "kind", "steps", "iterations", "call_depth", "nesting", "longest_string",
        "branches",
    ]  # fmt: skip


def test_a_finished_file_is_only_read(tmp_path: Path, expected_bytes: bytes) -> None:
    path = tmp_path / "a.jsonl"
    first = generate_file(path, REQUEST, DecontaminationIndex())
    decisions: list[Decision] = []
    second = generate_file(path, REQUEST, DecontaminationIndex(), on_decision=decisions.append)
    assert decisions == []
    assert path.read_bytes() == expected_bytes
    assert (first.questions, first.left_out) == (second.questions, second.left_out)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.jsonl", "a.jsonl.about.json"]


class StopError(Exception):
    """Interrupts the generation."""


@pytest.mark.parametrize("stops", [[1], [7, 8, 40], [59]])
def test_an_interrupted_file_resumes(
    stops: list[int], tmp_path: Path, expected_bytes: bytes
) -> None:
    path = tmp_path / "a.jsonl"
    stopped_at: list[int] = []
    for stop in stops:
        left = stop - (stopped_at[-1] if stopped_at else 0)

        def stopping(_: Decision, left: list[int] = [left]) -> None:  # noqa: B006
            left[0] -= 1
            if left[0] == 0:
                raise StopError

        with pytest.raises(StopError):
            generate_file(path, REQUEST, DecontaminationIndex(), on_decision=stopping)
        assert not path.exists()
        with pytest.raises(InputError, match="a different command"):
            generate_file(path, GenerationRequest(60, seed=10), DecontaminationIndex())
        stopped_at.append(stop)
    kept: list[int] = []
    generate_file(
        path,
        REQUEST,
        DecontaminationIndex(),
        on_start=lambda progress: kept.append(len(progress.questions)),
    )
    assert kept[0] > 0
    assert path.read_bytes() == expected_bytes


def interrupt_after(method: Callable[..., None], calls: int) -> Callable[..., None]:
    """Raise KeyboardInterrupt after a number of calls of a method."""
    left = iter(range(calls - 1, -1, -1))

    def interrupting(*arguments: Any) -> None:
        method(*arguments)
        if next(left) == 0:
            raise KeyboardInterrupt

    return interrupting


@pytest.mark.parametrize(
    ("owner", "method", "calls"),
    [(Journal, "append", 1), (Journal, "append", 3), (Progress, "add", 1), (Progress, "add", 11)],
)
def test_ctrl_c_neither_loses_nor_duplicates_programs(
    owner: type,
    method: str,
    calls: int,
    tmp_path: Path,
    expected_bytes: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "a.jsonl"
    monkeypatch.setattr(program_file, "_BATCH_DECISIONS", 3)
    with monkeypatch.context() as patch:
        patch.setattr(owner, method, interrupt_after(getattr(owner, method), calls))
        with pytest.raises(KeyboardInterrupt):
            generate_file(path, REQUEST, DecontaminationIndex())
    generate_file(path, REQUEST, DecontaminationIndex())
    assert path.read_bytes() == expected_bytes


@pytest.mark.parametrize("workers", [1, 2])
def test_a_killed_file_resumes(workers: int, tmp_path: Path, expected_bytes: bytes) -> None:
    path, script = tmp_path / "a.jsonl", tmp_path / "make.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, str(script), str(path), str(workers)]
    journal = journal_path(path)
    for journal_size in (1500, 6000):
        process = subprocess.Popen(command)
        while process.poll() is None and not (
            journal.exists() and journal.stat().st_size > journal_size
        ):
            time.sleep(0.01)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not path.exists()
    # A kill may leave an incomplete last line.
    with journal.open("ab") as file:
        file.write(b'{"next": [1, ')
    subprocess.run(command, check=True)
    assert path.read_bytes() == expected_bytes
    assert not journal.exists()


def test_a_different_request_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    small = GenerationRequest(4, levels=("recursion",))
    generate_file(path, small, DecontaminationIndex())
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"seed: 0 then, 1 now.*--restart"):
        generate_file(
            path, GenerationRequest(4, seed=1, levels=("recursion",)), DecontaminationIndex()
        )
    with pytest.raises(InputError, match="programs:  then, abc now"):
        generate_file(path, small, DecontaminationIndex(hash="abc"))
    assert path.read_bytes() == before
    generate_file(
        path,
        GenerationRequest(4, seed=1, levels=("recursion",)),
        DecontaminationIndex(),
        restart=True,
    )
    assert path.read_bytes() != before


def test_a_foreign_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("mine\n", encoding="utf-8")
    with pytest.raises(InputError, match="was not written by"):
        generate_file(path, GenerationRequest(2, levels=("recursion",)), DecontaminationIndex())
    assert path.read_text(encoding="utf-8") == "mine\n"
    assert not about_path(path).exists()
