"""Tokenizers by name or file: `bytes`, `llama3`, a tokenizer.json or a tokenizer.model."""

import base64
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from worldline.errors import TokenizerError
from worldline.tokens.library import read_tokenizer

# How Llama 3 splits text before merging, as published with its vocabulary.
LLAMA3_PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|"
    r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


class Tokenizer(Protocol):
    """Splits ordinary text into tokens; knows no special tokens."""

    @property
    def name(self) -> str:
        """How users name it."""
        ...

    def encode(self, text: str) -> Sequence[int]:
        """The token ids of ordinary text."""
        ...

    def pieces(self, text: str) -> list[str]:
        """What stands for each token in the text; a byte that is no character as an escape, and
        nothing where a token only goes on with the character before."""
        ...


class BytesTokenizer:
    """A token a byte: what a model without a vocabulary sees."""

    name = "bytes"

    def encode(self, text: str) -> Sequence[int]:
        """ "é" -> [195, 169]"""
        return text.encode("utf-8", "surrogatepass")

    def pieces(self, text: str) -> list[str]:
        """ "aé" -> ["a", "\\xc3", "\\xa9"]"""
        return [_piece(bytes([byte])) for byte in self.encode(text)]


class _TiktokenTokenizer:
    def __init__(self, name: str, path: Path) -> None:
        try:
            import tiktoken
        except ImportError:
            raise TokenizerError(
                f"{name} needs tiktoken; install it with: pip install 'worldline[llama3]'"
            ) from None
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
        # Half a surrogate pair has no bytes of its own.
        clean = text.encode("utf-8", "replace").decode()
        ids: list[int] = self._encoding.encode_ordinary(clean)
        return ids

    def pieces(self, text: str) -> list[str]:
        return [_piece(self._encoding.decode_single_token_bytes(n)) for n in self.encode(text)]


class _HuggingFaceTokenizer:
    def __init__(self, path: Path) -> None:
        self.name = str(path)
        self._tokenizer = read_tokenizer(path)
        # What looks like a special token in ordinary text is none.
        self._tokenizer.encode_special_tokens = True

    def encode(self, text: str) -> Sequence[int]:
        clean = text.encode("utf-8", "replace").decode()
        ids: list[int] = self._tokenizer.encode(clean, add_special_tokens=False).ids
        return ids

    def pieces(self, text: str) -> list[str]:
        clean = text.encode("utf-8", "replace").decode()
        places = self._tokenizer.encode(clean, add_special_tokens=False).offsets
        # Tokens that share a character have the same place.
        ends = [0, *(end for _, end in places)]
        return [
            clean[max(start, before) : end]
            for (start, end), before in zip(places, ends, strict=False)
        ]


def _piece(token: bytes) -> str:
    return token.decode("utf-8", "backslashreplace")


def load_tokenizer(name: str) -> Tokenizer:
    """The tokenizer of that name, or in that file.

    "bytes", "llama3", "model/tokenizer.json", "model/tokenizer.model"
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
    """The vocabulary of Llama 3, in the installed package that carries it (not imported)."""
    spec = importlib.util.find_spec("llama_models")
    for folder in (spec.submodule_search_locations if spec else None) or []:
        path = Path(folder, "llama3", "tokenizer.model")
        if path.is_file():
            return path
    raise TokenizerError(
        "the vocabulary of Llama 3 is not installed: pip install 'worldline[llama3]' (from a "
        "checkout '.[llama3]'), or, lighter, "
        "pip install tiktoken && pip install --no-deps llama-models==0.3.0; without it, "
        "--tokenizer bytes counts bytes"
    )


def count_pieces(pieces: Sequence[str], special: type[str], tokenizer: Tokenizer) -> int:
    """How many tokens pieces of text take, where each special one is a single token."""
    return sum(1 if isinstance(p, special) else len(tokenizer.encode(p)) for p in pieces)
