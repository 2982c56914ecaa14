"""Fitted model of correct steps: operations, size and nesting, separated by logistic regression."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from worldline.analysis.diagnosis import OperationStep
from worldline.analysis.stats import OddsRatio, logistic_odds_ratios

SIZE, NESTING = "size, per doubling", "nesting, per level"
# An operation is in the model if at least this many of its steps are wrong, and as many correct.
# With fewer, an odds ratio can be infinite, and its interval does not hold.
MIN_STEPS = 5
# Wrong steps that the model needs for each of its covariates.
_WRONG_PER_COVARIATE = 5
_MIN_PROGRAMS = 20


@dataclass(frozen=True, slots=True)
class OperationModel:
    """Odds ratios of correct steps, from a logistic regression over all steps.

    Attributes:
        steps: The number of steps.
        wrong: The number of wrong ones.
        programs: The number of programs, which are the clusters.
        reference: The steps that the operations are compared with.
        alone: The odds ratio of each operation, not adjusted for size and nesting.
        adjusted: The odds ratios of the operations, of the size and of the nesting, each with the
            others held equal.
    """

    steps: int
    wrong: int
    programs: int
    reference: str
    alone: tuple[OddsRatio, ...]
    adjusted: tuple[OddsRatio, ...]

    def sentences(self) -> list[str]:
        """What the model shows, in words; only effects whose interval excludes 1."""
        adjusted = {ratio.name: ratio for ratio in self.adjusted}
        lines = []
        for name in (SIZE, NESTING):
            ratio = adjusted.get(name)
            if ratio is not None and ratio.is_shown:
                effect = "harder" if ratio.value < 1 else "easier"
                what = "longer values are" if name == SIZE else "deeper nesting is"
                lines.append(f"{what} {effect}, with equal operations")
        for before in self.alone:
            after = adjusted[before.name]
            if after.is_shown:
                effect = "harder" if after.value < 1 else "easier"
                lines.append(f"{before.name} is {effect} also at equal size and nesting")
            elif before.is_shown:
                lines.append(f"{before.name}: size and nesting explain it, not the operation")
        return lines


def fit_operation_model(
    steps: Sequence[tuple[str, OperationStep]],
) -> tuple[OperationModel | None, str]:
    """Fit a logistic regression of correct steps on operations, size and nesting.

    The size is the number of characters or tokens that a step reads and shows; its effect is that
    of doubling it. Steps without an operation are left out. Operations with too few wrong or
    correct steps have no odds ratio of their own.

    Args:
        steps: Each step with its program.

    Returns:
        The model, and ""; or None, and why there is none.
    """
    # Steps that only copy a value would make operations, and so nesting, look hard.
    steps = [(program, step) for program, step in steps if step.nesting]
    names = _modelled_operations(steps)
    kept, reference, names = _with_reference(steps, names)
    wrong = sum(not step.is_correct for _, step in kept)
    programs = len({program for program, _ in kept})
    if not names:
        return None, (
            "too few data for a model: it needs two groups of operations, each with at least "
            f"{MIN_STEPS} wrong and {MIN_STEPS} correct steps"
        )
    if programs < _MIN_PROGRAMS:
        return None, f"too few data for a model: {programs} programs, of at least {_MIN_PROGRAMS}"
    outcomes = [step.is_correct for _, step in kept]
    clusters = [program for program, _ in kept]
    columns = {name: [float(_has(step, name)) for _, step in kept] for name in names}
    sizes = {
        SIZE: [math.log2(1 + step.read_size + (step.value_size or 0)) for _, step in kept],
        NESTING: [float(step.nesting) for _, step in kept],
    }
    varied = {name: values for name, values in sizes.items() if len(set(values)) > 1}
    alone = logistic_odds_ratios(outcomes, columns, clusters)
    adjusted = logistic_odds_ratios(outcomes, {**columns, **varied}, clusters)
    if alone is None or adjusted is None:
        return None, "no model: operations, size and nesting cannot be separated in these data"
    return OperationModel(len(kept), wrong, programs, reference, alone, adjusted), ""


def _modelled_operations(steps: Sequence[tuple[str, OperationStep]]) -> list[str]:
    """The operations with enough wrong and correct steps, those with most wrong ones first."""
    wrong: Counter[str] = Counter()
    correct: Counter[str] = Counter()
    for _, step in steps:
        (correct if step.is_correct else wrong).update({each.name for each in step.operations})
    names = [n for n in wrong if min(wrong[n], correct[n]) >= MIN_STEPS]
    total = sum(not step.is_correct for _, step in steps)
    # Three more terms are the intercept, the size and the nesting.
    limit = max(0, total // _WRONG_PER_COVARIATE - 3)
    return sorted(names, key=lambda name: (-wrong[name], name))[:limit]


def _with_reference(
    steps: Sequence[tuple[str, OperationStep]], names: list[str]
) -> tuple[list[tuple[str, OperationStep]], str, list[str]]:
    """The steps to fit, the reference, and the operations that are compared with it.

    The reference are the steps without any of the operations. If these are hardly ever wrong, or
    correct, they cannot be one: they are left out, and the most frequent operation is it.
    """
    others = [step for _, step in steps if not any(_has(step, name) for name in names)]
    n_correct = sum(step.is_correct for step in others)
    if min(n_correct, len(others) - n_correct) >= MIN_STEPS:
        return list(steps), "all other operations", names
    kept = [each for each in steps if any(_has(each[1], name) for name in names)]
    counts = Counter(name for name in names for _, step in kept if _has(step, name))
    if not counts:
        return kept, "", []
    ((reference, _),) = counts.most_common(1)
    return kept, reference, [name for name in names if name != reference]


def _has(step: OperationStep, name: str) -> bool:
    return any(operation.name == name for operation in step.operations)
