"""Reason of a cause: the rule that chose it, and the facts that the rule matched."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from worldline.analysis.diagnosis.causes import (
    RULES,
    Cause,
    CauseName,
    cause_evidence,
    matching_rules,
)
from worldline.analysis.diagnosis.facts import Facts
from worldline.analysis.diagnosis.labels import label
from worldline.analysis.diagnosis.messages import gap_text
from worldline.analysis.diagnosis.value_differences import content_length
from worldline.core.util.text import pluralize, truncate_text

# Characters of a source line or a value, and operations of a line.
_WIDTH, _MAX_OPERATIONS = 60, 6

_ACTION_TEXTS: Mapping[str, str] = {
    "line_hallucinated": "is in the program, but cannot come next",
    "line_invented": "is not in the program",
    "loop_left_early": "is after the loop, which had another iteration",
    "loop_overrun": "is in the loop, which had no other iteration",
    "branch_misjudged": "is the other branch: the control flow allows it, the values do not",
}


@dataclass(frozen=True, slots=True)
class CauseReason:
    """Why a cause was chosen.

    Attributes:
        rule: The number of the rule, from 1; None if no rule matches.
        facts: The facts that the rule matched, a sentence each.
        also_matching: The causes of later rules that match as well, in order.
    """

    rule: int | None
    facts: tuple[str, ...]
    also_matching: tuple[CauseName, ...]


def find_reason(facts: Facts, cause: Cause) -> CauseReason:
    """Find the rule that chose a cause, and the facts that it matched.

    Args:
        facts: The facts of the prediction.
        cause: The cause that `find_cause` chose for them.
    """
    rules = matching_rules(facts)
    if not rules:
        return CauseReason(None, (), ())
    others = dict.fromkeys(rule.name for rule in rules[1:] if rule.name != cause.name)
    return CauseReason(RULES.index(rules[0]) + 1, tuple(_FACTS[cause.name](facts)), tuple(others))


def _truncated(facts: Facts) -> Iterator[str]:
    yield "the token limit ended the output"
    matched = facts.alignment.matched_steps if facts.alignment else 0
    yield f"{pluralize(matched, 'step')} before its end, all correct"


def _answer_extraction(facts: Facts) -> Iterator[str]:
    yield "every predicted step is correct"
    yield f"the answer in the text is not what the program returns, {_shortened(facts.result)}"


def _wrong_reference(facts: Facts) -> Iterator[str]:
    yield "every predicted step is correct"
    returned = _shortened(facts.result)
    yield f"the benchmark expects another value than the program returns, {returned}"


def _runaway_repetition(facts: Facts) -> Iterator[str]:
    if facts.alignment is not None and facts.divergence is not None:
        syntax = facts.alignment.actual.program.values
        actual, predicted = (
            content_length(text, syntax)
            for text in (facts.divergence.actual, facts.divergence.predicted)
        )
        yield (
            f"the predicted value repeats itself: {predicted:,} characters instead of {actual:,}"
        )


def _gap(facts: Facts) -> Iterator[str]:
    gap = facts.alignment.gap if facts.alignment else None
    if gap is not None:
        yield gap_text(gap)
        yield (
            "they are complete iterations of a loop"
            if gap.is_iteration
            else "no branch, loop, call or exception explains them"
        )


def _wrong_loop_item(facts: Facts) -> Iterator[str]:
    gap = facts.alignment.gap if facts.alignment else None
    if gap is not None and gap.is_iteration:
        yield from _gap(facts)
        return
    yield f"{_line(facts)} binds {_variable(facts)} to the next item"
    yield "a step shows what it iterates over"


def _self_contradiction(facts: Facts) -> Iterator[str]:
    evidence = cause_evidence(facts, "self_contradiction")
    yield f"the prediction writes “{evidence}” after {_line(facts)}, which is correct"
    yield "its next line does not follow from that"


def _action(facts: Facts) -> Iterator[str]:
    """What is wrong with the predicted action."""
    divergence, action = facts.divergence, facts.action
    if divergence is None or action is None:
        return
    text = _ACTION_TEXTS.get(action.kind)
    if text is not None:
        yield f"the predicted line, {_shortened(divergence.predicted.strip())}, {text}"
    else:
        yield f"{label(action.kind).lower()} after {_line(facts)}"


def _mutation_while_iterating(facts: Facts) -> Iterator[str]:
    names = ", ".join(sorted(facts.operation.mutated_iterables)) if facts.operation else ""
    yield f"the loop had added items to what it iterates over, or removed some: {names or 'it'}"
    if facts.is_bound_by_loop:
        yield f"{_variable(facts)} is the loop variable"
    yield from _action(facts)


def _branch_misjudged(facts: Facts) -> Iterator[str]:
    yield from _action(facts)
    if facts.action is not None and facts.action.kind == "call_skipped":
        yield "a condition of that line decides whether it calls"


def _exception_error(facts: Facts) -> Iterator[str]:
    if facts.divergence is not None and facts.divergence.where == "exception":
        yield f"{_line(facts)} raises another exception than predicted"
    yield from _action(facts)


def _wrong_end(facts: Facts) -> Iterator[str]:
    yield from _action(facts)
    if facts.actual_steps is not None:
        yield f"{facts.predicted_steps:,} predicted steps, {facts.actual_steps:,} actual ones"


def _mechanism(name: CauseName) -> Callable[[Facts], Iterator[str]]:
    def evidence(facts: Facts) -> Iterator[str]:
        yield f"in {_line(facts)}: {cause_evidence(facts, name)}"

    return evidence


def _copy_error(facts: Facts) -> Iterator[str]:
    variable = _variable(facts)
    if facts.was_just_returned:
        yield f"the step before returned the value, and {_line(facts)} does nothing else with it"
    elif facts.value is not None and facts.value.change == "carried_over":
        yield f"{_line(facts)} does not change {variable}"
    else:
        yield f"{_line(facts)} has no operation: {variable} is only copied"


def _hidden_values(facts: Facts) -> Iterator[str]:
    if facts.operation is None:
        return
    chain = facts.operation.hidden_chain
    if chain > 1:
        yield (
            f"{_line(facts)} computes {pluralize(facts.operation.hidden_values, 'value')} that no "
            f"step shows, {chain} of them one from the other"
        )
    else:
        yield f"{_line(facts)} binds {_variable(facts)} to an item of a value that no step shows"
    yield from _operations(facts)


def _character_slip(facts: Facts) -> Iterator[str]:
    value, alignment, divergence = facts.value, facts.alignment, facts.divergence
    if value is None or alignment is None or divergence is None:
        return
    if "str" in (value.kind, value.leaf_kind):
        syntax = alignment.actual.program.values
        # Of a container, the string that differs in it.
        leaf = syntax.first_leaf(divergence.actual, divergence.predicted)
        actual, predicted = (content_length(text, syntax) for text in (leaf.actual, leaf.predicted))
        yield (
            "the string is correct but for one or two characters: "
            f"{pluralize(predicted, 'character')} instead of {actual:,}"
        )
    else:
        yield "a position or length in a string is off by one or two"
    yield from _operations(facts)


def _value(facts: Facts) -> Iterator[str]:
    """The kind of the value, what it is computed from, and by which operations."""
    value = facts.value
    if value is not None:
        leaf = f", in {value.leaf} of a {value.kind}" if value.leaf else ""
        yield f"the value that differs is of kind {value.leaf_kind}{leaf}"
    yield from _operations(facts)
    if facts.input_kinds:
        yield f"kinds of the variables that the line reads: {', '.join(sorted(facts.input_kinds))}"


def _operations(facts: Facts) -> Iterator[str]:
    operations = facts.operation.operations if facts.operation else ()
    if operations:
        more = " …" if len(operations) > _MAX_OPERATIONS else ""
        yield f"operations of {_line(facts)}: {', '.join(operations[:_MAX_OPERATIONS])}{more}"


def _line(facts: Facts) -> str:
    """ "line 3" """
    if facts.operation is not None:
        return f"line {facts.operation.line}"
    return f"line {facts.divergence.executed_line}" if facts.divergence else "the line"


def _variable(facts: Facts) -> str:
    variable = facts.divergence.variable if facts.divergence else None
    return truncate_text(variable, _WIDTH) if variable else "the value"


def _shortened(text: str | None) -> str:
    return truncate_text(text, _WIDTH) if text else "no value"


# For each cause, the facts that its rules look at.
_FACTS: Mapping[CauseName, Callable[[Facts], Iterator[str]]] = {
    "truncated": _truncated,
    "answer_extraction": _answer_extraction,
    "wrong_reference": _wrong_reference,
    "runaway_repetition": _runaway_repetition,
    "steps_skipped": _gap,
    "steps_inserted": _gap,
    "steps_repeated": _gap,
    "self_contradiction": _self_contradiction,
    "hallucinated_line": _action,
    "loop_miscounted": _action,
    "branch_misjudged": _branch_misjudged,
    "call_error": _action,
    "exception_error": _exception_error,
    "wrong_end": _wrong_end,
    "not_computable": _mechanism("not_computable"),
    "mutation_while_iterating": _mutation_while_iterating,
    "aliasing": _mechanism("aliasing"),
    "hidden_state": _mechanism("hidden_state"),
    "copy_error": _copy_error,
    "wrong_loop_item": _wrong_loop_item,
    "negative_index": _mechanism("negative_index"),
    "hidden_values": _hidden_values,
    "character_slip": _character_slip,
    "string_semantics": _value,
    "arithmetic": _value,
    "comparison": _value,
    "container_handling": _value,
}
