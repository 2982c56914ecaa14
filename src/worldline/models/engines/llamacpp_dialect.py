"""Dialect of llama.cpp's server: `llama-server`, and programs that contain it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from worldline.core.errors import EngineError
from worldline.models.engines.engine import (
    NO_USAGE,
    Message,
    Reply,
    Request,
    Scores,
    Usage,
    as_messages,
)
from worldline.models.engines.gbnf import lark_to_gbnf
from worldline.models.engines.openai_dialect import OpenAIDialect
from worldline.models.engines.openai_protocol import template_options
from worldline.models.engines.reasoning import split_reasoning
from worldline.models.engines.retry import TransientError
from worldline.models.engines.server_pool import ServerPool

# Added to the logits of allowed ids: larger than any difference of logits, and small enough for
# them to stay different in float32.
_ALLOWED_BIAS = 1000.0
# Only the temperature changes what is sampled, as with the other engines.
_PLAIN_SAMPLING = {"top_k": 0, "top_p": 1.0, "min_p": 0.0, "repeat_penalty": 1.0}


def is_llamacpp(properties: Mapping[str, Any]) -> bool:
    """Whether the reply to `/props` is that of llama.cpp's server."""
    return isinstance(properties.get("default_generation_settings"), Mapping)


@dataclass(frozen=True, slots=True)
class _Part:
    """Reply of `/completion`."""

    content: str
    ids: tuple[int, ...]
    logprobs: tuple[float, ...]
    stop_type: Literal["eos", "word", "limit"]
    stopping_word: str
    usage: Usage


