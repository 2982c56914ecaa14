"""A sample goes in; its story in a line and all that is known about it, a word each, come out."""

from collections.abc import Iterator

from worldline.diagnose import Diagnosis, Sample, count, difference, shorten, why


def told_story(diagnosis: Diagnosis, *, width: int) -> str:
    """ "'a\\tb' instead of 'a\\\\tb': copied wrongly"; `width` is for each of the two values."""
    return ": ".join(part for part in (difference(diagnosis, width=width), why(diagnosis)) if part)


def told_facts(sample: Sample) -> Iterator[tuple[str, str]]:
    """The facts of the diagnosis: ("executed", "line 3: return x + 1"), …"""
    facts, cause = sample.diagnosis.facts, sample.diagnosis.cause
    if facts.operation and facts.operation.source:
        hidden = facts.operation.hidden
        told = f"line {facts.operation.line}: {facts.operation.source}"
        yield "executed", told + (f"   ({count(hidden, 'hidden value')})" if hidden else "")
    if facts.value:
        leaf = f" at {facts.value.leaf} ({facts.value.leaf_kind})" if facts.value.leaf else ""
        change = f", {facts.value.change}" if facts.value.change else ""
        moved = facts.value.moved_tokens
        tokens = "" if moved is None else f", {count(moved, 'token')} moved"
        yield "value", f"{facts.value.kind}{leaf}{change}{tokens}"
    if facts.action:
        legal = {True: "allowed", False: "not allowed", None: "not known"}[facts.action.is_legal]
        yield "action", f"{facts.action.kind}: {legal} by the control flow"
    if facts.horizon:
        horizon = facts.horizon
        written = horizon.tokens_before
        yield (
            "horizon",
            f"step {horizon.step}, iteration {horizon.iteration}, call depth {horizon.call_depth}, "
            f"{count(horizon.chars_before, 'character')} written"
            + ("" if written is None else f" ({count(written, 'token')})")
            + (f", budget {horizon.budget:,} tokens" if horizon.budget else ""),
        )
    recovery = facts.alignment.recovery if facts.alignment else None
    if recovery:
        result = {True: "right", False: "wrong", None: "not reached"}[recovery.is_result_right]
        yield (
            "afterwards",
            f"found back {count(recovery.times, 'time')} ({count(recovery.steps, 'step')}); "
            f"result {result}",
        )
    if cause:
        status = (
            f" (confirmed by {cause.confirmed_by})" if cause.confirmed_by else " (a hypothesis)"
        )
        is_fact = facts.divergence is None
        yield "cause", f"{cause.name}: {cause.sentence}{'' if is_fact else status}"
    if facts.is_answer_right is False:
        answer = shorten(sample.prediction.answer or "", 60)
        result = shorten(facts.result or "no value", 60)
        yield "answer", f"{answer} was taken from the text; the program returns {result}"
    if facts.is_reference_right is False:
        expected = shorten(sample.prediction.expected or "", 60)
        yield "reference", f"{expected} is not what the program returns"
    if facts.note:
        yield "note", facts.note
