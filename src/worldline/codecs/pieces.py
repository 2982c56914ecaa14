"""Text for a model, as pieces: ordinary text, and tokens that are not to be spelled."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Role = Literal["action", "state"]


class Special(str):
    """The name of a special token: one token of the vocabulary, whatever its letters."""

    __slots__ = ()


# Joined, the pieces are the text; apart, they say which parts are special tokens.
Pieces = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """Pieces that say one thing: which line is next and by which event (`action`), or what the
    variables, or a value returned or raised, are (`state`). The special token that ends what is
    said is its last piece; a step may also end in an action that the next step's first ends."""

    role: Role
    pieces: Pieces


def joined(parts: Iterable[Part]) -> Pieces:
    """All pieces of parts, in order."""
    return tuple(piece for part in parts for piece in part.pieces)


def json_text(value: str | dict[str, str]) -> str:
    """JSON in which no special token can be spelled.

    "<|frame_sep|>" -> '"\\u003c|frame_sep|>"'
    """
    text = json.dumps(value)
    return text.replace("<|", "\\u003c|") if "<|" in text else text
