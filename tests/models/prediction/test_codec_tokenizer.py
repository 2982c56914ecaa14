"""Token ids of a codec's segments, from an engine and from a tokenizer."""

import asyncio

import pytest

from worldline.core.errors import EngineError, TokenizerError
from worldline.models.codecs import SpecialToken, get_codec
from worldline.models.engines import ScriptedEngine
from worldline.models.prediction import CodecTokenizer
from worldline.models.tokenizers import BytesTokenizer

CWM = get_codec("cwm")
FRAME = next(special for special in CWM.special_tokens if special == "<|frame_sep|>")


class CountingEngine(ScriptedEngine):
    """Engine with one token per byte, which keeps every text that was tokenized."""

    def __init__(self) -> None:
        super().__init__(lambda _: "", special_tokens=list(CWM.special_tokens))
        self.texts: list[str] = []

    async def tokenize(self, text: str, *, parse_special_tokens: bool = False) -> tuple[int, ...]:
        self.texts.append(text)
        return await super().tokenize(text, parse_special_tokens=parse_special_tokens)


@pytest.mark.parametrize(
    "segments",
    [
        (FRAME,),
        ("x = 1\n", FRAME, "é", FRAME),
        (FRAME, "", FRAME),
        ("two texts ", "in a row", FRAME),
        ("'<|frame_sep|>'", FRAME),
        ("<|frame_sep|>",),
    ],
)
@pytest.mark.parametrize("times", [1, 2])
def test_an_engine_and_its_tokenizer_give_the_same_ids(
    segments: tuple[str, ...], times: int
) -> None:
    async def encode(tokenizer: BytesTokenizer | None) -> tuple[tuple[int, ...], ...]:
        codec_tokenizer = await CodecTokenizer.from_engine(
            CountingEngine(), CWM, tokenizer=tokenizer
        )
        # A special token and its lookalike in plain text must not share a cache entry.
        await codec_tokenizer.encode((FRAME,))
        for _ in range(times):
            ids = await codec_tokenizer.encode(segments)
        special_tokens = [seg for seg in segments if isinstance(seg, SpecialToken)]
        assert [
            codec_tokenizer.names[n] for each in ids for n in each if n in codec_tokenizer.names
        ] == special_tokens
        return ids

    engine_ids, tokenizer_ids = asyncio.run(encode(None)), asyncio.run(encode(BytesTokenizer()))
    assert engine_ids == tokenizer_ids
    assert list(map(len, engine_ids)) == [
        1 if isinstance(segment, SpecialToken) else len(segment.encode()) for segment in segments
    ]


def test_segments_are_tokenized_in_one_request_and_cached() -> None:
    async def tokenize_repeatedly() -> list[str]:
        engine = CountingEngine()
        tokenizer = await CodecTokenizer.from_engine(engine, CWM)
        engine.texts.clear()
        for _ in range(3):
            await tokenizer.encode(("x = 1", FRAME))
            await tokenizer.encode(("'<|'", FRAME))
        return engine.texts

    assert asyncio.run(tokenize_repeatedly()) == ["x = 1<|frame_sep|>", "'<|'"]


def test_without_a_tokenizer_encode_segment_is_an_error_for_text() -> None:
    tokenizer = asyncio.run(CodecTokenizer.from_engine(CountingEngine(), CWM))
    assert tokenizer.encode_segment(FRAME) == (tokenizer.special_tokens[FRAME],)
    with pytest.raises(TokenizerError, match="await encode"):
        tokenizer.encode_segment("x")


def test_the_tokenizer_of_another_model_is_an_error() -> None:
    class Shifted(BytesTokenizer):
        name = "shifted"

        def encode(self, text: str) -> list[int]:
            return [byte ^ 1 for byte in super().encode(text)]

    with pytest.raises(
        EngineError, match="the tokenizer shifted splits text differently from scripted"
    ):
        asyncio.run(CodecTokenizer.from_engine(CountingEngine(), CWM, tokenizer=Shifted()))


def test_an_engine_without_the_special_tokens_is_an_error() -> None:
    with pytest.raises(EngineError, match="scripted does not speak the cwm format"):
        asyncio.run(CodecTokenizer.from_engine(ScriptedEngine(lambda _: ""), CWM))
