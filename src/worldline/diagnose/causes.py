"""Facts go in, one cause comes out: a hypothesis, by the first rule that holds.

The list is short on purpose: each cause names something that an intervention could remove.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from worldline.diagnose.facts import Facts

CauseName = Literal[
    "budget",
    "answer_extraction",
    "reference",
    "runaway_repetition",
    "line_made_up",
    "loop_miscounted",
    "branch_misjudged",
    "call_confused",
    "exception_confused",
    "wrong_end",
    "miscopied",
    "iteration_lost",
    "mutation_while_iterating",
    "hidden_values",
    "string_handling",
    "arithmetic",
    "comparison",
    "container_handling",
    "unexplained",
]
# Numbers of values that no step shows, from which on they are taken to be the cause.
HIDDEN = 2

_CONTAINERS = frozenset({"list", "dict", "set", "tuple"})
_ARITHMETIC = frozenset(["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "|", "^", "&", "~"])
_COMPARISON = re.compile(r"(==|!=|<=?|>=?|is|in|not|and|or)( |\Z)")
_NUMERIC = frozenset(
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


@dataclass(frozen=True, slots=True)
class Cause:
    """Why a prediction went wrong.

    A hypothesis until an intervention that removes just this cause turns the sample right;
    `confirmed_by` then names it.
    """

    name: CauseName
    sentence: str
    confirmed_by: str | None = None


UNEXPLAINED = Cause("unexplained", "no rule explains it")


@dataclass(frozen=True, slots=True)
class Rule:
    """One cause: when it is assumed, and how it is said."""

    name: CauseName
    sentence: str
    holds: Callable[[Facts], bool]


def is_copy(facts: Facts) -> bool:
    """Whether the value only had to be repeated: an argument given as it stands, a variable that
    the line does not touch, a value that was just returned, a line with no operation in it."""
    value, operation = facts.value, facts.operation
    if value is None or operation is None:
        return False
    if facts.is_bound_by_loop:
        return False
    is_repeated = value.change in ("entry", "drift") or facts.was_just_returned
    return is_repeated or not operation.operations


def _iterates_over_shown(facts: Facts) -> bool:
    """Whether a loop goes over something that the steps show, rather than something computed."""
    return facts.is_bound_by_loop and set(_operations(facts)) <= {"comprehension"}


def _where(facts: Facts) -> str | None:
    return facts.divergence.where if facts.divergence else None


def _action(facts: Facts) -> str | None:
    return facts.action.kind if facts.action else None


def _has_string(facts: Facts) -> bool:
    """Whether characters had to be looked at: in the value itself, or in what it is made from."""
    value = facts.value
    if value is None:
        return False
    if "str" in (value.kind, value.leaf_kind):
        return True
    return "str" in facts.input_kinds and not facts.input_kinds & _CONTAINERS


def _operations(facts: Facts) -> tuple[str, ...]:
    return facts.operation.operations if facts.operation else ()


def _has(facts: Facts, names: frozenset[str]) -> bool:
    return not names.isdisjoint(_operations(facts))


def _is_number(facts: Facts) -> bool:
    return facts.value is not None and facts.value.leaf_kind in ("int", "float")


# The first rule that holds decides; docs/causes.md has an example of each.
RULES: tuple[Rule, ...] = (
    Rule("budget", "cut by the token budget", lambda f: f.outcome == "truncated"),
    Rule(
        "answer_extraction",
        "the trace is right, the answer taken from the text is not",
        lambda f: f.outcome == "answer_lost",
    ),
    Rule(
        "reference", "the benchmark expects a wrong value", lambda f: f.outcome == "reference_wrong"
    ),
    Rule(
        "runaway_repetition",
        "ran on, repeating itself",
        lambda f: f.value is not None and f.value.is_runaway,
    ),
    Rule(
        "line_made_up",
        "went to a line that cannot come next",
        lambda f: _action(f) in ("line_hallucinated", "line_invented"),
    ),
    Rule(
        "loop_miscounted",
        "left a loop too early or too late",
        lambda f: _action(f) in ("loop_left_early", "loop_overrun"),
    ),
    Rule("branch_misjudged", "took the wrong branch", lambda f: _action(f) == "branch_misjudged"),
    Rule(
        "exception_confused",
        "missed or made up an exception",
        lambda f: (
            _action(f) in ("exception_missed", "exception_imagined") or _where(f) == "exception"
        ),
    ),
    Rule(
        "call_confused",
        "missed or made up a call or a return",
        lambda f: (
            _action(f)
            in ("call_skipped", "call_imagined", "returned_early", "return_missed", "other_call")
        ),
    ),
    Rule("wrong_end", "stopped early or ran on", lambda f: _where(f) == "end"),
    Rule("miscopied", "copied wrongly", is_copy),
    Rule(
        "iteration_lost",
        "lost its place in what is iterated",
        _iterates_over_shown,
    ),
    Rule(
        "mutation_while_iterating",
        "lost track of a container that changes while it is iterated",
        lambda f: f.operation is not None and f.operation.iterates_mutated,
    ),
    Rule(
        "hidden_values",
        "computed through values that no step shows",
        lambda f: f.operation is not None and (f.operation.hidden >= HIDDEN or f.is_bound_by_loop),
    ),
    Rule("string_handling", "handled the characters of a string wrongly", _has_string),
    Rule(
        "comparison",
        "judged a comparison wrongly",
        lambda f: (
            f.value is not None
            and f.value.leaf_kind == "bool"
            and any(_COMPARISON.match(name) for name in _operations(f))
        ),
    ),
    Rule(
        "arithmetic",
        "calculated wrongly",
        lambda f: _is_number(f) and (_has(f, _ARITHMETIC) or _has(f, _NUMERIC)),
    ),
    Rule(
        "container_handling",
        "handled the items of a container wrongly",
        lambda f: f.value is not None and bool(_CONTAINERS & (f.input_kinds | {f.value.kind})),
    ),
)


def find_cause(facts: Facts) -> Cause | None:
    """The cause by the first rule that holds; none where nothing went wrong or nothing is known."""
    if facts.outcome in ("correct", "error", "no_output", "malformed"):
        return None
    if facts.divergence is not None and facts.horizon is None:
        # A result without steps: where it went wrong on the way is not known.
        return None
    for rule in RULES:
        if rule.holds(facts):
            return Cause(rule.name, rule.sentence)
    return UNEXPLAINED
