"""Codecs: a trace as a model's text, and back."""

from worldline.models.codecs.answer_extraction import parse_answer, parse_text_after_trace
from worldline.models.codecs.answer_row import find_answer
from worldline.models.codecs.branch_notes import branch_note, select_next_line, yield_lines
from worldline.models.codecs.chat import ChatAnswerCodec, ChatCodec
from worldline.models.codecs.codec import Codec, StepCodec, split_at_special_tokens
from worldline.models.codecs.codec_registry import (
    ANSWER_CODECS,
    CODECS,
    ROW_CODECS,
    STEP_CODECS,
    get_codec,
)
from worldline.models.codecs.cwm import CwmCodec
from worldline.models.codecs.cwm_without_special_tokens import decode_without_special_tokens
from worldline.models.codecs.decoded import Decoded, Fragment, StepText, Stop, TextAfterTrace
from worldline.models.codecs.delta import DeltaCodec
from worldline.models.codecs.hidden_entry import find_hidden_entry
from worldline.models.codecs.replay_state import ReplayState
from worldline.models.codecs.row_codec import ChatTraceCodec, RowCodec, RowText
from worldline.models.codecs.rows import ItemKind, Row
from worldline.models.codecs.scope_inference import UNCHANGED
from worldline.models.codecs.segments import (
    Role,
    RoleSegments,
    Segments,
    SpecialToken,
    join_segments,
)
from worldline.models.codecs.spelled import SpelledCodec
from worldline.models.codecs.value_notation import state_entries

__all__ = [
    "ANSWER_CODECS",
    "CODECS",
    "ROW_CODECS",
    "STEP_CODECS",
    "UNCHANGED",
    "ChatAnswerCodec",
    "ChatCodec",
    "ChatTraceCodec",
    "Codec",
    "CwmCodec",
    "Decoded",
    "DeltaCodec",
    "Fragment",
    "ItemKind",
    "ReplayState",
    "Role",
    "RoleSegments",
    "Row",
    "RowCodec",
    "RowText",
    "Segments",
    "SpecialToken",
    "SpelledCodec",
    "StepCodec",
    "StepText",
    "Stop",
    "TextAfterTrace",
    "branch_note",
    "decode_without_special_tokens",
    "find_answer",
    "find_hidden_entry",
    "get_codec",
    "join_segments",
    "parse_answer",
    "parse_text_after_trace",
    "select_next_line",
    "split_at_special_tokens",
    "state_entries",
    "yield_lines",
]
