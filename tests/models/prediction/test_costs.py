"""Costs: estimates before, limits during."""

from pathlib import Path
from typing import Any

import pytest

import worldline as wl
from tests.support.scripted_models import engine_of
from worldline.core.errors import CostLimitError, EngineError
from worldline.core.trace import Program
from worldline.interfaces.api.predicting import predict_into_file
from worldline.models.codecs import get_codec
from worldline.models.engines import Reply, Request, ScriptedEngine, Usage
from worldline.models.prediction import (
    CHARS_PER_TOKEN,
    CostLimit,
    CostMeter,
    GenerationRecord,
    PredictionSettings,
    Prices,
    Question,
    make_prediction,
    read_prediction_file,
)

PROGRAM = Program("def f(x):\n    return x + 1\n", "f(1)")
CHAT = PredictionSettings(codec="chat", max_tokens=50)
ANSWER = "[ANSWER] 1 [/ANSWER]"


def questions(count: int) -> list[Question]:
    return [Question(f"s{n}", Program(PROGRAM.source, f"f({n})")) for n in range(count)]


class Priced(ScriptedEngine):
    """Reports the usage that it is given for every reply."""

    def __init__(self, usage: Usage) -> None:
        super().__init__(lambda prompt: ANSWER)
        self.usage = usage

    async def generate(self, request: Request) -> Reply:
        reply = await super().generate(request)
        return Reply(reply.text, reply.finish, usage=self.usage)


class Unreachable(ScriptedEngine):
    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        raise EngineError("there is no /tokenize")


def test_prices() -> None:
    assert Prices(1.0, 4.0).cost(500_000, 250_000) == 1.5
    assert Prices(0.0, 0.0).cost(10**9, 10**9) == 0


def test_a_limit_stops_and_the_same_call_does_not_go_on(tmp_path: Path) -> None:
    output = tmp_path / "p.jsonl"
    engine = Priced(Usage(prompt=1000, completion=500, requests=1))
    # Each reply costs 0.001 + 0.002.
    prices = Prices(1.0, 4.0)
    options: dict[str, Any] = {"settings": CHAT, "concurrency": 1}
    with pytest.raises(CostLimitError, match=r"cost \$0\.0090, and the limit is \$0\.0080"):
        predict_into_file(
            questions(9), lambda: engine, output, cost_limit=CostLimit(0.008, prices), **options
        )
    assert len(list(read_prediction_file(output))) == 3
    asked = len(engine.requests)
    with pytest.raises(CostLimitError):
        predict_into_file(
            questions(9), lambda: engine, output, cost_limit=CostLimit(0.008, prices), **options
        )
    assert len(engine.requests) == asked
    # A higher limit counts what the file has cost already.
    with pytest.raises(CostLimitError, match=r"\$0\.0150"):
        predict_into_file(
            questions(9), lambda: engine, output, cost_limit=CostLimit(0.015, prices), **options
        )
    assert len(list(read_prediction_file(output))) == 5
    totals = predict_into_file(
        questions(9), lambda: engine, output, cost_limit=CostLimit(1.0, prices), **options
    )
    assert (totals.skipped, totals.finishes["stop"]) == (5, 4)


def test_a_limit_that_the_last_reply_reaches_stops_nothing(tmp_path: Path) -> None:
    engine = Priced(Usage(prompt=1000, completion=0, requests=1))
    limit = CostLimit(0.003, Prices(1.0, 0.0))
    totals = predict_into_file(
        questions(3), lambda: engine, tmp_path / "p.jsonl", settings=CHAT, cost_limit=limit
    )
    assert totals.finishes["stop"] == 3


