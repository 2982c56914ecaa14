"""Engine for OpenAI-compatible servers, against a fake server that fails on purpose.

tests/live uses a real vLLM server.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import pytest

from tests.support.fake_server import FaultyServer, imitate_vllm, running
from worldline.core.errors import EngineError
from worldline.models.engines import Engine, Message, OpenAIEngine, Reply, Request, ServerPool

Result = TypeVar("Result")


def with_engine(
    server: FaultyServer,
    use: Callable[[OpenAIEngine], Awaitable[Result]],
    **options: Any,
) -> Result:
    """Open an engine on a server, use it, close it."""

    async def run() -> Result:
        engine = OpenAIEngine(ServerPool(server.url, **options))
        try:
            return await use(engine)
        finally:
            await engine.close()

    return asyncio.run(run())


def failing(*faults: str) -> Callable[[int], str | None]:
    """Plan: the first completions fail in these ways, all others succeed."""
    return lambda number: faults[number] if number < len(faults) else None


async def generate(engine: Engine) -> Reply:
    return await engine.generate(Request((1, 2, 3), 4))


@pytest.mark.parametrize("fault", ["429", "500", "hang", "cut", "garbage", "die"])
def test_a_transient_failure_is_retried(fault: str) -> None:
    with running(FaultyServer(failing(fault), answer=imitate_vllm)) as server:
        reply = with_engine(server, generate, model="imitation", timeout=0.5)
        assert reply.text == "okok"
        assert reply.usage.retries >= 1
        assert reply.usage.requests == reply.usage.retries + 1
        assert server.seen["fine"] == 1


def test_a_reply_without_ids_is_retried_if_the_server_can_send_them() -> None:
    async def use(engine: OpenAIEngine) -> Reply:
        assert "ids_out" in (await engine.capabilities()).supported
        before = server._completions
        server.plan = lambda number: "no_ids" if number == before else None
        return await generate(engine)

    with running(FaultyServer(failing(), answer=imitate_vllm)) as server:
        assert with_engine(server, use).usage.retries == 1


def test_a_lasting_failure_is_an_error_with_its_reason() -> None:
    with (
        running(FaultyServer(lambda number: "500", answer=imitate_vllm)) as server,
        pytest.raises(EngineError, match=r"asked \d times, without success: .* answered 500"),
    ):
        with_engine(server, generate, model="imitation", retry_timeout=3)


def test_a_permanent_failure_is_not_retried() -> None:
    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"error": {"message": "this prompt is too long"}, "_status": 400}

    with running(FaultyServer(failing(), answer=answer)) as server:
        with pytest.raises(EngineError, match="answered 400: this prompt is too long"):
            with_engine(server, generate, model="imitation")
        assert server.seen["fine"] == 1


def with_changed_completion(**fields: Any) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """Fake answers of vLLM, with these fields of the completion changed."""

    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        reply = imitate_vllm(path, body)
        if path == "/v1/completions":
            usage = {"usage": fields["usage"]} if "usage" in fields else {}
            return {**reply, "choices": [{**reply["choices"][0], **fields}], **usage}
        return reply

    return answer


@pytest.mark.parametrize(
    "fields",
    [
        {"usage": None},
        {"usage": [1]},
        {"logprobs": [1]},
        {"message": "hello", "text": None},
        {"token_ids": ["a"]},
        {"prompt_logprobs": [None, None, None]},
        {"prompt_logprobs": [None, {"7": {"logprob": -1, "rank": 1}}, {}]},
    ],
    ids=str,
)
def test_a_malformed_reply_is_an_error_and_not_a_crash(fields: dict[str, Any]) -> None:
    async def use(engine: OpenAIEngine) -> None:
        await engine.capabilities()
        for request in (generate(engine), engine.score((1, 2, 3))):
            with suppress(EngineError):
                await request

    with running(FaultyServer(failing(), answer=with_changed_completion(**fields))) as server:
        with_engine(server, use, retry_timeout=0)


def test_an_unknown_finish_reason_is_not_retried() -> None:
    answer = with_changed_completion(finish_reason="content_filter")
    with running(FaultyServer(failing(), answer=answer)) as server:
        with pytest.raises(EngineError, match="an unknown reason: 'content_filter'"):
            with_engine(server, generate, model="imitation")
        assert server.seen["fine"] == 1


def test_a_refused_key_names_the_option() -> None:
    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"error": {"message": "no"}, "_status": 401}

    with (
        running(FaultyServer(failing(), answer=answer)) as server,
        pytest.raises(EngineError, match="--api-key or OPENAI_API_KEY"),
    ):
        with_engine(server, generate, model="imitation")


def test_an_unreachable_server_is_an_error_within_seconds() -> None:
    async def use(engine: OpenAIEngine) -> None:
        await engine.capabilities()

    with running(FaultyServer(failing(), answer=imitate_vllm)) as server:
        pass
    began = time.monotonic()
    with pytest.raises(EngineError, match=r"cannot be reached: Cannot connect to host 127"):
        with_engine(server, use)
    assert time.monotonic() - began < 10


def test_a_dead_server_is_retried_for_one_request_only() -> None:
    async def use(engine: OpenAIEngine) -> float:
        for _ in range(2):
            with pytest.raises(EngineError):
                await generate(engine)
            began = time.monotonic()
        return time.monotonic() - began

    with running(FaultyServer(failing(), answer=imitate_vllm)) as server:
        pass
    assert with_engine(server, use, model="m", retry_timeout=2) < 1


def test_the_only_model_is_used_and_several_are_listed() -> None:
    def list_two_models(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"data": [{"id": "one"}, {"id": "two"}]}

    async def use(engine: OpenAIEngine) -> str:
        await engine.server.find_model()
        return engine.name

    with running(FaultyServer(failing(), answer=imitate_vllm)) as server:
        assert with_engine(server, use) == "imitation"
        with pytest.raises(EngineError, match="no model 'other'; it has imitation"):
            with_engine(server, use, model="other")
    with running(FaultyServer(failing(), answer=list_two_models)) as server:
        with pytest.raises(EngineError, match="serves one, two; name one with --model"):
            with_engine(server, use)
        assert with_engine(server, use, model="two") == "two"


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "ftp://x/v1", "nonsense", "http://[::1", "http://x:port/v1"]
)
def test_an_invalid_address_is_an_error(url: str) -> None:
    with pytest.raises(EngineError, match="give one like http"):
        ServerPool(url)


@pytest.mark.parametrize(
    "path", ["", "/", "/v1", "/v1/", "/v1/completions", "/v1/chat/completions"]
)
def test_the_path_of_an_address_is_optional(path: str) -> None:
    assert ServerPool(f"http://127.0.0.1:8000{path}").url == "http://127.0.0.1:8000/v1"


def test_names_of_special_tokens_in_plain_text_are_not_parsed() -> None:
    async def use(engine: OpenAIEngine) -> tuple[tuple[int, ...], tuple[int, ...]]:
        text = "a<|frame_sep|>b"
        return await engine.tokenize(text), await engine.tokenize(text, parse_special_tokens=True)

    with running(FaultyServer(failing(), answer=imitate_vllm)) as server:
        plain, special = with_engine(server, use, model="imitation")
    assert bytes(plain).decode() == "a<|frame_sep|>b"
    assert special == (ord("a"), 258, ord("b"))


def test_capabilities_are_tested_by_their_effect() -> None:
    """The fake server ignores unknown fields and answers 200, as real servers do."""

    async def use(engine: OpenAIEngine) -> Any:
        return await engine.capabilities()

    with running(FaultyServer(failing(), answer=imitate_vllm)) as server:
        capabilities = with_engine(server, use)
    assert capabilities.context_length == 4096
    assert capabilities.supported == {
        "tokenize", "ids_in", "ids_out", "allowed_ids", "stop_ids", "special_tokens", "chat",
    }  # fmt: skip
    assert capabilities.missing["prompt_scores"].startswith("prompt_logprobs is ignored")
    assert capabilities.missing["grammar"].startswith("structured_outputs is ignored")
    assert capabilities.missing["seed"] == "other seeds gave the same text"


def test_a_server_with_text_only_has_no_capabilities() -> None:
    def text_only_answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/models":
            return {"data": [{"id": "plain"}]}
        if path == "/v1/completions" and isinstance(body["prompt"], str):
            choice = {"text": "ok", "finish_reason": "stop"}
            return {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}
        return {"error": {"message": "not found"}, "_status": 404}

    async def use(engine: OpenAIEngine) -> Any:
        return await engine.capabilities(), await engine.generate(Request("def f", 3))

    with running(FaultyServer(failing(), answer=text_only_answer)) as server:
        capabilities, reply = with_engine(server, use)
    assert capabilities.supported == frozenset()
    assert "answered 404" in capabilities.missing["tokenize"]
    assert (reply.text, reply.ids) == ("ok", ())


def test_messages_are_sent_to_the_chat_endpoint() -> None:
    async def use(engine: OpenAIEngine) -> Reply:
        return await engine.generate(Request((Message("user", "hello"),), 10))

    with running(FaultyServer(failing(), answer=imitate_vllm)) as server:
        assert with_engine(server, use, model="imitation").text == "[ANSWER]\n1\n[/ANSWER]"


def test_all_fields_of_a_request_are_sent() -> None:
    sent: list[dict[str, Any]] = []

    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        sent.append(json.loads(json.dumps(body)))
        return imitate_vllm(path, body)

    request = Request(
        (1, 2), 7, stop_ids=(5,), allowed_ids=(5, 6), grammar="start: A", temperature=0.5, seed=3,
        logprobs=True,
    )  # fmt: skip

    async def use(engine: OpenAIEngine) -> Reply:
        return await engine.generate(request)

    with running(FaultyServer(failing(), answer=answer)) as server:
        with_engine(server, use, model="imitation")
    assert sent[0] == {
        "model": "imitation", "prompt": [1, 2], "max_tokens": 7, "temperature": 0.5, "seed": 3,
        "stop_token_ids": [5], "include_stop_str_in_output": True, "allowed_token_ids": [5, 6],
        "structured_outputs": {"grammar": "start: A"}, "logprobs": 0,
        "return_tokens_as_token_ids": True, "return_token_ids": True,
        "skip_special_tokens": False, "spaces_between_special_tokens": False,
    }  # fmt: skip


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_server_at_first_contact_is_an_error_and_not_a_missing_capability(
    status: int,
) -> None:
    def busy(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/models":
            return imitate_vllm(path, body)
        return {"error": {"message": "loading"}, "_status": status}

    async def use(engine: OpenAIEngine) -> Any:
        return await engine.capabilities()

    with (
        running(FaultyServer(failing(), answer=busy)) as server,
        pytest.raises(EngineError, match=f"answered {status}: loading"),
    ):
        with_engine(server, use, retry_timeout=1)


def test_options_of_the_chat_template_are_sent_when_messages_are_rendered() -> None:
    sent: list[dict[str, Any]] = []

    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/tokenize" and "messages" in body:
            sent.append(body)
            return {"tokens": [1, 2]}
        return imitate_vllm(path, body)

    async def render() -> object:
        extra = {"chat_template_kwargs": {"enable_thinking": False}, "top_k": 20}
        engine = OpenAIEngine(ServerPool(server.url), extra_body=extra)
        try:
            return await engine.render_chat((Message("user", "Say yes."),))
        finally:
            await engine.close()

    with running(FaultyServer(failing(), answer=answer)) as server:
        assert asyncio.run(render()) == (1, 2)
    assert sent[0]["chat_template_kwargs"] == {"enable_thinking": False}
    assert "top_k" not in sent[0]
