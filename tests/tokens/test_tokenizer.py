"""Token counts: bytes, the real vocabulary of Llama 3, and any tokenizer.json."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from tests.predictions import CWM
from worldline.codecs import Special
from worldline.errors import TokenizerError
from worldline.recorders import PythonRecorder
from worldline.tokens import BytesTokenizer, Tokenizer, count_pieces, load_tokenizer
from worldline.trace import Program


@pytest.fixture(scope="module")
def llama3() -> Tokenizer:
    if importlib.util.find_spec("llama_models") is None:
        pytest.skip("llama-models is not installed: pip install --no-deps llama-models==0.3.0")
    return load_tokenizer("llama3")


def test_bytes() -> None:
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


def test_llama3_takes_half_surrogates(llama3: Tokenizer) -> None:
    assert len(llama3.encode("a\ud800b")) > 0


def test_special_tokens_count_as_one(llama3: Tokenizer, recorder: PythonRecorder) -> None:
    program = Program("def f(x):\n    return x\n", "f(1)")
    pieces = CWM.encode(recorder.record(program))
    specials = [piece for piece in pieces if isinstance(piece, Special)]
    plain = sum(len(llama3.encode(piece)) for piece in pieces if not isinstance(piece, Special))
    assert count_pieces(pieces, Special, llama3) == plain + len(specials)
    assert count_pieces(pieces, Special, llama3) < len(llama3.encode("".join(pieces)))


@pytest.mark.data
def test_tokens_of_all_cruxeval_traces(
    llama3: Tokenizer, recorder: PythonRecorder, cruxeval: list[dict[str, Any]]
) -> None:
    """The figure in the docs. Comprehensions have no frames from Python 3.12 on: fewer steps."""
    total = 0
    for row in cruxeval:
        trace = recorder.record(Program(row["code"], f"f({row['input']})"))
        total += count_pieces(CWM.encode(trace), Special, llama3)
    framed = trace.origin.has_comprehension_frames
    assert total == 382_808 if framed else 350_000 < total < 382_808


def test_a_tokenizer_json(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({"a": 0, "b": 1, "?": 2}, unk_token="?")
    )
    made.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    made.save(str(tmp_path / "tokenizer.json"))
    loaded = load_tokenizer(str(tmp_path / "tokenizer.json"))
    assert list(loaded.encode("a b c")) == [0, 1, 2]


@pytest.mark.parametrize("name", ["tokenizer.json", "tokenizer.model"])
def test_a_file_that_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("not a vocabulary at all", encoding="utf-8")
    with pytest.raises(TokenizerError, match="is not a"):
        load_tokenizer(str(tmp_path / name))


def test_an_unknown_name_says_what_there_is() -> None:
    with pytest.raises(TokenizerError, match="bytes, llama3, or the path"):
        load_tokenizer("morse")


def test_without_the_package_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(TokenizerError, match="pip install 'worldline\\[llama3\\]'"):
        load_tokenizer("llama3")
