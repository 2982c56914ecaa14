"""The special tokens of CWM's vocabulary, which all formats with steps are written with."""

from worldline.codecs.pieces import Special
from worldline.trace import Event

BEGIN = Special("<|begin_of_text|>")
END = Special("<|end_of_text|>")
FRAME = Special("<|frame_sep|>")
ACTION = Special("<|action_sep|>")
ARG = Special("<|arg_sep|>")
CONTEXT = Special("<|trace_context_start|>")
EVENT: dict[Event, Special] = {
    "return": Special("<|return_sep|>"),
    "call": Special("<|call_sep|>"),
    "line": Special("<|line_sep|>"),
    "exception": Special("<|exception_sep|>"),
}
# In the vocabulary of Meta's model.
TOKEN_IDS: dict[Special, int] = {
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
