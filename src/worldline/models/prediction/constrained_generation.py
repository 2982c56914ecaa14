"""Completion of a prompt: some tokens are teacher-forced, a model generates the rest."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.core.errors import EngineError
from worldline.models.codecs import SpecialToken
from worldline.models.engines import Engine, Reply, Request, Usage
from worldline.models.prediction.codec_tokenizer import CodecTokenizer, Ids


class MaxTokensReached(Exception):  # noqa: N818
    """Raised when the completion reaches its token limit; the predictor catches it."""


@dataclass(frozen=True, slots=True)
class SamplingParams:
    """How a model samples its tokens."""

    temperature: float = 0.0
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class Position:
    """A position in a completion: its numbers of token ids, characters and forced spans."""

    ids: int
    chars: int
    spans: tuple[tuple[int, int], ...]


class ConstrainedGeneration:
    """A completion as it grows.

    The prompt of each request is the prompt and all tokens so far, id for id, so that the prefix
    cache of a server holds it. With `keeps_logprobs`, `logprobs` are the log-probabilities of all
    generated tokens.
    """

    def __init__(
        self,
        engine: Engine,
        codec_tokenizer: CodecTokenizer,
        prompt: Ids,
        *,
        max_tokens: int,
        sampling: SamplingParams,
        keeps_logprobs: bool = False,
    ) -> None:
        self.engine = engine
        self.codec_tokenizer = codec_tokenizer
        self.prompt = prompt
        self.max_tokens = max_tokens
        self.sampling = sampling
        self.keeps_logprobs = keeps_logprobs
        self.logprobs: list[float] = []
        self.ids: list[int] = []
        self.text = ""
        # Spans of the text that were teacher-forced.
        self.forced_spans: list[tuple[int, int]] = []
        self.usage = Usage()
        # Log-probabilities of the tokens that were generated last, if they were asked for.
        self.last_logprobs: tuple[float, ...] | None = None

    @property
    def nll(self) -> float | None:
        """Negative log-likelihood of the last generated text, in nats, if it was asked for."""
        return None if self.last_logprobs is None else 0.0 - sum(self.last_logprobs)

    @property
    def position(self) -> Position:
        """The end of the completion so far."""
        return Position(len(self.ids), len(self.text), tuple(self.forced_spans))

    def rewind(self, position: Position) -> None:
        """Remove what was appended after a position."""
        del self.ids[position.ids :]
        self.text = self.text[: position.chars]
        self.forced_spans = list(position.spans)

    @property
    def tokens_left(self) -> int:
        """Number of tokens until the limit."""
        return self.max_tokens - len(self.ids)

    async def force(self, segments: Sequence[str]) -> None:
        """Append segments that the model does not generate."""
        encoded = await self.codec_tokenizer.encode(segments)
        for segment, ids in zip(segments, encoded, strict=True):
            self.force_ids(ids, segment)

    def force_ids(self, ids: Ids, text: str) -> None:
        """Append a segment whose token ids are known."""
        if len(ids) > self.tokens_left:
            raise MaxTokensReached
        start = len(self.text)
        if self.forced_spans and self.forced_spans[-1][1] == start:
            start = self.forced_spans.pop()[0]
        self.ids += ids
        self.text += text
        self.forced_spans.append((start, len(self.text)))

    async def generate_until(
        self, stops: Sequence[SpecialToken], *, logprobs: bool = False
    ) -> SpecialToken | None:
        """Let the model generate up to one of these tokens, which is part of the completion.

        With `logprobs`, `last_logprobs` are those of the generated tokens.

        Returns:
            The token at which it stopped; None if the model ended its output with a different one.
        """
        stop_ids = tuple(self.codec_tokenizer.special_tokens[special] for special in stops)
        reply = await self._request(self.tokens_left, stop_ids=stop_ids, logprobs=logprobs)
        self.last_logprobs = reply.logprobs if logprobs else None
        self._add(reply)
        last = self.codec_tokenizer.names.get(self.ids[-1]) if reply.ids else None
        if reply.finish == "truncated":
            raise MaxTokensReached
        return last if last in stops else None

    async def generate_until_text(self, stops: Sequence[str], *, logprobs: bool = False) -> bool:
        """Let the model generate up to one of these texts, which is part of the completion.

        With `logprobs`, `last_logprobs` are those of the generated tokens.

        Returns:
            False if the model ended its output first.
        """
        reply = await self._request(self.tokens_left, stop=tuple(stops), logprobs=logprobs)
        self.last_logprobs = reply.logprobs if logprobs else None
        ids, text = reply.ids, reply.text
        is_stopped = bool(stops) and text.endswith(tuple(stops))
        if reply.finish != "truncated":
            if not is_stopped:
                text = await self._without_end_token(reply)
            if await self.engine.detokenize(ids) != text:
                # The last token ends the output, or is longer than the text up to the stop.
                (ids,) = await self.codec_tokenizer.encode((text,))
        self.ids += ids
        self.text += text
        if reply.finish == "truncated":
            raise MaxTokensReached
        return is_stopped

    async def _without_end_token(self, reply: Reply) -> str:
        """Text of a reply without the special token that ended it, which some servers include."""
        end = await self.engine.detokenize(reply.ids[-1:]) if reply.ids else ""
        if not end or not reply.text.endswith(end):
            return reply.text
        as_special = await self.engine.tokenize(end, parse_special_tokens=True)
        is_special = as_special == reply.ids[-1:] != await self.engine.tokenize(end)
        return reply.text.removesuffix(end) if is_special else reply.text

    async def peek_choice(self, options: Sequence[Sequence[str]]) -> int:
        """Let the model choose one of several sequences of segments, without appending it."""
        position = self.position
        index = await self.choose(options)
        self.rewind(position)
        return index

    async def generate_within(self, grammar: str, end: SpecialToken) -> None:
        """Let the model generate text that a grammar allows, and append a token that ends it.

        A server accepts stop tokens at each end of the grammar, and the model chooses among them
        and its own. Its choice has no meaning, so it is replaced by the right token.
        """
        end_ids = (self.codec_tokenizer.special_tokens[end],)
        reply = await self._request(self.tokens_left, stop_ids=end_ids, grammar=grammar)
        if reply.finish == "truncated":
            self._add(reply)
            raise MaxTokensReached
        last = reply.ids[-1:]
        # The token may be one that is not in the codec's format.
        self.text += reply.text.removesuffix(await self._detokenize(last))
        self.ids += reply.ids[:-1]
        self.force_ids(end_ids, end)

    async def choose(
        self, options: Sequence[Sequence[str]], *, ends: Sequence[SpecialToken] = ()
    ) -> int:
        """Let the model choose one of several sequences of segments, and append it.

        The model chooses greedily at each token in which the remaining options differ. A single
        option is teacher-forced.

        Args:
            options: the sequences.
            ends: tokens with which the model ends an option that is a prefix of another one; they
                are not appended.

        Returns:
            Index of the first option that is equal to the chosen one.
        """
        end_ids = {self.codec_tokenizer.special_tokens[special] for special in ends}
        encoded = [sum(await self.codec_tokenizer.encode(segments), ()) for segments in options]
        remaining = set(encoded)
        chosen: Ids = ()
        has_choice = False
        while any(len(ids) > len(chosen) for ids in remaining):
            if len(chosen) >= self.tokens_left:
                raise MaxTokensReached
            next_ids = {ids[len(chosen)] for ids in remaining if len(ids) > len(chosen)}
            allowed = tuple(sorted(next_ids | (end_ids if chosen in remaining else set())))
            if len(allowed) > 1:
                has_choice = True
                reply = await self._request(1, allowed_ids=allowed, after=chosen)
                allowed = reply.ids
            if allowed[0] not in next_ids:
                break
            chosen = (*chosen, allowed[0])
            remaining = {ids for ids in remaining if ids[: len(chosen)] == chosen}
        index = encoded.index(chosen)
        if has_choice:
            self.ids += chosen
            self.text += "".join(options[index])
        else:
            self.force_ids(chosen, "".join(options[index]))
        return index

    async def _request(
        self,
        max_tokens: int,
        *,
        stop_ids: Ids = (),
        stop: tuple[str, ...] = (),
        allowed_ids: Ids = (),
        grammar: str | None = None,
        after: Ids = (),
        logprobs: bool = False,
    ) -> Reply:
        """Request the next tokens; `after` are tokens that are not appended yet."""
        if max_tokens <= 0:
            raise MaxTokensReached
        request = Request(
            prompt=(*self.prompt, *self.ids, *after),
            max_tokens=max_tokens,
            stop_ids=stop_ids,
            stop=stop,
            allowed_ids=allowed_ids,
            grammar=grammar,
            temperature=self.sampling.temperature,
            seed=self._next_seed(),
            logprobs=logprobs or self.keeps_logprobs,
        )
        reply = await self.engine.generate(request)
        if allowed_ids and reply.ids[:1] not in [(token,) for token in allowed_ids]:
            raise EngineError(
                f"{self.engine.name} generated a token that is not in allowed_token_ids; "
                "`worldline engines check` shows which fields the server ignores"
            )
        self.usage += reply.usage
        if self.keeps_logprobs:
            self.logprobs += reply.logprobs
        return reply

    def _next_seed(self) -> int | None:
        """A seed for the next request.

        Each request has its own: the same seed would make the same choice at every step. A retry
        does not count, so that a failure does not change the result.
        """
        seed, number = self.sampling.seed, self.usage.requests - self.usage.retries
        return None if seed is None else (seed * 1_000_003 + number) % 2**31

    async def _detokenize(self, ids: Ids) -> str:
        names = [self.codec_tokenizer.names.get(token) for token in ids]
        return "".join(filter(None, names)) if all(names) else await self.engine.detokenize(ids)

    def _add(self, reply: Reply) -> None:
        self.ids += reply.ids
        self.text += reply.text
        last = self.codec_tokenizer.names.get(reply.ids[-1]) if reply.ids else None
        # Some servers omit the stop token from the text.
        if last is not None and not reply.text.endswith(last):
            self.text += last
