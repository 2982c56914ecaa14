"""Vocabularies that are made: what they cut, what comes back, and what reads them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.codecs import CwmCodec
from worldline.errors import TokenizerError
from worldline.tokens import load_tokenizer, make_tokenizer

tokenizers = pytest.importorskip("tokenizers")

SPECIALS = [token for token, _ in sorted(CwmCodec.specials.items(), key=lambda item: item[1])]
TEXTS = ['{"total": "12", "word": "banana"}', "    total = total + 1\n", "def f(word):\n"] * 50


@pytest.fixture(scope="module")
def bpe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tokenizer(TEXTS, tmp_path_factory.mktemp("bpe"), size=294, specials=SPECIALS)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tokenizer(TEXTS, tmp_path_factory.mktemp("bytes"), size=None, specials=SPECIALS)


def pieces(path: Path, text: str) -> list[str]:
    loaded = tokenizers.Tokenizer.from_file(str(path))
    return [loaded.decode([id], skip_special_tokens=False) for id in loaded.encode(text).ids]


def test_a_line_is_cut_alike_in_a_source_and_in_a_trace(bpe: Path) -> None:
    line = pieces(bpe, "    total = total + 1\n")
    source = pieces(bpe, "def f(word):\n    total = total + 1\n")
    assert line[0] == "    "
    assert source[-len(line) :] == line


def test_words_merge_and_digits_do_not(bpe: Path) -> None:
    assert pieces(bpe, "total") == ["total"]
    assert pieces(bpe, "12") == ["1", "2"]
    assert pieces(bpe, '", "') == ['", "']


def test_a_byte_is_a_token(plain: Path) -> None:
    assert len(load_tokenizer(str(plain)).encode("total é")) == len("total é".encode())
    assert tokenizers.Tokenizer.from_file(str(plain)).get_vocab_size() == 256 + len(SPECIALS)


def test_the_vocabulary_has_the_size_that_was_asked_for(bpe: Path) -> None:
    assert tokenizers.Tokenizer.from_file(str(bpe)).get_vocab_size() == 294


def test_special_tokens_are_the_last_and_single(bpe: Path) -> None:
    loaded = tokenizers.Tokenizer.from_file(str(bpe))
    ids = [loaded.token_to_id(token) for token in SPECIALS]
    assert ids == list(range(294 - len(SPECIALS), 294))
    assert loaded.encode("".join(SPECIALS)).ids == ids
    config = json.loads(bpe.with_name("tokenizer_config.json").read_text())
    assert (config["bos_token"], config["eos_token"]) == ("<|begin_of_text|>", "<|end_of_text|>")


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back(bpe: Path, plain: Path, text: str) -> None:
    for path in (bpe, plain):
        loaded = tokenizers.Tokenizer.from_file(str(path))
        loaded.encode_special_tokens = True
        assert loaded.decode(loaded.encode(text).ids, skip_special_tokens=False) == text


def test_the_same_texts_make_the_same_vocabulary(bpe: Path, tmp_path: Path) -> None:
    again = make_tokenizer(TEXTS, tmp_path, size=294, specials=SPECIALS)
    assert again.read_bytes() == bpe.read_bytes()


def test_a_vocabulary_too_small_for_all_bytes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="ask for 266 or more"):
        make_tokenizer(TEXTS, tmp_path, size=200, specials=SPECIALS)
