"""HTML view of a diagnosis for notebooks: its explanation and the steps around the divergence."""

from typing import TYPE_CHECKING

from worldline.analysis.diagnosis.labels import label
from worldline.analysis.diagnosis.messages import explain_divergence, value_difference
from worldline.core.trace import EVENT_MARKS, Step, step_text, table_html, text_html

if TYPE_CHECKING:
    from worldline.analysis.diagnosis.diagnosis import Diagnosis

# Steps that are shown before and after the divergence.
STEPS_BEFORE, STEPS_AFTER = 4, 6


def diagnosis_html(diagnosis: "Diagnosis") -> str:
    """The sample's name, outcome and explanation, and the steps around the divergence."""
    facts = diagnosis.facts
    sentences = (value_difference(diagnosis), explain_divergence(diagnosis))
    explanation = ": ".join(sentence for sentence in sentences if sentence)
    outcome = text_html(label(facts.outcome))
    header = f"<p><b>{text_html(facts.id)}</b> {outcome}<br>{text_html(explanation)}</p>"
    alignment, divergence = facts.alignment, facts.divergence
    if alignment is None or divergence is None:
        return header
    actual, predicted = alignment.actual.steps, alignment.predicted.steps
    first = max(0, divergence.step - STEPS_BEFORE)
    end = min(divergence.step + STEPS_AFTER + 1, max(len(actual), len(predicted)))
    rows = []
    for n in range(first, end):
        actual_line = alignment.actual.source_line(actual[n]) if n < len(actual) else ""
        predicted_line = alignment.predicted.step_texts[n].line if n < len(predicted) else ""
        rows.append(
            (
                str(n),
                "✗" if n == divergence.step else "",
                _format_step(actual[n], actual_line) if n < len(actual) else "",
                _format_step(predicted[n], predicted_line) if n < len(predicted) else "",
            )
        )
    return header + table_html(("step", "", "actual", "predicted"), rows)


def _format_step(step: Step, line: str) -> str:
    return f"{EVENT_MARKS[step.event]} {line.strip()}  {step_text(step)}".rstrip()
