"""Probe of a server's capabilities, each tested by its effect.

Servers ignore unknown fields and answer 200 all the same, so a capability counts only if its
effect was observed.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from worldline.core.errors import EngineError
from worldline.models.engines.engine import Capabilities, Capability, Message, Request
from worldline.models.engines.openai_protocol import (
    parse_reply,
    parse_scores,
    request_body,
    score_body,
)
from worldline.models.engines.retry import TransientError
from worldline.models.engines.server_pool import ServerPool

_TEXT = "def f(x):\n    y = x + 1\n    return y\n"
# A prefix cache works in blocks, so a short prompt is never cached.
_LONG_TEXT = "".join(f"value_{n} = {n} * {n + 1}\n" for n in range(60))


class _NotSupported(Exception):  # noqa: N818
    """The reason why the server lacks a capability. Raised and caught inside this module."""


async def probe_capabilities(server: ServerPool) -> Capabilities:
    """Test every capability once, with about twenty short requests.

    Raises:
        EngineError: the server is not reachable.
    """
    context_length = await server.find_model()
    probes = _Probes(server)
    attempts: list[tuple[Capability, Callable[[], Awaitable[None]]]] = [
        ("tokenize", probes.tokenize),
        ("ids_in", probes.ids_in),
        ("ids_out", probes.ids_out),
        ("allowed_ids", probes.allowed_ids),
        ("stop_ids", probes.stop_ids),
        ("special_tokens", probes.special_tokens),
        ("grammar", probes.grammar),
        ("logprobs", probes.logprobs),
        ("prompt_scores", probes.prompt_scores),
        ("seed", probes.seed),
        ("cache_report", probes.cache_report),
        ("chat", probes.chat),
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
            missing[capability] = f"its reply has another shape: {reason!r}"
    supported = frozenset(capability for capability, _ in attempts if capability not in missing)
    return Capabilities(supported, missing, context_length)


class _Probes:
    """Tests of a server, one method per capability.

    A method returns if the effect was observed, and raises `_NotSupported` if not.
    """

    def __init__(self, server: ServerPool) -> None:
        self.server = server
        self.ids: tuple[int, ...] = ()

    async def tokenize(self) -> None:
        self.ids = await self.server.tokenize(_TEXT)
        if not self.ids:
            raise _NotSupported("it reports no tokens for a text")
        text = await self.server.detokenize(self.ids)
        if text != _TEXT:
            raise _NotSupported(f"the tokens of a text give a different text: {text[:40]!r}")

    async def ids_in(self) -> None:
        reply = await self._complete(self._prompt_ids(), 1)
        if reply.get("usage", {}).get("prompt_tokens") != len(self._prompt_ids()):
            raise _NotSupported("a prompt of token ids was read as something else")

    async def ids_out(self) -> None:
        choice = await self._choice(self._prompt_ids(), 4, return_token_ids=True)
        ids = choice.get("token_ids")
        if not isinstance(ids, list) or not ids:
            raise _NotSupported("return_token_ids is ignored")

    async def allowed_ids(self) -> None:
        ids = await self._generated_ids(4, allowed_token_ids=[self._prompt_ids()[0]])
        if set(ids) != {self._prompt_ids()[0]}:
            raise _NotSupported("allowed_token_ids is ignored")

    async def stop_ids(self) -> None:
        token = (await self._generated_ids(1))[0]
        ids = await self._generated_ids(6, stop_token_ids=[token])
        if len(ids) != 1:
            raise _NotSupported("stop_token_ids is ignored")

    async def special_tokens(self) -> None:
        special = await self._find_special_token()
        if special is None:
            raise _NotSupported("no special token was found to try it with")
        choice = await self._choice(
            self._prompt_ids(), 2, allowed_token_ids=[special[1]], skip_special_tokens=False,
            ignore_eos=True, return_token_ids=True,
        )  # fmt: skip
        if special[0] not in str(choice.get("text")):
            raise _NotSupported("special tokens are left out of the text")

    async def grammar(self) -> None:
        rule = 'start: "no" /[3-5]/ "way"'
        choice = await self._choice(
            self._prompt_or_text(), 12, structured_outputs={"grammar": rule}
        )
        text = str(choice.get("text"))
        if text not in ("no3way", "no4way", "no5way"):
            raise _NotSupported("structured_outputs is ignored, or not understood")

    async def logprobs(self) -> None:
        choice = await self._choice(
            self._prompt_or_text(),
            3,
            logprobs=0,
            return_tokens_as_token_ids=True,
            return_token_ids=True,
        )
        logprobs = (choice.get("logprobs") or {}).get("token_logprobs")
        if not isinstance(logprobs, list) or not logprobs:
            raise _NotSupported("logprobs is ignored, or returned in another shape")

    async def prompt_scores(self) -> None:
        body = score_body(self._prompt_ids(), self.server.model)
        reply = await self.server.post_briefly("/completions", body)
        try:
            parse_scores(reply, self._prompt_ids())
        except (TransientError, KeyError, ValueError, TypeError, AttributeError):
            raise _NotSupported(
                "prompt_logprobs is ignored, or returned in another shape"
            ) from None

    async def seed(self) -> None:
        texts = [
            str(
                (await self._choice(self._prompt_or_text(), 8, temperature=1.0, seed=n)).get("text")
            )
            for n in (7, 7, 8, 9)
        ]
        if texts[0] != texts[1]:
            raise _NotSupported("the same seed gave different texts")
        if len(set(texts)) == 1:
            raise _NotSupported("other seeds gave the same text")

    async def cache_report(self) -> None:
        cached = 0
        for _ in range(2):
            usage = (await self._complete(_LONG_TEXT, 1)).get("usage") or {}
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        if not cached:
            raise _NotSupported(
                "the same prompt again reports no cached tokens; vLLM needs "
                "--enable-prefix-caching and --enable-prompt-tokens-details"
            )

    async def chat(self) -> None:
        body = request_body(Request((Message("user", "Say yes."),), 2), self.server.model)
        try:
            parse_reply(await self.server.post_briefly("/chat/completions", body))
        except TransientError as error:
            raise _NotSupported(str(error)) from None

    def _prompt_or_text(self) -> list[int] | str:
        return list(self.ids) or _TEXT

    def _prompt_ids(self) -> list[int]:
        if not self.ids:
            raise _NotSupported("the server does not report the tokens of a text")
        return list(self.ids)

    async def _find_special_token(self) -> tuple[str, int] | None:
        for name in ("<|begin_of_text|>", "<|endoftext|>", "<|im_end|>", "<s>", "</s>", "<bos>"):
            ids = await self.server.tokenize(name, parse_special_tokens=True)
            if len(ids) == 1:
                return name, ids[0]
        return None

    async def _generated_ids(self, max_tokens: int, **fields: Any) -> list[int]:
        choice = await self._choice(self._prompt_ids(), max_tokens, return_token_ids=True, **fields)
        ids = choice.get("token_ids")
        if not isinstance(ids, list) or not ids:
            raise _NotSupported("cannot be tested without token ids in the reply")
        return ids

    async def _choice(
        self, prompt: list[int] | str, max_tokens: int, **fields: Any
    ) -> dict[str, Any]:
        choices = (await self._complete(prompt, max_tokens, **fields)).get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise _NotSupported("the reply has no choices")
        choice: dict[str, Any] = choices[0]
        return choice

    async def _complete(
        self, prompt: list[int] | str, max_tokens: int, **fields: Any
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self.server.model,
            "prompt": prompt,
            "max_tokens": max_tokens,
        }
        body |= {"temperature": 0.0, **fields}
        return await self.server.post_briefly("/completions", body)
