"""The vLLM servers of the other tests: token ids, chat, prefix cache, restart."""

import json
import os
import urllib.error
import urllib.request
from typing import Any

import pytest

from tests.support.vllm_servers import VllmServer


def ask(server: VllmServer, path: str, **body: object) -> Any:
    """Send GET, or POST if there is a body, and return the reply."""
    request = urllib.request.Request(
        f"http://127.0.0.1:{server.port}{path}",
        data=json.dumps({"model": server.model, **body}).encode() if body else None,
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)


def complete(server: VllmServer, prompt: list[int], **options: object) -> Any:
    """Generate a greedy completion, with token ids."""
    options = {"max_tokens": 8, "temperature": 0, "return_token_ids": True} | options
    [choice] = ask(server, "/v1/completions", prompt=prompt, **options)["choices"]
    return choice


def special_token_ids(server: VllmServer) -> tuple[int, int]:
    """Ids of the begin and the end token."""
    text = "<|begin_of_text|><|end_of_text|>"
    begin, end = ask(server, "/tokenize", prompt=text, add_special_tokens=False)["tokens"]
    return begin, end


def test_each_server_lists_its_model(tiny_server: VllmServer, smol_server: VllmServer) -> None:
    assert [row["id"] for row in ask(tiny_server, "/v1/models")["data"]] == ["tiny-cwm"]
    assert [row["id"] for row in ask(smol_server, "/v1/models")["data"]] == ["smollm2"]


def test_token_ids_are_accepted_and_returned(tiny_server: VllmServer) -> None:
    choice = complete(tiny_server, [300, 301, 302])
    assert choice["prompt_token_ids"] == [300, 301, 302]
    assert len(choice["token_ids"]) == 8
    assert complete(tiny_server, [300, 301, 302])["token_ids"] == choice["token_ids"]


def test_the_end_token_stops_generation(tiny_server: VllmServer) -> None:
    begin, end = special_token_ids(tiny_server)
    choice = complete(tiny_server, [begin, 300], allowed_token_ids=[end])
    assert choice["finish_reason"] == "stop"
    assert choice["token_ids"] == [end]


def test_a_repeated_prompt_uses_the_prefix_cache(tiny_server: VllmServer) -> None:
    prompt = list(range(1000, 1100))
    details = [
        ask(tiny_server, "/v1/completions", prompt=prompt, max_tokens=1)["usage"][
            "prompt_tokens_details"
        ]
        for _ in range(2)
    ]
    assert [detail["cached_tokens"] for detail in details] == [0, 96]


def test_smollm2_answers_in_chat(smol_server: VllmServer) -> None:
    question = {"role": "user", "content": "What is the capital of France?"}
    answer = ask(
        smol_server, "/v1/chat/completions", messages=[question], max_tokens=30, temperature=0
    )
    assert "Paris" in answer["choices"][0]["message"]["content"]


def test_a_restarted_server_gives_the_same_completion(tiny_server: VllmServer) -> None:
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
