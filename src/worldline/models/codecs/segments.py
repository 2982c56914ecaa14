"""Segments of prompts and completions: plain text, or one special token."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from worldline.core.util.text import truncate_text
from worldline.models.special_token_syntax import SPECIAL_TOKEN_START, may_contain_special_token

Role = Literal["action", "state"]

# The start of a special token, escaped as JSON.
_ESCAPED_START = f"\\u{ord(SPECIAL_TOKEN_START[0]):04x}{SPECIAL_TOKEN_START[1:]}"


class SpecialToken(str):
    """Name of a special token, which is a single token of the model's tokenizer."""

    __slots__ = ()


# Joined, the segments are the text. Their types say which of them are special tokens.
Segments = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoleSegments:
    """Consecutive segments of a step with one role.

    An `action` says which event and line come next; a `state` says what the variables, or the
    value returned or raised, are. The last segment is the special token that ends the role, except
    for an action at the end of a step, which the next step's first token ends.
    """

    role: Role
    segments: Segments

    def __repr__(self) -> str:
        return f"RoleSegments({self.role}, '{truncate_text(''.join(self.segments), 80)}')"


def join_segments(parts: Iterable[RoleSegments]) -> Segments:
    """All segments of several parts, in order."""
    return tuple(segment for part in parts for segment in part.segments)


def safe_json(value: str | dict[str, str]) -> str:
    """JSON in which the start of a special token is escaped.

    "<|frame_sep|>" -> '"\\u003c|frame_sep|>"'
    """
    text = json.dumps(value)
    if not may_contain_special_token(text):
        return text
    return text.replace(SPECIAL_TOKEN_START, _ESCAPED_START)
