"""Texts go in, a new vocabulary comes out: a folder that Hugging Face and vLLM read."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from worldline.errors import TokenizerError
from worldline.tokens.library import require_tokenizers

BYTES = 256
# What a merge never reaches across. Words, single digits, runs of spaces and line ends stand for
# themselves, wherever they are, so that a line is cut alike in a source and in a trace; signs keep
# the spaces beside them, as the quotes, colons and commas of a state always come together.
PATTERN = r"\n| {2,}| ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+(?: [^\s\p{L}\p{N}]+)* ?|\s"


def make_tokenizer(
    texts: Iterable[str], folder: Path, *, size: int | None, specials: Sequence[str]
) -> Path:
    """Write a vocabulary into a folder and return the path of its `tokenizer.json`.

    Of at most `size` tokens, by byte pair encoding of the texts; none: a token a byte, and the
    texts are not read. The special tokens come last, in their order; the first begins a text and
    the second ends one.
    """
    tokenizers = require_tokenizers("a new vocabulary")
    if size is not None and size < BYTES + len(specials):
        raise TokenizerError(
            f"a vocabulary of {size} tokens has no room for {BYTES} bytes and {len(specials)} "
            f"special tokens; ask for {BYTES + len(specials)} or more"
        )
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    level = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(PATTERN), "isolated")
    made.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([split, level])
    made.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=BYTES if size is None else size - len(specials),
        initial_alphabet=sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    # Half a surrogate pair has no bytes of its own.
    clean = (text.encode("utf-8", "replace").decode() for text in texts)
    made.train_from_iterator(() if size is None else clean, trainer)
    made.add_special_tokens(list(specials))
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tokenizer.json"
    made.save(str(path))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": specials[0],
        "eos_token": specials[1],
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
    return path
