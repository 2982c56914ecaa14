"""Codecs by name: `cwm`, `delta`, `numbers`, `edits`, `sparse`, `sparse-8`, `folded`, `chat`."""

from worldline.core.errors import CodecError
from worldline.core.plugins import Registry
from worldline.models.codecs.chat import ChatCodec
from worldline.models.codecs.codec import Codec, StepCodec
from worldline.models.codecs.cwm import CwmCodec
from worldline.models.codecs.delta import DeltaCodec, at_branches, every_n_steps
from worldline.models.codecs.folded import FoldedCodec
from worldline.models.codecs.line_notation import LineNumbers, SourceLines
from worldline.models.codecs.value_edits import EditedValues
from worldline.models.codecs.value_notation import PlainValues

_EDITS = DeltaCodec("edits", LineNumbers(), EditedValues())
_STEP_CODECS: tuple[StepCodec, ...] = (
    CwmCodec(),
    DeltaCodec("delta", SourceLines(), PlainValues()),
    DeltaCodec("numbers", LineNumbers(), PlainValues()),
    _EDITS,
    DeltaCodec("sparse", LineNumbers(), PlainValues(), at_branches),
    DeltaCodec("sparse-8", LineNumbers(), PlainValues(), every_n_steps(8)),
)
STEP_CODECS: Registry[StepCodec] = Registry(
    "worldline.step_codecs", {codec.name: codec for codec in _STEP_CODECS}, error=CodecError
)
_OTHER_CODECS: tuple[Codec, ...] = (FoldedCodec("folded", _EDITS), ChatCodec())
CODECS: Registry[Codec] = Registry(
    "worldline.codecs",
    {codec.name: codec for codec in (*_STEP_CODECS, *_OTHER_CODECS)},
    error=CodecError,
)


def get_codec(name: str) -> Codec:
    """Look up a codec by its name.

    Raises:
        CodecError: there is no codec of that name.
    """
    if name not in CODECS:
        raise CodecError(f"no codec {name!r}; available: {', '.join(sorted(CODECS))}")
    return CODECS[name]
