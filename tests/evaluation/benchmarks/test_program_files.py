"""Benchmarks from program files: JSONL files, Python files, and folders of both."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import data_file
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.evaluation.benchmarks.program_files import load_program_files
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

ADD = "def add(a, b):\n    return a + b\n"
ROW: dict[str, Any] = {"id": "a", "code": ADD, "call": "add(1, 2)", "expected": "3"}


def lines(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_jsonl_file_plain_or_compressed(tmp_path: Path) -> None:
    text = lines(ROW, {**ROW, "id": "b", "facets": {"depth": 3, "kind": "sum"}})
    plain = load_program_files(write(tmp_path / "mine.jsonl", text))
    with gzip.open(tmp_path / "mine.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(text)
    packed = load_program_files(str(tmp_path / "mine.jsonl.gz"))
    assert plain.questions == packed.questions == (
        Question("a", Program(ADD, "add(1, 2)"), "3"),
        Question("b", Program(ADD, "add(1, 2)"), "3", {"depth": 3, "kind": "sum"}),
    )  # fmt: skip
    assert plain.name == packed.name == "mine"
    assert plain.hash == packed.hash
    assert plain.is_correct(plain.questions[0], "3.0")
    assert not plain.is_correct(plain.questions[0], "4")


def test_python_file_with_calls_in_comments(tmp_path: Path, recorder: PythonRecorder) -> None:
    notes = "\n# call: add(1, 2)\n# expected: 3\n\n#call:add('x', 'y')  \n# call: add([], [])\n"
    benchmark = load_program_files(write(tmp_path / "sums.py", f"# Sums.\n{ADD}{notes}"))
    code = f"# Sums.\n{ADD}"
    assert benchmark.questions == (
        Question("sums_tc0", Program(code, "add(1, 2)"), "3"),
        Question("sums_tc1", Program(code, "add('x', 'y')")),
        Question("sums_tc2", Program(code, "add([], [])")),
    )
    results = [recorder.record(question.program).result for question in benchmark.questions]
    assert results == ["3", "'xy'", "[]"]
    assert all("call:" not in question.program.text for question in benchmark.questions)


def test_folder_is_read_in_the_order_of_file_names(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", lines(ROW))
    write(tmp_path / "c.py", f"{ADD}# call: add(3, 4)\r\n")
    write(tmp_path / "a.jsonl", lines({**ROW, "id": "z"}))
    write(tmp_path / "notes.txt", "not a program")
    (tmp_path / "deeper").mkdir()
    write(tmp_path / "deeper" / "d.py", "no call here")
    benchmark = load_program_files(tmp_path)
    assert [question.id for question in benchmark.questions] == ["z", "a", "c_tc0"]
    assert (benchmark.name, benchmark.options) == (tmp_path.name, {"path": str(tmp_path)})
    assert benchmark.questions[2].program.call == "add(3, 4)"


def test_duplicate_id_in_a_folder_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.py", f"{ADD}# call: add(3, 4)\n")
    write(tmp_path / "b.jsonl", lines({**ROW, "id": "a_tc0"}))
    with pytest.raises(InputError, match=r"line 1 of .*b.jsonl: the id 'a_tc0' is taken by line 3"):
        load_program_files(tmp_path)


@pytest.mark.data
def test_recorded_predictions_can_be_used_as_a_benchmark() -> None:
    benchmark = load_program_files(data_file("cwm32b_humaneval_failures.jsonl"))
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
        (f"{ADD}# call:\n", "line 3 of .*nothing after '# call:'"),
        (f"{ADD}# call: add(1,\n", "line 3 of .*not one Python expression"),
        ("def add(:\n# call: add()\n", "x.py is not valid Python"),
    ],
)
def test_invalid_python_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_program_files(write(tmp_path / "x.py", text))


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
def test_facets_must_be_texts_or_integers(tmp_path: Path, facets: object, message: str) -> None:
    path = write(tmp_path / "x.jsonl", lines({**ROW, "facets": facets}))
    with pytest.raises(InputError, match=f"line 1 of .*{message}"):
        load_program_files(path)


def test_unsupported_and_empty_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no file or folder .*none"):
        load_program_files(tmp_path / "none")
    with pytest.raises(InputError, match=r"folder .* contains no programs; give a .jsonl"):
        load_program_files(tmp_path)
    with pytest.raises(InputError, match=r"x.txt is not a file of programs; give a .jsonl"):
        load_program_files(write(tmp_path / "x.txt", "x"))
    with pytest.raises(InputError, match=r"x.jsonl contains no programs"):
        load_program_files(write(tmp_path / "x.jsonl", "\n"))
    with pytest.raises(InputError, match=r"cannot read .*x.jsonl.gz"):
        load_program_files(write(tmp_path / "x.jsonl.gz", "not packed"))
    (tmp_path / "y.py").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match=r"cannot read .*y.py"):
        load_program_files(tmp_path / "y.py")
