"""What asking through worldline costs beside asking the bare server: measured in one run.

Used by the tests in tests/live in small, and by `scripts/bench throughput` at full size.
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

from tests.oracle import STEPS
from worldline.engines import OpenAIEngine, Reply, Request, Server
from worldline.engines.server import Read, Result
from worldline.engines.wire import request_body
from worldline.predict import Asker, Mode, Question, Settings, Vocabulary, ask_all, vocabulary_of
from worldline.recorders import PythonRecorder
from worldline.runs import PredictionFile
from worldline.tokens import Tokenizer
from worldline.trace import Program


@dataclass(frozen=True, slots=True)
class Ratio:
    """Seconds for the same requests, each pair measured one right after the other."""

    in_flight: int
    bare: tuple[float, ...]
    worldline: tuple[float, ...]
    tokens: int

    @property
    def throughput(self) -> float:
        """Worldline's throughput over the bare server's; the median of the pairs."""
        return statistics.median(self.pairs)

    @property
    def pairs(self) -> list[float]:
        """The same, each pair by itself."""
        return [bare / ours for bare, ours in zip(self.bare, self.worldline, strict=True)]

    @property
    def best(self) -> float:
        """The same between the fastest run of each, which is disturbed the least."""
        return min(self.bare) / min(self.worldline)


def throughput_of_free(
    url: str,
    questions: Sequence[Question],
    *,
    in_flight: int,
    budget: int,
    repeats: int,
    tokenizer: Tokenizer | None = None,
) -> Ratio:
    """Ask for `free` predictions through worldline, file included, and bare, by turns."""
    bodies = asyncio.run(_bodies(url, questions, budget))
    tokens = asyncio.run(_post_all(url, bodies, in_flight))
    bare, ours = [], []
    for _ in range(repeats):
        began = time.perf_counter()
        asyncio.run(_post_all(url, bodies, in_flight))
        bare.append(time.perf_counter() - began)
        ours.append(asyncio.run(_ask_all(url, questions, in_flight, budget, tokenizer)))
    return Ratio(in_flight, tuple(bare), tuple(ours), tokens)


async def _ask_all(
    url: str,
    questions: Sequence[Question],
    in_flight: int,
    budget: int,
    tokenizer: Tokenizer | None,
) -> float:
    """Seconds from the first request to the last line of the file.

    Finding out what the server can do is left out: it is done once, however long the run.
    """
    engine = OpenAIEngine(Server(url))
    with (
        tempfile.TemporaryDirectory() as folder,
        PythonRecorder() as recorder,
        PredictionFile(Path(folder, "p.jsonl")) as file,
    ):
        settings = Settings(budget=budget)
        asker = await Asker.open(engine, settings, recorder, tokenizer=tokenizer)
        began = time.perf_counter()
        async for prediction in ask_all(asker, [(q, 0) for q in questions], in_flight=in_flight):
            assert prediction.error is None, prediction.error
            file.add(prediction)
        seconds = time.perf_counter() - began
    await engine.close()
    return seconds


async def _bodies(url: str, questions: Sequence[Question], budget: int) -> list[dict[str, Any]]:
    """The very requests that worldline sends."""
    engine = OpenAIEngine(Server(url))
    vocabulary = await vocabulary_of(engine, STEPS)
    length = (await engine.abilities()).context_length or 0
    bodies = []
    for question in questions:
        pieces = await vocabulary.encode(STEPS.prompt(question.program))
        ids = tuple(token for piece in pieces for token in piece)
        stops = (vocabulary.specials[STEPS.end],)
        request = Request(ids, min(budget, length - len(ids)), stop_ids=stops)
        bodies.append(request_body(request, engine.name))
    await engine.close()
    return bodies


async def _post_all(url: str, bodies: Sequence[dict[str, Any]], in_flight: int) -> int:
    """The requests, bare: nothing is done with the replies but reading them, and counting the
    tokens written."""
    limit = asyncio.Semaphore(in_flight)
    connector = aiohttp.TCPConnector(limit=in_flight)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def post(body: dict[str, Any]) -> int:
            async with limit:
                while True:
                    try:
                        async with session.post(f"{url}/completions", json=body) as reply:
                            assert reply.status == 200
                            written: int = (await reply.json())["usage"]["completion_tokens"]
                            return written
                    # The server closed an idle connection just when it was taken up again.
                    except aiohttp.ServerDisconnectedError:
                        continue

        return sum(await asyncio.gather(*(post(body) for body in bodies)))


@dataclass(frozen=True, slots=True)
class Computed:
    """What a server really computed: tokens of prompts that were not cached, tokens written."""

    prompt: int
    written: int
    requests: int

    def __sub__(self, other: "Computed") -> "Computed":
        return Computed(
            self.prompt - other.prompt,
            self.written - other.written,
            self.requests - other.requests,
        )

    @property
    def total(self) -> int:
        """All tokens that went through the model."""
        return self.prompt + self.written


def counters(url: str) -> Computed:
    """The server's own counters."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/metrics") as reply:
        lines = reply.read().decode().splitlines()

    def total(name: str, label: str = "") -> int:
        found = [line for line in lines if line.startswith(name + "{") and label in line]
        return int(sum(float(line.rsplit(" ", 1)[1]) for line in found))

    return Computed(
        total("vllm:prompt_tokens_by_source_total", 'source="local_compute"'),
        total("vllm:generation_tokens_total"),
        total("vllm:request_success_total"),
    )


