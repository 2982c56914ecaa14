"""A diagnosis goes in; the words for it come out."""

from worldline.diagnose.diagnosis import Diagnosis


def place(diagnosis: Diagnosis) -> str:
    """ "step 2  argument input_string", or how it ended where nothing diverged."""
    facts, divergence = diagnosis.facts, diagnosis.facts.divergence
    if divergence is None:
        return facts.outcome
    return f"step {divergence.step}  {divergence.where} {divergence.variable or ''}".rstrip()


def difference(diagnosis: Diagnosis, *, width: int = 60) -> str:
    """ "'a\\tb' instead of 'a\\\\tb'": what was imagined, and what is real."""
    facts, divergence = diagnosis.facts, diagnosis.facts.divergence
    if divergence is None:
        return facts.note
    if divergence.where in ("action", "end"):
        said, real = divergence.predicted.strip(), divergence.true.strip()
        if divergence.predicted_event != divergence.event and divergence.where == "action":
            said, real = f"{divergence.predicted_event} {said}", f"{divergence.event} {real}"
        return f"{shorten(said, width)} instead of {shorten(real, width)}"
    start = _first_difference(divergence.true, divergence.predicted)
    said = divergence.predicted or "nothing"
    real = divergence.true or "nothing"
    return f"{shorten(said, width, start)} instead of {shorten(real, width, start)}"


def why(diagnosis: Diagnosis) -> str:
    """ "copied wrongly", with the operations that were at work."""
    facts, cause = diagnosis.facts, diagnosis.cause
    if cause is None:
        return ""
    operations = facts.operation.operations if facts.operation else ()
    at_work = f" ({' '.join(operations[:4])}{' …' if len(operations) > 4 else ''})"
    return cause.sentence + (at_work if operations and cause.name != "miscopied" else "")


def shorten(text: str, width: int, around: int = 0) -> str:
    """The text, or the part of it around a place, with … for what is left out.

    "abcdefghij", 5, 6 -> "…efg…"
    """
    text = printable(text)
    if len(text) <= width:
        return text
    start = max(0, min(around - width // 2, len(text) - width + 1))
    end = start + width - (start > 0) - 1
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")


def printable(text: str) -> str:
    """The text with everything that a terminal would act on, or not show, written as an escape.

    "a\x1b[31m\n" -> "a\\x1b[31m\\n"
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def _first_difference(a: str, b: str) -> int:
    pairs = zip(a, b, strict=False)
    return next((i for i, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))
