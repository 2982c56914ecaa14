"""Options that are the same in every command, standard input, help texts and interruptions."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from tests.interfaces.cli.commands import ok, run
from worldline.interfaces.api.diagnosing import diagnose_predictions
from worldline.interfaces.cli import main
from worldline.interfaces.cli.command_line import COMMANDS
from worldline.interfaces.demo import PREDICTIONS
from worldline.models.prediction import read_prediction_file

NAMES = [name for commands in COMMANDS.values() for name in commands]
SOURCE = "def f(x):\n    return x + 1\n"
RETIRED = {"--json", "--without", "--longest-value", "--most-steps", "--most", "--right"}


def leaf_commands() -> list[tuple[str, ...]]:
    result: list[tuple[str, ...]] = []
    for name in NAMES:
        command = main.get_command(click.Context(main), name)
        subcommands = list(command.commands) if isinstance(command, click.Group) else []
        result += [(name, each) for each in subcommands] or [(name,)]
    return result


@pytest.mark.parametrize("words", leaf_commands(), ids=" ".join)
def test_help_fits_80_columns(words: tuple[str, ...]) -> None:
    lines = ok(*words, "--help", columns=80).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    # The summary is one sentence on one line.
    assert lines[2].startswith("  ")
    assert lines[2].endswith((".", "of"))
    assert not RETIRED & set(" ".join(lines).replace(",", " ").split())
    assert "x>=" not in " ".join(lines)


def test_help_lists_every_option() -> None:
    for words in leaf_commands():
        command: Any = main
        for word in words:
            command = command.get_command(click.Context(command), word)
        text = command.get_help(click.Context(command, info_name=words[-1]))
        names = {each.opts[0] for each in command.params if isinstance(each, click.Option)}
        hidden = {each.opts[0] for each in command.params if getattr(each, "hidden", False)}
        assert {name for name in names - hidden if name not in text} == set(), words


def test_limits_have_one_section_at_the_end() -> None:
    text = ok("bench", "--help", columns=80).stdout
    headings = [line[:-1] for line in text.splitlines() if line[:1].isalpha() and line[-1] == ":"]
    assert headings == [
        "Options", "Model", "Prediction", "Costs", "Execution", "Limits", "Examples",
    ]  # fmt: skip


def test_retired_options_are_gone() -> None:
    assert run("sandbox", "check", "--json").exit_code == 2
    assert run("engines", "check", "http://127.0.0.1:9/v1", "--json").exit_code == 2


def test_diagnose_reads_standard_input() -> None:
    text = PREDICTIONS.read_text(encoding="utf-8")
    piped = json.loads(ok("diagnose", "-", "--format", "json", stdin=text).stdout)
    assert piped == json.loads(ok("diagnose", PREDICTIONS, "--format", "json").stdout)
    refused = run("diagnose", "-", stdin="{}\n")
    assert (refused.exit_code, "line 1 of standard input" in refused.stderr) == (2, True)


def test_record_and_rewrite_read_standard_input(tmp_path: Path) -> None:
    recorded = ok("record", "-", "--call", "f(1)", stdin=SOURCE)
    assert "finished: 2" in recorded.stdout
    nested = "def f(x):\n    return -abs(x)\n"
    assert "t1 = abs(x)" in ok("rewrite", "-", "--expressions", stdin=nested).stdout
    both = run("record", "-", "--stdin", "-", stdin=SOURCE)
    assert (both.exit_code, "cannot both be read" in both.stderr) == (2, True)


def test_predict_reads_standard_input(tmp_path: Path) -> None:
    output, recorded = tmp_path / "p.jsonl", tmp_path / "recorded.jsonl"
    row = json.dumps({"id": "a", "code": SOURCE, "call": "f(1)", "output": "text"}) + "\n"
    recorded.write_text(row, encoding="utf-8")
    ok("predict", "-", "--engine", f"recorded:{recorded}", "-o", output, stdin=row)
    assert [prediction.id for prediction in read_prediction_file(output)] == ["a"]


def test_trace_reads_standard_input_and_the_first_programs(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"code": SOURCE, "call": f"f({n})"}) + "\n" for n in range(3))
    words = ("--workers", "1", "--once")
    piped = ok("trace", "-", "-o", tmp_path / "piped", *words, stdin=rows)
    assert "3 programs in 1 shard" in piped.stdout
    again = ok("trace", "-", "-o", tmp_path / "piped", *words, stdin=rows)
    assert "3 were done before" in again.stdout
    (tmp_path / "p.jsonl").write_text(rows, encoding="utf-8")
    first = ok("trace", tmp_path / "p.jsonl", "-o", tmp_path / "first", *words, "--first", "2")
    assert "2 programs in 1 shard" in first.stdout


def test_diagnose_only_the_first() -> None:
    result = json.loads(ok("diagnose", PREDICTIONS, "--first", "2", "--format", "json").stdout)
    assert [row["id"] for row in result["samples"]] == ["correct", "wrong_argument"]


def test_diagnose_as_csv() -> None:
    header, first, *_ = ok("diagnose", PREDICTIONS, "--format", "csv").stdout.splitlines()
    assert header.split(",")[:2] == ["id", "outcome"]
    assert first.startswith("correct,correct,")


def test_invalid_lines_are_skipped_on_request(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    lines = PREDICTIONS.read_text(encoding="utf-8").splitlines()
    path.write_text(f"{lines[0]}\nnot JSON\n{lines[1]}\n", encoding="utf-8")
    assert run("diagnose", path).exit_code == 2
    result = ok("diagnose", path, "--skip-invalid")
    assert "Outcomes of 2 predictions" in result.stdout
    assert f"skipped 1 line; the first: line 2 of {path}: not JSON" in result.stderr


def test_quiet_commands_give_no_hints(tmp_path: Path) -> None:
    assert "next:" in ok("demo").stderr
    assert ok("demo", "--quiet").stderr == ""


def test_a_file_of_functions_gets_a_hint_to_add_a_call(tmp_path: Path) -> None:
    path = tmp_path / "best.py"
    path.write_text(f'"""Doc."""\nimport math\n{SOURCE}', encoding="utf-8")
    hint = "only defines functions: add --call, e.g. --call 'f(...)'"
    assert hint in ok("record", path).stderr
    assert hint not in ok("record", path, "--call", "f(1)").stderr
    path.write_text(f"{SOURCE}print(f(1))\n", encoding="utf-8")
    assert hint not in ok("record", path).stderr


def test_predict_knows_benchmarks_by_name(tmp_path: Path) -> None:
    recorded = tmp_path / "recorded.jsonl"
    row = {"id": "other", "code": SOURCE, "call": "f(1)", "output": "text"}
    recorded.write_text(json.dumps(row) + "\n", encoding="utf-8")
    words = ("--engine", f"recorded:{recorded}", "-o", tmp_path / "p.jsonl", "--first", "1")
    result = ok("predict", "permutation", "--set", "lengths=8", *words)
    assert result.stdout.startswith("1 predictions: ")
    unknown = run("predict", "cruxevil", *words)
    assert (unknown.exit_code, "did you mean cruxeval" in unknown.stderr) == (2, True)


def test_a_report_does_not_replace_other_files(tmp_path: Path) -> None:
    target, program = tmp_path / "run", tmp_path / "best.py"
    program.write_text(SOURCE, encoding="utf-8")
    ok("diagnose", PREDICTIONS, "-o", target, "--summary")
    refused = run("report", target, "-o", program)
    assert (refused.exit_code, "a report is an HTML file" in refused.stderr) == (2, True)
    other = tmp_path / "notes.html"
    other.write_text("my notes", encoding="utf-8")
    refused = run("report", target, "-o", other)
    assert (
        refused.exit_code,
        "is not a report of worldline and is not replaced" in refused.stderr,
    ) == (
        2,
        True,
    )
    assert (program.read_text(), other.read_text()) == (SOURCE, "my notes")


@pytest.mark.parametrize(
    ("words", "function"),
    [
        (("diagnose", str(PREDICTIONS)), "worldline.interfaces.cli.diagnose.diagnose_predictions"),
        (("demo",), "worldline.interfaces.cli.demo.diagnose_demo"),
    ],
)
def test_ctrl_c_ends_every_command_with_130(
    words: tuple[str, ...], function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(function, interrupt)
    stopped = run(*words)
    assert (stopped.exit_code, stopped.stderr) == (130, "\nInterrupted.\n")


def test_ctrl_c_in_a_resumable_command_says_how_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("worldline.interfaces.cli.diagnose.diagnose_predictions", interrupt)
    stopped = run("diagnose", PREDICTIONS, "-o", tmp_path / "run")
    assert stopped.exit_code == 130
    assert stopped.stderr == "\nInterrupted. Run the same command again to resume.\n"


def worldline(*words: str, **options: object) -> "subprocess.CompletedProcess[str]":
    environment = {**os.environ, **{k: v for k, v in options.items() if isinstance(v, str)}}
    return subprocess.run(
        [sys.executable, "-m", "worldline", *words],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    ],
    ids=["encoding", "locale"],
)
def test_ascii_output_has_escapes_instead_of_a_traceback(environment: dict[str, str]) -> None:
    done = worldline("demo", "wrong_string", **environment)
    assert done.returncode == 0, done.stderr
    assert "\\u2717" in done.stdout


def test_a_closed_standard_output_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text(SOURCE, encoding="utf-8")
    command = f"{sys.executable} -m worldline record {path} --call 'f(1)' >&-"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_completion_of_commands_imports_none_of_them() -> None:
    script = (
        "import sys, os\n"
        "os.environ |= {'_WORLDLINE_COMPLETE': 'bash_complete', 'COMP_WORDS': 'worldline dia',"
        " 'COMP_CWORD': '1'}\n"
        "from worldline.interfaces.cli import main\n"
        "try:\n    main(prog_name='worldline')\n"
        "except SystemExit:\n    pass\n"
        "print([name for name in sys.modules if name.startswith('rich')], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "plain,diagnose"
    assert done.stderr.strip() == "[]"


def test_predictions_of_worldline_are_listed_by_name_and_others_as_in_the_file(
    tmp_path: Path,
) -> None:
    """`worldline predict` writes predictions in the order of completion."""
    path = tmp_path / "p.jsonl"
    settings = {"mode": "free", "codec": "cwm", "max_tokens": 9}
    for extra, names in ((settings, ["s1", "s9", "s10"]), ({}, ["s10", "s9", "s1"])):
        rows = [
            {"id": f"s{n}", "code": SOURCE, "call": f"f({n})", "output": "x", **extra}
            for n in (10, 9, 1)
        ]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        samples = diagnose_predictions([path])
        assert [sample.diagnosis.id for sample in samples] == names
