"""Commands as a user runs them: output, errors and exit codes."""

import importlib.metadata
import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support.pythons import find_python
from worldline.analysis.diagnosis.facts import Outcome
from worldline.core.trace import Program, trace_from_json
from worldline.interfaces.demo import PREDICTIONS
from worldline.models.codecs import get_codec

ADD = "def f(a, b):\n    c = a + b\n    return c\n"


@pytest.fixture
def add(tmp_path: Path) -> Path:
    path = tmp_path / "add.py"
    path.write_text(ADD, encoding="utf-8")
    return path


def test_record_as_text(add: Path) -> None:
    result = run("record", add, "--call", "f(1, 3)")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    assert len(lines) == 8
    assert "def f(a, b):" in lines[2]
    assert "a = 1, b = 3" in lines[2]
    assert "c = 4" in lines[4]
    assert "returns 4" in lines[5]
    assert lines[7].startswith("finished: 4  (7 steps, Python 3.")


def test_record_in_c_or_in_python(add: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("record", add, "--call", "f(1, 3)")
    in_c, in_python = (run(*words, "--recorder", name) for name in ("core", "settrace"))
    assert in_c.output.replace("core)", "settrace)") == in_python.output
    # Without --recorder there is a warning that it is slow.
    old = find_python("3.10")
    if old is not None:
        refused = run(*words, "--python", old)
        assert refused.exit_code == 2
        assert "the full sandbox does not support Python 3.10" in refused.output
        monkeypatch.setenv("WORLDLINE_SANDBOX", "reduced")
        result = run(*words, "--python", old)
        assert "takes about 40 times as long" in result.output
        assert "finished: 4" in result.output
        refused = run(*words, "--python", old, "--recorder", "core")
        assert refused.exit_code == 2
        assert "was not built for" in refused.output


def test_record_with_threads(tmp_path: Path) -> None:
    file = tmp_path / "t.py"
    file.write_text(
        "import threading\n"
        "def work():\n    done = 1\n"
        "def f():\n    t = threading.Thread(target=work); t.start(); t.join()\n    return 2\n"
    )
    result = run("record", file, "--call", "f()", "--threads")
    assert result.exit_code == 0
    marked = [line for line in result.output.splitlines() if " ·1 " in line]
    assert len(marked) == 3
    assert "def work():" in marked[0]
    assert "finished: 2" in result.output
    assert "note: the program started threads: one runs at a time" in result.output
    main_only = run("record", file, "--call", "f()").output
    assert "·1" not in main_only
    assert "def work():" not in main_only
    refused = run("record", file, "--call", "f()", "--threads", "--format", "cwm")
    assert refused.exit_code == 2
    assert "cannot encode the steps of several threads" in refused.output


def test_record_in_other_formats(add: Path, tmp_path: Path) -> None:
    trace = trace_from_json(
        json.loads(run("record", add, "--call", "f(1, 3)", "--format", "json").output)
    )
    assert trace.result == "4"
    assert (
        run("record", add, "--call", "f(1, 3)", "--format", "cwm", "-o", tmp_path / "t").exit_code
        == 0
    )
    codec = get_codec("cwm")
    text = (tmp_path / "t").read_text(encoding="utf-8")
    assert text == "".join(codec.prompt(Program(ADD, "f(1, 3)")) + codec.encode(trace))


def test_record_a_script_with_imports_and_input(tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").write_text("VALUE = 5\n", encoding="utf-8")
    path = tmp_path / "here.py"
    path.write_text(
        "import neighbour\nx = neighbour.VALUE + int(input())\nprint(x)\n", encoding="utf-8"
    )
    (tmp_path / "in.txt").write_text("2\n", encoding="utf-8")
    result = run("record", path, "--stdin", tmp_path / "in.txt")
    assert "x = 7" in result.output
    assert "printed: 7" in result.output


def test_tokens_of_a_trace(add: Path) -> None:
    result = run("record", add, "--call", "f(1, 3)", "--tokenizer", "bytes")
    codec = get_codec("cwm")
    prompt = "".join(codec.prompt(Program(ADD, "f(1, 3)")))
    bare = len(prompt) - sum(len(t) for t in ("<|begin_of_text|>", "<|trace_context_start|>"))
    bare -= len("<|frame_sep|>")
    assert f"cwm: {bare + 3} tokens of prompt" in result.output


def test_a_limit_is_reported(add: Path) -> None:
    result = run("record", add, "--call", "f(1, 3)", "--steps", "3")
    assert "step limit: more than 3 steps" in result.output
    cut = run("record", add, "--call", "f(1, 3)", "--steps", "3", "--format", "json")
    assert "the trace is incomplete: step limit" in cut.stderr


def test_a_program_that_raises_is_a_result(add: Path) -> None:
    result = run("record", add, "--call", "f(1, 'x')")
    assert result.exit_code == 0
    assert "raises TypeError" in result.output
    assert "raised: TypeError" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("record", "none.py"), "cannot read the program"),
        (("diagnose", "none.jsonl"), "cannot read none.jsonl"),
        (("show", str(PREDICTIONS), "wrong"), "no sample 'wrong' in .*; available: wrong_argument"),
        (("diagnose", str(PREDICTIONS), "--tokenizer", "morse"), "no tokenizer 'morse'"),
        (("diagnose", str(PREDICTIONS), "--python", "/none"), "cannot start /none.*--python"),
    ],
)
def test_errors_say_what_to_do(arguments: tuple[str, ...], message: str) -> None:
    import re

    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("worldline: ")
    assert re.search(message, result.stderr)
    assert "Traceback" not in result.output


