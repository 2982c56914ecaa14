"""Chance of an explanation: how often a random wrong prediction would be explained as well."""

import ast
import warnings
from collections.abc import Collection

from worldline.analysis.alignment import Divergence, canonical_value
from worldline.analysis.diagnosis import Sample
from worldline.analysis.diagnosis.value_source import state_before
from worldline.analysis.explanations.random_values import random_wrong_value
from worldline.core.util.seeded_random import SeededRandom

# Random wrong values that are drawn.
DRAWS = 1000
# The share of steps at which a model errs by itself, without the misconception; an upper bound.
ERROR_RATE = 0.05


def chance_of_explanation(sample: Sample, divergence: Divergence, values: Collection[str]) -> float:
    """The share of random wrong values that the changes yield, too.

    (hits + 1) / (draws + 1), so that it is never 0. A wrong action has no value: it is explained
    by any change of the same condition, so its chance is 1.

    Args:
        sample: The sample.
        divergence: The divergence that is explained.
        values: The canonical wrong values that all changes that were tried yield there.
    """
    if divergence.where == "action":
        return 1.0
    visible = _visible_strings(sample, divergence)
    random = SeededRandom("explanation", sample.actual.program.hash, divergence.step)
    hits = sum(
        canonical_value(
            random_wrong_value(divergence.actual, divergence.predicted, visible, random)
        )
        in values
        for _ in range(DRAWS)
    )
    return (hits + 1) / (DRAWS + 1)


def chance_with_repeats(chance: float, repeats: int, n_executions: int) -> float:
    """The chance, if the prediction errs again where only the misconception says so.

    A model without the misconception errs at just that step with a probability of at most
    `ERROR_RATE`. As many changes as explain the first step may do so for the next one.

    Args:
        chance: The chance at the divergence.
        repeats: The number of later steps that only a repeated error explains.
        n_executions: The number of different executions that explain the divergence.
    """
    return min(1.0, chance * n_executions * ERROR_RATE**repeats) if repeats else chance


def _visible_strings(sample: Sample, divergence: Divergence) -> list[str]:
    """The strings in the variables that the executed line could read, and in the line itself."""
    alignment = sample.diagnosis.facts.alignment
    assert alignment is not None
    texts = dict.fromkeys(state_before(alignment.actual, divergence).values())
    strings: dict[str, None] = {}
    for text in [*texts, divergence.actual]:
        try:
            with warnings.catch_warnings(action="ignore"):
                tree = ast.parse(text, mode="eval")
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                strings[node.value] = None
    return list(strings)
