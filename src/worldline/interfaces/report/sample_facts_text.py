"""Facts of a diagnosis in words."""

from collections.abc import Iterator, Sequence

from worldline.analysis.diagnosis import (
    Diagnosis,
    Sample,
    explain_divergence,
    find_reason,
    gap_text,
    label,
    value_difference,
)
from worldline.core.trace import SCHEDULING, Choice, schedule_choices
from worldline.core.util.text import pluralize, truncate_text
from worldline.interfaces.report.schedule_text import schedule_summary

_RESULTS = {True: "correct", False: "incorrect", None: "not reached"}
# Choices that are listed; `worldline record` lists all.
_MAX_CHOICES = 10


def story_text(diagnosis: Diagnosis, *, width: int) -> str:
    """ "'a\\tb' instead of 'a\\\\tb': copied wrongly"; `width` limits each of the two values."""
    return ": ".join(
        part
        for part in (value_difference(diagnosis, width=width), explain_divergence(diagnosis))
        if part
    )


def fact_texts(sample: Sample) -> Iterator[tuple[str, str]]:
    """Yield the facts of a diagnosis: ("executed", "line 3: return x + 1"), …"""
    facts, cause = sample.diagnosis.facts, sample.diagnosis.cause
    if facts.operation and facts.operation.source:
        hidden = facts.operation.hidden_values
        line = f"line {facts.operation.line}: {facts.operation.source}"
        yield "executed", line + (f"   ({pluralize(hidden, 'hidden value')})" if hidden else "")
    threads = schedule_choices(sample.actual.choices)
    if threads:
        yield "schedule", schedule_summary(threads)
    choices = [choice for choice in sample.actual.choices if choice.name not in SCHEDULING]
    if choices:
        yield "choices", _choices_text(choices)
    if facts.value:
        leaf = f" at {facts.value.leaf} ({facts.value.leaf_kind})" if facts.value.leaf else ""
        change = f", {label(facts.value.change).lower()}" if facts.value.change else ""
        changed = facts.value.changed_tokens
        tokens = "" if changed is None else f", {pluralize(changed, 'token')} changed"
        yield "value", f"{facts.value.kind}{leaf}{change}{tokens}"
    if facts.action:
        legal = {True: "allowed", False: "not allowed", None: "not known"}[facts.action.is_legal]
        yield "action", f"{label(facts.action.kind)}: {legal} by the control flow"
    if facts.position:
        horizon = facts.position
        tokens_before = horizon.tokens_before
        yield (
            "position",
            f"step {horizon.step}, iteration {horizon.iteration}, call depth {horizon.call_depth}; "
            f"{pluralize(horizon.chars_before, 'character')} of output before it"
            + ("" if tokens_before is None else f" ({pluralize(tokens_before, 'token')})")
            + (f"; limit {horizon.max_tokens:,} tokens" if horizon.max_tokens else ""),
        )
    gap = facts.alignment.gap if facts.alignment else None
    if gap:
        yield "gap", gap_text(gap)
    reconvergence = facts.alignment.reconvergence if facts.alignment else None
    if reconvergence:
        result = _RESULTS[reconvergence.is_result_correct]
        yield (
            "afterwards",
            f"re-converged {pluralize(reconvergence.times, 'time')} "
            f"({pluralize(reconvergence.steps, 'step')}); result {result}",
        )
        decisive = reconvergence.decisive_step
        if decisive is not None and facts.position and decisive != facts.position.step:
            yield (
                "decisive",
                f"predicted step {decisive}: no return to the actual execution after it",
            )
    if cause:
        status = (
            f' (confirmed by "{label(cause.confirmed_by)}")'
            if cause.confirmed_by
            else f' (refuted by "{label(cause.refuted_by)}")'
            if cause.refuted_by
            else " (a hypothesis)"
        )
        is_fact = facts.divergence is None
        yield "cause", f"{label(cause.name)}: {cause.sentence}{'' if is_fact else status}"
        reason = find_reason(facts, cause)
        if reason.facts:
            yield "because", "; ".join(reason.facts)
    if facts.is_answer_correct is False:
        answer = truncate_text(sample.prediction.answer or "", 60)
        result = truncate_text(facts.result or "no value", 60)
        yield "answer", f"{answer} was extracted from the text; the program returns {result}"
    if facts.is_reference_correct is False:
        expected = truncate_text(sample.prediction.expected or "", 60)
        yield "reference", f"{expected} is not what the program returns"
    if facts.note:
        yield "note", facts.note


def _choices_text(choices: Sequence[Choice]) -> str:
    """The first choices of an execution: "random.randint(1, 6) = 3 (step 5), …"."""
    shown = []
    for choice in choices[:_MAX_CHOICES]:
        place = "before the trace" if choice.step is None else f"step {choice.step}"
        shown.append(f"{choice.expression} = {truncate_text(choice.value, 40)} ({place})")
    more = len(choices) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")
