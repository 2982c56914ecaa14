"""Special tokens of CWM, which all formats with steps use."""

import re

from worldline.core.trace import Event
from worldline.models.codecs.segments import SpecialToken
from worldline.models.special_token_syntax import SPECIAL_TOKEN_START

BEGIN = SpecialToken("<|begin_of_text|>")
END = SpecialToken("<|end_of_text|>")
FRAME = SpecialToken("<|frame_sep|>")
ACTION = SpecialToken("<|action_sep|>")
ARG = SpecialToken("<|arg_sep|>")
CONTEXT = SpecialToken("<|trace_context_start|>")
EVENT: dict[Event, SpecialToken] = {
    "return": SpecialToken("<|return_sep|>"),
    "call": SpecialToken("<|call_sep|>"),
    "line": SpecialToken("<|line_sep|>"),
    "exception": SpecialToken("<|exception_sep|>"),
}
# Token ids in the tokenizer of Meta's model.
TOKEN_IDS: dict[SpecialToken, int] = {
    BEGIN: 128000,
    END: 128001,
    FRAME: 128100,
    ACTION: 128101,
    EVENT["return"]: 128102,
    EVENT["call"]: 128103,
    EVENT["line"]: 128104,
    EVENT["exception"]: 128105,
    ARG: 128106,
    CONTEXT: 128107,
}
_SPECIAL = re.compile("|".join(map(re.escape, TOKEN_IDS)))


def read_segment(text: str, position: int) -> tuple[str, SpecialToken | None, int]:
    """The text up to the next special token, that token, and the position after it.

    "x=5<|action_sep|>7", 0 -> "x=5", ACTION, 17; "x=5<|action_sep|>7", 17 -> "7", None, 18
    """
    match = _SPECIAL.search(text, position)
    if match is None:
        return text[position:], None, len(text)
    return text[position : match.start()], SpecialToken(match[0]), match.end()


def strip_partial_token(text: str) -> str:
    """Remove an incomplete special token from the end of a text: "x=5<|act" -> "x=5" """
    start = text.rfind(SPECIAL_TOKEN_START[0])
    rest = text[start:]
    is_partial = start >= 0 and any(token.startswith(rest) and token != rest for token in TOKEN_IDS)
    return text[:start] if is_partial else text
