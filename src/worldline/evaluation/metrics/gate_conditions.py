"""Conditions of a gate: the changes from one run to another that must not happen.

    condition = measure [ "[" group "]" ] comparison number [ ":" evidence ]

"accuracy<-2:significant", "accuracy[depth=3]<-5", "cause[copy_error]>1", "samples<100"
"""

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

from worldline.analysis.diagnosis.causes import CauseName
from worldline.core.errors import InputError

Measure = Literal[
    "accuracy",  # correct samples, of those that both runs answered
    "correct",  # correct samples, of all shared ones
    "truncated",  # samples that were truncated before an answer
    "no_answer",  # samples that ended without an answer
    "cause",  # samples whose divergence has a cause
    "operation",  # correct steps that an operation decides
    "steps",  # correct steps before the divergence
    "tokens",  # generated tokens
    "samples",  # samples that both runs have
]
Evidence = Literal["significant", "certain", "possible"]
Comparison = Literal["<", "<=", ">", ">="]

# The unit of each measure's change; `samples` is a number, not a change.
UNITS: Mapping[Measure, str] = {
    "accuracy": "points",
    "correct": "points",
    "truncated": "points",
    "no_answer": "points",
    "cause": "points",
    "operation": "points",
    "steps": "steps",
    "tokens": "%",
    "samples": "samples",
}
COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_CONDITION = re.compile(
    r"\s*([a-z_]+)\s*(?:\[(.+)\])?\s*(<=|>=|<|>)\s*([+-]?\d+(?:\.\d+)?)\s*(?::\s*([a-z]+))?\s*"
)
_EXAMPLES = "accuracy<-2, accuracy<-2:significant, cause[copy_error]>1"


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition under which the gate fails.

    Attributes:
        text: The condition as it was written.
        measure: What is measured.
        group: The group, cause or operation; None for all samples.
        comparison: How the change is compared with the number.
        number: The number, in the unit of the measure.
        evidence: What else is required. `significant`: the p-value of the paired test is below
            0.05. `certain`: all of the 95% interval meets the condition. `possible`: a part of it
            is enough. None: the change alone decides.
    """

    text: str
    measure: Measure
    group: str | None
    comparison: Comparison
    number: float
    evidence: Evidence | None

    @property
    def unit(self) -> str:
        """The unit of the number: "points"."""
        return UNITS[self.measure]

    def is_met_by(self, value: float) -> bool:
        """Whether a value is beyond the number."""
        return COMPARISONS[self.comparison](value, self.number)


def parse_condition(text: str) -> Condition:
    """Parse a condition.

    >>> parse_condition("accuracy<-2:significant").evidence
    'significant'

    Raises:
        InputError: It is not a condition.
    """
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise InputError(f"{text!r} is not a condition; write it like these: {_EXAMPLES}")
    measure, group, comparison, number, evidence = match.groups()
    _check_choice(text, "measure", measure, get_args(Measure))
    if evidence is not None:
        _check_choice(text, "evidence", evidence, get_args(Evidence))
    condition = Condition(
        text=text.strip(),
        measure=cast(Measure, measure),
        group=group,
        comparison=cast(Comparison, comparison),
        number=float(number),
        evidence=cast("Evidence | None", evidence),
    )
    _check_group(condition)
    _check_evidence(condition)
    return condition


def _check_choice(text: str, noun: str, word: str, choices: tuple[str, ...]) -> None:
    if word not in choices:
        raise InputError(f"{text!r} has no {noun} {word!r}; choose from {', '.join(choices)}")


def _check_group(condition: Condition) -> None:
    text, measure, group = condition.text, condition.measure, condition.group
    if measure in ("cause", "operation"):
        example = "copy_error" if measure == "cause" else "str.replace"
        if group is None:
            raise InputError(f"{text!r} needs a name, as in {measure}[{example}]")
        if measure == "cause":
            _check_choice(text, "cause", group, get_args(CauseName))
    elif group is not None and measure not in ("accuracy", "correct"):
        raise InputError(f"{text!r}: {measure} has no groups; only accuracy and correct have")
    elif group is not None and "=" not in group:
        raise InputError(f"{text!r} needs a name and a value, as in {measure}[depth=3]")


def _check_evidence(condition: Condition) -> None:
    text, measure, evidence = condition.text, condition.measure, condition.evidence
    if evidence is None:
        return
    if measure == "samples":
        raise InputError(f"{text!r}: the number of samples is exact; leave out :{evidence}")
    if evidence != "significant":
        return
    if measure == "tokens":
        raise InputError(f"{text!r}: tokens have an interval, not a test; use :certain")
    if condition.is_met_by(0):
        raise InputError(
            f"{text!r}: no change meets this condition, so significance has no meaning; use "
            ":possible, to fail unless the improvement is shown"
        )