class LlamaCppDialect:
    """Requests to `/completion`, with token ids in both directions.

    The server has no stop ids. The strings of these tokens are stop strings instead, and where the
    model spelled such a string in other tokens, the completion is continued.

    Args:
        server: the server.
        openai: dialect of its chat endpoint.
        extra_body: fields of the body of every request, in addition.
    """

    name = "llama.cpp"

    def __init__(
        self,
        server: ServerPool,
        openai: OpenAIDialect,
        *,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        self._server = server
        self._openai = openai
        self._extra = dict(extra_body or {})
        self._pieces: dict[int, str] = {}

    @property
    def dropped(self) -> frozenset[str]:
        """Fields of requests that the server refuses and that are therefore not sent."""
        return self._openai.dropped

    async def generate(
        self, request: Request, *, briefly: bool = False, ids_expected: bool = False
    ) -> Reply:
        """Generate a completion of a prompt or a conversation."""
        messages = as_messages(request.prompt)
        if not messages:
            return await self._complete(request, briefly=briefly, ids_expected=ids_expected)
        if not (request.stop_ids or request.stop or request.allowed_ids or request.grammar):
            return await self._openai.generate(request, briefly=briefly)
        # The chat endpoint knows no token ids and leaves stop strings out of the text.
        prompt = await self.render_chat(messages, briefly=briefly)
        reply = await self._complete(
            replace(request, prompt=prompt), briefly=briefly, ids_expected=ids_expected
        )
        reasoning, text = split_reasoning({}, reply.text)
        return replace(reply, text=text, reasoning=reasoning, prompt_ids=prompt)

    async def score(self, ids: Sequence[int], *, briefly: bool = False) -> Scores:
        """Not supported.

        Raises:
            EngineError: always.
        """
        raise EngineError(
            "llama.cpp's server returns no log-probabilities of prompts; use vLLM, or the model in "
            "this process (transformers:FOLDER)"
        )

    async def render_chat(
        self, messages: Sequence[Message], *, prefill: str = "", briefly: bool = False
    ) -> tuple[int, ...]:
        """Token ids of messages, from `/apply-template`."""
        body: dict[str, Any] = {
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            **template_options(self._extra),
        }
        reply, _ = await self._server.post("/apply-template", body, dict, briefly=briefly)
        text = reply.get("prompt")
        if not isinstance(text, str):
            raise EngineError(f"{self._server.url} does not render messages as text")
        # The server leaves out the token that begins a text, and adds it here.
        body = {"content": text, "add_special": True, "parse_special": True}
        reply, _ = await self._server.post("/tokenize", body, dict, briefly=briefly)
        return (*reply["tokens"], *await self._server.tokenize(prefill))

    async def _complete(self, request: Request, *, briefly: bool, ids_expected: bool) -> Reply:
        prompt = await self._prompt_ids(request)
        body = await self._body(request)
        ids: tuple[int, ...] = ()
        logprobs: tuple[float, ...] = ()
        usage = NO_USAGE

        def parse(reply: dict[str, Any]) -> _Part:
            part = _parse_part(reply)
            if ids_expected and part.content and not part.ids:
                raise TransientError(
                    "the reply has no token ids, although the server can send them"
                )
            return part

        while True:
            left = request.max_tokens - len(ids)
            part, failures = await self._server.post(
                "/completion",
                body | {"prompt": [*prompt, *ids], "n_predict": left} | self._extra,
                parse,
                briefly=briefly,
            )
            # The server ends with a complete character, which may take more tokens.
            ids, logprobs = ids + part.ids[:left], logprobs + part.logprobs[:left]
            usage += part.usage + Usage(requests=1 + failures, retries=failures)
            is_spelled = (
                part.stop_type == "word"
                and part.stopping_word not in request.stop
                and part.ids[-1:] not in [(token,) for token in request.stop_ids]
            )
            if not is_spelled or not part.ids or len(ids) >= request.max_tokens:
                break
        has_stopped = part.stop_type != "limit" and not is_spelled and len(part.ids) <= left
        return Reply(
            text=await self._text(request, part, ids) if part.ids else part.content,
            finish="stop" if has_stopped else "truncated",
            ids=ids,
            logprobs=logprobs if request.logprobs else (),
            # A continued request has the same prompt.
            usage=replace(usage, prompt=min(usage.prompt, len(prompt))),
            prompt_ids=prompt if isinstance(request.prompt, str) else (),
        )

    async def _prompt_ids(self, request: Request) -> tuple[int, ...]:
        if isinstance(request.prompt, str):
            # Not as text: the server would add a token that begins a text.
            return await self._server.tokenize(request.prompt, parse_special_tokens=True)
        return tuple(part for part in request.prompt if isinstance(part, int))

    async def _body(self, request: Request) -> dict[str, Any]:
        body: dict[str, Any] = {
            "temperature": request.temperature,
            "return_tokens": True,
            "cache_prompt": True,
            **_PLAIN_SAMPLING,
        }
        stops = list(request.stop)
        if request.grammar is not None:
            # The model ends its output where the grammar ends.
            body["grammar"] = lark_to_gbnf(request.grammar)
        elif request.stop_ids:
            names = [await self._piece(token) for token in request.stop_ids]
            # Special tokens that are not named here are left out of the text.
            body["preserved_tokens"] = names
            stops += [name for name in names if name]
        if stops:
            body["stop"] = stops
        if request.json_schema is not None:
            body["json_schema"] = dict(request.json_schema)
        if request.allowed_ids:
            body["logit_bias"] = [[token, _ALLOWED_BIAS] for token in request.allowed_ids]
        if request.seed is not None:
            body["seed"] = request.seed
        if request.logprobs:
            body["n_probs"] = 1
        return body

    async def _text(self, request: Request, part: _Part, ids: tuple[int, ...]) -> str:
        """Text of a completion, special tokens included, up to the stop string."""
        if part.stop_type == "eos" and ids[-1:] not in [(token,) for token in request.stop_ids]:
            ids = ids[:-1]
        # The server's own text lacks special tokens.
        text = await self._server.detokenize(ids)
        if part.stop_type == "word" and part.stopping_word in request.stop:
            # The last token may contain more than the end of the stop string.
            last = len(text) - len(await self._piece(ids[-1]))
            start = text.find(part.stopping_word, max(0, last - len(part.stopping_word) + 1))
            text = text[: start + len(part.stopping_word)] if start >= 0 else text
        return text

    async def _piece(self, token: int) -> str:
        """Text of one token."""
        if token not in self._pieces:
            self._pieces[token] = await self._server.detokenize([token])
        return self._pieces[token]


def _parse_part(body: dict[str, Any]) -> _Part:
    """Parse a reply of `/completion`.

    Raises:
        TransientError: the reply is malformed; a retry may help.
    """
    content, stop_type = body.get("content"), body.get("stop_type")
    if not isinstance(content, str):
        raise TransientError("the reply has no text")
    if body.get("truncated"):
        stop_type = "limit"
    if stop_type not in ("eos", "word", "limit"):
        raise TransientError(f"the reply is incomplete: stop_type is {stop_type!r}")
    timings = body.get("timings") or {}
    probabilities = body.get("completion_probabilities") or []
    return _Part(
        content=content,
        ids=tuple(int(token) for token in body.get("tokens") or []),
        logprobs=tuple(float(entry["logprob"]) for entry in probabilities),
        stop_type=stop_type,
        stopping_word=str(body.get("stopping_word") or ""),
        usage=Usage(
            prompt=body.get("tokens_evaluated") or 0,
            cached=timings.get("cache_n") or 0,
            completion=body.get("tokens_predicted") or 0,
        ),
    )
