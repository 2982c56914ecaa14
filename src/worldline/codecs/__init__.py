"""Codecs turn a trace into a model's text and back; a codec is a format."""

from typing import Protocol

from worldline.codecs.after import answer_value, read_after
from worldline.codecs.assemble import UNCHANGED
from worldline.codecs.cwm import CwmCodec
from worldline.codecs.decoded import After, Decoded, Fragment, Stop, Written
from worldline.codecs.pieces import Part, Pieces, Role, Special
from worldline.codecs.stripped import decode_stripped
from worldline.errors import CodecError
from worldline.trace import Program, Trace


class Codec(Protocol):
    """A format. Reading never raises: damage in a model's text is data."""

    @property
    def name(self) -> str:
        """How users name it."""
        ...

    @property
    def specials(self) -> dict[Special, int]:
        """Its special tokens, and their ids in the vocabulary it was made for."""
        ...

    def prompt(self, program: Program) -> Pieces:
        """What a model is given."""
        ...

    def encode(self, trace: Trace) -> Pieces:
        """What a perfect model would write."""
        ...

    def decode(self, text: str, program: Program) -> Decoded:
        """The steps that a model wrote."""
        ...


CODECS: dict[str, Codec] = {"cwm": CwmCodec()}


def codec_named(name: str) -> Codec:
    """The codec that users know by this name."""
    if name not in CODECS:
        raise CodecError(f"no codec {name!r}; there is {', '.join(sorted(CODECS))}")
    return CODECS[name]


__all__ = [
    "CODECS",
    "UNCHANGED",
    "After",
    "Codec",
    "CwmCodec",
    "Decoded",
    "Fragment",
    "Part",
    "Pieces",
    "Role",
    "Special",
    "Stop",
    "Written",
    "answer_value",
    "codec_named",
    "decode_stripped",
    "read_after",
]
