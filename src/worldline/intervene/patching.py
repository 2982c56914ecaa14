"""A prediction that left reality goes in; a text to go on from comes out: all that it wrote before,
and, where it is patched, the one thing of the next step that was wrong, put right."""

from worldline.align import Alignment, Divergence
from worldline.codecs import Part, StepCodec, joined
from worldline.predict import Prediction
from worldline.trace import Step


def text_before(prediction: Prediction, divergence: Divergence) -> str:
    """What a prediction wrote before the step in which it left reality."""
    decoded = prediction.decoded
    is_written = divergence.step < len(decoded.written)
    start = decoded.written[divergence.step].start if is_written else decoded.position
    return prediction.text[:start]


def patch(prediction: Prediction, alignment: Alignment, codec: StepCodec) -> str | None:
    """The text before the divergence, and behind it the one true value, or the one true line.

    None where there is no such thing: the model wrote on behind the end, or what would be put in
    is already the answer.
    """
    divergence, truth = alignment.divergence, alignment.truth
    if divergence is None or alignment.is_folded or divergence.step >= len(truth.steps):
        return None
    if all(step.event == "return" for step in truth.steps[divergence.step :]):
        return None
    parts = list(codec.parts(truth))[divergence.step]
    step = truth.steps[divergence.step]
    given = joined(_put_right(parts, step, divergence))
    return text_before(prediction, divergence) + "".join(given)


def _put_right(parts: tuple[Part, ...], step: Step, divergence: Divergence) -> tuple[Part, ...]:
    """As much of the true step as it takes: a value with what stands before it, or the line, or
    only the event where that was another."""
    if divergence.where in ("action", "end"):
        is_other_event = divergence.predicted_event != step.event
        return parts[:1] if is_other_event else parts
    states = [place for place, part in enumerate(parts) if part.role == "state"]
    return parts[: states[0] + 1] if states else parts
