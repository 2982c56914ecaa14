"""Token ids of a codec's segments, the same for prompts and for training examples."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from worldline.core.errors import EngineError, TokenizerError
from worldline.models.codecs import Codec, SpecialToken
from worldline.models.engines import Engine
from worldline.models.special_token_syntax import may_contain_special_token
from worldline.models.tokenizers import Tokenizer, TokenizerJson, load_tokenizer

Ids = tuple[int, ...]
# Size of each cache, and the length of text from which nothing is cached: lines and small states
# recur, whole programs do not.
_CACHE_SIZE = 200_000
_CACHED_CHARS = 200
# Text that different tokenizers are unlikely to split in the same way.
_SAMPLE = (
    "def f(words, n):\n    kept = {'naïve': [1, 22, 333], \"b\": 4444.5}\n"
    "\treturn [w.strip().upper() for w in words if not kept.get(w)]  # 漢字, 😀\r\n"
)


class CodecTokenizer:
    """Tokenizer for the segments of one codec.

    A special token is one id. The text between two of them is tokenized on its own, and nothing in
    it is parsed as a special token. The tokenizer does this, or, without one, the engine.
    """

    def __init__(
        self,
        special_tokens: Mapping[SpecialToken, int],
        *,
        tokenizer: Tokenizer | None = None,
        engine: Engine | None = None,
    ) -> None:
        self.special_tokens = dict(special_tokens)
        self.names = {id: special for special, id in special_tokens.items()}
        self._tokenizer = tokenizer
        self._engine = engine
        self._texts: dict[str, Ids] = {}
        self._sequences: dict[tuple[str, ...], tuple[Ids, ...]] = {}

    @classmethod
    def load(cls, name: str, codec: Codec) -> "CodecTokenizer":
        """Build one from "llama3", or from a file: "model/tokenizer.json".

        Raises:
            TokenizerError: the file is missing or unreadable, or lacks a special token.
        """
        tokenizer = load_tokenizer(name)
        if name == "llama3":
            return cls(codec.special_tokens, tokenizer=tokenizer)
        ids = TokenizerJson(Path(name)).ids(list(codec.special_tokens))
        return cls({special: ids[special] for special in codec.special_tokens}, tokenizer=tokenizer)

    @classmethod
    async def from_engine(
        cls, engine: Engine, codec: Codec, *, tokenizer: Tokenizer | None = None
    ) -> "CodecTokenizer":
        """Build one from the tokenizer of an engine.

        Args:
            engine: the engine.
            codec: codec whose special tokens the engine must know.
            tokenizer: the model's own tokenizer, which saves requests to the server.

        Raises:
            EngineError: the engine lacks a special token, or the tokenizer is not the model's.
        """
        requests = [
            engine.tokenize(special, parse_special_tokens=True) for special in codec.special_tokens
        ]
        ids = dict(zip(codec.special_tokens, await asyncio.gather(*requests), strict=True))
        missing = [special for special in ids if len(ids[special]) != 1]
        if missing:
            raise EngineError(
                f"{engine.name} does not speak the {codec.name} format: {', '.join(missing[:3])} "
                f"{'are' if len(missing) > 1 else 'is'} not in its vocabulary; for a chat model, "
                "use --codec chat"
            )
        if tokenizer is not None:
            await _check_same_ids(engine, tokenizer)
        special_tokens = {special: id for special, (id,) in ids.items()}
        return cls(special_tokens, tokenizer=tokenizer, engine=engine)

    def encode_segment(self, segment: str) -> Ids:
        """Ids of one segment.

        Raises:
            TokenizerError: the segment is text and there is no tokenizer; use `encode`.
        """
        if isinstance(segment, SpecialToken):
            return (self.special_tokens[segment],)
        ids = self._texts.get(segment)
        if ids is None:
            if self._tokenizer is None:
                raise TokenizerError("the engine tokenizes text for this codec: await encode()")
            ids = self._cache_text(segment, tuple(self._tokenizer.encode(segment)))
        return ids

    async def encode(self, segments: Sequence[str]) -> tuple[Ids, ...]:
        """Ids of each segment."""
        if self._engine is None or self._tokenizer is not None:
            return tuple(map(self.encode_segment, segments))
        texts = [segment for segment in segments if not isinstance(segment, SpecialToken)]
        # The engine would parse a lookalike as a special token, so each text is sent on its own.
        if any(map(may_contain_special_token, texts)):
            return await self._encode_apart(segments, self._engine)
        key = tuple(segments)
        sequence = self._sequences.get(key)
        if sequence is None:
            sequence = await self._encode_together(key, self._engine)
            if len(self._sequences) < _CACHE_SIZE and sum(map(len, key)) < _CACHED_CHARS:
                self._sequences[key] = sequence
        return sequence

    async def _encode_together(self, segments: Sequence[str], engine: Engine) -> tuple[Ids, ...]:
        """Ids of each segment, in one request if its reply can be split at the special tokens."""
        ids = await engine.tokenize("".join(segments), parse_special_tokens=True)
        sequence = self._split(ids, segments)
        return await self._encode_apart(segments, engine) if sequence is None else sequence

    async def _encode_apart(self, segments: Sequence[str], engine: Engine) -> tuple[Ids, ...]:
        """Ids of each segment, in one request for each text that is not cached."""
        return tuple([await self._request_ids(segment, engine) for segment in segments])

    async def _request_ids(self, segment: str, engine: Engine) -> Ids:
        if isinstance(segment, SpecialToken) or segment in self._texts:
            return self.encode_segment(segment)
        return self._cache_text(segment, await engine.tokenize(segment))

    def _cache_text(self, text: str, ids: Ids) -> Ids:
        if len(text) < _CACHED_CHARS and len(self._texts) < _CACHE_SIZE:
            self._texts[text] = ids
        return ids

    def _split(self, ids: Ids, segments: Sequence[str]) -> tuple[Ids, ...] | None:
        """Split the ids of all segments at the special tokens; None if they do not match."""
        split: list[Ids] = []
        start = 0
        for index, segment in enumerate(segments):
            end = start
            if isinstance(segment, SpecialToken):
                if ids[start : start + 1] != (self.special_tokens[segment],):
                    return None
                end += 1
            elif segment:
                after = segments[index + 1] if index + 1 < len(segments) else None
                if after is not None and not isinstance(after, SpecialToken):
                    return None
                while end < len(ids) and ids[end] not in self.names:
                    end += 1
            split.append(ids[start:end])
            start = end
        return tuple(split) if start == len(ids) else None


async def _check_same_ids(engine: Engine, tokenizer: Tokenizer) -> None:
    """Check that a tokenizer gives the same ids as the engine."""
    if tuple(tokenizer.encode(_SAMPLE)) != await engine.tokenize(_SAMPLE):
        raise EngineError(
            f"the tokenizer {tokenizer.name} splits text differently from {engine.name}; give the "
            "model's own tokenizer, or none"
        )
