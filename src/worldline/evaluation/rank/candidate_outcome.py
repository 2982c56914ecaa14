"""Outcomes of a candidate: the tests that it passes and its outputs, actual or predicted."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from worldline.analysis.alignment import canonical_value, parse_literal
from worldline.evaluation.benchmarks.assertion_parser import accepts_answer
from worldline.evaluation.rank.consensus import (
    CandidateGroup,
    Score,
    rank_by_outputs,
    rank_by_tests,
)
from worldline.evaluation.rank.rank_plan import RankPlan
from worldline.languages.python.batch_runner import (
    DEFAULT_ITEM_SECONDS,
    Batch,
    BatchItem,
    BatchOutcome,
)


@dataclass(frozen=True, slots=True)
class CandidateOutcome:
    """What a candidate does, by actual or by predicted execution.

    Attributes:
        passed: For each test, whether it passes.
        outputs: For each call, its value in a form that is the same for equal values; None if
            there is none.
    """

    passed: Mapping[str, bool]
    outputs: Mapping[str, str | None]


def make_batch(plan: RankPlan, source: str, *, seconds: float = DEFAULT_ITEM_SECONDS) -> Batch:
    """The batch that executes the tests and inputs of a plan."""
    tests = [BatchItem(test.text, seconds=seconds) for test in plan.tests]
    calls = [BatchItem(call, "expression", seconds) for call in plan.inputs]
    return Batch(source, (*tests, *calls))


def actual_outcome(plan: RankPlan, outcome: BatchOutcome) -> CandidateOutcome:
    """The outcome of the batch that `make_batch` made."""
    n_tests = len(plan.tests)
    tests = zip(plan.tests, outcome.items[:n_tests], strict=True)
    calls = zip(plan.inputs, outcome.items[n_tests:], strict=True)
    return CandidateOutcome(
        {test.text: item.status == "passed" for test, item in tests},
        {call: output_key(i.detail) if i.status == "value" else None for call, i in calls},
    )


def predicted_outcome(plan: RankPlan, answers: Mapping[str, str | None]) -> CandidateOutcome:
    """The outcome that a model predicts.

    Args:
        plan: The plan.
        answers: The predicted value of each call; None if the model gave none.
    """
    passed = {}
    for test in plan.tests:
        answer = answers.get(test.asserted.call) if test.asserted else None
        passed[test.text] = bool(
            test.asserted and answer is not None and accepts_answer(test.asserted, answer)
        )
    outputs = {call: answers.get(call) for call in plan.inputs}
    return CandidateOutcome(
        passed, {call: None if text is None else output_key(text) for call, text in outputs.items()}
    )


def rank_outcomes(
    plan: RankPlan, outcomes: Sequence[CandidateOutcome], *, score: Score = "product"
) -> tuple[CandidateGroup, ...]:
    """Rank candidates by consensus.

    Args:
        plan: The plan.
        outcomes: The outcome of each candidate of the problem.
        score: How a group's score is computed.
    """
    if plan.consensus == "outputs":
        rows = [[outcome.outputs[call] for call in plan.inputs] for outcome in outcomes]
        return rank_by_outputs(rows, score=score)
    passed = [[outcome.passed[test.text] for test in plan.tests] for outcome in outcomes]
    return rank_by_tests(passed, [test.weight for test in plan.tests], score=score)


def output_key(value: str) -> str:
    """A text that is the same for values that `==` finds equal.

    "{'b': 1.0, 'a': True}" -> "{'a': 1, 'b': 1}"; "<f at 0x7f01>" -> "<f>"
    """
    try:
        return _literal_key(parse_literal(value))
    except (ValueError, RecursionError):
        return canonical_value(value.strip())


def _literal_key(value: Any) -> str:
    if isinstance(value, dict):
        pairs = sorted(f"{_literal_key(key)}: {_literal_key(item)}" for key, item in value.items())
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, set | frozenset):
        return "set(" + ", ".join(sorted(map(_literal_key, value))) + ")"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(_literal_key, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner},)"
    if isinstance(value, bool) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    return repr(value)
