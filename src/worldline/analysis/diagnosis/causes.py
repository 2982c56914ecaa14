"""Causes of divergences: hypotheses, chosen by the first rule that matches the facts.

The list is short on purpose: each cause names something that an intervention could remove.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from worldline.analysis.diagnosis.facts import Facts
from worldline.analysis.diagnosis.value_differences import CONTAINERS
from worldline.core.language import missing_feature

CauseName = Literal[
    "truncated",
    "answer_extraction",
    "wrong_reference",
    "runaway_repetition",
    "steps_skipped",
    "steps_inserted",
    "steps_repeated",
    "self_contradiction",
    "hallucinated_line",
    "loop_miscounted",
    "branch_misjudged",
    "call_error",
    "exception_error",
    "wrong_end",
    "not_computable",
    "mutation_while_iterating",
    "aliasing",
    "hidden_state",
    "copy_error",
    "wrong_loop_item",
    "negative_index",
    "hidden_values",
    "character_slip",
    "string_semantics",
    "arithmetic",
    "comparison",
    "container_handling",
    "unexplained",
]
# Hidden values that depend on each other, from which on they are considered the cause.
MIN_HIDDEN_CHAIN = 2

_ARITHMETIC = frozenset(["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "|", "^", "&", "~"])
_COMPARISON = re.compile(r"(==|!=|<=?|>=?|is|in|not|and|or)( |\Z)")
_NUMERIC_FUNCTIONS = frozenset(
    [
        "sum()",
        "min()",
        "max()",
        "abs()",
        "round()",
        "pow()",
        "divmod()",
        "int()",
        "float()",
        "len()",
    ]
)
# Methods that only strings have, as `operations` names them.
STRING_METHODS = frozenset(
    f".{name}()"
    for name in dir(str)
    if not name.startswith("_") and not any(hasattr(kind, name) for kind in (list, dict, set))
)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a prediction is wrong.

    A hypothesis, until an intervention that removes just this cause makes the sample correct;
    `confirmed_by` then names the intervention. If it does not help, `refuted_by` names it.
    """

    name: CauseName
    sentence: str
    confirmed_by: str | None = None
    refuted_by: str | None = None

    def __repr__(self) -> str:
        tested = f", confirmed by {self.confirmed_by}" if self.confirmed_by else ""
        tested += f", refuted by {self.refuted_by}" if self.refuted_by else ""
        return f"Cause({self.name}: {self.sentence}{tested})"


UNEXPLAINED = Cause("unexplained", "no rule explains it")


@dataclass(frozen=True, slots=True)
class Rule:
    """One cause, the sentence for it, and the condition under which it is chosen."""

    name: CauseName
    sentence: str
    matches: Callable[[Facts], bool]

    def __repr__(self) -> str:
        return f"Rule({self.name}: {self.sentence})"


def is_copy(facts: Facts) -> bool:
    """Whether the value only had to be copied.

    True for an argument without an operation, a variable that the line does not change, a value
    that was just returned, and a line without an operation.
    """
    value, operation = facts.value, facts.operation
    if value is not None and operation is None:
        # Without the operations of lines: a variable that the step did not change.
        return value.change == "carried_over"
    if value is None or operation is None:
        return False
    if facts.is_bound_by_loop:
        return False
    if value.change == "carried_over" or facts.was_just_returned:
        return True
    return not operation.operations


def _iterates_mutated(facts: Facts) -> bool:
    """Whether a loop variable, or a loop's end, is wrong in a loop that resizes its iterable."""
    is_end = _action_error(facts) in ("loop_left_early", "loop_overrun")
    is_header = is_end and facts.operation is not None and facts.operation.is_loop_header
    return facts.is_mutated_while_iterating and (facts.is_bound_by_loop or is_header)


def _binds_visible_item(facts: Facts) -> bool:
    """Whether a loop binds an item of a value that the steps show, not of a computed one."""
    return facts.is_bound_by_loop and set(_operations(facts)) <= {"comprehension"}


def _divergence_kind(facts: Facts) -> str | None:
    return facts.divergence.where if facts.divergence else None


