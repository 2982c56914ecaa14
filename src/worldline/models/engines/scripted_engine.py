"""Engine whose completions come from a function, for tests."""

from collections.abc import Callable, Sequence

from worldline.core.errors import EngineError
from worldline.models.engines.engine import (
    CAPABILITIES,
    Capabilities,
    Capability,
    Message,
    Prompt,
    Reply,
    Request,
    Scores,
    TokenScore,
    Usage,
    as_messages,
)
from worldline.models.engines.stop_strings import cut_after_stop

# Smaller ids are the bytes of plain text.
_FIRST_SPECIAL_ID = 256


class ScriptedEngine:
    """Engine that asks a function for the text after a prompt. Each byte is one token.

    It obeys stop ids, stop strings and allowed ids and counts tokens as a server does. It supports
    neither a grammar nor a schema.

    Args:
        answer: returns the completion of a text.
        special_tokens: names of the special tokens.
        end_token: special token that ends a completion.
        context_length: limit that `capabilities` reports.
    """

    name = "scripted"

    def __init__(
        self,
        answer: Callable[[str], str],
        *,
        special_tokens: Sequence[str] = (),
        end_token: str = "",
        context_length: int | None = None,
    ) -> None:
        self._answer = answer
        self._special_ids = {name: _FIRST_SPECIAL_ID + n for n, name in enumerate(special_tokens)}
        self._special_names = {id: name for name, id in self._special_ids.items()}
        self._end_id = self._special_ids.get(end_token)
        self._context_length = context_length
        self.requests: list[Request] = []

    async def capabilities(self) -> Capabilities:
        """All but a grammar, a schema and a cache report."""
        missing: dict[Capability, str] = {
            "grammar": "not scripted",
            "json_schema": "not scripted",
            "cache_report": "no cache",
        }
        return Capabilities(frozenset(CAPABILITIES) - missing.keys(), missing, self._context_length)

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        """ "é" -> (195, 169); "<|frame_sep|>" -> one id, if special tokens are parsed."""
        ids: list[int] = []
        while text:
            names = self._special_ids if parse_special_tokens else ()
            special = next((name for name in names if text.startswith(name)), None)
            ids += text[0].encode() if special is None else [self._special_ids[special]]
            text = text[1 if special is None else len(special) :]
        return tuple(ids)

    async def detokenize(self, ids: Sequence[int]) -> str:
        """Text of token ids."""
        names = self._special_names
        encoded = [names[id].encode() if id in names else bytes([id]) for id in ids]
        return b"".join(encoded).decode("utf-8", "replace")

    async def generate(self, request: Request) -> Reply:
        """The function's completion, as far as the request allows it."""
        self.requests.append(request)
        if request.grammar is not None or request.json_schema is not None:
            raise EngineError("the scripted engine supports no grammar")
        answer = self._answer(await self._text(request.prompt))
        answer_ids = await self.tokenize(answer, parse_special_tokens=True)
        ids: list[int] = []
        has_stopped = False
        for token in answer_ids[: request.max_tokens]:
            if request.allowed_ids and token not in request.allowed_ids:
                token = request.allowed_ids[0]
            ids.append(token)
            text = await self.detokenize(ids) if request.stop else ""
            is_stop = token in request.stop_ids or token == self._end_id
            if is_stop or cut_after_stop(text, request.stop) is not None:
                has_stopped = True
                break
        has_stopped = has_stopped or len(ids) < request.max_tokens
        return Reply(
            text=await self.detokenize(ids),
            finish="stop" if has_stopped else "truncated",
            ids=tuple(ids),
            logprobs=(0.0,) * len(ids) if request.logprobs else (),
            usage=Usage(prompt=len(request.prompt), completion=len(ids), requests=1),
        )

    async def score(self, ids: Sequence[int]) -> Scores:
        """Log-probability 0 for a token that the function gives, -10 for every other token."""
        scores = []
        for index in range(1, len(ids)):
            answer = self._answer(await self.detokenize(ids[:index]))
            likeliest = (await self.tokenize(answer, parse_special_tokens=True) or (0,))[0]
            is_likeliest = likeliest == ids[index]
            rank = 1 if is_likeliest else 2
            scores.append(TokenScore(0.0 if is_likeliest else -10.0, rank, likeliest))
        return Scores(tuple(scores), Usage(prompt=len(ids), requests=1))

    async def render_chat(
        self, messages: Sequence[Message], *, prefill: str = ""
    ) -> tuple[int, ...]:
        """The messages, one after the other, and the beginning of the answer."""
        text = await self._text(tuple(messages))
        return await self.tokenize(f"{text}\n{prefill}")

    async def close(self) -> None:
        """Do nothing."""

    async def _text(self, prompt: Prompt) -> str:
        if isinstance(prompt, str):
            return prompt
        messages = as_messages(prompt)
        if messages:
            return "\n".join(message.content for message in messages)
        return await self.detokenize([id for id in prompt if isinstance(id, int)])
