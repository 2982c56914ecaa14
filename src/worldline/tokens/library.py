"""Hugging Face's `tokenizers`, where it is installed, and the files that it reads."""

from pathlib import Path
from typing import Any

from worldline.errors import TokenizerError


def require_tokenizers(what: object) -> Any:
    """The library, or an error that says what needs it and how to get it."""
    try:
        import tokenizers
    except ImportError:
        raise TokenizerError(
            f"{what} needs tokenizers; install it with: pip install 'worldline[hf]'"
        ) from None
    return tokenizers


def read_tokenizer(path: Path) -> Any:
    """What a tokenizer.json holds."""
    library = require_tokenizers(path)
    try:
        return library.Tokenizer.from_file(str(path))
    # The library raises bare exceptions.
    except Exception as error:
        raise TokenizerError(f"{path} is not a Hugging Face tokenizer.json: {error}") from error
