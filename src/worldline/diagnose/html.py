"""A diagnosis goes in; what a notebook shows of it comes out: its story, and both executions around
where they part."""

from typing import TYPE_CHECKING

from worldline.diagnose.wording import difference, why
from worldline.trace import MARKS, Step, step_text, table_html, text_html

if TYPE_CHECKING:
    from worldline.diagnose.diagnosis import Diagnosis

# Steps that are shown before and behind the place where executions part.
BEFORE, AFTER = 4, 6


def diagnosis_html(diagnosis: "Diagnosis") -> str:
    """The sample's name, outcome and story, and the steps around the divergence."""
    facts = diagnosis.facts
    story = ": ".join(part for part in (difference(diagnosis), why(diagnosis)) if part)
    head = f"<p><b>{text_html(facts.id)}</b> {text_html(facts.outcome)}<br>{text_html(story)}</p>"
    alignment, parting = facts.alignment, facts.divergence
    if alignment is None or parting is None:
        return head
    real, imagined = alignment.truth.steps, alignment.predicted.steps
    first = max(0, parting.step - BEFORE)
    last = min(parting.step + AFTER + 1, max(len(real), len(imagined)))
    rows = [
        (
            str(n),
            "✗" if n == parting.step else "",
            _told(real[n], alignment.truth.source_line(real[n])) if n < len(real) else "",
            _told(imagined[n], alignment.predicted.written[n].line) if n < len(imagined) else "",
        )
        for n in range(first, last)
    ]
    return head + table_html(("step", "", "real", "imagined"), rows)


def _told(step: Step, line: str) -> str:
    return f"{MARKS[step.event]} {line.strip()}  {step_text(step)}".rstrip()
