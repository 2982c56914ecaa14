"""llama.cpp's dialect, against an imitation. tests/live uses llama.cpp's own server."""

import asyncio
from typing import Any

import pytest

from tests.support.fake_server import FaultyServer, running
from worldline.core.errors import EngineError
from worldline.models.engines import Message, OpenAIEngine, Reply, Request, ServerPool

# Token ids of this model: characters, and one special token.
FRAME = 1000
NAME = "<|frame_sep|>"


def text_of(ids: list[int]) -> str:
    return "".join(NAME if token == FRAME else chr(token) for token in ids)


def imitate(script: list[int], sent: list[dict[str, Any]]) -> Any:
    """Server whose model writes these tokens; the prompt has one token."""

    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/models":
            return {"data": [{"id": "m", "meta": {"n_ctx": 512, "n_ctx_train": 8192}}]}
        if path == "/props":
            return {"default_generation_settings": {"n_ctx": 512}}
        if path == "/tokenize":
            return {"tokens": list(map(ord, body["content"]))}
        if path == "/detokenize":
            return {"content": text_of(body["tokens"])}
        if path == "/apply-template":
            return {"prompt": "U:" + body["messages"][0]["content"] + "A:"}
        assert path == "/completion", path
        sent.append(body)
        ids: list[int] = []
        reason, word = "limit", ""
        for token in script[len(body["prompt"]) - 1 :][: body["n_predict"]]:
            ids.append(token)
            text = text_of(ids)
            word = next((stop for stop in body.get("stop", ()) if text.endswith(stop)), "")
            if word or token == 0:
                reason = "word" if word else "eos"
                break
        return {
            "content": text_of([n for n in ids if n not in (0, FRAME)]).removesuffix(word),
            "tokens": ids,
            "stop_type": reason,
            "stopping_word": word,
            "tokens_evaluated": len(body["prompt"]),
            "tokens_predicted": len(ids),
            "timings": {"cache_n": len(body["prompt"]) - 1},
        }

    return answer


def generate(script: list[int], request: Request) -> tuple[Reply, list[dict[str, Any]]]:
    sent: list[dict[str, Any]] = []

    async def run(url: str) -> Reply:
        engine = OpenAIEngine(ServerPool(url))
        try:
            return await engine.generate(request)
        finally:
            await engine.close()

    answer = imitate(script, sent)
    with running(FaultyServer(lambda _: None, answer=answer, is_llamacpp=True)) as server:
        return asyncio.run(run(server.url)), sent


def test_a_stop_token_stops_and_its_spelled_name_does_not() -> None:
    script = [*map(ord, f"a{NAME}b"), FRAME, *map(ord, "never")]
    reply, sent = generate(script, Request((7,), 40, stop_ids=(FRAME,)))
    assert reply.ids == tuple(script[: script.index(FRAME) + 1])
    assert (reply.text, reply.finish) == (f"a{NAME}b{NAME}", "stop")
    # The second request continues where the first one stopped.
    assert [len(body["prompt"]) for body in sent] == [1, 2 + len(NAME)]
    assert sent[0]["preserved_tokens"] == [NAME]
    assert reply.usage.requests == 2
    assert reply.usage.prompt == 1


def test_special_tokens_are_in_the_text_and_the_end_is_not() -> None:
    reply, _ = generate([97, FRAME, 98, 0], Request((7,), 40))
    assert (reply.text, reply.ids, reply.finish) == (f"a{NAME}b", (97, FRAME, 98, 0), "stop")


def test_the_limit_holds_for_continued_completions() -> None:
    script = list(map(ord, NAME * 5))
    reply, sent = generate(script, Request((7,), 20, stop_ids=(FRAME,)))
    assert reply.ids == tuple(script[:20])
    assert reply.finish == "truncated"
    assert sum(body["n_predict"] for body in sent) == 20 + 20 - len(NAME)


def test_all_fields_of_a_request_are_sent() -> None:
    request = Request(
        (7,), 3, allowed_ids=(97,), grammar='start: "a"', temperature=0.5, seed=3, logprobs=True,
        stop=("x",), json_schema={"type": "object"},
    )  # fmt: skip
    _, sent = generate([97, 97, 97, 0], request)
    assert sent == [
        {
            "prompt": [7], "n_predict": 3, "temperature": 0.5, "seed": 3, "n_probs": 1,
            "return_tokens": True, "cache_prompt": True, "grammar": 'root ::= "a"\n',
            "logit_bias": [[97, 1000.0]], "stop": ["x"], "json_schema": {"type": "object"},
            "top_k": 0, "top_p": 1.0, "min_p": 0.0, "repeat_penalty": 1.0,
        }
    ]  # fmt: skip


def test_a_conversation_with_a_stop_string_is_rendered_here() -> None:
    script = [0] * 4 + list(map(ord, "<think>hm</think>yes.")) + [0]
    reply, sent = generate(script, Request((Message("user", "q"),), 40, stop=(".",)))
    assert sent[0]["prompt"] == list(map(ord, "U:qA:"))
    assert reply.reasoning == "hm"
    assert reply.text == "yes."


def test_servers_of_different_kinds_are_refused() -> None:
    async def run(url: str) -> None:
        engine = OpenAIEngine(ServerPool(url))
        try:
            await engine.generate(Request((7,), 1))
        finally:
            await engine.close()

    answer = imitate([97], [])
    with (
        running(FaultyServer(lambda _: None, answer=answer, is_llamacpp=True)) as one,
        running(FaultyServer(lambda _: None, answer=answer)) as other,
        pytest.raises(EngineError, match="use servers of one kind"),
    ):
        asyncio.run(run(f"{one.url},{other.url}"))
