"""Codecs by name.

Models trained on traces: `cwm`, `delta`, `numbers`, `edits`, `sparse`, `sparse-8`, `folded`; with
choices, `cwm-choices`, `delta-choices`. Chat models: `chat`, `chat-answer`, `chat-trace`,
`chat-trace-states`, `chat-trace-json`. Base models: `cwm-text`.
"""

import re

from worldline.core.errors import CodecError
from worldline.core.plugins import Registry
from worldline.models.codecs.chat import ChatAnswerCodec, ChatCodec
from worldline.models.codecs.choices import ChoiceCodec
from worldline.models.codecs.codec import Codec, StepCodec
from worldline.models.codecs.cwm import CwmCodec
from worldline.models.codecs.delta import DeltaCodec, at_branches, every_n_steps
from worldline.models.codecs.effect_notation import EffectNotation
from worldline.models.codecs.folded import FoldedCodec
from worldline.models.codecs.json_notation import JsonNotation
from worldline.models.codecs.line_notation import LineNumbers, SourceLines
from worldline.models.codecs.row_codec import ChatTraceCodec, RowCodec
from worldline.models.codecs.spelled import SpelledCodec
from worldline.models.codecs.state_notation import StateNotation
from worldline.models.codecs.value_edits import EditedValues
from worldline.models.codecs.value_notation import PlainValues

_EDITS = DeltaCodec("edits", LineNumbers(), EditedValues())
_CWM = CwmCodec()
_DELTA = DeltaCodec("delta", SourceLines(), PlainValues())
_STEP_CODECS: tuple[StepCodec, ...] = (
    _CWM,
    _DELTA,
    DeltaCodec("numbers", LineNumbers(), PlainValues()),
    _EDITS,
    DeltaCodec("sparse", LineNumbers(), PlainValues(), at_branches),
    DeltaCodec("sparse-8", LineNumbers(), PlainValues(), every_n_steps(8)),
    ChoiceCodec("cwm-choices", _CWM, shows_all=True),
    ChoiceCodec("delta-choices", _DELTA, shows_all=False),
)
STEP_CODECS: Registry[StepCodec] = Registry(
    "worldline.step_codecs", {codec.name: codec for codec in _STEP_CODECS}, error=CodecError
)
_ROW_CODECS: tuple[RowCodec, ...] = (
    ChatTraceCodec("chat-trace", EffectNotation()),
    ChatTraceCodec("chat-trace-states", StateNotation()),
    ChatTraceCodec("chat-trace-json", JsonNotation()),
)
ROW_CODECS: Registry[RowCodec] = Registry(
    "worldline.row_codecs", {codec.name: codec for codec in _ROW_CODECS}, error=CodecError
)
# They ask for the result alone: an output has no steps.
ANSWER_CODECS = (ChatCodec.name, ChatAnswerCodec.name)
_OTHER_CODECS: tuple[Codec, ...] = (
    FoldedCodec("folded", _EDITS),
    ChatCodec(),
    ChatAnswerCodec(),
    *_ROW_CODECS,
    SpelledCodec("cwm-text", _CWM),
)
CODECS: Registry[Codec] = Registry(
    "worldline.codecs",
    {codec.name: codec for codec in (*_STEP_CODECS, *_OTHER_CODECS)},
    error=CodecError,
)


_NAME_WITH_SHOTS = re.compile(r"(.+)-(\d{1,3})")


def get_codec(name: str, *, shots: int | None = None) -> Codec:
    """Look up a codec by its name.

    "cwm-text" -> with two worked examples; "cwm-text-1" -> with one

    Args:
        name: name of the codec, which may end with a number of worked examples.
        shots: number of worked examples in the prompt, for a codec that has some.

    Raises:
        CodecError: there is no codec of that name, it has no worked examples, or fewer.
    """
    match = _NAME_WITH_SHOTS.fullmatch(name)
    if name not in CODECS and match is not None and match[1] in CODECS and shots is None:
        name, shots = match[1], int(match[2])
    if name not in CODECS:
        raise CodecError(f"no codec {name!r}; available: {', '.join(sorted(CODECS))}")
    codec = CODECS[name]
    if shots is None:
        return codec
    if not isinstance(codec, ChatTraceCodec | SpelledCodec):
        raise CodecError(f"the {name} format has no worked examples; omit the number of shots")
    return codec.with_shots(shots)