def _gap_kind(facts: Facts) -> str | None:
    """The kind of gap at the divergence, unless the wrong action itself explains it."""
    gap = facts.alignment.gap if facts.alignment else None
    action = facts.action
    is_explained = action is not None and (
        bool(action.is_legal)
        or action.kind in ("call_skipped", "exception_missed", "exception_invented")
    )
    return None if gap is None or is_explained else gap.kind


def _skips_iteration(facts: Facts) -> bool:
    """Whether the steps that are skipped, inserted or repeated are iterations of a loop."""
    gap = facts.alignment.gap if facts.alignment else None
    return gap is not None and gap.is_iteration and _gap_kind(facts) is not None


def _misjudges_branch(facts: Facts) -> bool:
    """Whether a branch was misjudged, or a condition on which a call depends: `a and g(x)`."""
    action = facts.action
    if action is None or action.kind == "branch_misjudged":
        return action is not None
    return action.kind == "call_skipped" and bool(action.is_legal) and not action.is_line_after_call


def _action_error(facts: Facts) -> str | None:
    return facts.action.kind if facts.action else None


def _has_string(facts: Facts) -> bool:
    """Whether the characters of a string matter, in the value or in what it is computed from."""
    value = facts.value
    if value is None:
        return False
    if _has_operation(facts, STRING_METHODS):
        return True
    if "str" in (value.kind, value.leaf_kind):
        return not value.is_moved_item
    return "str" in facts.input_kinds and not facts.input_kinds & CONTAINERS


def _is_comparison(facts: Facts) -> bool:
    """Whether a comparison has the wrong result, and no method of a string is involved."""
    is_compared = any(_COMPARISON.match(name) for name in _operations(facts))
    is_bool = facts.value is not None and facts.value.leaf_kind == "bool"
    return is_bool and is_compared and not _has_operation(facts, STRING_METHODS)


def _operations(facts: Facts) -> tuple[str, ...]:
    return facts.operation.operations if facts.operation else ()


def _has_operation(facts: Facts, names: frozenset[str]) -> bool:
    return not names.isdisjoint(_operations(facts))


def _is_number(facts: Facts) -> bool:
    return facts.value is not None and facts.value.leaf_kind in ("int", "float")


# Causes that say something about an operation of the line.
_OPERATION_CAUSES: frozenset[CauseName] = frozenset(
    {"string_semantics", "arithmetic", "comparison", "container_handling", "hidden_values"}
)

