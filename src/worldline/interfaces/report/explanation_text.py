"""Explanations of a divergence in words."""

from collections.abc import Iterator

from worldline.analysis.diagnosis import Sample, divergence_location, label
from worldline.analysis.explanations import Explanation, ExplanationSearch
from worldline.core.util.text import pluralize, printable, truncate_text
from worldline.interfaces.report.sample_facts_text import story_text


def explanation_lines(
    sample: Sample, search: ExplanationSearch, *, is_all: bool, width: int
) -> Iterator[str]:
    """Yield the divergence, its explanation, and how many changes were tried.

    Args:
        sample: The sample.
        search: The search for its explanations.
        is_all: List all changes that yield the prediction, not only the best.
        width: The width of the terminal.
    """
    diagnosis = sample.diagnosis
    yield f"{printable(diagnosis.id)}  {divergence_location(diagnosis)}"
    story = story_text(diagnosis, width=max(20, width // 3))
    if story:
        yield printable(story)
    yield printable(search.summary())
    if search.best is not None:
        yield from _details(search.best)
        cause = diagnosis.cause
        if cause is not None and cause.name == "hidden_values":
            operation = printable(search.best.operation)
            yield f"  {label(cause.name)}: {cause.sentence}, at {operation}"
    others = search.explanations[1:] if search.best else search.explanations
    if is_all and others:
        yield "also reproduced:" if search.best else "reproduced, but no better than chance:"
        for other in others:
            where = f"line {other.line}, next {pluralize(other.steps_after, 'step')}"
            yield f"  {other.misconception} ({where}): if {printable(other.clause)}"
    elif others:
        changes = pluralize(len(others), "other change" if search.best else "change")
        yield f"{changes} reproduced this step; --all lists them"
    if search.tried:
        values = pluralize(len(search.values), "wrong value")
        yield f"{pluralize(search.tried, 'changed program')} executed: {values} at this step"


def _details(explanation: Explanation) -> Iterator[str]:
    yield f"  line {explanation.line}: {truncate_text(explanation.before, 70)}"
    yield f"  {explanation.misconception}: {explanation.sentence}"
