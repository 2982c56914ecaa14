"""Dialect of OpenAI's API, with the extensions of vLLM."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from worldline.core.errors import EngineError
from worldline.models.engines.engine import Message, Reply, Request, Scores, Usage, as_messages
from worldline.models.engines.openai_protocol import (
    parse_reply,
    parse_scores,
    request_body,
    score_body,
    template_options,
)
from worldline.models.engines.refused_fields import RefusedFields
from worldline.models.engines.retry import TransientError
from worldline.models.engines.server_connection import RequestRefused
from worldline.models.engines.server_pool import ReplyParser, Result, ServerPool

_CHAT, _TEXT = "/chat/completions", "/completions"
# OpenAI refuses a request whose whole limit went into reasoning.
_BUDGET_SPENT = re.compile(r"could not finish the message because max_tokens", re.IGNORECASE)


class OpenAIDialect:
    """Requests to a server that follows OpenAI's API.

    A server may refuse fields that others need (`max_tokens`, `temperature`). What it refuses is
    learned from its answers, not from the model's name.

    Args:
        server: the server.
        extra_body: fields of the body of every request, in addition.
        reasoning_effort: how much a reasoning model is to reason.
    """

    name = "OpenAI"

    def __init__(
        self,
        server: ServerPool,
        *,
        extra_body: Mapping[str, Any] | None = None,
        reasoning_effort: str | None = None,
    ) -> None:
        self._server = server
        effort = {"reasoning_effort": reasoning_effort} if reasoning_effort else {}
        self._extra = {_TEXT: dict(extra_body or {}), _CHAT: effort | dict(extra_body or {})}
        self._refused = {_TEXT: RefusedFields(), _CHAT: RefusedFields()}

    @property
    def dropped(self) -> frozenset[str]:
        """Fields of requests that the server refuses and that are therefore not sent."""
        return frozenset().union(*(fields.dropped for fields in self._refused.values()))

    async def generate(
        self, request: Request, *, briefly: bool = False, ids_expected: bool = False
    ) -> Reply:
        """Generate a completion of a prompt or a conversation."""
        is_chat = bool(as_messages(request.prompt))

        def parse(body: dict[str, Any]) -> Reply:
            reply = parse_reply(body)
            is_empty = not reply.text and not reply.usage.completion
            if ids_expected and not is_chat and not reply.ids and not is_empty:
                raise TransientError(
                    "the reply has no token ids, although the server can send them"
                )
            return reply

        body = request_body(request, self._server.model)
        if is_chat and ids_expected:
            # Not in `request_body`: a server without this field may refuse the request.
            body["return_token_ids"] = True
        try:
            reply, failures = await self._post(
                _CHAT if is_chat else _TEXT, body, parse, briefly=briefly
            )
        except RequestRefused as refusal:
            if not _BUDGET_SPENT.search(refusal.reason):
                raise
            reply, failures = Reply("", "truncated"), 0
        return replace(reply, usage=reply.usage + Usage(requests=1 + failures, retries=failures))

    async def score(self, ids: Sequence[int], *, briefly: bool = False) -> Scores:
        """Score each token after the first, in one forward pass."""
        scores, failures = await self._post(
            _TEXT,
            score_body(ids, self._server.model),
            lambda reply: parse_scores(reply, ids),
            briefly=briefly,
        )
        return replace(scores, usage=scores.usage + Usage(requests=1 + failures, retries=failures))

    async def render_chat(
        self, messages: Sequence[Message], *, prefill: str = "", briefly: bool = False
    ) -> tuple[int, ...]:
        """Token ids of messages, from vLLM's `/tokenize`."""
        conversation = [{"role": m.role, "content": m.content} for m in messages]
        body: dict[str, Any] = {
            "model": self._server.model,
            "messages": conversation,
            "add_generation_prompt": True,
            "add_special_tokens": False,
        }
        body |= template_options(self._extra[_CHAT])
        reply, _ = await self._server.post("/tokenize", body, dict, briefly=briefly)
        ids = reply.get("tokens")
        if not isinstance(ids, list) or not ids or not all(isinstance(n, int) for n in ids):
            raise EngineError(f"{self._server.url} does not render messages as token ids")
        # Not with `continue_final_message`: some templates strip the beginning of an answer.
        return tuple(ids) + await self._server.tokenize(prefill)

    async def _post(
        self, path: str, body: dict[str, Any], parse: ReplyParser[Result], *, briefly: bool
    ) -> tuple[Result, int]:
        """Send a request without the fields that the server refuses."""
        refusals = 0
        while True:
            adapted = self._refused[path].adapt(body)
            try:
                result, failures = await self._server.post(
                    path, adapted | self._extra[path], parse, briefly=briefly
                )
            except RequestRefused as refusal:
                if not self._refused[path].learn(refusal, adapted):
                    raise
                refusals += 1
            else:
                return result, failures + refusals
