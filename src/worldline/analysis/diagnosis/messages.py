"""Messages about a diagnosis: the location, the difference and the explanation."""

from typing import TYPE_CHECKING

from worldline.analysis.alignment import Gap
from worldline.analysis.diagnosis.causes import cause_evidence
from worldline.analysis.diagnosis.labels import label
from worldline.core.util.text import common_prefix_length, pluralize, printable, truncate_text

if TYPE_CHECKING:
    from worldline.analysis.diagnosis.diagnosis import Diagnosis


def divergence_location(diagnosis: "Diagnosis") -> str:
    """ "step 2  argument input_string", or the outcome if nothing diverged."""
    facts, divergence = diagnosis.facts, diagnosis.facts.divergence
    if divergence is None:
        return label(facts.outcome)
    name = printable(divergence.variable or "")
    return f"step {divergence.step}  {divergence.where} {name}".rstrip()


def value_difference(diagnosis: "Diagnosis", *, width: int = 60) -> str:
    """ "'a\\tb' instead of 'a\\\\tb'": the predicted and the actual value.

    Args:
        diagnosis: The diagnosis to describe. Without a divergence, its note is returned.
        width: The maximum number of characters of each value.
    """
    facts, divergence = diagnosis.facts, diagnosis.facts.divergence
    if divergence is None:
        return printable(facts.note)
    if divergence.where in ("action", "end"):
        predicted, actual = divergence.predicted.strip(), divergence.actual.strip()
        if predicted == actual and divergence.predicted != divergence.actual:
            # They differ only in white space, which repr shows.
            predicted, actual = repr(divergence.predicted), repr(divergence.actual)
        if divergence.predicted_event != divergence.event and divergence.where == "action":
            predicted = f"{divergence.predicted_event} {predicted}"
            actual = f"{divergence.event} {actual}"
        return f"{truncate_text(predicted, width)} instead of {truncate_text(actual, width)}"
    predicted, actual = printable(divergence.predicted), printable(divergence.actual)
    # Both are truncated around the same position, so that the difference is visible.
    is_long = max(len(predicted), len(actual)) > width
    around = common_prefix_length(predicted, actual) if is_long else 0
    return (
        f"{truncate_text(predicted or 'nothing', width, around=around)} instead of "
        f"{truncate_text(actual or 'nothing', width, around=around)}"
    )


def gap_text(gap: Gap) -> str:
    """ "3 steps skipped, then 12 steps correct" """
    what = gap.kind.removeprefix("steps_")
    return (
        f"{pluralize(gap.steps, 'step')} {what}, then {pluralize(gap.steps_after, 'step')} correct"
    )


def explain_divergence(diagnosis: "Diagnosis") -> str:
    """ "copied wrongly": the cause, with its operations and what confirmed or refuted it."""
    facts, cause = diagnosis.facts, diagnosis.cause
    if cause is None:
        return ""
    evidence = cause_evidence(facts, cause.name)
    operations = facts.operation.operations if facts.operation else ()
    if evidence:
        operations = (printable(evidence),)
    gap = facts.alignment.gap if facts.alignment else None
    if gap is not None and cause.name in (gap.kind, "wrong_loop_item"):
        operations = (gap_text(gap),)
    shown = f" ({' '.join(operations[:4])}{' …' if len(operations) > 4 else ''})"
    text = cause.sentence + (shown if operations and cause.name != "copy_error" else "")
    if cause.refuted_by:
        return f'{text}, refuted by "{label(cause.refuted_by)}"'
    return f'{text}, confirmed by "{label(cause.confirmed_by)}"' if cause.confirmed_by else text
