"""What a terminal would act on stands as an escape in whatever is shown of a sample."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.predictions import predict, replaced, text_of
from tests.report.printing import printed
from worldline.cli.main import main
from worldline.recorders import PythonRecorder
from worldline.report import side_by_side
from worldline.runs import examine
from worldline.trace import Program

BAD = "\x1b[31m\u202e\x07"
SOURCE = f"def f(x):\n    y = x + '{BAD}' # {BAD}\n    z = y\n    return z\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"x": "\'a\'"', '"x": "\'b\'"'),
        ('{"x": "\'a\'"}', json.dumps({BAD: BAD, "x": "'a'"})),
        ("    z = y", f"    {BAD}"),
        ("<|action_sep|>    z = y", f"{BAD}<|action_sep|>    z = y"),
        ("<|return_sep|>", f"<|{BAD}|>"),
    ],
)
def test_a_sample_side_by_side(recorder: PythonRecorder, old: str, new: str) -> None:
    program = Program(SOURCE, "f('a')")
    text = replaced(old, new)(text_of(recorder.record(program)))
    sample = examine(predict(program, text), recorder)
    shown = printed(side_by_side(sample, width=160, before=99, after=99), width=160)
    assert shown.replace("\n", "").isprintable()


def test_the_source_and_a_name_that_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "predictions.jsonl"
    row = {"id": BAD, "code": SOURCE, "call": "f('a')", "output": BAD}
    file.write_text(json.dumps(row), encoding="utf-8")
    found = CliRunner().invoke(main, ["show", str(file), BAD, "--source"])
    assert found.exit_code == 0
    assert found.output.replace("\n", "").isprintable()
    missing = CliRunner().invoke(main, ["show", str(file), f"other{BAD}"])
    assert missing.output.replace("\n", "").isprintable()
