"""`worldline tokens` of a program, a file of programs and a store of traces."""

import json
from pathlib import Path

from click.testing import CliRunner

from worldline.interfaces.cli.command_line import main

SOURCE = "def f(a, b):\n    c = a + b\n    return c\n"


def counted(*arguments: str) -> dict[str, object]:
    done = CliRunner().invoke(main, ["tokens", *arguments, "--tokenizer", "bytes"])
    assert done.exit_code == 0, done.output
    counts: dict[str, object] = json.loads(done.stdout)
    return counts


def test_a_program_a_file_and_its_traces_cost_the_same(tmp_path: Path) -> None:
    program, rows, traces = tmp_path / "add.py", tmp_path / "p.jsonl", tmp_path / "traces"
    program.write_text(SOURCE)
    rows.write_text(json.dumps({"id": "add.py", "code": SOURCE, "call": "f(1, 3)"}) + "\n")
    recorded = CliRunner().invoke(main, ["trace", str(rows), "-o", str(traces), "--workers", "1"])
    assert recorded.exit_code == 0, recorded.output
    one = counted(str(program), "--call", "f(1, 3)", "--format", "json", "--stability")
    assert one == counted(str(rows), "--format", "json", "--stability")
    assert one == counted(str(traces), "--format", "json", "--stability")
    assert one["traces"] == 1


def test_the_text_names_the_largest_cost(tmp_path: Path) -> None:
    program = tmp_path / "add.py"
    program.write_text(SOURCE)
    arguments = ["tokens", str(program), "--call", "f(1, 3)", "--tokenizer", "bytes"]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    assert "1 trace, 7 steps, tokens of bytes" in done.output
    assert "of the tokens say which line comes next" in done.output


def test_a_missing_source_is_an_error(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["tokens", str(tmp_path / "no"), "--tokenizer", "bytes"])
    assert done.exit_code == 2
    assert "give a file or a folder" in done.output


def test_formats_for_python_are_left_out_for_other_languages(tmp_path: Path) -> None:
    path = tmp_path / "f.js"
    path.write_text("function f(x) {\n  const y = x + 1;\n  return y;\n}\n")
    words = ["tokens", str(path), "--call", "f(1)", "--tokenizer", "bytes"]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 0, result.output
    assert "numbers" in result.output
    assert " sparse " not in result.output
