"""A tokenizer.json goes in; the ids of special tokens, and of texts that spell them, come out."""

from collections.abc import Sequence
from pathlib import Path

from worldline.errors import TokenizerError
from worldline.tokens.library import read_tokenizer


class SpecialTokens:
    """A tokenizer.json as Hugging Face reads it: what is spelled like a special token is one."""

    def __init__(self, path: Path) -> None:
        self._tokenizer = read_tokenizer(path)
        self._path = path

    def encode(self, text: str) -> Sequence[int]:
        """The token ids of a text in which special tokens are spelled out."""
        clean = text.encode("utf-8", "replace").decode()
        ids: list[int] = self._tokenizer.encode(clean, add_special_tokens=False).ids
        return ids

    def decode(self, ids: Sequence[int]) -> str:
        """The text of token ids, special tokens spelled out."""
        text: str = self._tokenizer.decode(list(ids), skip_special_tokens=False)
        return text

    def ids(self, specials: Sequence[str]) -> dict[str, int]:
        """The id of each special token; all of them, or an error."""
        spelled = {special: self.encode(special) for special in specials}
        missing = [special for special, ids in spelled.items() if len(ids) != 1]
        if missing:
            raise TokenizerError(
                f"{self._path} lacks {', '.join(missing[:3])}"
                f"{f' and {len(missing) - 3} more' if len(missing) > 3 else ''}; add them with "
                "tokenizer.add_special_tokens, save it and resize the model's embeddings, or have "
                "a vocabulary made with --tokenizer bpe:2048"
            )
        return {special: ids[0] for special, ids in spelled.items()}
