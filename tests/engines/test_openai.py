"""The engine for servers, against one that imitates vLLM and fails on purpose.

The real vLLM is asked in tests/live.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

import pytest

from tests.faulty import FaultyServer, like_vllm, running
from worldline.engines import Engine, Message, OpenAIEngine, Reply, Request, Server
from worldline.errors import EngineError

Result = TypeVar("Result")


def with_engine(
    server: FaultyServer,
    use: Callable[[OpenAIEngine], Awaitable[Result]],
    **options: Any,
) -> Result:
    """Open an engine on a server, use it, close it."""

    async def run() -> Result:
        engine = OpenAIEngine(Server(server.url, **options))
        try:
            return await use(engine)
        finally:
            await engine.close()

    return asyncio.run(run())


def failing(*faults: str) -> Callable[[int], str | None]:
    """The first completions fail in these ways, the others succeed."""
    return lambda number: faults[number] if number < len(faults) else None


async def write(engine: Engine) -> Reply:
    return await engine.generate(Request((1, 2, 3), 4))


@pytest.mark.parametrize("fault", ["429", "500", "hang", "cut", "garbage", "die"])
def test_a_failure_that_passes_is_asked_again(fault: str) -> None:
    with running(FaultyServer(failing(fault), answer=like_vllm)) as server:
        reply = with_engine(server, write, model="imitation", timeout=0.5)
        assert reply.text == "okok"
        assert reply.usage.retries >= 1
        assert reply.usage.requests == reply.usage.retries + 1
        assert server.seen["fine"] == 1


def test_a_reply_without_ids_is_asked_again_where_the_server_has_sent_them() -> None:
    async def use(engine: OpenAIEngine) -> Reply:
        assert "ids_out" in (await engine.abilities()).found
        before = server._completions
        server.plan = lambda number: "no_ids" if number == before else None
        return await write(engine)

    with running(FaultyServer(failing(), answer=like_vllm)) as server:
        assert with_engine(server, use).usage.retries == 1


def test_a_failure_that_stays_is_an_error_that_says_so() -> None:
    with (
        running(FaultyServer(lambda number: "500", answer=like_vllm)) as server,
        pytest.raises(EngineError, match=r"asked \d times, without success: .* answered 500"),
    ):
        with_engine(server, write, model="imitation", patience=3)


def test_what_will_not_pass_is_asked_once() -> None:
    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"error": {"message": "this prompt is too long"}, "_status": 400}

    with running(FaultyServer(failing(), answer=answer)) as server:
        with pytest.raises(EngineError, match="answered 400: this prompt is too long"):
            with_engine(server, write, model="imitation")
        assert server.seen["fine"] == 1


def changed(**fields: Any) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """Answers as vLLM does, but for these fields of a completion."""

    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        found = like_vllm(path, body)
        if path == "/v1/completions":
            usage = {"usage": fields["usage"]} if "usage" in fields else {}
            return {**found, "choices": [{**found["choices"][0], **fields}], **usage}
        return found

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
def test_a_reply_of_another_shape_is_an_error_and_no_crash(fields: dict[str, Any]) -> None:
    async def use(engine: OpenAIEngine) -> None:
        await engine.abilities()
        for asked in (write(engine), engine.score((1, 2, 3))):
            with suppress(EngineError):
                await asked

    with running(FaultyServer(failing(), answer=changed(**fields))) as server:
        with_engine(server, use, patience=0)


def test_a_reply_that_a_filter_kept_back_is_asked_for_once() -> None:
    answer = changed(finish_reason="content_filter")
    with running(FaultyServer(failing(), answer=answer)) as server:
        with pytest.raises(EngineError, match="a reason of its own: 'content_filter'"):
            with_engine(server, write, model="imitation")
        assert server.seen["fine"] == 1


def test_a_key_that_is_refused_says_how_to_give_one() -> None:
    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"error": {"message": "no"}, "_status": 401}

    with (
        running(FaultyServer(failing(), answer=answer)) as server,
        pytest.raises(EngineError, match="--api-key or OPENAI_API_KEY"),
    ):
        with_engine(server, write, model="imitation")


def test_nothing_listens_there() -> None:
    async def use(engine: OpenAIEngine) -> None:
        await engine.abilities()

    with running(FaultyServer(failing(), answer=like_vllm)) as server:
        pass
    began = time.monotonic()
    with pytest.raises(EngineError, match=r"cannot be reached: Cannot connect to host 127"):
        with_engine(server, use)
    assert time.monotonic() - began < 10


def test_a_dead_server_is_waited_for_once_not_by_every_request() -> None:
    async def use(engine: OpenAIEngine) -> float:
        for _ in range(2):
            with pytest.raises(EngineError):
                await write(engine)
            began = time.monotonic()
        return time.monotonic() - began

    with running(FaultyServer(failing(), answer=like_vllm)) as server:
        pass
    assert with_engine(server, use, model="m", patience=2) < 1


def test_the_only_model_is_taken_and_several_are_named() -> None:
    def two(path: str, body: dict[str, Any]) -> dict[str, Any]:
        return {"data": [{"id": "one"}, {"id": "two"}]}

    async def use(engine: OpenAIEngine) -> str:
        await engine.server.find_model()
        return engine.name

    with running(FaultyServer(failing(), answer=like_vllm)) as server:
        assert with_engine(server, use) == "imitation"
        with pytest.raises(EngineError, match="no model 'other'; it has imitation"):
            with_engine(server, use, model="other")
    with running(FaultyServer(failing(), answer=two)) as server:
        with pytest.raises(EngineError, match="serves one, two; name one with --model"):
            with_engine(server, use)
        assert with_engine(server, use, model="two") == "two"


@pytest.mark.parametrize(
    "url", ["127.0.0.1:8000", "ftp://x/v1", "nonsense", "http://[::1", "http://x:port/v1"]
)
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(EngineError, match="give one like http"):
        Server(url)


@pytest.mark.parametrize(
    "path", ["", "/", "/v1", "/v1/", "/v1/completions", "/v1/chat/completions"]
)
def test_an_address_is_taken_with_and_without_its_path(path: str) -> None:
    assert Server(f"http://127.0.0.1:8000{path}").url == "http://127.0.0.1:8000/v1"


def test_text_that_looks_like_a_special_token_is_not_one() -> None:
    async def use(engine: OpenAIEngine) -> tuple[tuple[int, ...], tuple[int, ...]]:
        text = "a<|frame_sep|>b"
        return await engine.tokenize(text), await engine.tokenize(text, has_specials=True)

    with running(FaultyServer(failing(), answer=like_vllm)) as server:
        spelled, special = with_engine(server, use, model="imitation")
    assert bytes(spelled).decode() == "a<|frame_sep|>b"
    assert special == (ord("a"), 258, ord("b"))


def test_abilities_are_judged_by_their_effect() -> None:
    """The imitation ignores what it does not know, as servers do, and answers 200."""

    async def use(engine: OpenAIEngine) -> Any:
        return await engine.abilities()

    with running(FaultyServer(failing(), answer=like_vllm)) as server:
        found = with_engine(server, use)
    assert found.context_length == 4096
    assert found.found == {
        "tokenize", "ids_in", "ids_out", "allowed_ids", "stop_ids", "special_tokens", "chat",
    }  # fmt: skip
    assert found.missing["prompt_scores"].startswith("prompt_logprobs is ignored")
    assert found.missing["grammar"].startswith("structured_outputs is ignored")
    assert found.missing["seed"] == "other seeds gave the same text"


def test_a_server_with_text_alone_has_few_abilities() -> None:
    def plain(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/models":
            return {"data": [{"id": "plain"}]}
        if path == "/v1/completions" and isinstance(body["prompt"], str):
            choice = {"text": "ok", "finish_reason": "stop"}
            return {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 1}}
        return {"error": {"message": "not found"}, "_status": 404}

    async def use(engine: OpenAIEngine) -> Any:
        return await engine.abilities(), await engine.generate(Request("def f", 3))

    with running(FaultyServer(failing(), answer=plain)) as server:
        abilities, reply = with_engine(server, use)
    assert abilities.found == frozenset()
    assert "answered 404" in abilities.missing["tokenize"]
    assert (reply.text, reply.ids) == ("ok", ())


def test_messages_go_to_the_chat_endpoint() -> None:
    async def use(engine: OpenAIEngine) -> Reply:
        return await engine.generate(Request((Message("user", "hello"),), 10))

    with running(FaultyServer(failing(), answer=like_vllm)) as server:
        assert with_engine(server, use, model="imitation").text == "[ANSWER]\n1\n[/ANSWER]"


def test_a_request_says_all_that_was_asked_for() -> None:
    sent: list[dict[str, Any]] = []

    def answer(path: str, body: dict[str, Any]) -> dict[str, Any]:
        sent.append(json.loads(json.dumps(body)))
        return like_vllm(path, body)

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
def test_a_server_that_is_busy_at_first_contact_is_not_one_that_lacks_an_ability(
    status: int,
) -> None:
    def busy(path: str, body: dict[str, Any]) -> dict[str, Any]:
        if path == "/v1/models":
            return like_vllm(path, body)
        return {"error": {"message": "loading"}, "_status": status}

    async def use(engine: OpenAIEngine) -> Any:
        return await engine.abilities()

    with (
        running(FaultyServer(failing(), answer=busy)) as server,
        pytest.raises(EngineError, match=f"answered {status}: loading"),
    ):
        with_engine(server, use, patience=1)
