"""Pieces of a format go in; token ids come out, the same that a model is asked with."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from worldline.codecs import Special, StepCodec
from worldline.errors import TokenizerError
from worldline.tokens import SpecialTokens, Tokenizer, load_tokenizer, make_tokenizer

FILE = "tokenizer.json"
CONFIG = "tokenizer_config.json"
# Pieces whose ids are remembered, and up to which length: lines and small states.
_REMEMBERED = 200_000
_LONG = 200


class Spelling:
    """How a vocabulary spells a format. Special tokens are an id each; the text between two of
    them is split by itself, as `worldline predict` does."""

    def __init__(self, tokenizer: Tokenizer, specials: Mapping[str, int]) -> None:
        self._tokenizer = tokenizer
        self._specials = specials
        self._known: dict[str, Sequence[int]] = {}

    def ids(self, piece: str) -> Sequence[int]:
        """The ids of one piece. The same source lines come again and again."""
        if isinstance(piece, Special):
            return (self._specials[piece],)
        known = self._known.get(piece)
        if known is None:
            known = self._tokenizer.encode(piece)
            if len(piece) < _LONG and len(self._known) < _REMEMBERED:
                self._known[piece] = known
        return known


def load_spelling(name: str, codec: StepCodec) -> Spelling:
    """The spelling of a format in the vocabulary of that name, or in that file: "llama3",
    "model/tokenizer.json"."""
    if name == "llama3":
        return Spelling(load_tokenizer(name), {str(s): id for s, id in codec.specials.items()})
    return Spelling(load_tokenizer(name), SpecialTokens(Path(name)).ids(list(codec.specials)))


def prepare_tokenizer(name: str, folder: Path, codec: StepCodec, texts: Iterable[str]) -> str:
    """Put the vocabulary that a user named into a folder; returns the name to load it by.

    "llama3" -> "llama3"; "bytes", "bpe:2048" (made from texts), "a/tokenizer.json" (copied) ->
    the path of the `tokenizer.json` in the folder
    """
    if name == "llama3":
        return name
    kind, _, size = name.partition(":")
    if name == "bytes" or (kind == "bpe" and size.isdecimal()):
        # The one that begins a text comes first, and the one that ends it second.
        specials = [
            str(special) for special in sorted(codec.specials, key=codec.specials.__getitem__)
        ]
        wanted = int(size) if size else None
        return str(make_tokenizer(texts, folder, size=wanted, specials=specials))
    path = Path(name)
    if not path.is_file() or path.suffix != ".json":
        raise TokenizerError(
            f"no tokenizer {name!r}: give llama3, the path of a tokenizer.json, or have one made "
            "from the traces with bytes or bpe:2048"
        )
    # Before anything is copied: what it lacks is said of the file that was named.
    SpecialTokens(path).ids(list(codec.specials))
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, folder / FILE)
    if path.with_name(CONFIG).is_file():
        shutil.copyfile(path.with_name(CONFIG), folder / CONFIG)
    return str(folder / FILE)


def check_spelling(
    name: str, spelling: Spelling, texts: Iterable[Sequence[str]], *, wanted: str
) -> None:
    """Refuse a vocabulary whose tokens do not say what the text says, or that spells pieces
    otherwise alone than in one text: a server or trainer that splits the text would have others.

    `wanted` is what a user called it, whatever name it is loaded by.
    """
    if name == "llama3":
        return
    whole = SpecialTokens(Path(name))
    for pieces in texts:
        if any("<|" in piece for piece in pieces if not isinstance(piece, Special)):
            # A program that speaks of special tokens; as text, they are no special ones.
            continue
        apart = [token for piece in pieces for token in spelling.ids(piece)]
        text = "".join(pieces)
        fault = None
        if apart != list(whole.encode(text)):
            fault = "splits text otherwise by itself than between special tokens"
        elif whole.decode(apart) != text:
            fault = "gives other text back than it was given"
        if fault is not None:
            raise TokenizerError(
                f"{wanted} {fault}, as one does that puts in or takes out spaces or letters; have "
                "one made with --tokenizer bpe:2048"
            )
