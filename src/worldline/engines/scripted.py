"""An engine that answers from a function: for unit tests, beside the real ones."""

from collections.abc import Callable, Sequence

from worldline.engines.engine import (
    ABILITIES,
    Abilities,
    Ability,
    Prompt,
    Reply,
    Request,
    Scores,
    TokenScore,
    Usage,
    messages_of,
)
from worldline.errors import EngineError

# Ids below are the bytes of ordinary text.
_FIRST_SPECIAL = 256


class ScriptedEngine:
    """Asks a function what comes behind a text, and says it token by token, a byte each.

    `specials` are its special tokens; the one named `end` ends what it writes. It obeys stop and
    allowed ids, and counts, as a real one does; it knows no grammar.
    """

    name = "scripted"

    def __init__(
        self,
        answer: Callable[[str], str],
        *,
        specials: Sequence[str] = (),
        end: str = "",
        context_length: int | None = None,
    ) -> None:
        self._answer = answer
        self._specials = {text: _FIRST_SPECIAL + n for n, text in enumerate(specials)}
        self._spelled = {id: text for text, id in self._specials.items()}
        self._end = self._specials.get(end)
        self._context_length = context_length
        self.requests: list[Request] = []

    async def abilities(self) -> Abilities:
        """All but a grammar."""
        missing: dict[Ability, str] = {"grammar": "not scripted", "cache_report": "no cache"}
        return Abilities(frozenset(ABILITIES) - missing.keys(), missing, self._context_length)

    async def tokenize(self, text: str, *, has_specials: bool = False) -> tuple[int, ...]:
        """ "é" -> (195, 169); "<|frame_sep|>" -> one id, where specials are spelled."""
        ids: list[int] = []
        while text:
            special = next((s for s in self._specials if has_specials and text.startswith(s)), None)
            ids += text[0].encode() if special is None else [self._specials[special]]
            text = text[1 if special is None else len(special) :]
        return tuple(ids)

    async def spell(self, ids: Sequence[int]) -> str:
        """The text of token ids."""
        parts = [self._spelled[n].encode() if n in self._spelled else bytes([n]) for n in ids]
        return b"".join(parts).decode("utf-8", "replace")

    async def generate(self, request: Request) -> Reply:
        """What the function says comes next, as far as the request lets it."""
        self.requests.append(request)
        if request.grammar is not None:
            raise EngineError("the scripted engine knows no grammar")
        said = await self.tokenize(
            self._answer(await self._text(request.prompt)), has_specials=True
        )
        ids: list[int] = []
        has_stopped = False
        for token in said[: request.max_tokens]:
            if request.allowed_ids and token not in request.allowed_ids:
                token = request.allowed_ids[0]
            ids.append(token)
            if token in request.stop_ids or token == self._end:
                has_stopped = True
                break
        has_stopped = has_stopped or len(ids) < request.max_tokens
        return Reply(
            text=await self.spell(ids),
            finish="stop" if has_stopped else "length",
            ids=tuple(ids),
            logprobs=(0.0,) * len(ids) if request.logprobs else (),
            usage=Usage(prompt=len(request.prompt), written=len(ids), requests=1),
        )

    async def score(self, ids: Sequence[int]) -> Scores:
        """Sure of what the function says, surprised by anything else."""
        scores = []
        for place in range(1, len(ids)):
            said = self._answer(await self.spell(ids[:place]))
            likeliest = (await self.tokenize(said, has_specials=True) or (0,))[0]
            is_likeliest = likeliest == ids[place]
            rank = 1 if is_likeliest else 2
            scores.append(TokenScore(0.0 if is_likeliest else -10.0, rank, likeliest))
        return Scores(tuple(scores), Usage(prompt=len(ids), requests=1))

    async def close(self) -> None:
        """Nothing to let go of."""

    async def _text(self, prompt: Prompt) -> str:
        if isinstance(prompt, str):
            return prompt
        messages = messages_of(prompt)
        if messages:
            return "\n".join(message.content for message in messages)
        return await self.spell([part for part in prompt if isinstance(part, int)])
