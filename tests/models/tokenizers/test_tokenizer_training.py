"""Trained tokenizers: how they split text, and which tools read them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.errors import TokenizerError
from worldline.models.codecs import CwmCodec
from worldline.models.tokenizers import load_tokenizer, train_tokenizer

tokenizers = pytest.importorskip("tokenizers")

SPECIAL_TOKENS = [
    token for token, _ in sorted(CwmCodec.special_tokens.items(), key=lambda item: item[1])
]
TEXTS = ['{"total": "12", "word": "banana"}', "    total = total + 1\n", "def f(word):\n"] * 50


@pytest.fixture(scope="module")
def bpe_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_tokenizer(
        TEXTS, tmp_path_factory.mktemp("bpe"), size=294, special_tokens=SPECIAL_TOKENS
    )


@pytest.fixture(scope="module")
def byte_tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_tokenizer(
        TEXTS, tmp_path_factory.mktemp("bytes"), size=None, special_tokens=SPECIAL_TOKENS
    )


def token_texts(path: Path, text: str) -> list[str]:
    loaded = tokenizers.Tokenizer.from_file(str(path))
    return [loaded.decode([id], skip_special_tokens=False) for id in loaded.encode(text).ids]


def test_a_line_is_tokenized_alike_in_a_source_and_in_a_trace(bpe_tokenizer: Path) -> None:
    line = token_texts(bpe_tokenizer, "    total = total + 1\n")
    source = token_texts(bpe_tokenizer, "def f(word):\n    total = total + 1\n")
    assert line[0] == "    "
    assert source[-len(line) :] == line


def test_words_are_merged_and_digits_are_not(bpe_tokenizer: Path) -> None:
    assert token_texts(bpe_tokenizer, "total") == ["total"]
    assert token_texts(bpe_tokenizer, "12") == ["1", "2"]
    assert token_texts(bpe_tokenizer, '", "') == ['", "']


def test_without_a_size_each_byte_is_a_token(byte_tokenizer: Path) -> None:
    assert len(load_tokenizer(str(byte_tokenizer)).encode("total é")) == len("total é".encode())
    assert tokenizers.Tokenizer.from_file(str(byte_tokenizer)).get_vocab_size() == 256 + len(
        SPECIAL_TOKENS
    )


def test_the_tokenizer_has_the_requested_size(bpe_tokenizer: Path) -> None:
    assert tokenizers.Tokenizer.from_file(str(bpe_tokenizer)).get_vocab_size() == 294


def test_special_tokens_have_the_last_ids(bpe_tokenizer: Path) -> None:
    loaded = tokenizers.Tokenizer.from_file(str(bpe_tokenizer))
    ids = [loaded.token_to_id(token) for token in SPECIAL_TOKENS]
    assert ids == list(range(294 - len(SPECIAL_TOKENS), 294))
    assert loaded.encode("".join(SPECIAL_TOKENS)).ids == ids
    config = json.loads(bpe_tokenizer.with_name("tokenizer_config.json").read_text())
    assert (config["bos_token"], config["eos_token"]) == ("<|begin_of_text|>", "<|end_of_text|>")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_decoded_again(bpe_tokenizer: Path, byte_tokenizer: Path, text: str) -> None:
    for path in (bpe_tokenizer, byte_tokenizer):
        loaded = tokenizers.Tokenizer.from_file(str(path))
        loaded.encode_special_tokens = True
        assert loaded.decode(loaded.encode(text).ids, skip_special_tokens=False) == text


def test_training_is_deterministic(bpe_tokenizer: Path, tmp_path: Path) -> None:
    retrained = train_tokenizer(TEXTS, tmp_path, size=294, special_tokens=SPECIAL_TOKENS)
    assert retrained.read_bytes() == bpe_tokenizer.read_bytes()


def test_a_size_too_small_for_all_bytes_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="ask for 266 or more"):
        train_tokenizer(TEXTS, tmp_path, size=200, special_tokens=SPECIAL_TOKENS)
