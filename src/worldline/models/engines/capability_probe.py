"""Probe of a server's capabilities, each tested by its effect.

Servers ignore unknown fields and answer 200 all the same, so a capability counts only if its
effect was observed.
"""

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any

from worldline.core.errors import EngineError
from worldline.models.engines.engine import (
    Capabilities,
    Capability,
    Message,
    Prompt,
    Reply,
    Request,
)
from worldline.models.engines.retry import TransientError
from worldline.models.engines.server_dialect import ServerDialect
from worldline.models.engines.server_pool import ServerPool

_TEXT = "def f(x):\n    y = x + 1\n    return y\n"
# A prefix cache works in blocks, so a short prompt is never cached.
_LONG_TEXT = "".join(f"value_{n} = {n} * {n + 1}\n" for n in range(24))
_QUESTION = (Message("user", "Say yes."),)
# Some hosted models refuse a smaller limit.
_CHAT_TOKENS = 16
# Limits for a reply in JSON; the second one if the first went into reasoning.
_JSON_TOKENS = (48, 2048)
# No model writes this by chance.
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"zq": {"type": "string", "enum": ["k7w"]}},
    "required": ["zq"],
    "additionalProperties": False,
}


class _NotSupported(Exception):  # noqa: N818
    """The reason why the server lacks a capability. Raised and caught inside this module."""


async def probe_capabilities(
    server: ServerPool, dialect: ServerDialect, context_length: int | None
) -> Capabilities:
    """Test every capability once, with about thirty short requests.

    Args:
        server: the server.
        dialect: how it is asked.
        context_length: the model's context length, if known.

    Raises:
        EngineError: the server is not reachable.
    """
    probes = _Probes(server, dialect)
    attempts: list[tuple[Capability, Callable[[], Awaitable[None]]]] = [
        ("tokenize", probes.tokenize),
        ("ids_in", probes.ids_in),
        ("ids_out", probes.ids_out),
        ("chat", probes.chat),
        ("allowed_ids", probes.allowed_ids),
        ("stop_ids", probes.stop_ids),
        ("stop_strings", probes.stop_strings),
        ("special_tokens", probes.special_tokens),
        ("grammar", probes.grammar),
        ("json_schema", probes.json_schema),
        ("logprobs", probes.logprobs),
        ("prompt_scores", probes.prompt_scores),
        ("seed", probes.seed),
        ("cache_report", probes.cache_report),
        ("chat_template", probes.chat_template),
    ]
    missing: dict[Capability, str] = {}
    for capability, attempt in attempts:
        try:
            await attempt()
        except (_NotSupported, EngineError) as reason:
            cause = reason.__cause__
            if isinstance(cause, TransientError) and cause.is_unreachable:
                # A busy or unreachable server does not lack a capability.
                raise
            missing[capability] = str(reason)
        except (TransientError, AttributeError, LookupError, TypeError, ValueError) as reason:
            missing[capability] = f"unexpected reply format: {reason!r}"
    supported = frozenset(capability for capability, _ in attempts if capability not in missing)
    return Capabilities(
        supported, missing, context_length, dialect.name, tuple(sorted(dialect.dropped))
    )


