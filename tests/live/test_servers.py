"""The servers that other tests rely on: they answer with token ids, in chat, and after a stop."""

import json
import os
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.servers import Server


def ask(server: Server, path: str, **body: object) -> Any:
    """What a server answers to GET, or to POST where there is a body."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{path}",
        data=json.dumps({"model": server.model, **body}).encode() if body else None,
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def complete(server: Server, prompt: list[int], **options: object) -> Any:
    """The only choice of a greedy completion, with token ids."""
    options = {"max_tokens": 8, "temperature": 0, "return_token_ids": True} | options
    [choice] = ask(server, "/v1/completions", prompt=prompt, **options)["choices"]
    return choice


def specials_of(server: Server) -> tuple[int, int]:
    """The ids of the begin and the end token."""
    text = "<|begin_of_text|><|end_of_text|>"
    begin, end = ask(server, "/tokenize", prompt=text, add_special_tokens=False)["tokens"]
    return begin, end


def test_each_names_its_model(tiny_server: Server, smol_server: Server) -> None:
    assert [row["id"] for row in ask(tiny_server, "/v1/models")["data"]] == ["tiny-cwm"]
    assert [row["id"] for row in ask(smol_server, "/v1/models")["data"]] == ["smollm2"]


def test_token_ids_in_token_ids_out(tiny_server: Server) -> None:
    choice = complete(tiny_server, [300, 301, 302])
    assert choice["prompt_token_ids"] == [300, 301, 302]
    assert len(choice["token_ids"]) == 8
    assert complete(tiny_server, [300, 301, 302])["token_ids"] == choice["token_ids"]


def test_the_end_token_ends_it(tiny_server: Server) -> None:
    begin, end = specials_of(tiny_server)
    choice = complete(tiny_server, [begin, 300], allowed_token_ids=[end])
    assert choice["finish_reason"] == "stop"
    assert choice["token_ids"] == [end]


def test_a_repeated_prompt_comes_from_the_cache(tiny_server: Server) -> None:
    prompt = list(range(1000, 1100))
    details = [
        ask(tiny_server, "/v1/completions", prompt=prompt, max_tokens=1)["usage"][
            "prompt_tokens_details"
        ]
        for _ in range(2)
    ]
    assert [found["cached_tokens"] for found in details] == [0, 96]


def test_smollm2_chats(smol_server: Server) -> None:
    question = {"role": "user", "content": "What is the capital of France?"}
    answer = ask(
        smol_server, "/v1/chat/completions", messages=[question], max_tokens=30, temperature=0
    )
    assert "Paris" in answer["choices"][0]["message"]["content"]


def test_stopped_and_started_it_answers_again(tiny_server: Server) -> None:
    before, url = complete(tiny_server, [300, 301]), tiny_server.url
    group = tiny_server.pid
    tiny_server.stop()
    try:
        with pytest.raises(ProcessLookupError):
            os.killpg(group, 0)
        with pytest.raises(urllib.error.URLError, match="refused"):
            ask(tiny_server, "/v1/models")
    finally:
        tiny_server.start()
    assert tiny_server.url == url
    assert complete(tiny_server, [300, 301])["token_ids"] == before["token_ids"]
