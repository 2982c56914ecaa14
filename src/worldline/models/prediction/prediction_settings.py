"""Settings of a prediction, and the capabilities that each mode requires of an engine."""

from collections.abc import Mapping
from dataclasses import dataclass, fields

from worldline.core.errors import EngineError
from worldline.models.codecs import ROW_CODECS, STEP_CODECS, ChatTraceCodec, Codec
from worldline.models.engines import Capabilities, Capability
from worldline.models.prediction.on_demand import POLICIES, POLICIES_WITH_LOGPROBS, Policy
from worldline.models.prediction.prediction import GenerationRecord, Mode

# Capabilities for prompts and completions as token ids. The mode `free` also works with text.
TOKEN_ID_CAPABILITIES: tuple[Capability, ...] = ("tokenize", "ids_in", "ids_out", "stop_ids")
_ROW_CAPABILITIES: tuple[Capability, ...] = (
    "tokenize", "ids_in", "ids_out", "stop_strings", "chat_template",
)  # fmt: skip
REQUIRED_CAPABILITIES: Mapping[Mode, tuple[Capability, ...]] = {
    "free": (),
    "force-actions": TOKEN_ID_CAPABILITIES,
    "force-state": TOKEN_ID_CAPABILITIES,
    "guided": (*TOKEN_ID_CAPABILITIES, "allowed_ids"),
    "score": ("tokenize", "ids_in", "prompt_scores"),
    "on-demand": TOKEN_ID_CAPABILITIES,
}
# The same for codecs that write rows of plain text; `free` sends messages.
ROW_CAPABILITIES: Mapping[Mode, tuple[Capability, ...]] = {
    "force-actions": _ROW_CAPABILITIES,
    "force-state": _ROW_CAPABILITIES,
    "guided": (*_ROW_CAPABILITIES, "allowed_ids"),
    "score": ("tokenize", "ids_in", "chat_template", "prompt_scores"),
    "on-demand": _ROW_CAPABILITIES,
}
# Modes that need the actual trace, for which the program is executed first.
MODES_WITH_ACTUAL_TRACE: frozenset[Mode] = frozenset(
    {"force-actions", "force-state", "score", "on-demand"}
)


@dataclass(frozen=True, slots=True)
class PredictionSettings:
    """How a model is asked for predictions.

    Attributes:
        mode: which parts of the trace the model generates.
        codec: name of the codec.
        max_tokens: limit on the completion, teacher-forced tokens included.
        temperature: 0 for greedy decoding.
        seed: sampling seed of the first repeat; repeat k uses seed + k.
        from_step: number of actual steps that the model is given first.
        max_value_chars: limit on the length of a value in the mode `guided`.
        policy: which rows are executed, in the mode `on-demand`.
        threshold: rows whose trust is below it are executed, in the mode `on-demand`.
        logprobs: whether to store the log-probabilities of the tokens, in the mode `free`.
    """

    mode: Mode = "free"
    codec: str = "cwm"
    max_tokens: int = 4096
    temperature: float = 0.0
    seed: int = 0
    from_step: int = 0
    max_value_chars: int = 2000
    policy: Policy = "checks"
    threshold: float = 0.5
    logprobs: bool = False

    def __repr__(self) -> str:
        shown = [
            f"{field.name}={getattr(self, field.name)!r}"
            for field in fields(self)
            if field.name in ("mode", "codec") or getattr(self, field.name) != field.default
        ]
        return f"PredictionSettings({', '.join(shown)})"


def make_generation_record(settings: PredictionSettings, *, repeat: int = 0) -> GenerationRecord:
    """Record of a generation with these settings; tokens, usage and time are filled in later."""
    return GenerationRecord(
        mode=settings.mode,
        codec=settings.codec,
        max_tokens=settings.max_tokens,
        temperature=settings.temperature,
        seed=settings.seed + repeat if settings.temperature > 0 else None,
        repeat=repeat,
        from_step=settings.from_step,
        max_value_chars=settings.max_value_chars if settings.mode == "guided" else None,
        policy=settings.policy if settings.mode == "on-demand" else None,
        threshold=settings.threshold if settings.mode == "on-demand" else None,
    )


