"""Hosted and reasoning models: refused fields, reasoning, headers, rate limits; with stand-ins."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from tests.support.fake_server import FaultyServer, questions, running
from tests.support.hosted_servers import ANSWER, chat_only, chat_reply, o_series, refusal
from worldline.core.errors import EngineError
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.engines import Engine, Message, OpenAIEngine, Reply, Request, load_engine
from worldline.models.engines.reasoning import split_reasoning
from worldline.models.prediction import PredictionSettings, predict_questions

Result = TypeVar("Result")
QUESTION = (Message("user", "What is f(3)?"),)
Chat = Callable[[dict[str, Any]], dict[str, Any]]


def with_chat(
    reply: Chat, use: Callable[[Engine], Awaitable[Result]], **options: Any
) -> tuple[Result, list[dict[str, Any]]]:
    """Use an engine on a stand-in for a hosted server; also returns the bodies it was sent."""
    sent: list[dict[str, Any]] = []

    def recorded(body: dict[str, Any]) -> dict[str, Any]:
        sent.append(body)
        return reply(body)

    async def run(url: str) -> Result:
        engine = load_engine(url, **({"model": "hosted"} | options))
        try:
            return await use(engine)
        finally:
            await engine.close()

    with running(FaultyServer(lambda _: None, answer=chat_only(recorded))) as server:
        return asyncio.run(run(server.url)), sent


async def ask(engine: Engine) -> Reply:
    return await engine.generate(Request(QUESTION, 500))


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("<think>\n2 + 2\n</think>\n\n4", "2 + 2", "4"),
        ("<think>2 + 2</think>4", "2 + 2", "4"),
        # The chat template has written the first mark.
        ("2 + 2\n</think>\n4", "2 + 2", "4"),
        # A string in a row.
        ("L2: s = '</think>' => s = '</think>'\n", "", "L2: s = '</think>' => s = '</think>'\n"),
    ],
)
def test_reasoning_is_split_from_the_answer(text: str, reasoning: str, answer: str) -> None:
    assert split_reasoning({}, text) == (reasoning, answer)


def test_refused_fields_are_renamed_or_dropped_once_and_remembered() -> None:
    async def use(engine: Engine) -> tuple[Reply, Reply, tuple[str, ...]]:
        assert isinstance(engine, OpenAIEngine)
        request = Request(QUESTION, 500, temperature=0.5, seed=3, logprobs=True)
        first = await engine.generate(request)
        return first, await engine.generate(request), engine.dropped_fields

    (first, second, dropped), sent = with_chat(o_series, use)
    assert (first.text, second.text) == (ANSWER, ANSWER)
    assert dropped == ("logprobs", "seed", "temperature")
    assert first.usage.retries == 4
    assert second.usage.retries == 0
    assert sent[-1] == {
        "model": "hosted",
        "max_completion_tokens": 500,
        "messages": [{"role": "user", "content": "What is f(3)?"}],
    }


@pytest.mark.parametrize(
    "message",
    [
        "'max_tokens' or 'max_completion_tokens' is too large: 500. This model's maximum context "
        "length is 100 tokens",
        "temperature must be at most 2",
        "Unsupported parameter: 'messages' is not supported with this model.",
    ],
)
def test_a_wrong_value_is_an_error_and_nothing_is_dropped(message: str) -> None:
    with pytest.raises(EngineError, match="answered 400") as error:
        with_chat(lambda body: refusal(message), ask)
    assert message[:40] in str(error.value)


def test_fields_that_the_user_adds_are_not_dropped() -> None:
    def reply(body: dict[str, Any]) -> dict[str, Any]:
        if "seed" in body:
            return refusal("Unsupported parameter: 'seed'", param="seed")
        return chat_reply()

    with pytest.raises(EngineError, match="Unsupported parameter: 'seed'"):
        with_chat(reply, ask, extra_body={"seed": 1})


def test_several_unknown_fields_named_in_words_are_dropped_together() -> None:
    def reply(body: dict[str, Any]) -> dict[str, Any]:
        unknown = [name for name in ("seed", "include_stop_str_in_output") if name in body]
        if unknown:
            return refusal(f"Unrecognized request arguments supplied: {', '.join(unknown)}")
        return chat_reply()

    request = Request(QUESTION, 5, seed=1, stop=("x",))
    reply_, sent = with_chat(reply, lambda engine: engine.generate(request))
    assert reply_.text == ANSWER
    assert len(sent) == 2
    assert sent[1]["stop"] == ["x"]


@pytest.mark.parametrize(
    ("fields", "reasoning", "text"),
    [
        ({"content": "4", "reasoning_content": "3 + 1"}, "3 + 1", "4"),
        ({"content": "4", "reasoning": "3 + 1"}, "3 + 1", "4"),
        ({"content": None, "reasoning_content": "3 + 1"}, "3 + 1", ""),
        ({"content": "<think>\n3 + 1\n</think>\n\n4"}, "3 + 1", "4"),
        ({"content": "3 + 1</think>4"}, "3 + 1", "4"),
        ({"content": "<think>3 + "}, "3 +", ""),
        ({"content": "the tag <think> is closed by </think>"}, "",
         "the tag <think> is closed by </think>"),
        ({"content": "4", "reasoning": None}, "", "4"),
        ({"content": "4", "reasoning": {"effort": "low"}}, "", "4"),
    ],
)  # fmt: skip
def test_reasoning_is_kept_apart(fields: dict[str, Any], reasoning: str, text: str) -> None:
    reply, _ = with_chat(lambda body: chat_reply(**fields), ask)
    assert (reply.reasoning, reply.text) == (reasoning, text)


def test_a_reply_whose_limit_went_into_reasoning_is_truncated() -> None:
    reply, _ = with_chat(o_series, lambda engine: engine.generate(Request(QUESTION, 50)))
    assert (reply.text, reply.finish) == ("", "truncated")
    assert (reply.usage.completion, reply.usage.reasoning) == (50, 50)
    message = "Could not finish the message because max_tokens or model output limit was reached."
    reply, _ = with_chat(lambda body: refusal(message), ask)
    assert (reply.text, reply.finish) == ("", "truncated")


def test_options_are_sent_with_every_request() -> None:
    options = {"reasoning_effort": "low", "extra_body": {"top_k": 20, "max_tokens": 7}}
    _, sent = with_chat(lambda body: chat_reply(), ask, **options)
    assert sent[0]["reasoning_effort"] == "low"
    assert (sent[0]["top_k"], sent[0]["max_tokens"]) == (20, 7)


def test_the_key_comes_from_the_named_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOSTED_KEY", raising=False)
    with pytest.raises(EngineError, match="the environment variable HOSTED_KEY is not set"):
        load_engine("http://127.0.0.1:1/v1", api_key_env="HOSTED_KEY")
    monkeypatch.setenv("HOSTED_KEY", "sk-very-secret")
    reply, _ = with_chat(lambda body: chat_reply(), ask, api_key_env="HOSTED_KEY")
    assert reply.text == ANSWER


def test_an_error_does_not_repeat_secrets() -> None:
    def reply(body: dict[str, Any]) -> dict[str, Any]:
        return refusal("key sk-very-secret of team-secret is wrong")

    options = {"api_key": "sk-very-secret", "headers": {"X-Team": "team-secret"}}
    with pytest.raises(EngineError, match="key … of … is wrong") as error:
        with_chat(reply, ask, **options)
    assert "secret" not in str(error.value)


def test_a_rate_limit_is_waited_for_and_no_sample_is_lost() -> None:
    times: list[float] = []

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        times.append(time.monotonic())
        if len(times) == 1:
            headers = {"x-ratelimit-reset-requests": "1s", "x-ratelimit-reset-tokens": "6m0s"}
            headers["x-ratelimit-remaining-requests"] = "0"
            return {"error": {"message": "slow down"}, "_status": 429, "_headers": headers}
        return chat_reply()

    # The wait does not count as a failing server.
    answer, _ = with_chat(reply, ask, retry_timeout=0.1)
    assert answer.text == ANSWER
    assert 1 <= times[1] - times[0] < 6


def test_a_spent_quota_is_not_waited_for() -> None:
    def reply(body: dict[str, Any]) -> dict[str, Any]:
        return {**refusal("no credit", code="insufficient_quota"), "_status": 429}

    began = time.monotonic()
    with pytest.raises(EngineError, match="answered 429: no credit"):
        with_chat(reply, ask)
    assert time.monotonic() - began < 5


def test_the_check_of_a_reasoning_model_tells_the_truth() -> None:
    capabilities, _ = with_chat(o_series, lambda engine: engine.capabilities())
    assert capabilities.dialect == "OpenAI"
    assert capabilities.supported == {"chat"}
    assert {"temperature", "seed"} <= set(capabilities.dropped)
    assert capabilities.missing["seed"] == "it refuses a seed"
    assert capabilities.missing["json_schema"] == "a JSON schema is ignored, or not understood"


def test_a_schema_counts_only_if_it_is_obeyed() -> None:
    def obey(body: dict[str, Any]) -> dict[str, Any]:
        if "response_format" not in body:
            return chat_reply()
        schema = body["response_format"]["json_schema"]["schema"]
        names = schema["properties"].items()
        return chat_reply(json.dumps({name: rule["enum"][0] for name, rule in names}))

    capabilities, _ = with_chat(obey, lambda engine: engine.capabilities())
    assert "json_schema" in capabilities.supported
    capabilities, _ = with_chat(lambda body: chat_reply(), lambda engine: engine.capabilities())
    assert "json_schema" not in capabilities.supported


def test_a_run_on_a_difficult_server_loses_no_sample() -> None:
    """Refused fields, rate limits, and usage in every other reply only."""
    count = 0

    def reply(body: dict[str, Any]) -> dict[str, Any]:
        nonlocal count
        answer = o_series(body)
        if "error" in answer:
            return answer
        count += 1
        if count % 5 == 0:
            headers = {"Retry-After": "1"}
            return {"error": {"message": "slow down"}, "_status": 429, "_headers": headers}
        if count % 2:
            del answer["usage"]
        return answer

    with (
        running(FaultyServer(lambda _: None, answer=chat_only(reply))) as server,
        PythonRecorder() as recorder,
    ):
        predictions = list(
            predict_questions(
                questions(12),
                lambda: load_engine(server.url, model="hosted"),
                recorder,
                settings=PredictionSettings(codec="chat", max_tokens=500),
                concurrency=4,
            )
        )
    assert len(predictions) == 12
    assert {(p.finish, p.text, p.error) for p in predictions} == {("stop", ANSWER, None)}
    usages = [p.generation.usage for p in predictions if p.generation]
    assert {usage.reasoning for usage in usages} == {0, 100}
