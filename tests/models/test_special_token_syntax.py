"""Syntax of special tokens, and how lookalikes in plain text are split."""

import pytest

from worldline.models.codecs import CODECS, Codec
from worldline.models.special_token_syntax import (
    SPECIAL_TOKEN_START,
    may_contain_special_token,
    split_lookalike,
)


@pytest.mark.parametrize("codec", CODECS.values(), ids=CODECS)
def test_every_special_token_of_a_codec_has_the_syntax(codec: Codec) -> None:
    assert all(special.startswith(SPECIAL_TOKEN_START) for special in codec.special_tokens)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", False), ("x < y | z", False), ("< |", False), ("a <| b", True), ("<|frame_sep|>", True)],
)
def test_the_start_of_a_special_token_is_detected(text: str, expected: bool) -> None:
    assert may_contain_special_token(text) is expected


@pytest.mark.parametrize("text", ["<|", "x = '<|call_sep|>'", "<|a|><|b|>", "<<||"])
def test_a_lookalike_is_split_in_its_middle(text: str) -> None:
    first, rest = split_lookalike(text)
    assert first + rest == text
    assert not may_contain_special_token(first)
    assert first.endswith("<")
    assert rest.startswith("|")
