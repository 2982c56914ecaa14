"""Reader of prediction files: the fields that it reads, and its errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.predictions import text_of
from worldline.core.errors import InputError
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import prediction_to_row, read_prediction_file, read_questions

CODE = "def f(x):\n    return x\n"


def write_rows(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return path


def test_a_program_is_code_and_call_or_context(tmp_path: Path, recorder: PythonRecorder) -> None:
    program = Program(CODE, "f('\u2028')")
    text = text_of(recorder.record(program))
    by_call = {"id": "a", "code": CODE, "call": "f('\u2028')", "output": text}
    by_context = {"id": "b", "context": program.text, "output": text}
    predictions = list(read_prediction_file(write_rows(tmp_path / "x.jsonl", by_call, by_context)))
    assert [p.id for p in predictions] == ["a", "b"]
    assert predictions[0].program.text == predictions[1].program.text
    assert [len(p.decoded.steps) for p in predictions] == [6, 6]
    assert predictions[0].finish == "unknown"


def test_the_call_in_the_context_takes_precedence(tmp_path: Path) -> None:
    context = Program(CODE, "f(1)").text
    row = {"id": "a", "context": context, "call": "f(2)", "output": "x"}
    prediction = next(read_prediction_file(write_rows(tmp_path / "x.jsonl", row)))
    assert prediction.program == Program.from_text(context)
    row_again = prediction_to_row(prediction)
    assert (row_again["context"], row_again["call"], "code" in row_again) == (
        context,
        "f(1)",
        False,
    )
    assert next(read_prediction_file(write_rows(tmp_path / "y.jsonl", row_again))) == prediction


SCRIPT = "function f(x) { return x }\n"
MARKED_SCRIPT = Program(SCRIPT, "f(1)", language="javascript").text


@pytest.mark.parametrize(
    ("row", "program"),
    [
        ({"code": SCRIPT, "call": "new f(1)"}, Program(SCRIPT, "new f(1)", "", "javascript")),
        ({"context": MARKED_SCRIPT}, Program.from_text(MARKED_SCRIPT, language="javascript")),
    ],
)
def test_the_language_survives_a_round_trip(
    tmp_path: Path, row: dict[str, Any], program: Program
) -> None:
    row |= {"id": "a", "language": "javascript", "output": "x"}
    prediction = next(read_prediction_file(write_rows(tmp_path / "x.jsonl", row)))
    assert prediction.program == program
    row_again = prediction_to_row(prediction)
    assert row_again["language"] == "javascript"
    path = write_rows(tmp_path / "y.jsonl", row_again)
    assert next(read_prediction_file(path)) == prediction
    assert next(read_questions(path)).program == program


def test_the_default_language_is_python(tmp_path: Path) -> None:
    row = {"id": "a", "code": CODE, "call": "f(1)", "output": "x"}
    program = next(read_prediction_file(write_rows(tmp_path / "x.jsonl", row))).program
    assert (program, program.language) == (Program(CODE, "f(1)"), "python")
    with pytest.raises(InputError, match="'language' must be a string, found int"):
        list(read_prediction_file(write_rows(tmp_path / "y.jsonl", {**row, "language": 3})))


@pytest.mark.parametrize(
    ("fields", "finish", "is_truncated"),
    [
        ({"finish_reason": "truncated"}, "truncated", True),
        # The term of the OpenAI API, and of rows of earlier versions.
        ({"finish_reason": "length"}, "truncated", True),
        ({"finish_reason": "stop"}, "stop", False),
        ({"truncated": True}, "truncated", True),
        ({}, "unknown", True),
    ],
)
def test_the_finish_reason_is_read(
    tmp_path: Path, fields: dict[str, Any], finish: str, is_truncated: bool
) -> None:
    row = {"id": "a", "code": CODE, "call": "f(1)", "output": "<|call_sep|>{}<|act", **fields}
    prediction = next(read_prediction_file(write_rows(tmp_path / "x.jsonl", row)))
    assert (prediction.finish, prediction.is_truncated) == (finish, is_truncated)


def test_a_row_with_an_error_needs_no_output(tmp_path: Path) -> None:
    row = {"id": "a", "code": CODE, "call": "f(1)", "error": "HTTP 500"}
    prediction = next(read_prediction_file(write_rows(tmp_path / "x.jsonl", row)))
    assert (prediction.finish, prediction.error, prediction.text) == ("infra_error", "HTTP 500", "")


def test_an_external_answer_takes_precedence(tmp_path: Path) -> None:
    output = "{}def main(): # << START_OF_TRACE\n"
    row = {"id": "a", "code": CODE, "call": "f(1)", "output": output, "predicted": "3"}
    assert next(read_prediction_file(write_rows(tmp_path / "x.jsonl", row))).answer == "3"
    truncated = {**row, "predicted": "None", "truncated": True}
    assert next(read_prediction_file(write_rows(tmp_path / "y.jsonl", truncated))).answer is None


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
            "'finish_reason' must be stop, truncated or length, found 'eos'",
        ),
        ({"id": "a", "code": CODE, "call": "f(1", "output": ""}, "is not one Python expression"),
        ({"id": "a", "code": CODE, "call": "(yield 1)", "output": ""}, "`yield` or `await`"),
    ],
)
def test_an_invalid_row_is_an_error(tmp_path: Path, row: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(read_prediction_file(write_rows(tmp_path / "x.jsonl", row)))


def test_invalid_json_and_missing_files_are_errors(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"id": 1}\nnot json\n', encoding="utf-8")
    with pytest.raises(InputError, match="line 1"):
        list(read_prediction_file(tmp_path / "x.jsonl"))
    (tmp_path / "y.jsonl").write_text("not json\n", encoding="utf-8")
    with pytest.raises(InputError, match="each line must be one JSON object"):
        list(read_prediction_file(tmp_path / "y.jsonl"))
    with pytest.raises(InputError, match="cannot read"):
        list(read_prediction_file(tmp_path / "none.jsonl"))


def test_json_that_python_cannot_parse_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "deep.jsonl").write_text("[" * 100_000, encoding="utf-8")
    with pytest.raises(InputError, match="not JSON"):
        list(read_prediction_file(tmp_path / "deep.jsonl"))
    (tmp_path / "digits.jsonl").write_text('{"id": ' + "1" * 5_000 + "}", encoding="utf-8")
    with pytest.raises(InputError, match="not JSON"):
        list(read_prediction_file(tmp_path / "digits.jsonl"))


def test_a_byte_order_mark_and_an_empty_error_are_ignored(tmp_path: Path) -> None:
    row = {"id": "a", "code": CODE, "call": "f(1)", "output": "x", "error": ""}
    (tmp_path / "x.jsonl").write_text("\ufeff" + json.dumps(row), encoding="utf-8")
    assert next(read_prediction_file(tmp_path / "x.jsonl")).error is None


def test_standard_input_is_read(tmp_path: Path) -> None:
    row = {"id": "a", "code": CODE, "call": "f(input())", "output": "x", "stdin": "7\n"}
    assert next(read_prediction_file(write_rows(tmp_path / "x.jsonl", row))).program.stdin == "7\n"
