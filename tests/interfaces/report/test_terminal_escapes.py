"""Control characters in a sample are shown as escapes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.interfaces.report.printing import printed
from tests.support.predictions import predict, replaced, text_of
from worldline.core.trace import Program
from worldline.evaluation.runs import execute_and_diagnose
from worldline.interfaces.cli.command_line import main
from worldline.interfaces.report import side_by_side
from worldline.languages.python.recorder import PythonRecorder

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
def test_both_executions_are_escaped(recorder: PythonRecorder, old: str, new: str) -> None:
    program = Program(SOURCE, "f('a')")
    text = replaced(old, new)(text_of(recorder.record(program)))
    sample = execute_and_diagnose(predict(program, text), recorder)
    shown = printed(side_by_side(sample, width=160, before=99, after=99), width=160)
    assert shown.replace("\n", "").isprintable()


def test_the_source_and_an_unknown_name_are_escaped(tmp_path: Path) -> None:
    file = tmp_path / "predictions.jsonl"
    row = {"id": BAD, "code": SOURCE, "call": "f('a')", "output": BAD}
    file.write_text(json.dumps(row), encoding="utf-8")
    result = CliRunner().invoke(main, ["show", str(file), BAD, "--source"])
    assert result.exit_code == 0
    assert result.output.replace("\n", "").isprintable()
    missing = CliRunner().invoke(main, ["show", str(file), f"other{BAD}"])
    assert missing.output.replace("\n", "").isprintable()
