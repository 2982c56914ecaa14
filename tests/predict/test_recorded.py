"""Files of recorded predictions: what is read, and what is refused with which words."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.predictions import text_of
from worldline.errors import InputError
from worldline.predict import read_recorded
from worldline.recorders import PythonRecorder
from worldline.trace import Program

CODE = "def f(x):\n    return x\n"


def write(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return path


def test_code_and_call_or_context(tmp_path: Path, recorder: PythonRecorder) -> None:
    program = Program(CODE, "f('\u2028')")
    text = text_of(recorder.record(program))
    by_call = {"id": "a", "code": CODE, "call": "f('\u2028')", "output": text}
    by_context = {"id": "b", "context": program.text, "output": text}
    found = list(read_recorded(write(tmp_path / "x.jsonl", by_call, by_context)))
    assert [p.id for p in found] == ["a", "b"]
    assert found[0].program.text == found[1].program.text
    assert [len(p.decoded.steps) for p in found] == [6, 6]
    assert found[0].finish == "unknown"


@pytest.mark.parametrize(
    ("more", "finish", "is_cut"),
    [
        ({"finish_reason": "length"}, "length", True),
        ({"finish_reason": "stop"}, "stop", False),
        ({"truncated": True}, "length", True),
        ({}, "unknown", True),
    ],
)
def test_how_it_finished(tmp_path: Path, more: dict[str, Any], finish: str, is_cut: bool) -> None:
    row = {"id": "a", "code": CODE, "call": "f(1)", "output": "<|call_sep|>{}<|act", **more}
    found = next(read_recorded(write(tmp_path / "x.jsonl", row)))
    assert (found.finish, found.is_cut) == (finish, is_cut)


def test_an_engine_error_needs_no_output(tmp_path: Path) -> None:
    row = {"id": "a", "code": CODE, "call": "f(1)", "error": "HTTP 500"}
    found = next(read_recorded(write(tmp_path / "x.jsonl", row)))
    assert (found.finish, found.error, found.text) == ("error", "HTTP 500", "")


def test_the_answer_taken_goes_before_ours(tmp_path: Path) -> None:
    output = "{}def main(): # << START_OF_TRACE\n"
    row = {"id": "a", "code": CODE, "call": "f(1)", "output": output, "predicted": "3"}
    assert next(read_recorded(write(tmp_path / "x.jsonl", row))).answer == "3"
    cut = {**row, "predicted": "None", "truncated": True}
    assert next(read_recorded(write(tmp_path / "y.jsonl", cut))).answer is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": "a", "code": CODE, "call": "f(1)"}, "line 1 of .*: needs 'output'; the row has"),
        ({"code": CODE, "call": "f(1)", "output": ""}, "needs 'id'"),
        ({"id": "a", "code": CODE, "output": ""}, "needs 'call'"),
        ({"id": "a", "context": CODE, "output": ""}, "has no entry point; give `call`"),
        (
            {"id": "a", "code": CODE, "call": "f(1)", "output": "", "expected": 3},
            "'expected' must be",
        ),
        ([1], "expected a JSON object, found list"),
        ({"id": 7, "code": CODE, "call": "f(1)", "output": ""}, "'id' must be a string, found int"),
        (
            {"id": "a", "code": CODE, "call": "f(1)", "output": "", "finish_reason": "eos"},
            "'finish_reason' must be stop or length, found 'eos'",
        ),
        ({"id": "a", "code": CODE, "call": "f(1", "output": ""}, "is not one Python expression"),
        ({"id": "a", "code": CODE, "call": "(yield 1)", "output": ""}, "a generator"),
    ],
)
def test_refused(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(read_recorded(write(tmp_path / "x.jsonl", row)))


def test_not_json_and_not_there(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"id": 1}\nnot json\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        list(read_recorded(tmp_path / "x.jsonl"))
    (tmp_path / "y.jsonl").write_text("not json\n", encoding="utf-8")
    with pytest.raises(InputError, match="each line must be one JSON object"):
        list(read_recorded(tmp_path / "y.jsonl"))
    with pytest.raises(InputError, match="cannot read"):
        list(read_recorded(tmp_path / "none.jsonl"))


def test_odd_files_are_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "deep.jsonl").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match="not JSON"):
        list(read_recorded(tmp_path / "deep.jsonl"))
    (tmp_path / "digits.jsonl").write_text('{"id": ' + "1" * 5_000 + "}", encoding="utf-8")
    with pytest.raises(InputError, match="not JSON"):
        list(read_recorded(tmp_path / "digits.jsonl"))


def test_a_byte_order_mark_and_an_empty_error_are_let_pass(tmp_path: Path) -> None:
    row = {"id": "a", "code": CODE, "call": "f(1)", "output": "x", "error": ""}
    (tmp_path / "x.jsonl").write_text("\ufeff" + json.dumps(row), encoding="utf-8")
    assert next(read_recorded(tmp_path / "x.jsonl")).error is None


def test_what_the_program_reads(tmp_path: Path) -> None:
    row = {"id": "a", "code": CODE, "call": "f(input())", "output": "x", "stdin": "7\n"}
    assert next(read_recorded(write(tmp_path / "x.jsonl", row))).program.stdin == "7\n"
