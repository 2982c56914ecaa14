"""A server goes in; what it can really do comes out, each ability tried and judged by its effect.

Servers ignore fields that they do not know and answer 200 all the same, so nothing is believed
that was not seen to work.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from worldline.engines.engine import Abilities, Ability, Message, Request
from worldline.engines.patience import PassingError
from worldline.engines.server import Server
from worldline.engines.wire import read_reply, read_scores, request_body, score_body
from worldline.errors import EngineError

_TEXT = "def f(x):\n    y = x + 1\n    return y\n"
# A small number of tokens is computed again each time; a cache works in blocks.
_LONG = "".join(f"value_{n} = {n} * {n + 1}\n" for n in range(60))


class _Absent(Exception):  # noqa: N818
    """Why an ability is not there; not seen outside of this file."""


async def probe(server: Server) -> Abilities:
    """Try every ability once; about twenty short requests."""
    context_length = await server.find_model()
    tries = _Tries(server)
    steps: list[tuple[Ability, Callable[[], Awaitable[None]]]] = [
        ("tokenize", tries.tokenize),
        ("ids_in", tries.ids_in),
        ("ids_out", tries.ids_out),
        ("allowed_ids", tries.allowed_ids),
        ("stop_ids", tries.stop_ids),
        ("special_tokens", tries.special_tokens),
        ("grammar", tries.grammar),
        ("logprobs", tries.logprobs),
        ("prompt_scores", tries.prompt_scores),
        ("seed", tries.seed),
        ("cache_report", tries.cache_report),
        ("chat", tries.chat),
    ]
    missing: dict[Ability, str] = {}
    for ability, attempt in steps:
        try:
            await attempt()
        except (_Absent, EngineError) as reason:
            cause = reason.__cause__
            if isinstance(cause, PassingError) and cause.is_absence:
                # A server that is busy or gone is not one that lacks an ability.
                raise
            missing[ability] = str(reason)
        except (PassingError, AttributeError, LookupError, TypeError, ValueError) as reason:
            missing[ability] = f"its reply has another shape: {reason!r}"
    found = frozenset(ability for ability, _ in steps if ability not in missing)
    return Abilities(found, missing, context_length)


class _Tries:
    """One method an ability: it returns where the effect was seen, and says why where not."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.ids: tuple[int, ...] = ()

    async def tokenize(self) -> None:
        self.ids = await self.server.tokenize(_TEXT)
        if not self.ids:
            raise _Absent("it says that a text has no tokens")
        text = await self.server.spell(self.ids)
        if text != _TEXT:
            raise _Absent(f"tokens of a text spell another one: {text[:40]!r}")

    async def ids_in(self) -> None:
        reply = await self._complete(self._prompt(), 1)
        if reply.get("usage", {}).get("prompt_tokens") != len(self._prompt()):
            raise _Absent("a prompt of token ids was read as something else")

    async def ids_out(self) -> None:
        choice = await self._choice(self._prompt(), 4, return_token_ids=True)
        ids = choice.get("token_ids")
        if not isinstance(ids, list) or not ids:
            raise _Absent("return_token_ids is ignored")

    async def allowed_ids(self) -> None:
        ids = await self._written(4, allowed_token_ids=[self._prompt()[0]])
        if set(ids) != {self._prompt()[0]}:
            raise _Absent("allowed_token_ids is ignored")

    async def stop_ids(self) -> None:
        token = (await self._written(1))[0]
        ids = await self._written(6, stop_token_ids=[token])
        if len(ids) != 1:
            raise _Absent("stop_token_ids is ignored")

    async def special_tokens(self) -> None:
        # The one special token that nearly every vocabulary has stands where a text begins.
        special = await self._any_special()
        if special is None:
            raise _Absent("no special token was found to try it with")
        choice = await self._choice(
            self._prompt(), 2, allowed_token_ids=[special[1]], skip_special_tokens=False,
            ignore_eos=True, return_token_ids=True,
        )  # fmt: skip
        if special[0] not in str(choice.get("text")):
            raise _Absent("special tokens are left out of the text")

    async def grammar(self) -> None:
        rule = 'start: "no" /[3-5]/ "way"'
        choice = await self._choice(self._text(), 12, structured_outputs={"grammar": rule})
        text = str(choice.get("text"))
        if text not in ("no3way", "no4way", "no5way"):
            raise _Absent("structured_outputs is ignored, or not understood")

    async def logprobs(self) -> None:
        choice = await self._choice(
            self._text(), 3, logprobs=0, return_tokens_as_token_ids=True, return_token_ids=True
        )
        found = (choice.get("logprobs") or {}).get("token_logprobs")
        if not isinstance(found, list) or not found:
            raise _Absent("logprobs is ignored, or returned in another shape")

    async def prompt_scores(self) -> None:
        body = score_body(self._prompt(), self.server.model)
        reply = await self.server.ask_impatiently("/completions", body)
        try:
            read_scores(reply, self._prompt())
        except (PassingError, KeyError, ValueError, TypeError, AttributeError):
            raise _Absent("prompt_logprobs is ignored, or returned in another shape") from None

    async def seed(self) -> None:
        texts = [
            str((await self._choice(self._text(), 8, temperature=1.0, seed=n)).get("text"))
            for n in (7, 7, 8, 9)
        ]
        if texts[0] != texts[1]:
            raise _Absent("the same seed gave different texts")
        if len(set(texts)) == 1:
            raise _Absent("other seeds gave the same text")

    async def cache_report(self) -> None:
        cached = 0
        for _ in range(2):
            usage = (await self._complete(_LONG, 1)).get("usage") or {}
            cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        if not cached:
            raise _Absent(
                "the same prompt again reports no cached tokens; vLLM needs "
                "--enable-prefix-caching and --enable-prompt-tokens-details"
            )

    async def chat(self) -> None:
        body = request_body(Request((Message("user", "Say yes."),), 2), self.server.model)
        try:
            read_reply(await self.server.ask_impatiently("/chat/completions", body))
        except PassingError as error:
            raise _Absent(str(error)) from None

    def _text(self) -> list[int] | str:
        return list(self.ids) or _TEXT

    def _prompt(self) -> list[int]:
        if not self.ids:
            raise _Absent("the server does not say which tokens a text has")
        return list(self.ids)

    async def _any_special(self) -> tuple[str, int] | None:
        for name in ("<|begin_of_text|>", "<|endoftext|>", "<|im_end|>", "<s>", "</s>", "<bos>"):
            ids = await self.server.tokenize(name, has_specials=True)
            if len(ids) == 1:
                return name, ids[0]
        return None

    async def _written(self, most: int, **fields: Any) -> list[int]:
        choice = await self._choice(self._prompt(), most, return_token_ids=True, **fields)
        ids = choice.get("token_ids")
        if not isinstance(ids, list) or not ids:
            raise _Absent("cannot be seen without token ids out")
        return ids

    async def _choice(self, prompt: list[int] | str, most: int, **fields: Any) -> dict[str, Any]:
        choices = (await self._complete(prompt, most, **fields)).get("choices")
        if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
            raise _Absent("the reply has no choices")
        found: dict[str, Any] = choices[0]
        return found

    async def _complete(self, prompt: list[int] | str, most: int, **fields: Any) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.server.model, "prompt": prompt, "max_tokens": most}
        body |= {"temperature": 0.0, **fields}
        return await self.server.ask_impatiently("/completions", body)
