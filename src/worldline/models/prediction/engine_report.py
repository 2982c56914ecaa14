"""Report on which codecs and modes an engine supports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldline.core.errors import EngineError
from worldline.models.codecs import CODECS, ROW_CODECS, STEP_CODECS
from worldline.models.engines import Capabilities, Capability, Engine
from worldline.models.prediction.codec_tokenizer import CodecTokenizer
from worldline.models.prediction.prediction import Mode
from worldline.models.prediction.prediction_settings import (
    REQUIRED_CAPABILITIES,
    ROW_CAPABILITIES,
)


@dataclass(frozen=True, slots=True)
class EngineReport:
    """Capabilities of an engine, and the codecs and modes that it supports.

    Attributes:
        model: name of the model.
        capabilities: capabilities of the engine.
        codecs: for each codec why it is not supported; empty if it is.
        modes: for each mode why it is not supported; empty if it is.
    """

    model: str
    capabilities: Capabilities
    codecs: Mapping[str, str]
    modes: Mapping[Mode, str]

    def __repr__(self) -> str:
        codecs = sum(not reason for reason in self.codecs.values())
        modes = sum(not reason for reason in self.modes.values())
        return (
            f"EngineReport({self.model[:60]!r}, {codecs} of {len(self.codecs)} codecs, "
            f"{modes} of {len(self.modes)} modes)"
        )


async def check_engine(
    engine: Engine,
    *,
    codecs: Iterable[str] | None = None,
    capabilities: Capabilities | None = None,
) -> EngineReport:
    """Test which codecs and modes an engine supports.

    Args:
        engine: the engine.
        codecs: names of the codecs to test; by default all.
        capabilities: capabilities of the engine, if they are known; by default they are tested.
    """
    capabilities = capabilities or await engine.capabilities()
    results: dict[str, str] = {}
    for name in CODECS if codecs is None else codecs:
        codec = CODECS[name]
        try:
            if codec.is_chat:
                capabilities.require(["chat"], what=f"the {name} format")
            else:
                capabilities.require(["tokenize"], what=f"the {name} format")
                await CodecTokenizer.from_engine(engine, codec)
        except EngineError as reason:
            results[name] = str(reason)
        else:
            results[name] = ""
    has_step_codec = any(not results[name] for name in STEP_CODECS if name in results)
    has_row_codec = any(not results[name] for name in ROW_CODECS if name in results)
    modes: dict[Mode, str] = {}
    for mode, needed in REQUIRED_CAPABILITIES.items():
        by_rows = ROW_CAPABILITIES.get(mode)
        if has_row_codec and not has_step_codec and by_rows is not None:
            modes[mode] = _missing_reason(capabilities, by_rows, mode)
        elif mode != "free" and not has_step_codec:
            modes[mode] = f"{engine.name} supports no codec that writes steps"
        else:
            modes[mode] = _missing_reason(capabilities, needed, mode)
    return EngineReport(engine.name, capabilities, results, modes)


def _missing_reason(capabilities: Capabilities, needed: Sequence[Capability], mode: Mode) -> str:
    """Why an engine does not support a mode; empty if it does."""
    try:
        capabilities.require(needed, what=f"the mode {mode}")
    except EngineError as reason:
        return str(reason)
    return ""
