"""Choice tree: all executions of a program with finite choices, and their probabilities."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

from worldline.analysis.choices.choice_domain import parse_domain
from worldline.core.errors import InputError
from worldline.core.trace import Choice, Limits, Program
from worldline.languages.python.recorder import Execution, Thresholds, parse_literal

MAX_EXECUTIONS = 20_000
_BATCH = 500
# After this number of new choices, an execution is no longer systematic.
_MAX_DEPTH = 100
_LIMITS = Limits(seconds=60.0, cpu_seconds=60)


class ResultRecorder(Protocol):
    """Executes programs many times, without traces."""

    def execute_choosing(
        self,
        program: Program,
        prefixes: Sequence[Sequence[Choice]],
        *,
        limits: Limits | None = None,
    ) -> list[Execution]:
        """Execute a program; see `PythonRecorder.execute_choosing`."""
        ...

    def draw_results(
        self, program: Program, draws: int, *, seed: int = 0, limits: Limits | None = None
    ) -> dict[tuple[str, str], int]:
        """Execute a program; see `PythonRecorder.draw_results`."""
        ...


class NotFiniteError(InputError):
    """A program has choices that cannot be enumerated."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """One execution of a program, and its probability."""

    execution: Execution
    probability: Fraction


def enumerate_executions(
    program: Program,
    recorder: ResultRecorder,
    *,
    max_executions: int = MAX_EXECUTIONS,
    limits: Limits | None = None,
) -> list[Leaf]:
    """Execute a program with all values of its choices.

    Numbers from [0, 1) that are only compared have one value between every two neighbouring
    thresholds. Thresholds and weights are meant as they are written: 0.1 is 1/10.

    Args:
        program: The program.
        recorder: Executes the program.
        max_executions: Maximum number of executions.
        limits: Limits of 500 executions together.

    Raises:
        NotFiniteError: A choice has too many values, or there are too many executions.
    """
    tree = _Tree(max_executions)
    executions: list[Execution] = []
    while tree.pending:
        batch, tree.pending = tree.pending[-_BATCH:], tree.pending[:-_BATCH]
        for prefix, execution in zip(
            batch,
            recorder.execute_choosing(program, batch, limits=limits or _LIMITS),
            strict=True,
        ):
            executions.append(execution)
            tree.add(execution, len(prefix))
    leaves = [Leaf(each, tree.probability(each)) for each in executions]
    _check_intervals(program, recorder, tree, leaves, limits or _LIMITS)
    return leaves


@dataclass(slots=True)
class _Tree:
    """The executions that are left to do, and the thresholds of numbers from [0, 1)."""

    max_executions: int
    pending: list[tuple[Choice, ...]] = field(default_factory=lambda: [()])
    # By the choices before a number: for each start of an interval, the threshold as written.
    starts: dict[tuple[str, ...], dict[float, Fraction]] = field(default_factory=dict)
    count: int = 0

    def add(self, execution: Execution, n_given: int) -> None:
        """Add an execution whose first choices were given, and the executions next to it."""
        self.count += 1
        if len(execution.choices) - n_given > _MAX_DEPTH:
            raise _not_finite(execution.choices[-1])
        for number, choice in enumerate(execution.choices):
            before = execution.choices[:number]
            if choice.domain == "unit":
                values: list[Any] = self._new_starts(before, choice, execution.thresholds[number])
            else:
                values = self._other_values(choice) if number >= n_given else []
            self.pending += [(*before, replace(choice, value=repr(value))) for value in values]
        if self.count + len(self.pending) > self.max_executions:
            raise NotFiniteError(
                f"the program has more than {self.max_executions:,} executions; sample them with "
                "--draws"
            )

    def _other_values(self, choice: Choice) -> list[Any]:
        domain = parse_domain(choice.domain)
        if domain.size is None or domain.size > self.max_executions:
            raise _not_finite(choice)
        return [value for value in domain.values() if repr(value) != choice.value]

    def _new_starts(
        self, before: tuple[Choice, ...], choice: Choice, thresholds: Thresholds
    ) -> list[float]:
        if thresholds.is_used:
            raise _not_finite(choice)
        known = self.starts.setdefault(_key(before), {0.0: Fraction(0)})
        new = {float(start): Fraction(text) for start, text in thresholds.starts}
        new = {start: text for start, text in new.items() if start not in known}
        known.update(new)
        return list(new)

    def interval(self, before: tuple[Choice, ...], value: float) -> tuple[float, float, Fraction]:
        """The interval that a number stands for: start, end and probability."""
        known = self.starts[_key(before)]
        ordered = sorted(known)
        position = ordered.index(value)
        if position + 1 == len(ordered):
            return value, 1.0, 1 - known[value]
        end = ordered[position + 1]
        return value, end, known[end] - known[value]

    def probability(self, execution: Execution) -> Fraction:
        """The probability of an execution, once all are added."""
        factors = []
        for number, choice in enumerate(execution.choices):
            value = parse_literal(choice.value)
            if choice.domain == "unit":
                factors.append(self.interval(execution.choices[:number], value)[2])
            else:
                factors.append(parse_domain(choice.domain).probability(value))
        return math.prod(factors, start=Fraction(1))


def _check_intervals(
    program: Program, recorder: ResultRecorder, tree: _Tree, leaves: list[Leaf], limits: Limits
) -> None:
    """Check that another number of each interval gives the same result.

    A function in C could use a number without a trace in its choice.
    """
    for start in range(0, len(leaves), _BATCH):
        batch = [
            leaf.execution
            for leaf in leaves[start : start + _BATCH]
            if any(choice.domain == "unit" for choice in leaf.execution.choices)
        ]
        others = [_with_other_numbers(tree, execution) for execution in batch]
        if not batch:
            continue
        seconds = recorder.execute_choosing(program, others, limits=limits)
        for first, second in zip(batch, seconds, strict=True):
            if (first.ending, first.result) != (second.ending, second.result):
                unit = next(choice for choice in first.choices if choice.domain == "unit")
                raise _not_finite(unit)


def _with_other_numbers(tree: _Tree, execution: Execution) -> tuple[Choice, ...]:
    """The choices with the middle of each interval instead of its start."""
    choices = []
    for number, choice in enumerate(execution.choices):
        if choice.domain == "unit":
            start, end, _ = tree.interval(execution.choices[:number], float(choice.value))
            choices.append(replace(choice, value=repr((start + end) / 2)))
        else:
            choices.append(choice)
    return tuple(choices)


def _key(choices: Sequence[Choice]) -> tuple[str, ...]:
    return tuple(choice.value for choice in choices)


def _not_finite(choice: Choice) -> NotFiniteError:
    return NotFiniteError(
        f"line {choice.line}: {choice.expression} has too many values to enumerate; sample the "
        "executions with --draws"
    )