class _Probes:
    """Tests of a server, one method per capability.

    A method returns if the effect was observed, and raises `_NotSupported` if not.
    """

    def __init__(self, server: ServerPool, dialect: ServerDialect) -> None:
        self.server = server
        self.dialect = dialect
        self.ids: tuple[int, ...] = ()
        self.has_text = True
        self.has_chat = False

    async def tokenize(self) -> None:
        self.ids = await self.server.tokenize(_TEXT)
        if not self.ids:
            raise _NotSupported("it reports no tokens for a text")
        text = await self.server.detokenize(self.ids)
        if text != _TEXT:
            raise _NotSupported(f"the tokens of a text give a different text: {text[:40]!r}")

    async def ids_in(self) -> None:
        reply = await self._generate(1, prompt=self._prompt_ids())
        if reply.usage.prompt != len(self._prompt_ids()):
            raise _NotSupported("a prompt of token ids was read as something else")

    async def ids_out(self) -> None:
        if not (await self._generate(4, prompt=self._prompt_ids())).ids:
            raise _NotSupported("return_token_ids is ignored")

    async def chat(self) -> None:
        try:
            await self._generate(_CHAT_TOKENS, prompt=_QUESTION)
        except TransientError as error:
            raise _NotSupported(str(error)) from None
        self.has_chat = True
        if not self.ids:
            # A hosted server may have no endpoint but that for conversations.
            try:
                await self._generate(1, prompt=_TEXT)
            except (EngineError, TransientError) as error:
                cause = error.__cause__
                if isinstance(cause, TransientError) and cause.is_unreachable:
                    raise
                self.has_text = False

    async def allowed_ids(self) -> None:
        token = self._prompt_ids()[0]
        if set(await self._generated_ids(4, allowed_ids=(token,))) != {token}:
            raise _NotSupported("allowed_token_ids is ignored")

    async def stop_ids(self) -> None:
        token = (await self._generated_ids(1))[0]
        if len(await self._generated_ids(6, stop_ids=(token,))) != 1:
            raise _NotSupported("stop_token_ids is ignored")

    async def stop_strings(self) -> None:
        text = (await self._generate(_CHAT_TOKENS)).text
        # Neither the first character nor the last one, so that a stop there is seen.
        stop = next((char for char in text[1:-1] if char.isalnum() and char != text[0]), "")
        if not stop:
            raise _NotSupported("no text was generated to try it with")
        stopped = (await self._generate(_CHAT_TOKENS, stop=(stop,))).text
        if stop not in stopped:
            raise _NotSupported("stop strings are left out of the text")
        if not stopped.endswith(stop) or stopped.count(stop) > 1:
            raise _NotSupported("stop is ignored")

    async def special_tokens(self) -> None:
        special = await self._find_special_token()
        if special is None:
            raise _NotSupported("no special token was found to try it with")
        name, token = special
        # As a stop id, because a token that ends the output is otherwise left out of the text.
        reply = await self._generate(2, allowed_ids=(token,), stop_ids=(token,))
        if name not in reply.text:
            raise _NotSupported("special tokens are left out of the text")

    async def grammar(self) -> None:
        reply = await self._generate(12, grammar='start: "no" /[3-5]/ "way"')
        if reply.text not in ("no3way", "no4way", "no5way"):
            raise _NotSupported("structured_outputs is ignored, or not understood")

    async def json_schema(self) -> None:
        for max_tokens in _JSON_TOKENS:
            reply = await self._generate(
                max_tokens, prompt=_QUESTION if self.has_chat else None, json_schema=_SCHEMA
            )
            if reply.finish == "stop" or not (reply.reasoning or reply.usage.reasoning):
                break
        try:
            is_obeyed = json.loads(reply.text) == {"zq": "k7w"}
        except ValueError:
            is_obeyed = False
        if not is_obeyed:
            raise _NotSupported("a JSON schema is ignored, or not understood")

    async def logprobs(self) -> None:
        if not (await self._generate(3, logprobs=True)).logprobs:
            raise _NotSupported("logprobs is ignored, or returned in another shape")

    async def prompt_scores(self) -> None:
        ids = self._prompt_ids()
        try:
            await self.dialect.score(ids, briefly=True)
        except (TransientError, KeyError, ValueError, TypeError, AttributeError):
            raise _NotSupported(
                "prompt_logprobs is ignored, or returned in another shape"
            ) from None

    async def seed(self) -> None:
        replies = [await self._generate(8, temperature=1.0, seed=n) for n in (7, 7, 8, 9)]
        texts = [reply.text for reply in replies]
        if "seed" in self.dialect.dropped:
            raise _NotSupported("it refuses a seed")
        if texts[0] != texts[1]:
            raise _NotSupported("the same seed gave different texts")
        if len(set(texts)) == 1:
            raise _NotSupported("other seeds gave the same text")

    async def cache_report(self) -> None:
        prompt: Prompt = _LONG_TEXT if self.has_text else (Message("user", _LONG_TEXT),)
        for _ in range(2):
            cached = (await self._generate(1, prompt=prompt)).usage.cached
        if not cached:
            raise _NotSupported(
                "the same prompt again reports no cached tokens; vLLM needs "
                "--enable-prefix-caching and --enable-prompt-tokens-details"
            )

    async def chat_template(self) -> None:
        plain = await self.dialect.render_chat(_QUESTION, briefly=True)
        prompt = await self.dialect.render_chat(_QUESTION, prefill="Yes", briefly=True)
        if prompt[: len(plain)] != plain or len(prompt) == len(plain):
            raise _NotSupported("the beginning of an answer is not where the answer begins")
        text = prompt if isinstance(prompt, str) else await self.server.detokenize(prompt)
        if _QUESTION[0].content not in text or not text.endswith("Yes"):
            raise _NotSupported("the rendered messages lack their text")

    def _prompt_ids(self) -> tuple[int, ...]:
        if not self.ids:
            raise _NotSupported("the server does not report the tokens of a text")
        return self.ids

    async def _find_special_token(self) -> tuple[str, int] | None:
        for name in ("<|begin_of_text|>", "<|endoftext|>", "<|im_end|>", "<s>", "</s>", "<bos>"):
            ids = await self.server.tokenize(name, parse_special_tokens=True)
            if len(ids) == 1:
                return name, ids[0]
        return None

    async def _generated_ids(self, max_tokens: int, **fields: Any) -> tuple[int, ...]:
        ids = (await self._generate(max_tokens, prompt=self._prompt_ids(), **fields)).ids
        if not ids:
            raise _NotSupported("cannot be tested without token ids in the reply")
        return ids

    async def _generate(
        self, max_tokens: int, *, prompt: Prompt | None = None, **fields: Any
    ) -> Reply:
        """Generate from a prompt in the best form that the server takes."""
        default: Prompt = self.ids or (_TEXT if self.has_text else _QUESTION)
        request = replace(Request(prompt or default, max_tokens), **fields)
        return await self.dialect.generate(request, briefly=True)
