"""Problems with candidates, and scripted models that know or guess their outputs."""

import re
from collections.abc import Callable
from typing import Any

from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.rank import Candidate, CandidateProblem
from worldline.models.engines import ScriptedEngine

SQUARES = (
    "def f(x):\n    return x * x\n",
    "def f(x):\n    return x ** 2\n",
    "def f(x):\n    return x + x\n",
    "def f(x):\n    return abs(x) * x\n",
    "def f(x):\n    return x * x\n",
)
TESTS = ("assert f(3) == 9", "assert f(-2) == 4", "assert f(0) == 0", "assert f(-2) == -4")


def square_problem(name: str = "square", **fields: Any) -> CandidateProblem:
    """Four different candidates, of which two are correct; one of these occurs twice."""
    settings = {"function": "f", "tests": TESTS, "reference": "assert f(-3) == 9 and f(4) == 16"}
    candidates = tuple(Candidate(str(n), source) for n, source in enumerate(SQUARES))
    return CandidateProblem(name, candidates, **(settings | fields))


def multiplier_problem(number: int, seed: str = "problem") -> CandidateProblem:
    """Eight candidates that multiply by different factors; the correct factor is 2."""
    factors = SeededRandom(seed, number).shuffled([2, 2, 2, 3, 3, 4, 5, 6])
    return CandidateProblem(
        f"multiplier/{number}",
        tuple(
            Candidate(str(n), f"def f(x):\n    return {factor} * x\n", factor == 2)
            for n, factor in enumerate(factors)
        ),
        function="f",
        inputs=("f(0)", "f(1)", "f(2)", "f(7)"),
    )


def program_in(prompt: str) -> tuple[str, str]:
    """The source and the call that a chat prompt asks about."""
    sources = re.findall(r"\[PROGRAM\]\n(.*?)\n\[/PROGRAM\]", prompt, re.DOTALL)
    calls = re.findall(r"\[CALL\]\n(.*?)\n\[/CALL\]", prompt, re.DOTALL)
    return sources[-1], calls[-1]


def actual_value(source: str, call: str) -> str:
    """The value of a call; candidates of this module may be executed here."""
    names: dict[str, Any] = {}
    exec(source, names)
    return repr(eval(call, names))


def answering(answer: Callable[[str, str], str]) -> Callable[[], ScriptedEngine]:
    """A model that answers with what a function returns for a source and a call."""

    def complete(prompt: str) -> str:
        source, call = program_in(prompt)
        return f"[ANSWER]\nassert {call} == {answer(source, call)}\n[/ANSWER]"

    return lambda: ScriptedEngine(complete)


perfect_model = answering(actual_value)


def guessing_model(*seed: str | int, values: int = 4) -> Callable[[], ScriptedEngine]:
    """A model that guesses one of a few values, always the same one for the same question."""
    return answering(lambda source, call: str(SeededRandom(*seed, source, call).below(values)))
