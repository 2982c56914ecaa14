"""Engine for OpenAI-compatible servers: vLLM, and servers that support less."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from worldline.models.engines.capability_probe import probe_capabilities
from worldline.models.engines.engine import Capabilities, Reply, Request, Scores, Usage, as_messages
from worldline.models.engines.openai_protocol import (
    parse_reply,
    parse_scores,
    request_body,
    score_body,
)
from worldline.models.engines.retry import TransientError
from worldline.models.engines.server_pool import ServerPool


class OpenAIEngine:
    """Model on one or more servers. Uses token ids in both directions if the server can.

    The caller limits the number of concurrent requests: vLLM never refuses one.
    """

    def __init__(self, server: ServerPool) -> None:
        self.server = server
        self._capabilities: Capabilities | None = None
        self._first_contact = asyncio.Lock()

    @property
    def name(self) -> str:
        """Name of the model on the server."""
        return self.server.model

    async def capabilities(self) -> Capabilities:
        """Capabilities of the server; they are tested once."""
        async with self._first_contact:
            if self._capabilities is None:
                self._capabilities = await probe_capabilities(self.server)
        return self._capabilities

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        """Token ids of a text, from the server's tokenizer."""
        await self._ensure_model()
        return await self.server.tokenize(text, parse_special_tokens=parse_special_tokens)

    async def detokenize(self, ids: Sequence[int]) -> str:
        """Text of token ids, special tokens included."""
        await self._ensure_model()
        return await self.server.detokenize(ids)

    async def generate(self, request: Request) -> Reply:
        """Generate a completion of a prompt or a conversation."""
        await self._ensure_model()
        is_chat = bool(as_messages(request.prompt))
        has_ids = self._capabilities is not None and "ids_out" in self._capabilities.supported

        def parse(body: dict[str, Any]) -> Reply:
            reply = parse_reply(body)
            is_empty = not reply.text and not reply.usage.completion
            if has_ids and not is_chat and not reply.ids and not is_empty:
                raise TransientError(
                    "the reply has no token ids, although the server can send them"
                )
            return reply

        body = request_body(request, self.name)
        if is_chat and has_ids:
            # Not in `request_body`: a server without this field may refuse the request.
            body["return_token_ids"] = True
        path = "/chat/completions" if is_chat else "/completions"
        reply, failures = await self.server.post(path, body, parse)
        return replace(reply, usage=reply.usage + Usage(requests=1 + failures, retries=failures))

    async def score(self, ids: Sequence[int]) -> Scores:
        """Score each token after the first, in one forward pass."""
        await self._ensure_model()
        body = score_body(ids, self.name)
        scores, failures = await self.server.post(
            "/completions", body, lambda reply: parse_scores(reply, ids)
        )
        return replace(scores, usage=scores.usage + Usage(requests=1 + failures, retries=failures))

    async def _ensure_model(self) -> None:
        """Find the server's model, at the first request."""
        if not self.server.is_model_known:
            async with self._first_contact:
                if not self.server.is_model_known:
                    await self.server.find_model()

    async def close(self) -> None:
        """Close the connections."""
        await self.server.close()
