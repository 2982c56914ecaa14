"""`worldline predict` and `worldline engines check`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support.fake_server import FaultyServer, imitate_vllm, running
from worldline.models.codecs import CODECS
from worldline.models.prediction import read_prediction_file

SOURCE = "def f(x):\n    return x + 1\n"


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    path = tmp_path / "programs.jsonl"
    rows = [{"id": f"s{n}", "code": SOURCE, "call": f"f({n})"} for n in range(5)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_predictions_in_the_file_are_not_asked_for_again(programs: Path, tmp_path: Path) -> None:
    output = tmp_path / "p.jsonl"
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        command = ["predict", str(programs), "--engine", server.url, "-o", str(output)]
        first = ok(*command, "--max-tokens", "9")
        assert first.stdout.splitlines() == [
            "5 predictions: 0 complete, 5 truncated, 0 infrastructure errors",
            "45 completion tokens in 5 requests",
        ]
        assert f"next: worldline diagnose {output}" in first.stderr
        second = ok(*command, "--max-tokens", "9")
        assert "5 of 5 predictions are already in" in second.stderr
        assert second.stdout.startswith("0 predictions")
        more = ok(*command, "--max-tokens", "10", "--restart", "--first", "2")
        assert more.stdout.startswith("2 predictions")
        mixed = run(*command, "--max-tokens", "11")
        assert mixed.exit_code == 2
        assert "holds predictions with max_tokens 10, not 11" in mixed.stderr
    assert len(list(read_prediction_file(output))) == 2


def test_the_number_of_worked_examples(programs: Path, tmp_path: Path) -> None:
    output = tmp_path / "p.jsonl"
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        command = ["predict", str(programs), "--engine", server.url, "-o", str(output)]
        ok(*command, "--first", "1", "--codec", "chat-trace", "--shots", "2")
        same = ok(*command, "--first", "1", "--codec", "chat-trace-2")
        assert "1 of 1 predictions are already in" in same.stderr
        assert "give 0 to 3 shots" in run(*command, "--codec", "chat-trace-9").stderr
        assert "add --codec chat-trace" in run(*command, "--shots", "1").stderr
        assert "no codec 'chat-tarce'" in run(*command, "--codec", "chat-tarce").stderr
    (prediction,) = read_prediction_file(output)
    assert prediction.generation is not None
    assert prediction.generation.codec == "chat-trace-2"


def test_one_program_with_its_call(tmp_path: Path) -> None:
    path, output = tmp_path / "next.py", tmp_path / "p.jsonl"
    path.write_text(SOURCE, encoding="utf-8")
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        command = ["predict", str(path), "--engine", server.url, "-o", str(output)]
        ok(*command, "--call", "f(3)", "--codec", "chat")
        missing = run(*command)
        assert "add --call, e.g. --call 'f(1)'" in missing.stderr
    (result,) = read_prediction_file(output)
    assert (result.id, result.answer) == ("next", "1")
    shown = ok("show", str(output), "next")
    assert "1 instead of 4" in shown.stdout
    listed = ok("diagnose", str(output))
    assert "diverged" in listed.stdout


def test_infrastructure_errors_are_counted_and_the_first_is_shown(
    programs: Path, tmp_path: Path
) -> None:
    output, recorded = tmp_path / "p.jsonl", tmp_path / "recorded.jsonl"
    row = {"id": "other", "code": SOURCE, "call": "f(9)", "output": "said"}
    recorded.write_text(json.dumps(row) + "\n", encoding="utf-8")
    engine = f"recorded:{recorded}"
    result = ok("predict", str(programs), "--engine", engine, "-o", str(output), "--first", "3")
    assert "3 predictions: 0 complete, 0 truncated, 3 infrastructure errors" in result.stdout
    assert (
        "the first infrastructure error: there is no recorded reply to this prompt" in result.stderr
    )
    assert "Run the same command again to resume." in result.stderr
    anew = ok("predict", str(programs), "--engine", engine, "-o", str(output), "--restart")
    assert "Run the same command again without --restart to resume." in anew.stderr


def test_a_program_that_imports_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "neighbour.py").write_text("ONE = 1\n", encoding="utf-8")
    path, output = tmp_path / "next.py", tmp_path / "p.jsonl"
    source = "from neighbour import ONE\n\ndef f(x):\n    return x + ONE\n"
    path.write_text(source, encoding="utf-8")
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        command = ["predict", str(path), "--engine", server.url, "-o", str(output)]
        ok(*command, "--call", "f(3)", "--mode", "force-actions", "--max-tokens", "60")
    (result,) = read_prediction_file(output)
    assert result.error is None


def test_repeats_have_different_names(programs: Path, tmp_path: Path) -> None:
    output = tmp_path / "p.jsonl"
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        command = ["predict", str(programs), "--engine", server.url, "-o", str(output)]
        ok(*command, "--max-tokens", "5", "--repeats", "3", "--temperature", "0.7", "--first", "2")
    assert {p.id for p in read_prediction_file(output)} == {
        "s0", "s1", "s0#1", "s1#1", "s0#2", "s1#2",
    }  # fmt: skip
    result = run("predict", str(programs), "--engine", "recorded:x", "--repeats", "2")
    assert "with --temperature 0 all --repeats are the same" in result.stderr


def test_a_repeat_with_the_name_of_another_program_is_refused(
    tmp_path: Path,
) -> None:
    programs, output = tmp_path / "programs.jsonl", tmp_path / "p.jsonl"
    rows = [{"id": id, "code": SOURCE, "call": "f(1)", "output": id} for id in ("s0", "s0#1")]
    programs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    command = ["predict", str(programs), "--engine", f"recorded:{programs}", "-o", str(output)]
    refused = run(*command, "--repeats", "2", "--temperature", "0.5")
    assert refused.exit_code == 2
    assert "a repeat of 's0' has the name 's0#1'" in refused.stderr
    assert not output.exists()
    # Without repeats, or without the other program, the names are unique.
    ok(*command)
    assert {p.id for p in read_prediction_file(output)} == {"s0", "s0#1"}
    ok(*command, "--restart", "--repeats", "2", "--temperature", "0.5", "--first", "1")
    assert {p.id for p in read_prediction_file(output)} == {"s0", "s0#1"}


def test_the_recorded_failures_are_predicted_again_offline(
    recorded_files: list[Path], tmp_path: Path
) -> None:
    output = tmp_path / "p.jsonl"
    file = str(recorded_files[0])
    ok("predict", file, "--engine", f"recorded:{file}", "-o", str(output), "--first", "30")
    again = json.loads(ok("diagnose", str(output), "--format", "json").stdout)["samples"]
    before = json.loads(ok("diagnose", file, "--format", "json").stdout)["samples"]
    facts = ("outcome", "differs_in", "step", "variable", "predicted_value", "cause")
    first = {row["id"]: [row[name] for name in facts] for row in before}
    assert len(again) == 30
    # The answer that the model's own script extracted is not replayed.
    assert [row["id"] for row in again if [row[n] for n in facts] != first[row["id"]]] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "telepathy"], "no engine 'telepathy'; give the address of a server"),
        (["--engine", "recorded:nowhere.jsonl"], "cannot read nowhere.jsonl"),
        (["--engine", "http://127.0.0.1:9/v1"], "http://127.0.0.1:9/v1"),
        (["--engine", "recorded:x", "--call", "f(1)"], "--call is only for program files"),
    ],
)
def test_errors_are_one_line(
    programs: Path, tmp_path: Path, arguments: list[str], message: str
) -> None:
    result = run("predict", str(programs), "-o", str(tmp_path / "p.jsonl"), *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.output


def test_an_engine_is_tested(tmp_path: Path) -> None:
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        text = ok("engines", "check", server.url).stdout
        result: dict[str, Any] = json.loads(
            ok("engines", "check", server.url, "--format", "json", "--measure").stdout
        )
    assert text.startswith("imitation\n  context length 4,096 tokens\n  predicts step by step\n")
    assert "  yes  accepts prompts as token ids\n" in text
    assert "  no   score: it needs capabilities that this engine lacks" in text
    assert result["codecs"] == dict.fromkeys(CODECS, "")
    assert result["modes"]["guided"] == ""
    assert "prompt_logprobs" in result["modes"]["score"]
    assert str(result["suggested_concurrency"]) in result["tokens_per_second"]
