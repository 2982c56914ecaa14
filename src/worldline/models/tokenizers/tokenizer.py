"""Tokenizers by name or file: `bytes`, `llama3`, a tokenizer.json or a tokenizer.model."""

import base64
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from worldline.core.errors import TokenizerError
from worldline.core.util.optional_imports import optional_import
from worldline.models.tokenizers.tokenizers_library import read_tokenizer

# Pre-tokenization of Llama 3, as published.
LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Tokenizer(Protocol):
    """Tokenizer of plain text, without special tokens."""

    @property
    def name(self) -> str:
        """Name on the command line."""
        ...

    def encode(self, text: str) -> Sequence[int]:
        """Token ids of a text."""
        ...

    def token_texts(self, text: str) -> list[str]:
        """Text of each token.

        A byte that is not a character is an escape. A token that only continues a character is
        empty.
        """
        ...


class BytesTokenizer:
    """Tokenizer with one token per byte."""

    name = "bytes"

    def encode(self, text: str) -> Sequence[int]:
        """ "é" -> [195, 169]"""
        return text.encode("utf-8", "surrogatepass")

    def token_texts(self, text: str) -> list[str]:
        """ "aé" -> ["a", "\\xc3", "\\xa9"]"""
        return [_token_text(bytes([byte])) for byte in self.encode(text)]


class _TiktokenTokenizer:
    def __init__(self, name: str, path: Path) -> None:
        purpose = f"{name} needs tiktoken; install it with"
        with optional_import(purpose, extra="llama3", error=TokenizerError):
            import tiktoken
        self.name = name
        try:
            ranks = {
                base64.b64decode(token): int(rank)
                for token, rank in (line.split() for line in path.read_bytes().splitlines() if line)
            }
        except (OSError, ValueError) as error:
            raise TokenizerError(f"{path} is not a file of tiktoken ranks: {error}") from error
        self._encoding = tiktoken.Encoding(
            name, pat_str=LLAMA3_PATTERN, mergeable_ranks=ranks, special_tokens={}
        )

    def encode(self, text: str) -> Sequence[int]:
        # Half a surrogate pair cannot be encoded.
        clean = text.encode("utf-8", "replace").decode()
        ids: list[int] = self._encoding.encode_ordinary(clean)
        return ids

    def token_texts(self, text: str) -> list[str]:
        return [_token_text(self._encoding.decode_single_token_bytes(n)) for n in self.encode(text)]


class _HuggingFaceTokenizer:
    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._tokenizer = read_tokenizer(path)
        # Do not parse the names of special tokens in plain text.
        self._tokenizer.encode_special_tokens = True

    def encode(self, text: str) -> Sequence[int]:
        clean = text.encode("utf-8", "replace").decode()
        ids: list[int] = self._tokenizer.encode(clean, add_special_tokens=False).ids
        return ids

    def token_texts(self, text: str) -> list[str]:
        clean = text.encode("utf-8", "replace").decode()
        offsets = self._tokenizer.encode(clean, add_special_tokens=False).offsets
        # Tokens that share a character have the same offsets.
        ends = [0, *(end for _, end in offsets)]
        return [
            clean[max(start, previous_end) : end]
            for (start, end), previous_end in zip(offsets, ends, strict=False)
        ]


def _token_text(token: bytes) -> str:
    return token.decode("utf-8", "backslashreplace")


def load_tokenizer(name: str) -> Tokenizer:
    """Load a tokenizer by name or file.

    Args:
        name: "bytes", "llama3", "model/tokenizer.json" or "model/tokenizer.model".

    Raises:
        TokenizerError: there is no such tokenizer, or a library for it is not installed.
    """
    if name == "bytes":
        return BytesTokenizer()
    if name == "llama3":
        return _TiktokenTokenizer("llama3", _llama3_ranks())
    path = Path(name)
    if not path.is_file():
        raise TokenizerError(
            f"no tokenizer {name!r}: give bytes, llama3, or the path of a tokenizer.json or "
            "tokenizer.model"
        )
    return _HuggingFaceTokenizer(path) if path.suffix == ".json" else _TiktokenTokenizer(name, path)


def _llama3_ranks() -> Path:
    """File of Llama 3's tokenizer in the package llama_models, which is not imported."""
    spec = importlib.util.find_spec("llama_models")
    for folder in (spec.submodule_search_locations if spec else None) or []:
        path = Path(folder, "llama3", "tokenizer.model")
        if path.is_file():
            return path
    raise TokenizerError(
        "the tokenizer of Llama 3 is not installed: pip install 'worldline[llama3]' (from a "
        "checkout '.[llama3]'), or, with fewer dependencies, "
        "pip install tiktoken && pip install --no-deps llama-models==0.3.0; without it, "
        "--tokenizer bytes counts bytes"
    )


def count_segment_tokens(segments: Sequence[str], special: type[str], tokenizer: Tokenizer) -> int:
    """Number of tokens of segments, in which each instance of `special` is a single token."""
    return sum(1 if isinstance(s, special) else len(tokenizer.encode(s)) for s in segments)
