"""A file is made, stopped, killed and gone on with; another command on it is refused."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from worldline.errors import InputError
from worldline.generate import Excluded, Order, about_path, files, generate_file
from worldline.generate.files import journal_path
from worldline.generate.making import Decision, Progress
from worldline.predict import read_questions
from worldline.store import Journal

ORDER = Order(60, seed=9, levels=("strings", "reassign"))
SCRIPT = """
import sys
from pathlib import Path
from worldline.generate import Excluded, Order, files, generate_file
files._DECISIONS = 3
if __name__ == "__main__":
    order = Order(60, seed=9, levels=("strings", "reassign"))
    generate_file(Path(sys.argv[1]), order, Excluded(), workers=int(sys.argv[2]))
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.jsonl"
    generate_file(path, ORDER, Excluded())
    return path.read_bytes()


def test_a_file_is_read_as_questions(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(whole)
    questions = list(read_questions(path))
    assert len(questions) == 60
    assert {question.facets["level"] for question in questions} == {"strings", "reassign"}
    row = json.loads(whole.splitlines()[0])
    assert list(row) == ["id", "code", "call", "expected", "facets"]
    assert list(row["facets"]) == [
        "level", "kind", "steps", "iterations", "call_depth", "nesting", "longest_string",
        "branches",
    ]  # fmt: skip


def test_the_same_again_is_only_read(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "a.jsonl"
    first = generate_file(path, ORDER, Excluded())
    decided: list[Decision] = []
    second = generate_file(path, ORDER, Excluded(), decided=decided.append)
    assert decided == []
    assert path.read_bytes() == whole
    assert (first.questions, first.left_out) == (second.questions, second.left_out)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.jsonl", "a.jsonl.about.json"]


class StopError(Exception):
    """Somebody has seen enough."""


@pytest.mark.parametrize("stops", [[1], [7, 8, 40], [59]])
def test_what_was_stopped_goes_on(stops: list[int], tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "a.jsonl"
    begun: list[int] = []
    for stop in stops:
        left = stop - (begun[-1] if begun else 0)

        def stopping(_: Decision, left: list[int] = [left]) -> None:  # noqa: B006
            left[0] -= 1
            if left[0] == 0:
                raise StopError

        with pytest.raises(StopError):
            generate_file(path, ORDER, Excluded(), decided=stopping)
        assert not path.exists()
        with pytest.raises(InputError, match="another command"):
            generate_file(path, Order(60, seed=10), Excluded())
        begun.append(stop)
    kept: list[int] = []
    generate_file(path, ORDER, Excluded(), begun=lambda found: kept.append(len(found.questions)))
    assert kept[0] > 0
    assert path.read_bytes() == whole


def stopped_after(method: Callable[..., None], calls: int) -> Callable[..., None]:
    """A method that is done, and interrupted then, when it is called for the last of so many."""
    left = iter(range(calls - 1, -1, -1))

    def stopping(*given: Any) -> None:
        method(*given)
        if next(left) == 0:
            raise KeyboardInterrupt

    return stopping


@pytest.mark.parametrize(
    ("owner", "method", "calls"),
    [(Journal, "append", 1), (Journal, "append", 3), (Progress, "note", 1), (Progress, "note", 11)],
)
def test_ctrl_c_between_two_steps_loses_and_doubles_nothing(
    owner: type,
    method: str,
    calls: int,
    tmp_path: Path,
    whole: bytes,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "a.jsonl"
    monkeypatch.setattr(files, "_DECISIONS", 3)
    with monkeypatch.context() as patch:
        patch.setattr(owner, method, stopped_after(getattr(owner, method), calls))
        with pytest.raises(KeyboardInterrupt):
            generate_file(path, ORDER, Excluded())
    generate_file(path, ORDER, Excluded())
    assert path.read_bytes() == whole


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_killed_goes_on(workers: int, tmp_path: Path, whole: bytes) -> None:
    path, script = tmp_path / "a.jsonl", tmp_path / "make.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, str(script), str(path), str(workers)]
    journal = journal_path(path)
    for least in (1500, 6000):
        process = subprocess.Popen(command)
        while process.poll() is None and not (journal.exists() and journal.stat().st_size > least):
            time.sleep(0.01)
        assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not path.exists()
    # A kill may also cut the last line.
    with journal.open("ab") as file:
        file.write(b'{"next": [1, ')
    subprocess.run(command, check=True)
    assert path.read_bytes() == whole
    assert not journal.exists()


def test_another_command_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    small = Order(4, levels=("recursion",))
    generate_file(path, small, Excluded())
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"seed: 0 then, 1 now.*--restart"):
        generate_file(path, Order(4, seed=1, levels=("recursion",)), Excluded())
    with pytest.raises(InputError, match="programs:  then, abc now"):
        generate_file(path, small, Excluded(hash="abc"))
    assert path.read_bytes() == before
    generate_file(path, Order(4, seed=1, levels=("recursion",)), Excluded(), is_restarted=True)
    assert path.read_bytes() != before


def test_a_file_of_someone_else_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text("mine\n", encoding="utf-8")
    with pytest.raises(InputError, match="not known to be made by"):
        generate_file(path, Order(2, levels=("recursion",)), Excluded())
    assert path.read_text(encoding="utf-8") == "mine\n"
    assert not about_path(path).exists()
