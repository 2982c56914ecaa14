"""Hugging Face's optional library `tokenizers`, and its file format tokenizer.json."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.core.errors import TokenizerError
from worldline.core.util.optional_imports import optional_import


def require_tokenizers(what: object) -> Any:
    """Import the library.

    Args:
        what: the feature that needs it, for the error message.

    Raises:
        TokenizerError: the library is not installed; the message says how to install it.
    """
    purpose = f"{what} needs tokenizers; install it with"
    with optional_import(purpose, extra="hf", error=TokenizerError):
        import tokenizers
    return tokenizers


def read_tokenizer(path: Path) -> Any:
    """Read a tokenizer.json.

    Raises:
        TokenizerError: the file cannot be read, or the library is not installed.
    """
    library = require_tokenizers(path)
    try:
        return library.Tokenizer.from_file(str(path))
    # The library raises bare exceptions.
    except Exception as error:
        raise TokenizerError(f"{path} is not a Hugging Face tokenizer.json: {error}") from error


class TokenizerJson:
    """Special tokens of a tokenizer.json. Their names are parsed in every text."""

    def __init__(self, path: Path) -> None:
        self._tokenizer = read_tokenizer(path)
        self._path = path

    def encode(self, text: str) -> Sequence[int]:
        """Token ids of a text that contains names of special tokens."""
        clean = text.encode("utf-8", "replace").decode()
        ids: list[int] = self._tokenizer.encode(clean, add_special_tokens=False).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """Text of token ids, with the names of special tokens."""
        text: str = self._tokenizer.decode(list(ids), skip_special_tokens=False)
        return text

    def ids(self, special_tokens: Sequence[str]) -> dict[str, int]:
        """The id of each special token.

        Raises:
            TokenizerError: the tokenizer lacks one of them.
        """
        encoded = {special: self.encode(special) for special in special_tokens}
        missing = [special for special, ids in encoded.items() if len(ids) != 1]
        if missing:
            raise TokenizerError(
                f"{self._path} lacks {', '.join(missing[:3])}"
                f"{f' and {len(missing) - 3} more' if len(missing) > 3 else ''}; add them with "
                "tokenizer.add_special_tokens, save it and resize the model's embeddings, or "
                "train a tokenizer with --tokenizer bpe:2048"
            )
        return {special: ids[0] for special, ids in encoded.items()}


def add_special_tokens(path: Path, output: Path, special_tokens: Sequence[str]) -> None:
    """Copy a tokenizer.json, with the special tokens that it lacks.

    They get the next free ids, in their order. A model needs an embedding for each.

    Raises:
        TokenizerError: the file cannot be read.
    """
    tokenizer = read_tokenizer(path)
    tokenizer.add_special_tokens(list(special_tokens))
    tokenizer.save(str(output))
