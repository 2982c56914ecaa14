"""Engine for servers: vLLM, llama.cpp, hosted models, and servers that support less."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from worldline.core.errors import EngineError
from worldline.models.engines.capability_probe import probe_capabilities
from worldline.models.engines.engine import Capabilities, Message, Reply, Request, Scores
from worldline.models.engines.llamacpp_dialect import LlamaCppDialect, is_llamacpp
from worldline.models.engines.openai_dialect import OpenAIDialect
from worldline.models.engines.server_dialect import ServerDialect
from worldline.models.engines.server_pool import ServerPool


class OpenAIEngine:
    """Model on one or more servers. Uses token ids in both directions if the server can.

    The dialect is found at first contact, by what the server answers. The caller limits the number
    of concurrent requests: vLLM never refuses one.

    Args:
        server: the server.
        extra_body: fields of the body of every request, in addition.
        reasoning_effort: how much a reasoning model is to reason.
    """

    def __init__(
        self,
        server: ServerPool,
        *,
        extra_body: Mapping[str, Any] | None = None,
        reasoning_effort: str | None = None,
    ) -> None:
        self.server = server
        self._openai = OpenAIDialect(
            server, extra_body=extra_body, reasoning_effort=reasoning_effort
        )
        self._extra_body = extra_body
        self._dialect: ServerDialect | None = None
        self._detection: asyncio.Task[ServerDialect] | None = None
        self._capabilities: Capabilities | None = None
        self._first_contact = asyncio.Lock()
        self._probe = asyncio.Lock()

    @property
    def name(self) -> str:
        """Name of the model on the server."""
        return self.server.model

    @property
    def dropped_fields(self) -> tuple[str, ...]:
        """Fields of requests that the server refuses and that are therefore not sent."""
        return tuple(sorted(self._dialect.dropped)) if self._dialect else ()

    async def capabilities(self) -> Capabilities:
        """Capabilities of the server; they are tested once."""
        async with self._probe:
            if self._capabilities is None:
                context_length = await self.server.find_model()
                dialect = await self._find_dialect()
                self._capabilities = await probe_capabilities(self.server, dialect, context_length)
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
        dialect = await self._find_dialect()
        has_ids = self._capabilities is not None and "ids_out" in self._capabilities.supported
        return await dialect.generate(request, ids_expected=has_ids)

    async def score(self, ids: Sequence[int]) -> Scores:
        """Score each token after the first, in one forward pass."""
        return await (await self._find_dialect()).score(ids)

    async def render_chat(
        self, messages: Sequence[Message], *, prefill: str = ""
    ) -> tuple[int, ...] | str:
        """Render messages with the server's chat template, up to where the answer begins."""
        return await (await self._find_dialect()).render_chat(messages, prefill=prefill)

    async def _find_dialect(self) -> ServerDialect:
        """The server's dialect, found at the first request."""
        await self._ensure_model()
        if self._dialect is not None:
            return self._dialect
        if self._detection is None or self._detection.done():
            self._detection = asyncio.create_task(self._detect_dialect())
        # Shielded, because other requests wait for it, too.
        return await asyncio.shield(self._detection)

    async def _detect_dialect(self) -> ServerDialect:
        answers = {is_llamacpp(properties) for properties in await self.server.get_properties()}
        if not answers:
            # No server can be reached; the request itself is retried, and says so.
            return self._openai
        if len(answers) > 1:
            raise EngineError(
                f"some of {self.server.url} are llama.cpp's server and some are not; use servers "
                "of one kind"
            )
        self._dialect = (
            LlamaCppDialect(self.server, self._openai, extra_body=self._extra_body)
            if answers == {True}
            else self._openai
        )
        return self._dialect

    async def _ensure_model(self) -> None:
        """Find the server's model, at the first request."""
        if not self.server.is_model_known:
            async with self._first_contact:
                if not self.server.is_model_known:
                    await self.server.find_model()

    async def close(self) -> None:
        """Close the connections."""
        if self._detection is not None:
            self._detection.cancel()
        await self.server.close()