def test_only_takes_known_names() -> None:
    result = run("diagnose", PREDICTIONS, "--only", "divergd")
    assert result.exit_code == 2
    assert "is not one of" in result.stderr
    both = run("diagnose", PREDICTIONS, "--only", "truncated", "--only", "str")
    assert "Truncated or str: 3 samples" in both.output


def test_a_summary_as_json() -> None:
    result = json.loads(run("diagnose", PREDICTIONS, "--format", "json", "--summary").output)
    assert result["total"] == 15


def test_a_file_is_written_in_every_format_or_refused(add: Path, tmp_path: Path) -> None:
    for form in ("text", "json", "cwm"):
        path = tmp_path / form
        assert run("record", add, "--call", "f(1, 3)", "--format", form, "-o", path).exit_code == 0
        assert "def f(a, b):" in path.read_text(encoding="utf-8")
        bad = run("record", add, "--call", "f(1, 3)", "--format", form, "-o", tmp_path / "no" / "x")
        assert bad.exit_code == 2
        assert "cannot write" in bad.stderr


def test_a_program_that_cannot_be_loaded_exits_with_1(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text("def f(:\n", encoding="utf-8")
    result = run("record", tmp_path / "bad.py", "--call", "f(1)")
    assert result.exit_code == 1
    assert "not loaded: SyntaxError" in result.output


def test_source_encodings_are_those_of_python(tmp_path: Path) -> None:
    (tmp_path / "bom.py").write_bytes(b"\xef\xbb\xbfdef f():\n    return 1\n")
    assert "finished: 1" in run("record", tmp_path / "bom.py", "--call", "f()").output
    latin = "# -*- coding: latin-1 -*-\ndef f():\n    return 'é'\n".encode("latin-1")
    (tmp_path / "latin.py").write_bytes(latin)
    assert "finished: 'é'" in run("record", tmp_path / "latin.py", "--call", "f()").output


def test_two_samples_with_the_same_id_are_refused(tmp_path: Path) -> None:
    text = PREDICTIONS.read_text(encoding="utf-8").splitlines()[0] + "\n"
    (tmp_path / "twice.jsonl").write_text(text * 2, encoding="utf-8")
    result = run("show", tmp_path / "twice.jsonl", "correct")
    assert result.exit_code == 2
    assert "2 samples in" in result.stderr


def test_an_interpreter_that_is_not_python_is_refused() -> None:
    result = run("diagnose", PREDICTIONS, "--python", "/bin/ls")
    assert result.exit_code == 2
    assert "needs CPython 3.10 or later" in result.stderr


def test_a_bad_call_is_refused_before_anything_runs(add: Path) -> None:
    result = run("record", add, "--call", "f(1,")
    assert result.exit_code == 2
    assert "is not one Python expression" in result.stderr


def test_demo_has_every_outcome() -> None:
    from typing import get_args

    result = run("demo")
    assert result.exit_code == 0
    rows = json.loads(run("diagnose", PREDICTIONS, "--format", "json").output)
    assert {row["outcome"] for row in rows["samples"]} == set(get_args(Outcome))
    for row in rows["samples"]:
        assert row["id"] in result.output
    assert rows["summary"]["total"] == len(rows["samples"]) == 15
    assert rows["summary"]["superficially_correct"] >= 1


def test_demo_samples_are_what_their_names_say() -> None:
    rows = json.loads(run("diagnose", PREDICTIONS, "--format", "json").output)["samples"]
    by_id = {row["id"]: row for row in rows}
    for outcome in (
        "correct",
        "truncated",
        "answer_mismatch",
        "reference_mismatch",
        "malformed",
        "empty_output",
    ):
        assert by_id[outcome]["outcome"] == outcome
    assert by_id["infra_error"]["outcome"] == "infra_error"
    assert (by_id["wrong_argument"]["differs_in"], by_id["wrong_argument"]["variable"]) == (
        "argument",
        "text",
    )
    assert (by_id["wrong_string"]["differs_in"], by_id["wrong_string"]["predicted_value"]) == (
        "state",
        "'be,'",
    )
    assert by_id["wrong_return"]["differs_in"] == "return"
    assert by_id["loop_left_early"]["action_error"] == "loop_left_early"
    assert by_id["invented_line"]["action_error"] == "line_invented"
    assert by_id["stopped_early"]["differs_in"] == "end"
    assert (
        by_id["diverged_before_truncation"]["outcome"],
        by_id["diverged_before_truncation"]["is_truncated"],
    ) == (
        "diverged",
        True,
    )
    assert by_id["superficially_correct"]["is_result_correct"] is True


def test_demo_of_one_and_to_a_file(tmp_path: Path) -> None:
    one = run("demo", "wrong_string")
    assert "predicted" in one.output
    assert "'be,' instead of 'be'" in one.output
    assert run("demo", "none").exit_code == 2
    assert run("demo", "-o", tmp_path / "d.jsonl").exit_code == 0
    assert (tmp_path / "d.jsonl").read_bytes() == PREDICTIONS.read_bytes()


def test_diagnose_lists_and_counts() -> None:
    result = run("diagnose", PREDICTIONS, "--only", "truncated")
    assert "Outcomes of 15 predictions" in result.output
    assert "ended by the token limit" in result.output
    assert "handled the characters" not in result.output
    lines = run("diagnose", PREDICTIONS, "--format", "jsonl").output.splitlines()
    assert len([json.loads(line) for line in lines]) == 15
    assert "copied wrongly" not in run("diagnose", PREDICTIONS, "--summary").output


def test_brackets_in_programs_are_not_markup() -> None:
    """The library that prints tables uses square brackets for markup."""
    assert "counts[word] = counts.get(word, 0) + 1" in run("demo").output
    assert "counts[word] = counts.get(word, 0) + 1" in run("demo", "wrong_string").output


def test_show_with_source_and_a_wider_view() -> None:
    result = run(
        "show", PREDICTIONS, "loop_left_early", "--before", "1", "--after", "0", "--source"
    )
    assert "def count_words(text):" in result.output
    assert "Loop left early: allowed by the control flow" in result.output
    rows = [line for line in result.output.splitlines() if line.strip()[:2] in ("19", "20", "21")]
    assert len(rows) == 2


def test_values_with_escapes_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "x.py"
    path.write_text(
        "class A:\n    def __repr__(self): return '\\x1b[31mred\\x07'\n"
        "def f():\n    a = A()\n    return a\n",
        encoding="utf-8",
    )
    result = run("record", path, "--call", "f()")
    assert "\x1b" not in result.output
    assert "\x07" not in result.output


def test_the_installed_command_runs() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from worldline.interfaces.cli import main; main(['--version'])"],
        capture_output=True,
        text=True,
        check=True,
    )
    version = importlib.metadata.version("worldline")
    assert done.stdout == f"worldline {version}, Python {platform.python_version()}\n"


def test_explain_names_the_misconception(tmp_path: Path) -> None:
    row = {
        "id": "parts",
        "code": "def f(s):\n    return s.rpartition('-')[0].strip()\n",
        "call": "f('one-two-three')",
        "output": "[ANSWER] 'one' [/ANSWER]",
        "codec": "chat",
    }
    file = tmp_path / "predictions.jsonl"
    file.write_text(json.dumps(row), encoding="utf-8")
    shown = ok("explain", file, "parts", "--all").stdout
    assert "if `.rpartition` were `.partition` (odds 1:" in shown
    assert "partition_side" in shown
    answer = json.loads(ok("explain", file, "parts", "--format", "json").stdout)
    assert answer["id"] == "parts"
    assert answer["explanations"][0]["misconception"] == "partition_side"
    correct = tmp_path / "correct.jsonl"
    correct.write_text(json.dumps({**row, "output": "[ANSWER] 'one-two' [/ANSWER]"}))
    assert "no wrong value or action" in ok("explain", correct, "parts").stdout