class BiasedServer(Server):
    """A server that is asked to prefer some tokens."""

    preferred: Sequence[int] = ()

    async def ask(self, path: str, body: dict[str, Any], read: Read[Result]) -> tuple[Result, int]:
        """Say so in every request for a completion."""
        if path == "/completions":
            body = {**body, "logit_bias": dict.fromkeys(map(str, self.preferred), 50)}
        return await super().ask(path, body, read)


class TruthfulEngine(OpenAIEngine):
    """A real server whose model is made to write the true text by a grammar, and mostly in its
    usual tokens: what stepwise prediction costs can be measured before a model knows the truth."""

    def __init__(self, server: BiasedServer, truth: str, vocabulary: Vocabulary) -> None:
        super().__init__(server)
        self._biased = server
        self._truth = truth
        self._vocabulary = vocabulary

    async def generate(self, request: Request) -> Reply:
        """Constrain the model to the truth behind the prompt, up to the first stop."""
        names = self._vocabulary.names
        before = await self.spell([part for part in request.prompt if isinstance(part, int)])
        assert self._truth.startswith(before), "the prompt is not a beginning of the truth"
        rest = await self.tokenize(self._truth[len(before) :], has_specials=True)
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
                parts.append(json.dumps(await self.spell(tokens)))
        grammar = "start: " + " ".join(parts)
        stops = rest[end : end + 1]
        return await super().generate(replace(request, grammar=grammar, stop_ids=stops))


@dataclass(frozen=True, slots=True)
class Stepwise:
    """What a server computed for a trace written step by step, and for one written in one go."""

    mode: Mode
    steps: int
    stepwise: Computed
    in_one_go: Computed


async def computed_stepwise(
    url: str, program: Program, recorder: PythonRecorder, mode: Mode
) -> Stepwise:
    """Have a true trace written in a mode, then a text of as many tokens by one request.

    A first line of its own keeps each from what the cache knows of the other.
    """
    source = f"# {time.time_ns()}\n{program.source}"
    truth = recorder.record(replace(program, source=source))
    server = BiasedServer(url, patience=5)
    vocabulary = await vocabulary_of(OpenAIEngine(server), STEPS)
    prompt = "".join(STEPS.prompt(truth.program))
    engine = TruthfulEngine(server, prompt + "".join(STEPS.encode(truth)), vocabulary)
    asker = await Asker.open(engine, Settings(mode=mode, budget=100_000), recorder)
    before = counters(url)
    prediction = await asker.ask(Question("stepwise", truth.program))
    stepwise = await _since(url, before)
    written, true = prediction.text, "".join(STEPS.encode(truth))
    assert written == true, prediction.error or f"it ends {written[-80:]!r}"
    assert prediction.asked is not None
    ids = await engine.tokenize(prompt.replace("# ", "## ", 1), has_specials=True)
    before = counters(url)
    body = request_body(Request(ids, len(prediction.asked.ids)), engine.name)
    await engine.server.ask_impatiently("/completions", {**body, "ignore_eos": True})
    in_one_go = await _since(url, before)
    await engine.close()
    return Stepwise(mode, len(truth.steps), stepwise, in_one_go)


async def _since(url: str, before: Computed) -> Computed:
    """What was computed since; the counters come a little late."""
    await asyncio.sleep(1)
    return counters(url) - before
