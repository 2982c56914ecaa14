"""Benchmarks of one's own: files of JSON lines, Python files, folders of both."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import data_file
from worldline.benchmarks.files import from_files
from worldline.errors import InputError
from worldline.predict import Question
from worldline.recorders import PythonRecorder
from worldline.trace import Program

ADD = "def add(a, b):\n    return a + b\n"
ROW: dict[str, Any] = {"id": "a", "code": ADD, "call": "add(1, 2)", "expected": "3"}


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_rows_packed_or_not(tmp_path: Path) -> None:
    text = lines(ROW, {**ROW, "id": "b", "facets": {"depth": 3, "kind": "sum"}})
    plain = from_files(write(tmp_path / "mine.jsonl", text))
    with gzip.open(tmp_path / "mine.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    packed = from_files(str(tmp_path / "mine.jsonl.gz"))
    assert plain.questions == packed.questions == (
        Question("a", Program(ADD, "add(1, 2)"), "3"),
        Question("b", Program(ADD, "add(1, 2)"), "3", {"depth": 3, "kind": "sum"}),
    )  # fmt: skip
    assert plain.name == packed.name == "mine"
    assert plain.hash == packed.hash
    assert plain.is_right(plain.questions[0], "3.0")
    assert not plain.is_right(plain.questions[0], "4")


def test_a_python_file_with_its_calls(tmp_path: Path, recorder: PythonRecorder) -> None:
    notes = "\n# call: add(1, 2)\n# expected: 3\n\n#call:add('x', 'y')  \n# call: add([], [])\n"
    benchmark = from_files(write(tmp_path / "sums.py", f"# Sums.\n{ADD}{notes}"))
    code = f"# Sums.\n{ADD}"
    assert benchmark.questions == (
        Question("sums_tc0", Program(code, "add(1, 2)"), "3"),
        Question("sums_tc1", Program(code, "add('x', 'y')")),
        Question("sums_tc2", Program(code, "add([], [])")),
    )
    results = [recorder.record(question.program).result for question in benchmark.questions]
    assert results == ["3", "'xy'", "[]"]
    assert all("call:" not in question.program.text for question in benchmark.questions)


def test_a_folder_is_all_its_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", lines(ROW))
    write(tmp_path / "c.py", f"{ADD}# call: add(3, 4)\r\n")
    write(tmp_path / "a.jsonl", lines({**ROW, "id": "z"}))
    write(tmp_path / "notes.txt", "not a program")
    (tmp_path / "deeper").mkdir()
    write(tmp_path / "deeper" / "d.py", "no call here")
    benchmark = from_files(tmp_path)
    assert [question.id for question in benchmark.questions] == ["z", "a", "c_tc0"]
    assert (benchmark.name, benchmark.options) == (tmp_path.name, {"path": str(tmp_path)})
    assert benchmark.questions[2].program.call == "add(3, 4)"


def test_names_are_taken_once_in_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "a.py", f"{ADD}# call: add(3, 4)\n")
    write(tmp_path / "b.jsonl", lines({**ROW, "id": "a_tc0"}))
    with pytest.raises(InputError, match=r"line 1 of .*b.jsonl: the id 'a_tc0' is taken by line 3"):
        from_files(tmp_path)


@pytest.mark.data
def test_recorded_predictions_are_a_benchmark_of_their_programs() -> None:
    benchmark = from_files(data_file("cwm32b_humaneval_failures.jsonl"))
    assert len(benchmark.questions) == 62
    assert all(question.expected is not None for question in benchmark.questions)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (ADD, "x.py names no call.*# call: f"),
        ("", "x.py names no call"),
        (f"# call: add(1, 2)\n{ADD}", "line 1 of .*must come at the end"),
        (f"# expected: 1\n{ADD}# call: add(1, 2)", "line 1 of .*must come at the end"),
        (f"{ADD}# expected: 3\n# call: add(1, 2)", "line 3 of .*must follow the '# call"),
        (f"{ADD}# call: add(1, 2)\n# expected: 3\n# expected: 4", "line 5 of .*must follow"),
        (f"{ADD}# call:\n", "line 3 of .*nothing behind '# call:'"),
        (f"{ADD}# call: add(1,\n", "line 3 of .*not one Python expression"),
        ("def add(:\n# call: add()\n", "x.py is not a program that Python can read"),
    ],
)
def test_a_python_file_that_asks_nothing(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        from_files(write(tmp_path / "x.py", text))


@pytest.mark.parametrize(
    ("facets", "message"),
    [
        ([1], "'facets' must be an object"),
        ({"depth": 1.5}, "the facet 'depth' must be text or a whole number, found 1.5"),
        ({"deep": True}, "the facet 'deep' must be"),
        ({"deep": None}, "the facet 'deep' must be"),
        ({"deep": {}}, "the facet 'deep' must be"),
    ],
)
def test_facets_are_words_and_counts(tmp_path: Path, facets: object, message: str) -> None:
    path = write(tmp_path / "x.jsonl", lines({**ROW, "facets": facets}))
    with pytest.raises(InputError, match=f"line 1 of .*{message}"):
        from_files(path)


def test_what_is_no_file_of_programs(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file or folder .*none"):
        from_files(tmp_path / "none")
    with pytest.raises(InputError, match=r"folder .* holds no programs; give a .jsonl"):
        from_files(tmp_path)
    with pytest.raises(InputError, match=r"x.txt is no file of programs; give a .jsonl"):
        from_files(write(tmp_path / "x.txt", "x"))
    with pytest.raises(InputError, match=r"x.jsonl holds no programs"):
        from_files(write(tmp_path / "x.jsonl", "\n"))
    with pytest.raises(InputError, match=r"cannot read .*x.jsonl.gz"):
        from_files(write(tmp_path / "x.jsonl.gz", "not packed"))
    (tmp_path / "y.py").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"cannot read .*y.py"):
        from_files(tmp_path / "y.py")
