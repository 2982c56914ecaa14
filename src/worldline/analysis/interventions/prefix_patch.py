"""Prefixes of an output to continue from: up to the divergence, or with the divergence patched."""

from worldline.analysis.alignment import Alignment, Divergence
from worldline.core.trace import Step
from worldline.models.codecs import RoleSegments, StepCodec, join_segments
from worldline.models.prediction import Prediction


def prefix_before_divergence(prediction: Prediction, divergence: Divergence) -> str:
    """The output before the step that diverges."""
    decoded = prediction.decoded
    is_decoded = divergence.step < len(decoded.step_texts)
    start = decoded.step_texts[divergence.step].start if is_decoded else decoded.position
    return prediction.text[:start]


def patched_prefix(prediction: Prediction, alignment: Alignment, codec: StepCodec) -> str | None:
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
    if (
        divergence is None
        or alignment.excludes_comprehensions
        or divergence.step >= len(actual.steps)
    ):
        return None
    if all(step.event == "return" for step in actual.steps[divergence.step :]):
        return None
    parts = list(codec.encode_steps(actual))[divergence.step]
    step = actual.steps[divergence.step]
    patch = join_segments(_correct_parts(parts, step, divergence))
    return prefix_before_divergence(prediction, divergence) + "".join(patch)


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
