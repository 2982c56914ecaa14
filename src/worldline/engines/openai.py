"""An OpenAI-compatible server as an engine; made for vLLM, and careful with any other."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from worldline.engines.engine import Abilities, Reply, Request, Scores, Usage, messages_of
from worldline.engines.patience import PassingError
from worldline.engines.probe import probe
from worldline.engines.server import Server
from worldline.engines.wire import read_reply, read_scores, request_body, score_body


class OpenAIEngine:
    """A model on a server. Token ids go in and come out wherever the server can.

    The number of requests in flight is the caller's to bound: vLLM never refuses.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self._abilities: Abilities | None = None
        self._contact = asyncio.Lock()

    @property
    def name(self) -> str:
        """The model, as the server names it."""
        return self.server.model

    async def abilities(self) -> Abilities:
        """What the server can do, found out by trying, once."""
        async with self._contact:
            if self._abilities is None:
                self._abilities = await probe(self.server)
        return self._abilities

    async def tokenize(self, text: str, *, has_specials: bool = False) -> tuple[int, ...]:
        """The token ids of a text, as the server's own tokenizer has them."""
        await self._meet()
        return await self.server.tokenize(text, has_specials=has_specials)

    async def spell(self, ids: Sequence[int]) -> str:
        """The text of token ids, special ones included."""
        await self._meet()
        return await self.server.spell(ids)

    async def generate(self, request: Request) -> Reply:
        """Ask the model to go on, or to answer a conversation."""
        await self._meet()
        is_chat = bool(messages_of(request.prompt))
        has_ids = self._abilities is not None and "ids_out" in self._abilities.found

        def read(found: dict[str, Any]) -> Reply:
            reply = read_reply(found)
            is_empty = not reply.text and not reply.usage.written
            if has_ids and not is_chat and not reply.ids and not is_empty:
                raise PassingError("the reply has no token ids, although the server can send them")
            return reply

        body = request_body(request, self.name)
        if is_chat and has_ids:
            # Not in `request_body`: servers that cannot do it may refuse what they do not know.
            body["return_token_ids"] = True
        path = "/chat/completions" if is_chat else "/completions"
        reply, failures = await self.server.ask(path, body, read)
        return replace(reply, usage=reply.usage + Usage(requests=1 + failures, retries=failures))

    async def score(self, ids: Sequence[int]) -> Scores:
        """How likely each token after the first was, from one pass over all of them."""
        await self._meet()
        body = score_body(ids, self.name)
        ask = self.server.ask
        scores, failures = await ask("/completions", body, lambda r: read_scores(r, ids))
        return replace(scores, usage=scores.usage + Usage(requests=1 + failures, retries=failures))

    async def _meet(self) -> None:
        """Settle which model is asked, at first contact."""
        if not self.server.is_met:
            async with self._contact:
                if not self.server.is_met:
                    await self.server.find_model()

    async def close(self) -> None:
        """Close the connections."""
        await self.server.close()
