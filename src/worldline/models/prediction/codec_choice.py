"""Choice of the codec for a model: the best one that it supports."""

from dataclasses import dataclass

from worldline.core.errors import EngineError
from worldline.models.engines import Capabilities, Engine
from worldline.models.prediction.engine_report import EngineReport, check_engine

# Setting of the codec that leaves the choice to `choose_codec`.
AUTO_CODEC = "auto"
# Best first. A model that has CWM's special tokens was trained on traces; others are asked for
# steps in a conversation, or for the answer alone. The other codecs need a model that was trained
# on them, which cannot be tested: they are never chosen.
CODEC_PREFERENCE = ("cwm", "chat-trace", "chat")
_REASONS = {
    "cwm": "its special tokens are in the model's vocabulary",
    "chat-trace": "the model answers chat messages; it is asked for every step",
    "chat": "the model answers chat messages; it is asked for the answer alone",
}


@dataclass(frozen=True, slots=True)
class CodecChoice:
    """The codec in which a model is asked, and why."""

    name: str
    reason: str


def suggest_codec(report: EngineReport) -> str:
    """Return the best codec that an engine supports.

    Args:
        report: The result of `check_engine`.

    Raises:
        EngineError: It supports none of them; the message says why.
    """
    known = [name for name in CODEC_PREFERENCE if name in report.codecs]
    for name in known:
        if not report.codecs[name]:
            return name
    reasons = "; ".join(dict.fromkeys(report.codecs[name] for name in known))
    raise EngineError(f"{report.model} supports no codec: {reasons}")


async def choose_codec(engine: Engine, *, capabilities: Capabilities | None = None) -> CodecChoice:
    """Test in which codecs an engine can be asked, and choose the best one.

    An engine that supports one codec only, such as a recording, names it in an attribute
    `codec`.

    Args:
        engine: The engine.
        capabilities: Its capabilities, if they are not to be tested here.

    Raises:
        EngineError: It supports none of them.
    """
    own: str | None = getattr(engine, "codec", None)
    if own is not None:
        return CodecChoice(own, "the only codec that the engine supports")
    report = await check_engine(engine, codecs=CODEC_PREFERENCE, capabilities=capabilities)
    name = suggest_codec(report)
    return CodecChoice(name, _REASONS[name])
