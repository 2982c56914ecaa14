"""Codecs turn a trace into a model's text and back; a codec is a format."""

import re
from collections.abc import Iterator
from typing import Protocol

from worldline.codecs.after import answer_value, read_after
from worldline.codecs.assemble import UNCHANGED
from worldline.codecs.chat import ChatCodec
from worldline.codecs.course import Course
from worldline.codecs.cwm import CwmCodec
from worldline.codecs.decoded import After, Decoded, Fragment, Stop, Written
from worldline.codecs.delta import DeltaCodec
from worldline.codecs.edits import EditedValues
from worldline.codecs.entries import state_entries
from worldline.codecs.folded import FoldedCodec
from worldline.codecs.lines import LineNumbers, SourceLines
from worldline.codecs.pieces import Part, Pieces, Role, Special, joined
from worldline.codecs.sparse import at_branches, every
from worldline.codecs.stripped import decode_stripped
from worldline.codecs.values import PlainValues
from worldline.errors import CodecError
from worldline.trace import Event, Program, Trace


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

    @property
    def is_chat(self) -> bool:
        """Whether a model is asked by messages, a piece of the prompt each, the user's and its own
        by turns, instead of being given a text to go on with."""
        ...

    @property
    def end(self) -> Special | None:
        """What ends a model's text; none where a message does."""
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


class StepCodec(Codec, Protocol):
    """A format that goes step by step, so that some of it can be given and the rest written."""

    @property
    def end(self) -> Special:
        """What ends a trace."""
        ...

    @property
    def no_value(self) -> str:
        """What is written for the value of a scope that an exception leaves."""
        ...

    def parts(self, trace: Trace) -> Iterator[tuple[Part, ...]]:
        """What a perfect model would write, a step at a time, told apart into action and state."""
        ...

    def outline(self, event: Event, line: int, course: Course, state: str = "") -> tuple[Part, ...]:
        """One step behind others, on a line; its state may be left to be written."""
        ...

    def state_grammar(self, event: Event, *, longest_value: int) -> str:
        """What the state of a step may look like, in Lark's notation; not what ends it."""
        ...


_EDITS = DeltaCodec("edits", LineNumbers(), EditedValues())
_STEP_CODECS: tuple[StepCodec, ...] = (
    CwmCodec(),
    DeltaCodec("delta", SourceLines(), PlainValues()),
    DeltaCodec("numbers", LineNumbers(), PlainValues()),
    _EDITS,
    DeltaCodec("sparse", LineNumbers(), PlainValues(), at_branches),
    DeltaCodec("sparse-8", LineNumbers(), PlainValues(), every(8)),
)
STEP_CODECS: dict[str, StepCodec] = {codec.name: codec for codec in _STEP_CODECS}
_OTHER_CODECS: tuple[Codec, ...] = (FoldedCodec("folded", _EDITS), ChatCodec())
CODECS: dict[str, Codec] = {**STEP_CODECS, **{codec.name: codec for codec in _OTHER_CODECS}}


def pieces_of(text: str, codec: Codec) -> Pieces:
    """A text in a format, taken apart at its special tokens.

    "{}<|action_sep|>x" -> ("{}", Special("<|action_sep|>"), "x")
    """
    names = "|".join(map(re.escape, codec.specials))
    found = re.split(f"({names})", text) if names else [text]
    return tuple(Special(each) if each in codec.specials else each for each in found if each)


def codec_named(name: str) -> Codec:
    """The codec that users know by this name."""
    if name not in CODECS:
        raise CodecError(f"no codec {name!r}; there is {', '.join(sorted(CODECS))}")
    return CODECS[name]


__all__ = [
    "CODECS",
    "STEP_CODECS",
    "UNCHANGED",
    "After",
    "ChatCodec",
    "Codec",
    "Course",
    "CwmCodec",
    "Decoded",
    "DeltaCodec",
    "Fragment",
    "Part",
    "Pieces",
    "Role",
    "Special",
    "StepCodec",
    "Stop",
    "Written",
    "answer_value",
    "codec_named",
    "decode_stripped",
    "joined",
    "pieces_of",
    "read_after",
    "state_entries",
]
