"""`worldline export`: the summary agrees with the files."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.data.export.small_exports import rows_of, stored
from worldline.evaluation.store import write_traces
from worldline.interfaces.cli import main
from worldline.languages.python.recorder import PythonRecorder

pytest.importorskip("tokenizers")


@pytest.fixture
def traces(tmp_path: Path, recorder: PythonRecorder) -> Path:
    write_traces(tmp_path / "traces", stored(recorder))
    return tmp_path / "traces"


def export(*words: object) -> Result:
    return CliRunner().invoke(main, ["export", *map(str, words)])


def test_from_programs_to_an_export(tmp_path: Path) -> None:
    programs = tmp_path / "a.jsonl"
    code = "def f(n):\n    return n * 2\n"
    rows = [{"id": f"p{n}", "code": code, "call": f"f({n})"} for n in range(3)]
    programs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    recorded = CliRunner().invoke(main, ["trace", str(programs), "-o", str(tmp_path / "t")])
    hint = f"next: worldline export {tmp_path / 't'} --tokenizer bpe:1024 -o EXPORT\n"
    assert hint in recorded.output
    words = hint.replace("EXPORT", str(tmp_path / "e")).split()
    result = CliRunner().invoke(main, words[2:])
    assert result.exit_code == 0, result.output
    assert "3 examples of 3 traces, 18 steps" in result.output
    assert [row["id"] for row in rows_of(tmp_path / "e")] == ["p0", "p1", "p2"]


def test_the_printed_numbers_are_those_of_the_files(tmp_path: Path, traces: Path) -> None:
    words = ["-o", tmp_path / "e", "--tokenizer", "bpe:300", "--loss", "actions"]
    result = export(traces, *words, "--max-tokens", 500, "--workers", 1)
    kept = json.loads((tmp_path / "e" / "export.json").read_text(encoding="utf-8"))
    assert kept["loss"] == "actions"
    assert kept["max_tokens"] == 500
    assert f"{kept['examples']} examples of 7 traces" in result.output
    left = kept["left_out"]["longer than 500 tokens"]
    assert f"left out: {left} longer than 500 tokens" in result.output
    assert kept["examples"] + left == 7
    for row in rows_of(tmp_path / "e"):
        learned = [label != -100 for label in row["labels"]]
        assert learned == [bool(bit) for bit in row["action_mask"]]


def test_errors_are_one_line(tmp_path: Path, traces: Path) -> None:
    export(traces, "-o", tmp_path / "e", "--tokenizer", "bytes")
    for words, message in (
        ([traces, "-o", tmp_path / "e"], "already exists"),
        ([traces, "-o", tmp_path / "f", "--tokenizer", "morse"], "no tokenizer 'morse'"),
        ([tmp_path / "nowhere", "-o", tmp_path / "f"], "there are no traces in"),
        ([traces, "-o", tmp_path / "f", "--codec", "chat"], "'chat' is not"),
    ):
        result = export(*words)
        assert result.exit_code == 2
        assert message in result.output
        assert "Traceback" not in result.output
    again = export(traces, "-o", tmp_path / "e", "--tokenizer", "bytes", "--restart")
    assert again.exit_code == 0
