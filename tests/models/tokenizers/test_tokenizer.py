"""Tokenizers: bytes, Llama 3, and files of Hugging Face."""

import importlib.util
from pathlib import Path

import pytest

from tests.support.predictions import CWM
from worldline.core.errors import TokenizerError
from worldline.core.trace import Program, Trace
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import SpecialToken
from worldline.models.tokenizers import (
    BytesTokenizer,
    Tokenizer,
    count_segment_tokens,
    load_tokenizer,
)


@pytest.fixture(scope="module")
def llama3() -> Tokenizer:
    if importlib.util.find_spec("llama_models") is None:
        pytest.skip("llama-models is not installed: pip install --no-deps llama-models==0.3.0")
    return load_tokenizer("llama3")


def test_the_bytes_tokenizer_has_a_token_per_byte() -> None:
    assert list(BytesTokenizer().encode("é")) == [195, 169]
    assert len(BytesTokenizer().encode("\ud800")) == 3


ALPHABET = "abcdefghijklmnopqrstuvwxyz"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (ALPHABET, 1),
        (ALPHABET.replace("x", "X"), 5),
        (ALPHABET.replace("x", "X").replace("m", "m "), 7),
        ("", 0),
    ],
)
def test_llama3_splits_as_published(llama3: Tokenizer, text: str, count: int) -> None:
    assert len(llama3.encode(text)) == count


def test_llama3_accepts_half_a_surrogate_pair(llama3: Tokenizer) -> None:
    assert len(llama3.encode("a\ud800b")) > 0


def test_each_special_token_counts_as_one(llama3: Tokenizer, recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    segments = CWM.encode(recorder.record(program))
    special_tokens = [segment for segment in segments if isinstance(segment, SpecialToken)]
    text_tokens = sum(
        len(llama3.encode(segment)) for segment in segments if not isinstance(segment, SpecialToken)
    )
    assert count_segment_tokens(segments, SpecialToken, llama3) == text_tokens + len(special_tokens)
    assert count_segment_tokens(segments, SpecialToken, llama3) < len(
        llama3.encode("".join(segments))
    )


@pytest.mark.data
def test_number_of_tokens_of_all_cruxeval_traces(
    llama3: Tokenizer, cruxeval_traces: list[Trace]
) -> None:
    """The number in the docs. From Python 3.12 on comprehensions have no frames: fewer steps."""
    total = sum(
        count_segment_tokens(CWM.encode(trace), SpecialToken, llama3) for trace in cruxeval_traces
    )
    framed = cruxeval_traces[0].origin.has_comprehension_frames
    assert total == 382_808 if framed else 350_000 < total < 382_808


def test_a_tokenizer_json_is_loaded(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    loaded = load_tokenizer(str(tmp_path / "tokenizer.json"))
    assert list(loaded.encode("a b c")) == [0, 1, 2]


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer.model"])
def test_a_file_that_is_no_tokenizer_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("not a vocabulary at all", encoding="utf-8")
    with pytest.raises(TokenizerError, match="is not a"):
        load_tokenizer(str(tmp_path / name))


def test_an_unknown_name_is_an_error_that_lists_the_names() -> None:
    with pytest.raises(TokenizerError, match="bytes, llama3, or the path"):
        load_tokenizer("morse")


def test_a_missing_package_names_the_extra_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TokenizerError, match="pip install 'worldline\\[llama3\\]'"):
        load_tokenizer("llama3")
