"""Plan of a ranking: the tests and inputs by which a problem's candidates are compared."""

import ast
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Literal

from worldline.core.errors import InputError
from worldline.core.trace.python_syntax import unused_name
from worldline.evaluation.benchmarks.assertion_parser import AssertedCall, parse_assertions
from worldline.evaluation.rank.candidate_problem import CandidateProblem

Consensus = Literal[
    "tests",  # candidates that pass the same tests agree
    "outputs",  # candidates with the same outputs agree
]


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """A test, how often it occurs, and the call whose value it states; None if it states none."""

    text: str
    weight: int
    asserted: AssertedCall | None


@dataclass(frozen=True, slots=True)
class RankPlan:
    """What the candidates of a problem are compared by.

    Attributes:
        problem: The problem.
        consensus: Whether candidates agree by the tests they pass or by their outputs.
        tests: The tests; none if outputs are compared.
        inputs: The calls whose outputs are compared, or that the tests make. If nothing is
            predicted or chosen, there are none next to the tests.
        skipped_tests: How many different tests state no value for a call, and are left out.
    """

    problem: CandidateProblem
    consensus: Consensus
    tests: tuple[PlannedTest, ...]
    inputs: tuple[str, ...]
    skipped_tests: int = 0


def make_plan(
    problem: CandidateProblem, *, consensus: Consensus | None = None, needs_calls: bool = False
) -> RankPlan:
    """Plan the ranking of a problem.

    Args:
        problem: The problem.
        consensus: How candidates agree; by default by tests, or by outputs if there are none.
        needs_calls: Whether outputs of calls are predicted or chosen from. Tests that state no
            value for one call are then left out.

    Raises:
        InputError: The problem does not name its function, although calls are needed.
    """
    consensus = consensus or ("tests" if problem.tests or not problem.inputs else "outputs")
    weights = Counter(problem.tests)
    needs_calls = needs_calls or consensus == "outputs"
    if needs_calls and problem.tests and problem.function is None:
        raise InputError(
            f"the problem {problem.id!r} does not name the function that its tests call: add "
            "`function` to its line of the tests"
        )
    tests = [
        PlannedTest(text, weight, parse_test(text, problem.function or "") if needs_calls else None)
        for text, weight in weights.items()
    ]
    usable = [test for test in tests if test.asserted or not needs_calls]
    called = [test.asserted.call for test in usable if test.asserted]
    skipped = len(tests) - len(usable)
    if consensus == "tests":
        return RankPlan(problem, consensus, tuple(usable), tuple(dict.fromkeys(called)), skipped)
    own = [_normalized(call) for call in problem.inputs]
    return RankPlan(problem, consensus, (), tuple(dict.fromkeys([*own, *called])), skipped)


def with_inputs(plan: RankPlan, inputs: Collection[str]) -> RankPlan:
    """The plan with only these inputs, and the tests that call the function with them."""
    return replace(
        plan,
        inputs=tuple(call for call in plan.inputs if call in inputs),
        tests=tuple(t for t in plan.tests if t.asserted and t.asserted.call in inputs),
    )


def parse_test(test: str, function: str) -> AssertedCall | None:
    """The call of a test and the value that it states; None if it states none.

    "assert f(1, x=2) == 3, 'message'", "f" -> the call "f(1, x=2)" with the value 3
    """
    try:
        tree = ast.parse(test)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if len(tree.body) != 1 or not isinstance(tree.body[0], ast.Assert):
        return None
    # The parser expects HumanEval's form: a function with the tested one as its parameter.
    parameter = unused_name(test, wanted="candidate")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == function:
            node.id = parameter
    try:
        text = ast.unparse(tree.body[0])
        (parsed,) = parse_assertions(f"def check({parameter}):\n    {text}\n", function)
    except (InputError, RecursionError):
        return None
    return parsed if isinstance(parsed, AssertedCall) else None


def _normalized(call: str) -> str:
    """ "f( 1,2 )" -> "f(1, 2)": the same text for the same call."""
    return ast.unparse(ast.parse(call.strip(), mode="eval"))
