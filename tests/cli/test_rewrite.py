"""`worldline rewrite`, as a user does."""

import json
from pathlib import Path

from tests.cli.commands import ok, run

SOURCE = "def f(text):\n    # Kept.\n    return text.strip().upper()\n"


def source_file(tmp_path: Path, source: str = SOURCE) -> Path:
    path = tmp_path / "program.py"
    path.write_text(source, encoding="utf-8")
    return path


def test_nested_calls_become_lines_of_their_own(tmp_path: Path) -> None:
    found = ok("rewrite", source_file(tmp_path), "--expressions", "--call", "f(' a ')")
    assert found.stdout == (
        "def f(text):\n    # Kept.\n    t1 = text.strip()\n    return t1.upper()\n"
    )
    assert "1 line rewritten" in found.stderr
    assert "steps 6 → 7" in found.stderr


def test_both_rewrites_lead_back_to_the_original_lines(tmp_path: Path) -> None:
    words = ("rewrite", source_file(tmp_path), "--expressions", "--strings", "--format", "json")
    found = json.loads(ok(*words, "--line", "3").stdout)
    lines = found["text"].splitlines()
    body = lines.index("def f(text):")
    # What the rewrite brought in stands for no line.
    assert set(found["origins"][:body]) == {0}
    assert found["origins"][body:] == [1, 2, 3, 3]
    assert lines[body + 2] == "    t1 = string_strip(text)"
    assert found["changed"] == [3]


def test_a_line_alone_is_rewritten(tmp_path: Path) -> None:
    path = source_file(tmp_path, "def f(a):\n    b = -abs(a)\n    c = -abs(b)\n    return c\n")
    found = ok("rewrite", path, "--expressions", "--line", "3").stdout
    assert found == ("def f(a):\n    b = -abs(a)\n    t1 = abs(b)\n    c = -t1\n    return c\n")


def test_what_to_do_has_to_be_said(tmp_path: Path) -> None:
    found = run("rewrite", source_file(tmp_path))
    assert found.exit_code == 2
    assert "say what to rewrite: --expressions, --strings, or both" in found.stderr
    found = run("rewrite", source_file(tmp_path), "--strings", "--tokenizer", "bytes")
    assert found.exit_code == 2
    assert "give its --call" in found.stderr


def test_the_cost_in_tokens_is_told(tmp_path: Path) -> None:
    words = ("rewrite", source_file(tmp_path), "--strings", "--call", "f(' a ')")
    told = ok(*words, "--tokenizer", "bytes").stderr
    assert "tokens in cwm" in told
    assert "steps 6 → " in told
