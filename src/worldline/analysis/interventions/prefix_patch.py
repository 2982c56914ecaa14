"""Prefixes of an output to continue from: up to the divergence, or with the divergence patched."""

from worldline.analysis.alignment import Alignment, Divergence
from worldline.core.trace import Step
from worldline.models.codecs import ChatTraceCodec, Decoded, RoleSegments, StepCodec, join_segments
from worldline.models.prediction import Prediction


def prefix_before_divergence(
    prediction: Prediction, divergence: Divergence, codec: StepCodec | ChatTraceCodec
) -> str:
    """The output before the step that diverges."""
    decoded = prediction.decoded
    if isinstance(codec, ChatTraceCodec):
        return prediction.text[: _position_before(decoded, divergence.step)]
    is_decoded = divergence.step < len(decoded.step_texts)
    start = decoded.step_texts[divergence.step].start if is_decoded else decoded.position
    return prediction.text[:start]


def patched_prefix(
    prediction: Prediction, alignment: Alignment, codec: StepCodec | ChatTraceCodec
) -> str | None:
    """The output before the divergence, followed by the one actual value or line.

    Args:
        prediction: The prediction that diverged.
        alignment: Its alignment with the actual execution.
        codec: The codec of the output.

    Returns:
        The text to continue from; None if there is nothing to patch: the prediction continued past
        the end, or the patch would be the answer.
    """
    divergence, actual = alignment.divergence, alignment.actual
    if divergence is None or divergence.step >= len(actual.steps):
        return None
    if all(step.event == "return" for step in actual.steps[divergence.step :]):
        return None
    if isinstance(codec, ChatTraceCodec):
        return _patched_rows(prediction, alignment, divergence, codec)
    if alignment.excludes_comprehensions:
        return None
    parts = list(codec.encode_steps(actual))[divergence.step]
    step = actual.steps[divergence.step]
    patch = join_segments(_correct_parts(parts, step, divergence))
    return prefix_before_divergence(prediction, divergence, codec) + "".join(patch)


def _correct_parts(
    parts: tuple[RoleSegments, ...], step: Step, divergence: Divergence
) -> tuple[RoleSegments, ...]:
    """The parts of the actual step up to the one that was predicted wrongly.

    These are the value with what precedes it, or the line, or only the event if that was wrong.
    """
    if divergence.where in ("action", "end"):
        is_wrong_event = divergence.predicted_event != step.event
        return parts[:1] if is_wrong_event else parts
    state_indices = [index for index, part in enumerate(parts) if part.role == "state"]
    return parts[: state_indices[0] + 1] if state_indices else parts


def _patched_rows(
    prediction: Prediction, alignment: Alignment, divergence: Divergence, codec: ChatTraceCodec
) -> str | None:
    """The rows before the divergence, followed by the actual effect, or also by the actual line.

    The effect of a row is the state of the next step. The steps before the divergence are the same
    on both sides, so that the text after them can be exchanged.
    """
    if alignment.predicted is not prediction.decoded:
        # Rows inside comprehensions were removed, so that the steps have other positions.
        return None
    text = "".join(codec.encode(alignment.actual))
    actual = codec.decode(text, alignment.actual.program)
    if divergence.step >= len(actual.steps):
        return None
    step = actual.steps[divergence.step]
    start, end = _position_before(actual, divergence.step), actual.step_texts[divergence.step].end
    is_effect_wrong = divergence.where not in ("action", "end")
    if is_effect_wrong and step.event != "call":
        is_row_begun = divergence.step > 0 and _is_line(actual.steps[divergence.step - 1], codec)
        end = text.index("\n", start if is_row_begun else start + 1) + 1
    elif not _is_line(step, codec):
        end = text.index("\n", end) + 1
    before = prediction.text[: _position_before(prediction.decoded, divergence.step)]
    return before + text[start:end]


def _is_line(step: Step, codec: ChatTraceCodec) -> bool:
    """Whether the text of a step ends with a line whose effect belongs to the next step."""
    return step.event == "line" and not codec.notation.writes_steps


def _position_before(decoded: Decoded, step: int) -> int:
    """Where the text of a step begins in rows: after the text of the step before it."""
    return decoded.step_texts[step - 1].end if step else 0
