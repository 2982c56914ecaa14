"""Engine that lets a vLLM server generate ahead, and serves the rows of its output one by one.

In the mode `on-demand`, each row is a request of its own, for which the server reads the last,
incomplete block of its cache again. Here one streamed request covers many rows, and is
aborted when an executed row is put in. The rows are those of single requests: greedy decoding only.
"""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any, cast

import aiohttp

from worldline.models.engines import Engine, Reply, Request, Usage
from worldline.models.engines.openai_protocol import request_body

ROW_END = "\n"


@dataclass(slots=True)
class RowStream:
    """A streamed completion: the tokens of all its rows so far, and the chunks that follow."""

    context: list[int]
    chunks: AsyncIterator[dict[str, Any]]


class StreamedRowsEngine:
    """Engine that asks for rows by streams, one for each task, and for all else as usual."""

    def __init__(self, engine: Engine, server: str, model: str) -> None:
        self._engine, self._url, self._model = engine, f"{server.rstrip('/')}/completions", model
        self._session: aiohttp.ClientSession | None = None
        self._streams: dict[asyncio.Task[Any], RowStream] = {}
        # The event loop keeps no references to tasks.
        self._closing: set[asyncio.Future[None]] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    async def generate(self, request: Request) -> Reply:
        """The next row of this task's stream, if the request continues it; else of a new one."""
        is_row = request.stop == (ROW_END,) and not request.temperature
        task = asyncio.current_task()
        if not is_row or task is None or isinstance(request.prompt, str):
            return await self._engine.generate(request)
        prompt = cast(tuple[int, ...], request.prompt)
        stream = self._streams.pop(task, None)
        is_new = stream is None or tuple(stream.context) != prompt
        if stream is None or is_new:
            await self._close(stream)
            stream = RowStream(list(prompt), self._open(request))
        text, ids, logprobs, finish = "", list[int](), list[float](), None
        while ROW_END not in text and finish is None:
            chunk = await anext(stream.chunks)
            choice = chunk["choices"][0]
            text += choice["text"]
            ids += choice["token_ids"]
            logprobs += choice["logprobs"]["token_logprobs"]
            finish = choice["finish_reason"]
        row, end, rest = text.partition(ROW_END)
        if end and not rest and finish is None:
            stream.context += ids
            if is_new:
                task.add_done_callback(self._forget)
            self._streams[task] = stream
        else:
            # The next request has other tokens, or there is none.
            await self._close(stream)
        usage = Usage(len(prompt), 0 if is_new else len(prompt), len(ids), int(is_new))
        is_truncated = finish == "length" and not end
        return Reply(
            row + end,
            "truncated" if is_truncated else "stop",
            tuple(ids),
            logprobs=tuple(logprobs),
            usage=usage,
            prompt_ids=prompt,
        )

    async def close(self) -> None:
        """Abort all streams, and close the engine."""
        for stream in self._streams.values():
            await self._close(stream)
        self._streams.clear()
        if self._session is not None:
            await self._session.close()
        await self._engine.close()

    async def _open(self, request: Request) -> AsyncIterator[dict[str, Any]]:
        """The chunks of a new completion; closing the generator aborts it."""
        body = request_body(replace(request, stop=(), logprobs=True), self._model)
        body |= {"stream": True, "include_stop_str_in_output": True}
        if self._session is None:
            self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None))
        async with self._session.post(self._url, json=body) as response:
            response.raise_for_status()
            async for line in response.content:
                data = line.removeprefix(b"data:").strip()
                if data and data != b"[DONE]":
                    yield json.loads(data)

    def _forget(self, task: asyncio.Task[Any]) -> None:
        """Abort the stream of a task that is done."""
        closing = asyncio.ensure_future(self._close(self._streams.pop(task, None)))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _close(self, stream: RowStream | None) -> None:
        if stream is not None:
            await cast(Any, stream.chunks).aclose()
