"""`worldline run`: a program whose calls a model on a server answers."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support.fake_server import FaultyServer, imitate_vllm, running
from worldline.core.trace import trace_from_json

SOURCE = """import requests

def price(name):
    reply = requests.get("https://shop.example/" + name)
    if reply.status_code == 200:
        return reply.json()["price"] * 2
    return None
"""
ANSWERS = {
    "requests.get(": "<Response [200]>",
    "obj1.status_code": "200",
    "obj1.json()": "{'price': 21}",
}


def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Reply like a server that only knows chat messages."""
    if path != "/v1/chat/completions":
        return imitate_vllm(path, body)
    session = body["messages"][-1]["content"]
    question = session.removesuffix("```").rstrip().rpartition(">>> ")[2]
    text = next((text for start, text in ANSWERS.items() if question.startswith(start)), "1")
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": 9, "completion_tokens": 3}}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.py"
    path.write_text(SOURCE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with running(FaultyServer(lambda n: None, answer=answer)) as started:
        yield started.url


def test_listing_marks_assumed_steps(shop: Path, server: str) -> None:
    options = ["--call", "price('tea')", "--assume", "requests", "--engine", server]
    result = ok("run", shop, *options)
    lines = result.stdout.splitlines()
    marked = [line for line in lines if line.startswith("≈")]
    assert ["requests.get" in marked[0], "status_code" in marked[1], "json" in marked[2]] == [
        True,
        True,
        True,
    ]
    assert len(marked) == 3
    assert any(line.startswith("finished: 42") for line in lines)
    assert "8 steps executed, 3 of them with an assumed call (≈); 3 assumed calls" in lines
    assert "assumed at step 4: obj1.status_code → 200" in lines
    assert lines[-1] == "3 requests, 27 prompt and 9 completion tokens"
    assert "assumed: obj1.json() → {'price': 21}" in result.stderr
    assert "assumed:" not in ok("run", shop, *options, "--quiet").stderr


def test_stored_values_are_replayed(shop: Path, server: str, tmp_path: Path) -> None:
    call = ["--call", "price('tea')"]
    stored, again = tmp_path / "trace.json", tmp_path / "again.json"
    options: list[str | Path] = ["--assume", "requests", "--engine", server, "--format", "json"]
    options += ["-o", stored]
    ok("run", shop, *call, *options)
    ok("run", shop, *call, "--replay", stored, "--format", "json", "-o", again)
    assert again.read_bytes() == stored.read_bytes()
    trace = trace_from_json(json.loads(stored.read_text(encoding="utf-8")))
    assert trace.assumptions is not None
    assert trace.assumptions.model == "imitation"
    other = run("run", shop, "--call", "price('cake')", "--replay", stored)
    assert other.exit_code == 2
    assert "is a trace of another program or call" in other.stderr


def test_predictions_are_compared_with_the_trace(shop: Path, server: str, tmp_path: Path) -> None:
    stored, predictions = tmp_path / "trace.json", tmp_path / "predictions.jsonl"
    options: list[str | Path] = ["--assume", "requests", "--engine", server, "--format", "json"]
    options += ["-o", stored]
    ok("run", shop, "--call", "price('tea')", *options)
    row = {"id": "tea", "code": SOURCE, "call": "price('tea')", "output": "[ANSWER] 42 [/ANSWER]"}
    row["codec"] = "chat"
    predictions.write_text(json.dumps(row) + "\n", encoding="utf-8")
    compared = ok("diagnose", predictions, "--trace", stored, "--format", "json")
    assert json.loads(compared.stdout)["summary"]["outcomes"] == {"correct": 1}
    executed = ok("diagnose", predictions, "--format", "json")
    assert json.loads(executed.stdout)["summary"]["outcomes"] != {"correct": 1}


def test_a_call_without_a_value_fails(shop: Path, server: str) -> None:
    result = run(
        "run", shop, "--call", "price('tea')", "--assume", "requests", "--engine", server,
        "--max-assumed-calls", "1",
    )  # fmt: skip
    assert result.exit_code == 1
    assert "assumption failed: no value for obj1.status_code: it would be more than 1" in (
        result.stdout
    )


def test_wrong_usage(shop: Path, server: str, tmp_path: Path) -> None:
    missing = run("run", shop, "--assume", "requests")
    assert missing.exit_code == 2
    assert "add --engine URL, or --replay TRACE" in missing.stderr
    nothing = run("run", shop, "--engine", server)
    assert "no name to assume; add --assume" in nothing.stderr
    refused = run("run", shop, "--engine", server, "--assume", "sys")
    assert "--assume 'sys': this cannot be assumed" in refused.stderr
    other = tmp_path / "list.json"
    other.write_text("[]", encoding="utf-8")
    assert "has no trace" in run("run", shop, "--replay", other).stderr
