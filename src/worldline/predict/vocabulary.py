"""Pieces of a format go in, a model's token ids come out: each special token is one id."""

import asyncio
from collections.abc import Mapping, Sequence

from worldline.codecs import Codec, Special
from worldline.engines import Engine
from worldline.errors import EngineError
from worldline.tokens import Tokenizer

Ids = tuple[int, ...]
# Pieces whose ids are remembered, and up to which length: lines, not whole programs.
_REMEMBERED = 100_000
_LONG = 200
# Enough for two vocabularies to differ.
_SAMPLE = (
    "def f(words, n):\n    kept = {'naïve': [1, 22, 333], \"b\": 4444.5}\n"
    "\treturn [w.strip().upper() for w in words if not kept.get(w)]  # 漢字, 😀\r\n"
)


class Vocabulary:
    """How a model spells a format: the ids of its special tokens, and of any text between."""

    def __init__(
        self,
        engine: Engine,
        specials: Mapping[Special, int],
        *,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        self.specials = dict(specials)
        self._tokenizer = tokenizer
        self.names = {id: special for special, id in specials.items()}
        self._engine = engine
        self._known: dict[tuple[str, ...], tuple[Ids, ...]] = {}

    async def encode(self, pieces: Sequence[str]) -> tuple[Ids, ...]:
        """The ids of each piece. The same source lines are asked for again and again: those are
        remembered."""
        key = tuple(pieces)
        known = self._known.get(key)
        if known is None:
            known = await self._encode(key)
            if len(self._known) < _REMEMBERED and sum(map(len, key)) < _LONG:
                self._known[key] = known
        return known

    async def _encode(self, pieces: tuple[str, ...]) -> tuple[Ids, ...]:
        """All are asked for at once where nothing but the special tokens looks like one."""
        texts = [piece for piece in pieces if not isinstance(piece, Special)]
        if self._tokenizer is not None or any("<|" in text for text in texts):
            return tuple([await self._one(piece) for piece in pieces])
        ids = await self._engine.tokenize("".join(pieces), has_specials=True)
        found = self._split(ids, pieces)
        return tuple([await self._one(p) for p in pieces]) if found is None else found

    async def _one(self, piece: str) -> Ids:
        if isinstance(piece, Special):
            return (self.specials[piece],)
        if self._tokenizer is not None:
            return tuple(self._tokenizer.encode(piece))
        return await self._engine.tokenize(piece)

    def _split(self, ids: Ids, pieces: Sequence[str]) -> tuple[Ids, ...] | None:
        """The ids of all pieces, cut at the special tokens; none where they do not fit."""
        found: list[Ids] = []
        place = 0
        for index, piece in enumerate(pieces):
            end = place
            if isinstance(piece, Special):
                if ids[place : place + 1] != (self.specials[piece],):
                    return None
                end += 1
            elif piece:
                after = pieces[index + 1] if index + 1 < len(pieces) else None
                if after is not None and not isinstance(after, Special):
                    return None
                while end < len(ids) and ids[end] not in self.names:
                    end += 1
            found.append(ids[place:end])
            place = end
        return tuple(found) if place == len(ids) else None


async def vocabulary_of(
    engine: Engine, codec: Codec, *, tokenizer: Tokenizer | None = None
) -> Vocabulary:
    """The ids that a model has for the special tokens of a format; all of them, or an error.

    With a tokenizer, text is split here, which spares the server; it must be the model's own.
    """
    asked = [engine.tokenize(special, has_specials=True) for special in codec.specials]
    spelled = dict(zip(codec.specials, await asyncio.gather(*asked), strict=True))
    found = {special: ids[0] for special, ids in spelled.items() if len(ids) == 1}
    missing = [special for special in spelled if special not in found]
    if missing:
        raise EngineError(
            f"{engine.name} does not speak the {codec.name} format: {', '.join(missing[:3])} "
            f"{'are' if len(missing) > 1 else 'is'} not in its vocabulary; ask a chat model with "
            "--codec chat"
        )
    if tokenizer is not None and tuple(tokenizer.encode(_SAMPLE)) != await engine.tokenize(_SAMPLE):
        raise EngineError(
            f"{tokenizer.name} splits text otherwise than {engine.name} does; give the model's own "
            "tokenizer, or none"
        )
    return Vocabulary(engine, found, tokenizer=tokenizer)
