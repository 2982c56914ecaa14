"""Accuracy by operation: how often the result of each executed operation was predicted correctly.

An observation is a step, not an operation (see `analysis.diagnosis.step_operations`). If several
operations decide one step, it is not known which of them was wrong. Such steps are counted apart,
as shared outcomes, and are separated only by the fitted model.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from worldline.analysis.diagnosis import (
    OperationStep,
    Sample,
    operation_steps,
    source_without_call,
)
from worldline.analysis.stats import Share, clustered_share
from worldline.core.errors import InputError
from worldline.evaluation.metrics.binning import power_of_two_bin
from worldline.evaluation.metrics.operation_model import OperationModel, fit_operation_model
from worldline.models.tokenizers import Tokenizer

OperationGrouping = Literal["arguments", "argument size", "nesting", "value size"]
_GROUPINGS: tuple[OperationGrouping, ...] = (
    "arguments",
    "argument size",
    "nesting",
    "value size",
)


@dataclass(frozen=True, slots=True)
class OperationRate:
    """How often the steps that an operation decides are correct.

    Attributes:
        name: The operation, with the kind of what it is applied to: "str.replace".
        single: The share of correct steps, of those that the operation decides alone.
        shared: The share of correct steps, of those that it decides together with others; what is
            wrong may be due to the others.
        programs: The number of programs in which it was executed.
    """

    name: str
    single: Share
    shared: Share
    programs: int

    def __repr__(self) -> str:
        return f"OperationRate({self.name}: {self.single!r}, shared {self.shared!r})"


@dataclass(frozen=True, slots=True)
class OperationGroup:
    """The share of correct steps in one group: `nesting` `2`, `value size` `16–31`."""

    by: OperationGrouping
    group: str
    share: Share


@dataclass(frozen=True, slots=True)
class OperationResults:
    """The accuracy of a run by operation.

    Attributes:
        unit: The unit of sizes: "characters", or "tokens of" a tokenizer.
        predictions: The number of predictions with such steps.
        programs: The number of different programs, which are the clusters of the intervals.
        steps: The share of correct steps.
        diverged: The number of predictions that diverged.
        rates: The rate of each operation, the most frequent first.
        groups: The shares by arguments, size, nesting and length of the value.
        model: The fitted model; None if it was not fitted.
        note: Why there is no model.
    """

    unit: str
    predictions: int
    programs: int
    steps: Share
    diverged: int
    rates: tuple[OperationRate, ...]
    groups: tuple[OperationGroup, ...]
    model: OperationModel | None
    note: str = ""

    def __repr__(self) -> str:
        return f"OperationResults({len(self.rates)} operations, {self.steps!r})"


@dataclass(frozen=True, slots=True)
class ClusteredStep:
    """An operation step with the program that it belongs to."""

    program: str
    step: OperationStep


def measure_operations(
    samples: Iterable[Sample],
    *,
    tokenizer: Tokenizer | None = None,
    operation: str | None = None,
) -> OperationResults:
    """Measure how often each operation in the correct part of predictions was predicted correctly.

    Args:
        samples: The diagnosed predictions. They are read once.
        tokenizer: Measures sizes in tokens instead of characters.
        operation: Count only the steps of this operation: "str.replace".

    Returns:
        The results. If statsmodels is not installed they have no model, and `note` says how to
        install it.
    """
    counter = OperationCounter(tokenizer)
    for sample in samples:
        counter.add(sample)
    return counter.results(operation=operation)


class OperationCounter:
    """Collects the operation steps of samples, which are not kept.

    Args:
        tokenizer: Measures sizes in tokens instead of characters.
    """

    def __init__(self, tokenizer: Tokenizer | None = None) -> None:
        self._measure: Callable[[str], int] = len
        self._unit = "characters"
        if tokenizer is not None:
            encode = tokenizer.encode
            self._measure = lru_cache(maxsize=65_536)(lambda text: len(encode(text)))
            self._unit = f"tokens of {tokenizer.name}"
        self._steps: list[ClusteredStep] = []
        self._predictions = self._diverged = 0

    def add(self, sample: Sample) -> None:
        """Count the steps of a sample."""
        steps = list(operation_steps(sample, measure=self._measure))
        if steps:
            program = source_without_call(sample)
            self._steps += [ClusteredStep(program, step) for step in steps]
            self._predictions += 1
            self._diverged += sample.diagnosis.facts.outcome == "diverged"

    def results(self, *, operation: str | None = None) -> OperationResults:
        """Measure the steps that were counted; only those of one operation, if it is given."""
        steps = self._steps
        if operation is not None:
            steps = [each for each in steps if operation in _names(each.step)]
        return summarize_operations(
            steps, unit=self._unit, predictions=self._predictions, diverged=self._diverged
        )


def summarize_operations(
    steps: Sequence[ClusteredStep],
    *,
    unit: str = "characters",
    predictions: int = 0,
    diverged: int = 0,
) -> OperationResults:
    """Count correct steps by operation and by group, with intervals clustered by program.

    Args:
        steps: The steps of all predictions.
        unit: The unit of sizes.
        predictions: The number of predictions with such steps.
        diverged: The number of predictions that diverged.
    """
    model = None
    try:
        model, note = fit_operation_model([(each.program, each.step) for each in steps])
    except InputError as error:
        # statsmodels is not installed; the rates need only scipy.
        note = str(error)
    return OperationResults(
        unit=unit,
        predictions=predictions,
        programs=len({each.program for each in steps}),
        steps=correct_steps(steps),
        diverged=diverged,
        rates=_rates(steps),
        groups=tuple(group for by in _GROUPINGS for group in _groups(steps, by)),
        model=model,
        note=note,
    )


def correct_steps(steps: Iterable[ClusteredStep]) -> Share:
    """The share of correct steps, with its interval clustered by program."""
    correct: dict[str, int] = defaultdict(int)
    size: dict[str, int] = defaultdict(int)
    for each in steps:
        correct[each.program] += each.step.is_correct
        size[each.program] += 1
    return clustered_share(list(correct.values()), list(size.values()), is_uneven=True)


def _rates(steps: Sequence[ClusteredStep]) -> tuple[OperationRate, ...]:
    by_name: dict[str, list[ClusteredStep]] = defaultdict(list)
    for each in steps:
        for name in _names(each.step):
            by_name[name].append(each)
    rates = [
        OperationRate(
            name,
            correct_steps(each for each in group if each.step.is_single),
            correct_steps(each for each in group if not each.step.is_single),
            len({each.program for each in group}),
        )
        for name, group in by_name.items()
    ]
    return tuple(sorted(rates, key=lambda rate: (-rate.single.of, -rate.shared.of, rate.name)))


def _groups(steps: Sequence[ClusteredStep], by: OperationGrouping) -> list[OperationGroup]:
    groups: dict[tuple[int, str], list[ClusteredStep]] = defaultdict(list)
    for each in steps:
        key = _GROUP_OF[by](each.step)
        if key is not None:
            groups[key].append(each)
    return [
        OperationGroup(by, name, correct_steps(groups[order, name]))
        for order, name in sorted(groups)
    ]


def _arguments(step: OperationStep) -> tuple[int, str] | None:
    """The operation with its arguments, of a step that one operation decides."""
    if not step.is_single or not step.operations or step.operations[0].arguments == "none":
        return None
    (operation,) = step.operations
    return 0, f"{operation.name}: {operation.arguments}"


def _size(size: int | None) -> tuple[int, str] | None:
    return None if size is None else (size.bit_length(), power_of_two_bin(size))


_GROUP_OF: Mapping[OperationGrouping, Callable[[OperationStep], tuple[int, str] | None]] = {
    "arguments": _arguments,
    "argument size": lambda step: _size(step.read_size),
    "nesting": lambda step: (step.nesting, str(step.nesting)),
    "value size": lambda step: _size(step.value_size),
}


def _names(step: OperationStep) -> set[str]:
    return {operation.name for operation in step.operations}
