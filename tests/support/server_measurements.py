"""Cost of predictions with worldline, relative to the bare server.

Used by tests/live in small, and by `scripts/bench throughput` and `prefix-cache` at full size.
"""

import asyncio
import itertools
import json
import statistics
import tempfile
import time
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import aiohttp

from tests.support.scripted_models import STEPS
from worldline.core.trace import Program
from worldline.evaluation.runs import PredictionFile
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.engines import OpenAIEngine, Reply, Request, ServerPool
from worldline.models.engines.openai_protocol import request_body
from worldline.models.engines.server_pool import ReplyParser, Result
from worldline.models.prediction import (
    CodecTokenizer,
    Mode,
    PredictionSettings,
    Predictor,
    Question,
    predict_all,
)
from worldline.models.tokenizers import Tokenizer


@dataclass(frozen=True, slots=True)
class Ratio:
    """Seconds for the same requests, sent by worldline and by a bare client, in alternation."""

    concurrency: int
    bare: tuple[float, ...]
    worldline: tuple[float, ...]
    tokens: int

    @property
    def throughput(self) -> float:
        """Throughput of worldline over that of the bare client: median of the pairs."""
        return statistics.median(self.pairs)

    @property
    def pairs(self) -> list[float]:
        """Throughput ratio of each pair."""
        return [bare / ours for bare, ours in zip(self.bare, self.worldline, strict=True)]

    @property
    def best(self) -> float:
        """Throughput ratio of the fastest runs, which are the least disturbed."""
        return min(self.bare) / min(self.worldline)


def measure_free_throughput(
    url: str,
    questions: Sequence[Question],
    *,
    concurrency: int,
    max_tokens: int,
    repeats: int,
    tokenizer: Tokenizer | None = None,
) -> Ratio:
    """Measure `free` predictions with worldline (written to a file) and with a bare client."""
    bodies = asyncio.run(_bodies(url, questions, max_tokens))
    tokens = asyncio.run(_post_all(url, bodies, concurrency))
    bare, ours = [], []
    for _ in range(repeats):
        began = time.perf_counter()
        asyncio.run(_post_all(url, bodies, concurrency))
        bare.append(time.perf_counter() - began)
        ours.append(
            asyncio.run(_predict_all_seconds(url, questions, concurrency, max_tokens, tokenizer))
        )
    return Ratio(concurrency, tuple(bare), tuple(ours), tokens)


async def _predict_all_seconds(
    url: str,
    questions: Sequence[Question],
    concurrency: int,
    max_tokens: int,
    tokenizer: Tokenizer | None,
) -> float:
    """Measure the seconds from the first request to the last line of the file.

    The capability probe is not included: it runs once per command.
    """
    engine = OpenAIEngine(ServerPool(url))
    with (
        tempfile.TemporaryDirectory() as folder,
        PythonRecorder() as recorder,
        PredictionFile(Path(folder, "p.jsonl")) as file,
    ):
        settings = PredictionSettings(max_tokens=max_tokens)
        predictor = await Predictor.open(engine, settings, recorder, tokenizer=tokenizer)
        began = time.perf_counter()
        async for prediction in predict_all(
            predictor, [(q, 0) for q in questions], concurrency=concurrency
        ):
            assert prediction.error is None, prediction.error
            file.add(prediction)
        seconds = time.perf_counter() - began
    await engine.close()
    return seconds


async def _bodies(url: str, questions: Sequence[Question], max_tokens: int) -> list[dict[str, Any]]:
    """Make the same request bodies as worldline."""
    engine = OpenAIEngine(ServerPool(url))
    tokenizer = await CodecTokenizer.from_engine(engine, STEPS)
    length = (await engine.capabilities()).context_length or 0
    bodies = []
    for question in questions:
        segments = await tokenizer.encode(STEPS.prompt(question.program))
        ids = tuple(token for segment in segments for token in segment)
        stops = (tokenizer.special_tokens[STEPS.end_token],)
        request = Request(ids, min(max_tokens, length - len(ids)), stop_ids=stops)
        bodies.append(request_body(request, engine.name))
    await engine.close()
    return bodies


async def _post_all(url: str, bodies: Sequence[dict[str, Any]], concurrency: int) -> int:
    """Send requests with a bare client; return the number of completion tokens."""
    limit = asyncio.Semaphore(concurrency)
    connector = aiohttp.TCPConnector(limit=concurrency)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def post(body: dict[str, Any]) -> int:
            async with limit:
                while True:
                    try:
                        async with session.post(f"{url}/completions", json=body) as reply:
                            assert reply.status == 200
                            completion: int = (await reply.json())["usage"]["completion_tokens"]
                            return completion
                    # The server closed an idle connection that was about to be reused.
                    except aiohttp.ServerDisconnectedError:
                        continue

        return sum(await asyncio.gather(*(post(body) for body in bodies)))


