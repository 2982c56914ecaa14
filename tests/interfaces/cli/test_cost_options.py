"""`--dry-run`, `--max-cost`, `--max-malformed` and the default codec of `predict` and `bench`."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support.fake_server import FaultyServer, imitate_vllm, running
from worldline.evaluation.runs import read_manifest, read_run
from worldline.models.prediction import read_prediction_file

SOURCE = "def f(x):\n    return x + 1\n"


def chat_server(text: str, usage: dict[str, int] | None = None) -> FaultyServer:
    """A server with a chat endpoint only, which always answers the same."""

    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/models":
            return {"data": [{"id": "chatty"}]}
        if path != "/v1/chat/completions":
            return {"_status": 404, "error": {"message": "Not Found"}}
        message = {"role": "assistant", "content": text}
        return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}

    return FaultyServer(lambda n: None, answer=answer)


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    path = tmp_path / "programs.jsonl"
    rows = [{"id": f"s{n}", "code": SOURCE, "call": f"f({n})"} for n in range(8)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("command", ["predict", "bench"])
def test_a_dry_run_asks_for_no_completion(command: str, programs: Path, tmp_path: Path) -> None:
    paths: list[str] = []

    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        paths.append(path)
        return imitate_vllm(path, body)

    output = tmp_path / "out"
    with running(FaultyServer(lambda n: None, answer=answer)) as server:
        words = [command, str(programs), "--engine", server.url, "-o", str(output)]
        words += ["--dry-run", "--max-tokens", "100", "--first", "3"]
        plain = ok(*words).stdout
        priced = ok(*words, "--price-input", "2", "--price-output", "10").stdout
    assert set(paths) <= {"/v1/models", "/tokenize"}
    assert not output.exists()
    lines = dict(line.split("  ", 1) for line in plain.splitlines())
    assert {name: lines[name].strip() for name in ("codec", "samples", "requests")} == {
        "codec": "cwm", "samples": "3", "requests": "3",
    }  # fmt: skip
    assert "(counted with the model's tokenizer)" in lines["prompt tokens"]
    assert lines["completion tokens"] == "at most 300"
    tokens = int(lines["prompt tokens"].split()[0].replace(",", ""))
    low, high = tokens * 2 / 1e6, tokens * 2 / 1e6 + 0.003
    assert priced == f"{plain}cost               ${low:.4f} to ${high:.4f}\n"


def test_a_dry_run_without_a_tokenizer_is_called_an_estimate(programs: Path) -> None:
    with running(chat_server("")) as server:
        text = ok("predict", programs, "--engine", server.url, "--dry-run").stdout
    assert "prompt tokens      about " in text
    assert "estimated at 3 characters a token: " in text
    guided = ("--mode", "guided", "--codec", "cwm")
    # No server at all: the length of the prompts is known all the same.
    text = ok("predict", programs, "--engine", "http://127.0.0.1:9/v1", "--dry-run", *guided).stdout
    assert "requests           at least 8" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--max-cost", "1"), "--max-cost needs --price-input and --price-output"),
        (("--price-input", "1"), "give both --price-input and --price-output"),
    ],
)
def test_prices_are_complete(options: tuple[str, ...], message: str, programs: Path) -> None:
    result = run("predict", programs, "--engine", "http://127.0.0.1:9/v1", *options)
    assert (result.exit_code, message in result.stderr) == (2, True)


@pytest.mark.parametrize("command", ["predict", "bench"])
def test_a_cost_limit_stops_like_an_interruption(
    command: str, programs: Path, tmp_path: Path
) -> None:
    output = tmp_path / "out"
    usage = {"prompt_tokens": 1000, "completion_tokens": 100}
    words: list[str | Path] = [command, programs, "-o", output, "--concurrency", "1"]
    words += ["--price-input", "1", "--price-output", "10"]
    with running(chat_server("[ANSWER] 1 [/ANSWER]", usage)) as server:
        words += ["--engine", server.url]
        stopped = run(*words, "--max-cost", "0.005")
        assert stopped.exit_code == 130
        assert "Stopped: the predictions so far cost $0.0060" in stopped.stderr
        assert f"3 of 8 {'samples' if command == 'bench' else 'predictions'}" in stopped.stderr
        assert "Raise --max-cost. Run the same command again to resume." in stopped.stderr
        assert run(*words, "--max-cost", "0.005").exit_code == 130
        assert "3 of 8" in ok(*words, "--max-cost", "1").stderr
    names = (
        {row["sample"] for row in read_run(output)}
        if command == "bench"
        else {prediction.id for prediction in read_prediction_file(output)}
    )
    assert names == {f"s{n}" for n in range(8)}


def test_costs_that_a_server_does_not_report_are_estimated(programs: Path, tmp_path: Path) -> None:
    with running(chat_server("[ANSWER] 1 [/ANSWER]")) as server:
        stopped = run(
            "predict", programs, "-o", tmp_path / "p", "--engine", server.url, "--concurrency", "1",
            "--price-input", "1", "--price-output", "1", "--max-cost", "0.0001",
        )  # fmt: skip
    assert stopped.exit_code == 130
    assert "was not reported by the server and is estimated" in stopped.stderr


@pytest.mark.parametrize("command", ["predict", "bench"])
def test_nonsense_stops_early(command: str, programs: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    with running(chat_server("I am a teapot.")) as server:
        words: list[str | Path] = [
            command,
            programs,
            "-o",
            output,
            "--engine",
            server.url,
            "--concurrency",
            "1",
        ]
        stopped = run(*words)
        assert stopped.exit_code == 2
        assert "codec chat-trace: the model answers chat messages" in stopped.stderr
        assert "3 replies in a row have nothing of the chat-trace format" in stopped.stderr
        assert "\nI am a teapot.\n" in stopped.stderr
        assert "--max-malformed 0" in stopped.stderr
        assert f"3 of 8 {'samples' if command == 'bench' else 'predictions'}" in stopped.stderr
        assert "Traceback" not in stopped.output
        resumed = ok(*words, "--max-malformed", "0")
        assert "3 of 8" in resumed.stderr
    if command == "bench":
        assert len(read_run(output)) == 8


def test_the_stored_codec_is_kept(programs: Path, tmp_path: Path) -> None:
    output = tmp_path / "run"
    with running(FaultyServer(lambda n: None, answer=imitate_vllm)) as server:
        words: list[str | Path] = [
            "bench",
            programs,
            "-o",
            output,
            "--engine",
            server.url,
            "--max-tokens",
            "9",
        ]
        ok(*words, "--codec", "chat", "--first", "2")
        resumed = ok(*words, "--first", "3")
        assert f"codec chat: used by the samples in {output}" in resumed.stderr
        other = run(*words, "--codec", "cwm")
        assert (other.exit_code, "codec 'chat', not 'cwm'" in other.stderr) == (2, True)
        fresh = ok(*words[:2], "-o", tmp_path / "new", *words[4:], "--first", "1")
    assert "codec cwm: its special tokens are in the model's vocabulary" in fresh.stderr
    settings = read_manifest(tmp_path / "new").settings
    assert settings is not None
    assert settings.codec == "cwm"


def test_a_benchmark_is_named_unless_there_is_a_file(
    programs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with running(chat_server("[ANSWER] 1 [/ANSWER]")) as server:
        words = ["predict", "permutation", "--engine", server.url, "--first", "2"]
        named = ok(*words, "--set", "lengths=8", "-o", "a.jsonl")
        assert "asking about the benchmark permutation" in named.stderr
        assert {p.id for p in read_prediction_file("a.jsonl")} == {"s5_l0008_n0", "s5_l0008_n1"}
        programs.rename(tmp_path / "permutation")
        taken = ok(*words, "-o", "b.jsonl")
        assert "asking about the file permutation, not the benchmark" in taken.stderr
        assert {p.id for p in read_prediction_file("b.jsonl")} == {"s0", "s1"}