# The first rule that matches decides; docs/reference/causes.md has an example of each.
RULES: tuple[Rule, ...] = (
    Rule("truncated", "ended by the token limit", lambda f: f.outcome == "truncated"),
    Rule(
        "answer_extraction",
        "the trace is correct, the answer taken from the text is not",
        lambda f: f.outcome == "answer_mismatch",
    ),
    Rule(
        "wrong_reference",
        "the benchmark expects a wrong value",
        lambda f: f.outcome == "reference_mismatch",
    ),
    Rule(
        "runaway_repetition",
        "ran on, repeating itself",
        lambda f: f.value is not None and f.value.is_runaway,
    ),
    Rule("wrong_loop_item", "lost its place in what is iterated", _skips_iteration),
    Rule("steps_skipped", "skipped steps", lambda f: _gap_kind(f) == "steps_skipped"),
    Rule("steps_inserted", "inserted steps", lambda f: _gap_kind(f) == "steps_inserted"),
    Rule("steps_repeated", "repeated steps", lambda f: _gap_kind(f) == "steps_repeated"),
    Rule(
        "self_contradiction",
        "wrote the correct result of a condition or a loop, and did not follow it",
        lambda f: f.action is not None and f.action.contradicted_note is not None,
    ),
    Rule(
        "hallucinated_line",
        "went to a line that cannot come next",
        lambda f: _action_error(f) in ("line_hallucinated", "line_invented"),
    ),
    Rule(
        "mutation_while_iterating",
        "lost track of a container that changes while it is iterated",
        _iterates_mutated,
    ),
    Rule(
        "loop_miscounted",
        "left a loop too early or too late",
        lambda f: _action_error(f) in ("loop_left_early", "loop_overrun"),
    ),
    Rule(
        "branch_misjudged",
        "took the wrong branch",
        _misjudges_branch,
    ),
    Rule(
        "exception_error",
        "missed or made up an exception",
        lambda f: (
            _action_error(f) in ("exception_missed", "exception_invented")
            or _divergence_kind(f) == "exception"
        ),
    ),
    Rule(
        "call_error",
        "missed or made up a call or a return",
        lambda f: (
            _action_error(f)
            in ("call_skipped", "call_invented", "returned_early", "return_missed", "wrong_call")
        ),
    ),
    Rule("wrong_end", "stopped early or ran on", lambda f: _divergence_kind(f) == "end"),
    Rule(
        "not_computable",
        "needs a value that cannot be computed by reading",
        lambda f: "not_computable" in f.evidence,
    ),
    Rule(
        "aliasing",
        "confused a container with a copy of it",
        lambda f: "aliasing" in f.evidence,
    ),
    Rule(
        "hidden_state",
        "needs a value that is in no step: of a global, an attribute or an enclosing function",
        lambda f: "hidden_state" in f.evidence,
    ),
    Rule("copy_error", "copied wrongly", is_copy),
    Rule(
        "wrong_loop_item",
        "lost its place in what is iterated",
        _binds_visible_item,
    ),
    Rule(
        "negative_index",
        "read a computed negative index wrongly",
        lambda f: "negative_index" in f.evidence,
    ),
    Rule(
        "hidden_values",
        "computed through values that no step shows",
        lambda f: (
            f.operation is not None
            and (f.operation.hidden_chain >= MIN_HIDDEN_CHAIN or f.is_bound_by_loop)
        ),
    ),
    Rule("comparison", "judged a comparison wrongly", _is_comparison),
    Rule(
        "character_slip",
        "slipped by one or two characters of a string",
        lambda f: _has_string(f) and f.value is not None and f.value.is_slip,
    ),
    Rule("string_semantics", "misunderstood an operation on a string", _has_string),
    Rule(
        "arithmetic",
        "calculated wrongly",
        lambda f: (
            _is_number(f)
            and (_has_operation(f, _ARITHMETIC) or _has_operation(f, _NUMERIC_FUNCTIONS))
        ),
    ),
    Rule(
        "container_handling",
        "handled the items of a container wrongly",
        lambda f: f.value is not None and bool(CONTAINERS & (f.input_kinds | {f.value.kind})),
    ),
)


def find_cause(facts: Facts) -> Cause | None:
    """Choose the cause by the first rule that matches.

    Returns:
        The cause; `UNEXPLAINED` if no rule matches; None if the prediction is correct, or if it is
        not known where it went wrong.
    """
    if facts.outcome in ("correct", "infra_error", "empty_output", "malformed"):
        return None
    if facts.divergence is not None and facts.position is None:
        # The prediction has no steps, so it is not known where it went wrong.
        return None
    rules = matching_rules(facts)
    if rules:
        return Cause(rules[0].name, rules[0].sentence)
    missing = _missing_operations(facts)
    return Cause("unexplained", f"no rule explains it: {missing}") if missing else UNEXPLAINED


def matching_rules(facts: Facts) -> list[Rule]:
    """All rules that match the facts, in order: the first one decides."""
    rules = [rule for rule in RULES if rule.matches(facts)]
    if _missing_operations(facts):
        return [rule for rule in rules if rule.name not in _OPERATION_CAUSES]
    return rules


def _missing_operations(facts: Facts) -> str:
    """Why no cause can name an operation; "" if one can."""
    alignment = facts.alignment
    if alignment is None:
        return ""
    return missing_feature(alignment.actual.program.language, "operations")


def cause_evidence(facts: Facts, cause: CauseName) -> str | None:
    """The evidence for a cause, if it is a mechanism that the program and the execution show.

    "negative_index" -> "counts[x - 1] has index -1"
    """
    if cause == "self_contradiction" and facts.action is not None:
        return facts.action.contradicted_note
    return next((text for name, text in facts.evidence.items() if name == cause), None)