def test_usage_that_is_not_reported_is_estimated() -> None:
    meter = CostMeter(CostLimit(0.0001, Prices(1.0, 1.0)))
    made = make_prediction(
        "a", PROGRAM, ANSWER, get_codec("chat"), finish="stop",
        generation=GenerationRecord("free", "chat", 100),
    )  # fmt: skip
    meter.add(made)
    prompt = sum(map(len, get_codec("chat").prompt(PROGRAM)))
    assert meter.usage.prompt == -(-prompt // CHARS_PER_TOKEN)
    assert meter.usage.completion == -(-len(ANSWER) // CHARS_PER_TOKEN)
    with pytest.raises(CostLimitError, match="the usage of 1 predictions was not reported"):
        meter.check()


def test_reasoning_is_estimated_and_a_prompt_that_was_not_sent_costs_nothing() -> None:
    meter = CostMeter(CostLimit(1.0, Prices(1.0, 1.0)))
    record = GenerationRecord("free", "chat", 100, reasoning="x" * 300)
    meter.add(make_prediction("a", PROGRAM, ANSWER, get_codec("chat"), generation=record))
    assert meter.usage.completion == -(-(len(ANSWER) + 300) // CHARS_PER_TOKEN)
    before = meter.usd
    not_sent = GenerationRecord("free", "chat", 100)
    meter.add(
        make_prediction(
            "b", PROGRAM, "", get_codec("chat"), finish="truncated", generation=not_sent
        )
    )
    assert (meter.usd, meter.estimated) == (before, 1)


def test_a_failed_request_costs_nothing() -> None:
    meter = CostMeter(CostLimit(1.0, Prices(1.0, 1.0)))
    failed = make_prediction(
        "a", PROGRAM, "", get_codec("chat"), finish="infra_error", error="down"
    )
    meter.add(failed)
    assert (meter.usd, meter.estimated) == (0, 0)
    meter.check()


def test_an_evaluation_stops_at_its_limit(tmp_path: Path) -> None:
    engine = Priced(Usage(prompt=1000, completion=500, requests=1))
    limit = CostLimit(0.008, Prices(1.0, 4.0))
    options: dict[str, Any] = {"output": tmp_path / "run", "first": 9, "concurrency": 1}
    for _ in range(2):
        with pytest.raises(CostLimitError):
            wl.evaluate("permutation", lambda: engine, codec="chat", cost_limit=limit, **options)
        assert len(wl.Run(tmp_path / "run")) == 3
    assert len(wl.evaluate("permutation", lambda: engine, codec="chat", **options)) == 9


def test_an_estimate_counts_with_the_engines_tokenizer() -> None:
    engine = ScriptedEngine(lambda prompt: ANSWER)
    estimate = wl.estimate_cost(questions(2), lambda: engine, settings=CHAT, repeats=3)
    # A byte is a token; the chat template is estimated.
    prompts = [get_codec("chat").prompt(question.program) for question in questions(2)]
    tokens = sum(len("".join(prompt).encode()) + 5 * len(prompt) for prompt in prompts)
    assert engine.requests == []
    assert (estimate.samples, estimate.requests, estimate.not_counted) == (6, 6, "")
    assert estimate.prompt_tokens == 3 * tokens
    assert estimate.max_completion_tokens == 6 * 50
    low, high = estimate.cost_range(Prices(1.0, 10.0))
    assert low == pytest.approx(3 * tokens / 1e6)
    assert high - low == pytest.approx(300 * 10 / 1e6)


def test_an_estimate_without_a_tokenizer_says_so() -> None:
    engine = Unreachable(lambda prompt: ANSWER)
    auto = PredictionSettings(codec="auto")
    estimate = wl.estimate_cost(questions(1), lambda: engine, settings=auto)
    assert estimate.not_counted == "there is no /tokenize"
    assert get_codec(estimate.codec).is_chat
    chars = len("".join(get_codec(estimate.codec).prompt(PROGRAM)))
    assert estimate.prompt_tokens >= chars // CHARS_PER_TOKEN
    assert engine.requests == []


def test_an_estimate_of_a_mode_with_several_requests_is_a_lower_bound() -> None:
    engine = engine_of(lambda prompt: "")
    for mode, expected in (("free", False), ("guided", True), ("score", False)):
        settings = PredictionSettings(mode=mode, codec="auto")  # type: ignore[arg-type]
        estimate = wl.estimate_cost(questions(1), lambda: engine, settings=settings)
        assert (estimate.codec, estimate.has_more_requests) == ("cwm", expected)


def test_an_estimate_leaves_out_what_is_done(tmp_path: Path) -> None:
    engine = ScriptedEngine(lambda prompt: ANSWER)
    output, run = tmp_path / "p.jsonl", tmp_path / "run"
    predict_into_file(questions(2), lambda: engine, output, settings=CHAT)
    left = wl.estimate_cost(questions(5), lambda: engine, output=output)
    assert (left.samples, left.codec) == (3, "chat")
    again = wl.estimate_cost(questions(5), lambda: engine, output=output, restart=True)
    assert again.samples == 5
    wl.evaluate("permutation", lambda: engine, codec="chat", output=run, first=2)
    assert wl.estimate_cost("permutation", lambda: engine, output=run, first=6).samples == 4
