"""Options of the access to a server."""

import json
from pathlib import Path

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support.fake_server import FaultyServer, running
from tests.support.hosted_servers import chat_only, o_series
from worldline.evaluation.runs import read_manifest


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--header", "secret"), "--header needs NAME:VALUE"),
        (("--extra-body", "{"), "--extra-body is not JSON"),
        (("--extra-body", "[1]"), "--extra-body needs a JSON object"),
        (("--api-key-env", "NO_SUCH_VARIABLE"), "variable NO_SUCH_VARIABLE is not set"),
    ],
)
def test_invalid_values_are_refused(options: tuple[str, ...], message: str) -> None:
    result = run("engines", "check", "http://127.0.0.1:9/v1", *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "secret" not in result.stderr


def test_the_check_shows_the_dialect_and_what_is_left_out() -> None:
    options = ("--model", "hosted", "--header", "X-Team: a", "--extra-body", '{"user": "b"}')
    with running(FaultyServer(lambda _: None, answer=chat_only(o_series))) as server:
        text = ok("engines", "check", server.url, *options).stdout
        data = json.loads(ok("engines", "check", server.url, *options, "--format", "json").stdout)
    assert "OpenAI dialect" in text
    assert "refuses logprobs, seed, temperature" in text
    assert (data["dialect"], data["dropped"]) == ("OpenAI", ["logprobs", "seed", "temperature"])
    assert data["capabilities"]["chat"] == ""
    assert data["capabilities"]["chat_template"]


def test_a_report_says_that_the_temperature_is_the_servers(tmp_path: Path) -> None:
    programs, target = tmp_path / "programs.jsonl", str(tmp_path / "run")
    programs.write_text('{"id": "a", "code": "def f():\\n    return 1\\n", "call": "f()"}\n')
    with running(FaultyServer(lambda _: None, answer=chat_only(o_series))) as server:
        options = ("--engine", server.url, "--model", "hosted", "--codec", "chat")
        ok("bench", str(programs), *options, "-o", target)
    assert "temperature" in read_manifest(target).dropped
    assert "the server refuses a temperature: its own applies" in ok("report", target).stdout
