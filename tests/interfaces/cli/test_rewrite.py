"""`worldline rewrite`."""

import json
from pathlib import Path

from tests.interfaces.cli.commands import ok, run

SOURCE = "def f(text):\n    # Kept.\n    return text.strip().upper()\n"


def source_file(tmp_path: Path, source: str = SOURCE) -> Path:
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    return path


def test_nested_calls_get_their_own_lines(tmp_path: Path) -> None:
    result = ok("rewrite", source_file(tmp_path), "--expressions", "--call", "f(' a ')")
    assert result.stdout == (
        "def f(text):\n    # Kept.\n    t1 = text.strip()\n    return t1.upper()\n"
    )
    assert "1 line rewritten" in result.stderr
    assert "steps 6 → 7" in result.stderr


def test_rewritten_lines_have_their_original_line(tmp_path: Path) -> None:
    words = ("rewrite", source_file(tmp_path), "--expressions", "--strings", "--format", "json")
    result = json.loads(ok(*words, "--line", "3").stdout)
    lines = result["text"].splitlines()
    body = lines.index("def f(text):")
    # Lines that the rewrite added have no original line.
    assert set(result["origins"][:body]) == {0}
    assert result["origins"][body:] == [1, 2, 3, 3]
    assert lines[body + 2] == "    t1 = string_strip(text)"
    assert result["changed"] == [3]


def test_only_the_chosen_line_is_rewritten(tmp_path: Path) -> None:
    path = source_file(tmp_path, "def f(a):\n    b = -abs(a)\n    c = -abs(b)\n    return c\n")
    result = ok("rewrite", path, "--expressions", "--line", "3").stdout
    assert result == ("def f(a):\n    b = -abs(a)\n    t1 = abs(b)\n    c = -t1\n    return c\n")


def test_a_kind_of_rewrite_is_required(tmp_path: Path) -> None:
    result = run("rewrite", source_file(tmp_path))
    assert result.exit_code == 2
    assert "add --expressions, --strings, or both" in result.stderr
    result = run("rewrite", source_file(tmp_path), "--strings", "--tokenizer", "bytes")
    assert result.exit_code == 2
    assert "add --call" in result.stderr


def test_the_cost_in_tokens_is_printed(tmp_path: Path) -> None:
    words = ("rewrite", source_file(tmp_path), "--strings", "--call", "f(' a ')")
    printed = ok(*words, "--tokenizer", "bytes").stderr
    assert "tokens in cwm" in printed
    assert "steps 6 → " in printed
