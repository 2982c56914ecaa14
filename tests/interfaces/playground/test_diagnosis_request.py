"""Requests of the playground's page, answered in this process."""

import json
from typing import Any

import pytest

from worldline.interfaces.playground import answer_request, playground_settings
from worldline.models.codecs import get_codec

EXAMPLES = playground_settings()["examples"]


def ask(kind: str, **row: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(answer_request(json.dumps({"kind": kind, "row": row})))
    return answer


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["title"])
def test_every_example_diverges(example: dict[str, str]) -> None:
    answer = ask("diagnose", id="x", **example)
    assert answer["document"]["outcome"] == answer["diagnosis"]["outcome"] == "diverged"
    assert answer["document"]["actual"]["steps"]


def test_the_format_of_every_example_is_offered() -> None:
    offered = {each["name"] for each in playground_settings()["formats"]}
    assert {example["codec"] for example in EXAMPLES} <= offered
    assert all(get_codec(name).name for name in offered)


def test_the_prompt_is_that_of_the_format() -> None:
    row = {"code": "def f(x):\n    return x\n", "call": "f(1)"}
    answer = ask("prompt", **row, codec="chat")
    assert answer["is_chat"]
    assert len(answer["prompt"]) == 3
    assert "f(1)" in answer["prompt"][-1]
    assert not ask("prompt", **row, codec="cwm")["is_chat"]


def test_a_program_that_is_not_valid_is_an_error() -> None:
    answer = ask("diagnose", id="x", code="def f(): pass", call="f(", output="", codec="chat")
    assert list(answer) == ["error"]
    assert "f(" in answer["error"]


def test_a_program_with_a_syntax_error_is_not_the_models_mistake() -> None:
    answer = ask("diagnose", id="x", code="def f(: pass", call="f()", output="1", codec="chat")
    assert answer["document"]["outcome"] == "infra_error"
