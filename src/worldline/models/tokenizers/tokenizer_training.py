"""Training of a byte-pair-encoding tokenizer, in the format of Hugging Face and vLLM."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from worldline.core.errors import TokenizerError
from worldline.models.tokenizers.tokenizers_library import require_tokenizers

BYTES = 256
# Pre-tokenization: a merge never crosses these borders. Words, single digits, runs of spaces and
# line ends are separate, so that a line is tokenized in the same way in a source and in a trace.
# Punctuation keeps its spaces, because the quotes, colons and commas of a state occur together.
PATTERN = r"\n| {2,}| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+(?: [^\s\p{L}\p{N}]+)* ?|\s"


def train_tokenizer(
    texts: Iterable[str], folder: Path, *, size: int | None, special_tokens: Sequence[str]
) -> Path:
    """Train a tokenizer and write it into a folder.

    Args:
        texts: training texts.
        folder: where `tokenizer.json` and `tokenizer_config.json` are written.
        size: largest number of tokens; None for one token per byte, without reading the texts.
        special_tokens: they get the last ids, in this order. The first begins a text and the second
            ends it.

    Returns:
        The path of `tokenizer.json`.

    Raises:
        TokenizerError: `size` is too small, or the library `tokenizers` is not installed.
    """
    tokenizers = require_tokenizers("a new tokenizer")
    if size is not None and size < BYTES + len(special_tokens):
        raise TokenizerError(
            f"a tokenizer of {size} tokens has no room for {BYTES} bytes and "
            f"{len(special_tokens)} special tokens; ask for {BYTES + len(special_tokens)} or more"
        )
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    byte_level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(PATTERN), "isolated")
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=BYTES if size is None else size - len(special_tokens),
        initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    # Half a surrogate pair cannot be encoded.
    clean = (text.encode("utf-8", "replace").decode() for text in texts)
    tokenizer.train_from_iterator(() if size is None else clean, trainer)
    tokenizer.add_special_tokens(list(special_tokens))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tokenizer.json"
    tokenizer.save(str(path))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": special_tokens[0],
        "eos_token": special_tokens[1],
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    return path
