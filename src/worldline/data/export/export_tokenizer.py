"""Tokenizer files of an export: copied or trained, and checked."""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from worldline.core.errors import TokenizerError
from worldline.models.codecs import SpecialToken, StepCodec
from worldline.models.prediction import CodecTokenizer
from worldline.models.special_token_syntax import may_contain_special_token
from worldline.models.tokenizers import TokenizerJson, add_special_tokens, train_tokenizer

FILE = "tokenizer.json"
CONFIG = "tokenizer_config.json"


def prepare_tokenizer(name: str, folder: Path, codec: StepCodec, texts: Iterable[str]) -> str:
    """Copy or train the tokenizer of an export, and return the name to load it with.

    "llama3" -> "llama3"; "bytes", "bpe:2048" (trained on texts), "a/tokenizer.json" (copied),
    "model" (a folder: copied, special tokens added) -> the path of `tokenizer.json` in the folder

    Args:
        name: The tokenizer that the user chose.
        folder: Folder for its files.
        codec: Codec whose special tokens it needs.
        texts: Texts to train it on.

    Raises:
        TokenizerError: It does not exist, or lacks a special token.
    """
    if name == "llama3":
        return name
    kind, _, size = name.partition(":")
    if name == "bytes" or (kind == "bpe" and size.isdecimal()):
        special_tokens = _special_tokens(codec)
        vocab_size = int(size) if size else None
        return str(train_tokenizer(texts, folder, size=vocab_size, special_tokens=special_tokens))
    path = Path(name)
    if (path / FILE).is_file():
        folder.mkdir(parents=True, exist_ok=True)
        add_special_tokens(path / FILE, folder / FILE, _special_tokens(codec))
        _copy_config(path, folder)
        return str(folder / FILE)
    if not path.is_file() or path.suffix != ".json":
        raise TokenizerError(
            f"no tokenizer {name!r}: give llama3, the path of a tokenizer.json or the folder of "
            "a model, or train one on the traces with bytes or bpe:2048"
        )
    # Checked before it is copied, so that an error names the original file.
    TokenizerJson(path).ids(list(codec.special_tokens))
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, folder / FILE)
    _copy_config(path.parent, folder)
    return str(folder / FILE)


def _special_tokens(codec: StepCodec) -> list[str]:
    """Special tokens of a codec: the first one begins a text, the second one ends it."""
    tokens = codec.special_tokens
    return [str(token) for token in sorted(tokens, key=tokens.__getitem__)]


def _copy_config(source: Path, folder: Path) -> None:
    if (source / CONFIG).is_file():
        shutil.copyfile(source / CONFIG, folder / CONFIG)


def check_tokenizer(
    name: str, tokenizer: CodecTokenizer, texts: Iterable[Sequence[str]], *, display_name: str
) -> None:
    """Refuse a tokenizer that is not lossless, or that tokenizes segments differently in context.

    With such a tokenizer, a server or trainer that tokenizes the whole text gets different ids.

    Args:
        name: Name with which the tokenizer was loaded.
        tokenizer: The loaded tokenizer.
        texts: Segments of some traces.
        display_name: Name for messages, as the user typed it.

    Raises:
        TokenizerError: The tokenizer changes a text, or its ids differ.
    """
    if name == "llama3":
        return
    whole_text_tokenizer = TokenizerJson(Path(name))
    for segments in texts:
        if any(may_contain_special_token(s) for s in segments if not isinstance(s, SpecialToken)):
            # The program contains the text of a special token, which is ordinary text there.
            continue
        ids = [token for segment in segments for token in tokenizer.encode_segment(segment)]
        text = "".join(segments)
        fault = None
        if ids != list(whole_text_tokenizer.encode(text)):
            fault = "encodes a whole text differently from its segments one by one"
        elif whole_text_tokenizer.decode(ids) != text:
            fault = "decodes to a different text than it encoded"
        if fault is not None:
            raise TokenizerError(
                f"{display_name} {fault}, perhaps because it adds or removes spaces; train one "
                "with --tokenizer bpe:2048"
            )