@dataclass(frozen=True, slots=True)
class ComputedTokens:
    """Tokens that a server computed: uncached prompt tokens and completion tokens."""

    prompt: int
    completion: int
    requests: int

    def __sub__(self, other: "ComputedTokens") -> "ComputedTokens":
        return ComputedTokens(
            self.prompt - other.prompt,
            self.completion - other.completion,
            self.requests - other.requests,
        )

    @property
    def total(self) -> int:
        """All computed tokens."""
        return self.prompt + self.completion


def read_counters(url: str) -> ComputedTokens:
    """Read the counters of the server."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/metrics") as reply:
        lines = reply.read().decode().splitlines()

    def total(name: str, label: str = "") -> int:
        matching = [line for line in lines if line.startswith(name + "{") and label in line]
        return int(sum(float(line.rsplit(" ", 1)[1]) for line in matching))

    return ComputedTokens(
        total("vllm:prompt_tokens_by_source_total", 'source="local_compute"'),
        total("vllm:generation_tokens_total"),
        total("vllm:request_success_total"),
    )


class BiasedServer(ServerPool):
    """Server pool that adds a logit bias for preferred tokens to every completion request."""

    preferred: Sequence[int] = ()

    async def post(
        self, path: str, body: dict[str, Any], read: ReplyParser[Result], *, briefly: bool = False
    ) -> tuple[Result, int]:
        """Send a request, with the bias if it is for a completion."""
        if path == "/completions":
            body = {**body, "logit_bias": dict.fromkeys(map(str, self.preferred), 50)}
        return await super().post(path, body, read, briefly=briefly)


class ConstrainedEngine(OpenAIEngine):
    """Engine that constrains the model to the actual trace, with a grammar and a logit bias.

    It measures the cost of stepwise prediction without a trained model.
    """

    def __init__(self, server: BiasedServer, actual: str, tokenizer: CodecTokenizer) -> None:
        super().__init__(server)
        self._biased = server
        self._actual = actual
        self._tokenizer = tokenizer

    async def generate(self, request: Request) -> Reply:
        """Constrain the model to the actual text after the prompt, up to the first stop token."""
        names = self._tokenizer.names
        before = await self.detokenize([part for part in request.prompt if isinstance(part, int)])
        assert self._actual.startswith(before), "the prompt is not a prefix of the actual text"
        rest = await self.tokenize(self._actual[len(before) :], parse_special_tokens=True)
        end = next((n for n, token in enumerate(rest) if token in request.stop_ids), len(rest) - 1)
        if request.allowed_ids or end == 0:
            return await super().generate(replace(request, grammar=None, allowed_ids=rest[:1]))
        self._biased.preferred = rest[: end + 1]
        parts: list[str] = []
        for is_special, group in itertools.groupby(rest[:end], key=lambda token: token in names):
            tokens = list(group)
            if is_special:
                parts += [names[token] for token in tokens]
            else:
                parts.append(json.dumps(await self.detokenize(tokens)))
        grammar = "start: " + " ".join(parts)
        stops = rest[end : end + 1]
        return await super().generate(replace(request, grammar=grammar, stop_ids=stops))


@dataclass(frozen=True, slots=True)
class PrefixCacheCost:
    """Tokens computed for a trace predicted step by step, and in a single request."""

    mode: Mode
    steps: int
    stepwise: ComputedTokens
    single_request: ComputedTokens


async def measure_prefix_cache(
    url: str, program: Program, recorder: PythonRecorder, mode: Mode
) -> PrefixCacheCost:
    """Predict an actual trace in a mode, then generate as many tokens in a single request.

    A unique first line keeps each of the two out of the other's prefix cache.
    """
    source = f"# {time.time_ns()}\n{program.source}"
    actual = recorder.record(replace(program, source=source))
    server = BiasedServer(url, retry_timeout=5)
    tokenizer = await CodecTokenizer.from_engine(OpenAIEngine(server), STEPS)
    prompt = "".join(STEPS.prompt(actual.program))
    engine = ConstrainedEngine(server, prompt + "".join(STEPS.encode(actual)), tokenizer)
    predictor = await Predictor.open(
        engine, PredictionSettings(mode=mode, max_tokens=100_000), recorder
    )
    before = read_counters(url)
    prediction = await predictor.predict(Question("stepwise", actual.program))
    stepwise = await _computed_since(url, before)
    output, expected = prediction.text, "".join(STEPS.encode(actual))
    assert output == expected, prediction.error or f"it ends with {output[-80:]!r}"
    assert prediction.generation is not None
    ids = await engine.tokenize(prompt.replace("# ", "## ", 1), parse_special_tokens=True)
    before = read_counters(url)
    body = request_body(Request(ids, len(prediction.generation.completion_ids)), engine.name)
    await engine.server.post("/completions", {**body, "ignore_eos": True}, dict, briefly=True)
    single_request = await _computed_since(url, before)
    await engine.close()
    return PrefixCacheCost(mode, len(actual.steps), stepwise, single_request)


async def _computed_since(url: str, before: ComputedTokens) -> ComputedTokens:
    """Tokens computed since then; the counters are updated with a delay."""
    await asyncio.sleep(1)
    return read_counters(url) - before