def check_settings(settings: PredictionSettings, codec: Codec, capabilities: Capabilities) -> None:
    """Check that a codec and an engine support the settings.

    Raises:
        EngineError: the codec or the engine does not support the mode or `from_step`.
    """
    mode, from_step = settings.mode, settings.from_step
    if settings.logprobs:
        _check_logprobs(mode, capabilities)
    is_free_from_start = mode == "free" and not from_step
    if writes_rows(codec):
        _check_rows(settings, codec, capabilities)
        return
    if codec.is_chat:
        if not is_free_from_start:
            raise EngineError(
                f"the {codec.name} format asks for the result alone, without steps: use --mode "
                "free and omit --from-step; or use --codec chat-trace"
            )
        capabilities.require(["chat"], what=f"the {codec.name} format")
        return
    if codec.name not in STEP_CODECS and not is_free_from_start:
        raise EngineError(
            f"the {codec.name} format cannot be continued step by step: use --mode free and omit "
            "--from-step"
        )
    if mode == "score" and from_step:
        raise EngineError("the mode score scores every step: omit --from-step")
    if mode == "on-demand":
        if from_step:
            raise EngineError("the mode on-demand begins at the first step: omit --from-step")
        _check_policy(settings, capabilities)
    needed = TOKEN_ID_CAPABILITIES if from_step else ()
    capabilities.require([*REQUIRED_CAPABILITIES[mode], *needed], what=f"the mode {mode}")


def _check_logprobs(mode: Mode, capabilities: Capabilities) -> None:
    if mode != "free":
        raise EngineError(
            f"--logprobs is for the mode free: in {mode} the model does not write all tokens itself"
        )
    capabilities.require(["logprobs"], what="--logprobs")


def writes_rows(codec: Codec) -> bool:
    """Whether a codec writes rows of plain text; `chat-trace-2` is `chat-trace` with more shots."""
    return codec.name in ROW_CODECS or isinstance(codec, ChatTraceCodec)


def _check_rows(settings: PredictionSettings, codec: Codec, capabilities: Capabilities) -> None:
    mode, from_step = settings.mode, settings.from_step
    if mode in ("guided", "score", "on-demand") and from_step:
        raise EngineError(
            f"the {codec.name} format does not support --mode {mode} with --from-step; omit "
            "--from-step"
        )
    if mode == "guided" and not (isinstance(codec, ChatTraceCodec) and codec.has_effects):
        raise EngineError(
            f"the {codec.name} format does not support --mode guided; use --codec chat-trace"
        )
    if mode == "on-demand":
        _check_policy(settings, capabilities)
    if mode == "free" and not from_step:
        capabilities.require(["chat"], what=f"the {codec.name} format")
        return
    needed = ROW_CAPABILITIES["force-actions" if mode == "free" else mode]
    capabilities.require(needed, what=f"the mode {mode} with the {codec.name} format")


def _check_policy(settings: PredictionSettings, capabilities: Capabilities) -> None:
    if settings.policy not in POLICIES:
        raise EngineError(
            f"there is no policy {settings.policy!r}; use one of {', '.join(POLICIES)}"
        )
    if settings.policy in POLICIES_WITH_LOGPROBS:
        capabilities.require(["logprobs"], what=f"the policy {settings.policy}")


def uses_token_ids(settings: PredictionSettings, codec: Codec, capabilities: Capabilities) -> bool:
    """Whether the prompt is sent as token ids instead of text or messages."""
    if writes_rows(codec):
        needed = ROW_CAPABILITIES["force-actions"]
        is_forced = settings.mode != "free" or bool(settings.from_step)
        return is_forced or capabilities.supported.issuperset(needed)
    if codec.is_chat:
        return False
    return capabilities.supported.issuperset(TOKEN_ID_CAPABILITIES) or settings.mode == "score"
