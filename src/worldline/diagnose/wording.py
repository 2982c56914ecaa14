"""A diagnosis goes in; the words for it come out."""

from typing import TYPE_CHECKING

from worldline.diagnose.values import common_start
from worldline.trace import printable

if TYPE_CHECKING:
    from worldline.diagnose.diagnosis import Diagnosis


def place(diagnosis: "Diagnosis") -> str:
    """ "step 2  argument input_string", or how it ended where nothing diverged."""
    facts, divergence = diagnosis.facts, diagnosis.facts.divergence
    if divergence is None:
        return facts.outcome
    name = printable(divergence.variable or "")
    return f"step {divergence.step}  {divergence.where} {name}".rstrip()


def difference(diagnosis: "Diagnosis", *, width: int = 60) -> str:
    """ "'a\\tb' instead of 'a\\\\tb'": what was imagined, and what is real."""
    facts, divergence = diagnosis.facts, diagnosis.facts.divergence
    if divergence is None:
        return printable(facts.note)
    if divergence.where in ("action", "end"):
        said, real = divergence.predicted.strip(), divergence.true.strip()
        if said == real and divergence.predicted != divergence.true:
            # White space alone: shown as it is.
            said, real = repr(divergence.predicted), repr(divergence.true)
        if divergence.predicted_event != divergence.event and divergence.where == "action":
            said, real = f"{divergence.predicted_event} {said}", f"{divergence.event} {real}"
        return f"{shorten(said, width)} instead of {shorten(real, width)}"
    said, real = printable(divergence.predicted), printable(divergence.true)
    # The same window on both, so that the difference stands in the same place.
    around = common_start(said, real) if max(len(said), len(real)) > width else 0
    return (
        f"{shorten(said or 'nothing', width, around)} instead of "
        f"{shorten(real or 'nothing', width, around)}"
    )


def why(diagnosis: "Diagnosis") -> str:
    """ "copied wrongly", with the operations that were at work, and what confirmed it."""
    facts, cause = diagnosis.facts, diagnosis.cause
    if cause is None:
        return ""
    operations = facts.operation.operations if facts.operation else ()
    at_work = f" ({' '.join(operations[:4])}{' …' if len(operations) > 4 else ''})"
    told = cause.sentence + (at_work if operations and cause.name != "miscopied" else "")
    return f"{told}, confirmed by {cause.confirmed_by}" if cause.confirmed_by else told


def shorten(text: str, width: int, around: int = 0) -> str:
    """The text, or the part of it around a place, with … for what is left out.

    "abcdefghij", 5, 6 -> "…efg…"
    """
    text = printable(text)
    start = max(0, around - width // 2)
    if start == 0 and len(text) <= width:
        return text
    rest = text[start + (start > 0) :]
    room = width - (start > 0)
    return ("…" if start else "") + (rest if len(rest) <= room else rest[: room - 1] + "…")


def count(number: int, noun: str) -> str:
    """1, "step" -> "1 step"; 1234, "step" -> "1,234 steps" """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
