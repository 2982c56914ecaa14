"""Fault-injecting HTTP server, in front of vLLM or of a small imitation of it."""

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from worldline.core.trace import Program
from worldline.evaluation.runs import PredictionFile
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.engines import OpenAIEngine, ServerPool
from worldline.models.prediction import PredictionSettings, Question, predict_questions

ReplyFunction = Callable[[str, dict[str, Any]], Any]


class FaultyServer:
    """Server that replies with `answer`, or forwards to `upstream`, and injects planned faults.

    `plan` maps the number of a request to `/v1/completions` to a fault: `429`, `500`, `hang`,
    `cut` (the connection closes within the reply), `no_ids`, `garbage`, or `die` (the server is
    down for `outage` seconds).
    """

    def __init__(
        self,
        plan: Callable[[int], str | None],
        *,
        answer: ReplyFunction | None = None,
        upstream: str = "",
        outage: float = 1.0,
        is_llamacpp: bool = False,
    ) -> None:
        self.plan = plan
        self.answer = answer
        self.upstream = upstream
        self.outage = outage
        self.is_llamacpp = is_llamacpp
        self.seen: Counter[str] = Counter()
        self.prompts: Counter[str] = Counter()
        self.completions = 0
        self.most_completions = 0
        self.url = ""
        self._completions = 0
        self._port = 0
        self._runner: web.AppRunner | None = None
        self._client: aiohttp.ClientSession | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Listen; after a restart, on the same port."""
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/{path:.*}", self._handle)
        # A hanging request must not keep the server from dying.
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, handler_cancellation=True)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self._port, reuse_address=True)
        await site.start()
        assert site._server is not None
        self._port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]
        self.url = f"http://127.0.0.1:{self._port}/v1"
        if self._client is None:
            self._client = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))

    async def stop(self) -> None:
        """Close every connection and stop listening."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def close(self) -> None:
        """Stop the server permanently."""
        for task in self._tasks:
            task.cancel()
        await self.stop()
        if self._client is not None:
            await self._client.close()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        is_completion = request.path == "/v1/completions"
        self.completions += is_completion
        self.most_completions = max(self.most_completions, self.completions)
        try:
            # Long enough for concurrent requests to arrive.
            await asyncio.sleep(0.01 if is_completion else 0)
            return await self._answer(request)
        finally:
            self.completions -= is_completion

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if request.path == "/props" and not self.is_llamacpp:
            return web.json_response({"error": {"message": "not found"}}, status=404)
        body = await request.json() if request.can_read_body else {}
        fault = None
        if request.path == "/v1/completions":
            fault = self.plan(self._completions)
            self._completions += 1
        self.seen[fault or "fine"] += 1
        if fault == "429":
            headers = {"Retry-After": "0"}
            return web.json_response(
                {"error": {"message": "slow down"}}, status=429, headers=headers
            )
        if fault == "500":
            return web.json_response({"error": {"message": "engine died"}}, status=500)
        if fault == "hang":
            await asyncio.sleep(3600)
        if fault == "garbage":
            return web.Response(text='{"choices": [{"te', content_type="application/json")
        if fault == "die":
            task = asyncio.create_task(self._die())
            self._tasks.add(task)
            await asyncio.sleep(3600)
        reply = await self._reply(request, body)
        if fault == "no_ids":
            for choice in reply["choices"]:
                choice.pop("token_ids", None)
        if fault == "cut":
            data = json.dumps(reply).encode()
            response = web.StreamResponse(headers={"Content-Length": str(len(data))})
            await response.prepare(request)
            await response.write(data[: len(data) // 2])
            assert request.transport is not None
            request.transport.close()
            return response
        if fault is None and request.path == "/v1/completions":
            self.prompts[json.dumps(body.get("prompt"))] += 1
        status, headers = reply.pop("_status", 200), reply.pop("_headers", {})
        return web.json_response(reply, status=status, headers=headers)

    async def _reply(self, request: web.Request, body: dict[str, Any]) -> dict[str, Any]:
        if self.answer is not None:
            answer: dict[str, Any] = self.answer(request.path, body)
            return answer
        assert self._client is not None
        url = self.upstream.removesuffix("/v1") + request.path_qs
        data = json.dumps(body).encode() if body else None
        headers = {"Content-Type": "application/json"}
        async with self._client.request(
            request.method, url, data=data, headers=headers
        ) as response:
            return {**(await response.json()), "_status": response.status}

    async def _die(self) -> None:
        await self.stop()
        await asyncio.sleep(self.outage)
        await self.start()


@contextmanager
def running(server: FaultyServer) -> Iterator[FaultyServer]:
    """Run the server in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.start(), loop).result(10)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.close(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


def imitate_vllm(
    path: str, body: dict[str, Any], *, write: Callable[[str], str] | None = None
) -> dict[str, Any]:
    """Reply like vLLM with a model that has bytes as tokens.

    It continues a text as `write` does, and ends after that; by default, it writes `ok` endlessly.
    """
    if path == "/v1/models":
        return {"data": [{"id": "imitation", "max_model_len": 4096}]}
    if path == "/tokenize" and "messages" in body:
        return {"error": {"message": "no chat template"}, "_status": 400}
    if path == "/tokenize":
        return {"tokens": _tokens(body["prompt"])}
    if path == "/detokenize":
        return {"prompt": _detokenize(body["tokens"])}
    if path == "/v1/chat/completions":
        message = {"role": "assistant", "content": "[ANSWER]\n1\n[/ANSWER]"}
        return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": {}}
    prompt = body["prompt"] if isinstance(body["prompt"], list) else _tokens(body["prompt"])
    text = "ok" * body["max_tokens"] if write is None else write(_detokenize(prompt)) + _END
    completion = _tokens(text)[: body["max_tokens"]]
    if body.get("allowed_token_ids"):
        completion = [body["allowed_token_ids"][0]] * body["max_tokens"]
    stop = next(
        (n for n, id in enumerate(completion) if id in body.get("stop_token_ids", [])), None
    )
    completion = completion if stop is None else completion[: stop + 1]
    choice: dict[str, Any] = {
        "text": _detokenize(completion),
        "token_ids": completion,
        "finish_reason": "length" if stop is None else "stop",
    }
    usage = {"prompt_tokens": len(prompt), "completion_tokens": len(completion)}
    return {"choices": [choice], "usage": usage}


SPECIALS = [
    "<|begin_of_text|>", "<|end_of_text|>", "<|frame_sep|>", "<|action_sep|>", "<|return_sep|>",
    "<|call_sep|>", "<|line_sep|>", "<|exception_sep|>", "<|arg_sep|>", "<|trace_context_start|>",
]  # fmt: skip
_END = SPECIALS[1]


def _tokens(text: str) -> list[int]:
    ids: list[int] = []
    while text:
        special = next((s for s in SPECIALS if text.startswith(s)), None)
        ids += [256 + SPECIALS.index(special)] if special else list(text[0].encode())
        text = text[len(special) if special else 1 :]
    return ids


def _detokenize(ids: list[int]) -> str:
    parts = [SPECIALS[n - 256].encode() if n >= 256 else bytes([n]) for n in ids]
    return b"".join(parts).decode("utf-8", "replace")


FAULTS = ("429", "500", "hang", "cut", "no_ids", "garbage")
# The capability probe sends about two dozen requests first; faults begin during the samples.
FIRST = 60


def plan(number: int) -> str | None:
    """Let every fourth request fail, with each fault in turn; one takes the server down."""
    if number < FIRST or number % 4:
        return None
    if number == FIRST + 40:
        return "die"
    return FAULTS[number // 4 % len(FAULTS)]


def questions(count: int) -> list[Question]:
    """Questions about a one-line function."""
    source = "def f(x):\n    return x + 1\n"
    return [Question(f"sample_{n}", Program(source, f"f({n})")) for n in range(count)]


def predict_into(
    path: Path, url: str, recorder: PythonRecorder, *, retry_timeout: float, timeout: float = 0.5
) -> Counter[str]:
    """Predict the questions that are not in the file yet; count how the samples finished."""
    finishes: Counter[str] = Counter()
    with PredictionFile(path) as file:
        wanted = [question for question in questions(200) if question.id not in file.done]
        predictions = predict_questions(
            wanted,
            lambda: OpenAIEngine(ServerPool(url, timeout=timeout, retry_timeout=retry_timeout)),
            recorder,
            settings=PredictionSettings(max_tokens=20),
            concurrency=16,
        )
        for prediction in predictions:
            file.add(prediction)
            finishes[prediction.finish] += 1
    return finishes
