"""Possibility of a prediction: whether some values of the program's choices give it."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from worldline.analysis.alignment import Divergence, align_result, first_divergence, has_result
from worldline.analysis.choices.choice_domain import parse_domain
from worldline.analysis.choices.shown_choice import (
    find_shown,
    inverse,
    is_only_compared,
    numbers_in,
    predicted_value,
)
from worldline.analysis.choices.thread_alternatives import other_threads, runs_long, threads_at
from worldline.core.trace import SCHEDULING, THREAD, Choice, Limits, Program, Trace, has_free_order
from worldline.core.util.text import pluralize, truncate_text
from worldline.languages.python.recorder import Thresholds, parse_literal
from worldline.models.prediction import Prediction

PossibilityOutcome = Literal["possible", "impossible", "undecided"]
MAX_EXECUTIONS = 1_000
# Recordings of threads take longer.
MAX_THREADED_EXECUTIONS = 400
# A larger domain is not listed: only the numbers of the predicted step are tried.
_MAX_LISTED = 720
_MAX_CANDIDATES = 50
# Numbers of an interval that are tried where the predicted step does not show which one.
_GRID_SIZE = 24


class ChoiceRecorder(Protocol):
    """Executes programs whose first choices have given values."""

    def record_choosing(
        self,
        program: Program,
        choices: Sequence[Choice],
        *,
        is_systematic: bool = False,
        has_threads: bool | None = None,
        limits: Limits | None = None,
    ) -> tuple[Trace, tuple[Thresholds, ...]]:
        """Execute a program; see `PythonRecorder.record_choosing`."""
        ...


@dataclass(frozen=True, slots=True)
class Possibility:
    """Whether some values of a program's choices give the predicted execution.

    Attributes:
        outcome: `possible`; `impossible`: no values give more than the steps before `step`;
            `undecided`: not all values could be tried.
        trace: The execution that agrees with the prediction for the most steps.
        step: The first step that no execution explains; None if the prediction is possible, or has
            no steps.
        reason: Why it is not possible, or not decided.
        executions: How often the program was executed.
    """

    outcome: PossibilityOutcome
    trace: Trace
    step: int | None = None
    reason: str = ""
    executions: int = 1

    def __repr__(self) -> str:
        where = "" if self.step is None else f" at step {self.step}"
        return f"Possibility({truncate_text(f'{self.outcome}{where}: {self.reason}', 105)})"


def find_possibility(
    prediction: Prediction,
    recorder: ChoiceRecorder,
    *,
    limits: Limits | None = None,
    max_executions: int | None = None,
    has_threads: bool | None = None,
) -> Possibility:
    """Search for values of the program's choices that give the predicted execution.

    A choice whose value the prediction shows has that value. The values of the others are tried
    one after the other, the last choice before the divergence first. If the prediction names the
    thread of each step, that thread runs; otherwise each one that may give the predicted step.

    Args:
        prediction: The predicted steps, or only the predicted result.
        recorder: Executes the program.
        limits: Limits of each execution.
        max_executions: Maximum number of executions; by default 1,000, and 400 with threads.
        has_threads: Whether the program's threads are executed in all orders, and their steps
            compared, too; by default as the recorder does.
    """
    if max_executions is None:
        max_executions = MAX_THREADED_EXECUTIONS if has_threads else MAX_EXECUTIONS
    search = _Search(prediction, recorder, limits or Limits(), has_threads)
    while search.pending and search.executions < max_executions:
        if search.advance():
            return Possibility("possible", search.trace, executions=search.executions)
    is_exhaustive = search.is_exhaustive and not search.pending and not search.is_order_free
    reason = search.reason
    if not is_exhaustive:
        count = pluralize(search.executions, "execution")
        tried = f"not all values of the choices were tried ({count})"
        free = "the choices do not determine the order of the threads or tasks"
        reason = "; ".join(filter(None, (reason, free if search.is_order_free else tried)))
    return Possibility(
        "impossible" if is_exhaustive else "undecided",
        search.trace,
        search.matched_steps if prediction.decoded.shows_steps else None,
        reason,
        search.executions,
    )


@dataclass(frozen=True, slots=True)
class _Comparison:
    """How an execution differs from the prediction; `is_mapped`: whether its steps are numbered as
    those of the prediction."""

    matched_steps: int
    divergence: Divergence | None
    is_mapped: bool


@dataclass(slots=True)
class _Search:
    """The executions that are left to do, and the best one so far."""

    prediction: Prediction
    recorder: ChoiceRecorder
    limits: Limits
    has_threads: bool | None
    # The values of the first choices, for each execution that is left to do.
    pending: list[tuple[Choice, ...]] = field(default_factory=lambda: [()])
    # For each unit number, by the choices before it: the starts of intervals that were tried.
    known_starts: dict[tuple[str, ...], set[str]] = field(default_factory=dict)
    executions: int = 0
    is_exhaustive: bool = True
    # Whether some execution has threads or tasks whose order is no choice.
    is_order_free: bool = False
    matched_steps: int = -1
    reason: str = ""
    _trace: Trace | None = None

    @property
    def trace(self) -> Trace:
        """The execution that agrees with the prediction for the most steps."""
        assert self._trace is not None
        return self._trace

    def advance(self) -> bool:
        """Execute the program once more; whether that is the predicted execution."""
        prefix = self.pending.pop()
        trace, thresholds = self.recorder.record_choosing(
            self.prediction.program,
            prefix,
            is_systematic=True,
            has_threads=self.has_threads,
            limits=self.limits,
        )
        self.executions += 1
        self.is_order_free |= has_free_order(trace)
        comparison = self._compare(trace)
        self.is_exhaustive &= not runs_long(trace, comparison.matched_steps)
        is_same = comparison.divergence is None
        if is_same and self._is_cut_off(trace, comparison):
            # The prediction has more steps than could be executed.
            self.is_exhaustive = is_same = False
        if comparison.matched_steps > self.matched_steps or is_same or self._trace is None:
            self.matched_steps, self._trace = comparison.matched_steps, trace
            self.reason = self._reason(trace, comparison)
        if is_same:
            return True
        groups = [
            self._alternatives(trace, number, thresholds[number], comparison, len(prefix))
            for number in range(len(trace.choices))
            if self._is_before(trace.choices[number], comparison)
        ]
        for alternatives in groups:
            self.pending.extend(reversed(alternatives))
        return False

    def _compare(self, trace: Trace) -> _Comparison:
        decoded, answer = self.prediction.decoded, self.prediction.answer
        if decoded.shows_steps:
            compared, matched, divergence = first_divergence(trace, decoded)
            return _Comparison(matched, divergence, compared is trace)
        if answer is None or not has_result(trace):
            self.is_exhaustive &= trace.is_complete
            return _Comparison(0, _no_result(trace) if answer is not None else None, False)
        alignment = align_result(trace, decoded, answer)
        return _Comparison(0, alignment.divergence, False)

    def _is_cut_off(self, trace: Trace, comparison: _Comparison) -> bool:
        """Whether the execution ended before the prediction, by a limit."""
        n_predicted = len(self.prediction.decoded.steps)
        return not trace.is_complete and comparison.matched_steps < n_predicted

    @staticmethod
    def _is_before(choice: Choice, comparison: _Comparison) -> bool:
        """Whether a choice was made before the divergence."""
        is_early = choice.step is None or choice.step < comparison.matched_steps
        return is_early or not comparison.is_mapped

    def _alternatives(
        self,
        trace: Trace,
        number: int,
        thresholds: Thresholds,
        comparison: _Comparison,
        n_given: int,
    ) -> list[tuple[Choice, ...]]:
        """Executions in which one choice has another value; none for those that were given."""
        choice, before = trace.choices[number], trace.choices[:number]
        if choice.name in SCHEDULING:
            options = (
                other_threads(
                    trace, number, self.prediction.decoded, is_mapped=comparison.is_mapped
                )
                if number >= n_given
                else []
            )
            return [(*before, replace(choice, value=str(option))) for option in options]
        values: list[Any] = []
        if number >= n_given:
            values, is_exhaustive = self._other_values(trace, number, comparison)
            self.is_exhaustive &= is_exhaustive
        if choice.domain == "unit":
            key = tuple(each.value for each in before)
            known = self.known_starts.setdefault(key, set())
            starts = ["0.0", *(start for start, _ in thresholds.starts)]
            starts = [start for start in starts if start not in known]
            known.update(starts)
            is_compared = is_only_compared(trace.program.text, choice.line)
            self.is_exhaustive &= not (is_compared and thresholds.is_used)
            values += map(float, starts)
        return [
            (*before, replace(choice, value=repr(value)))
            for value in values
            if repr(value) != choice.value
        ]

    def _other_values(
        self, trace: Trace, number: int, comparison: _Comparison
    ) -> tuple[list[Any], bool]:
        """Other values of a choice that may explain the prediction, and whether these are all."""
        choice, domain = trace.choices[number], parse_domain(trace.choices[number].domain)
        shown = find_shown(trace, number) if comparison.is_mapped else None
        if shown is not None and shown.step <= comparison.matched_steps:
            text = predicted_value(shown, trace, self.prediction.decoded)
            values = None if text is None else inverse(choice, text)
            if values is not None:
                return values, True
        candidates = [n for n in self._predicted_numbers(comparison) if domain.contains(n)]
        if domain.size is not None and domain.size <= _MAX_LISTED:
            listed = list(domain.values())
            return sorted(listed, key=lambda value: value not in candidates), True
        if domain.kind == "unit":
            is_compared = is_only_compared(trace.program.text, choice.line)
            guesses = [*candidates[:_MAX_CANDIDATES], *_grid(0.0, 1.0)]
            return [] if is_compared else guesses, is_compared
        if domain.kind == "interval":
            return [*candidates[:_MAX_CANDIDATES], *_grid(*domain.parameters)], False
        kind = type(parse_literal(choice.value))
        fitting = [candidate for candidate in candidates if type(candidate) is kind]
        return fitting[:_MAX_CANDIDATES], False

    def _predicted_numbers(self, comparison: _Comparison) -> list[Any]:
        """The numbers that the prediction has at the divergence."""
        decoded, answer = self.prediction.decoded, self.prediction.answer
        if not decoded.shows_steps:
            return numbers_in([answer or ""])
        if comparison.matched_steps >= len(decoded.steps):
            return []
        value = decoded.steps[comparison.matched_steps].value
        texts = decoded.step_texts[comparison.matched_steps].locals.values()
        return numbers_in([*texts, value or ""])

    def _reason(self, trace: Trace, comparison: _Comparison) -> str:
        if comparison.divergence is None:
            return ""
        earlier = [each for each in trace.choices if self._is_before(each, comparison)]
        last = f", the last of them {earlier[-1].expression}" if earlier else ""
        text = comparison.divergence.summary()
        if any(choice.name == THREAD for choice in earlier):
            numbers = threads_at(trace, comparison.matched_steps)
            runnable = f"; threads that can run: {', '.join(map(str, numbers))}" if numbers else ""
            return f"{text}, after {pluralize(len(earlier), 'choice')}{runnable}"
        return f"{text}, after {pluralize(len(earlier), 'choice')}{truncate_text(last, 80)}"


def _grid(low: float, high: float) -> list[float]:
    """Evenly spaced numbers of an interval: 0, 1 -> [1/48, 3/48, …, 47/48]"""
    width = (high - low) / _GRID_SIZE
    return [low + (position + 0.5) * width for position in range(_GRID_SIZE)]


def _no_result(trace: Trace) -> Divergence:
    """The divergence of an execution that has no result to compare an answer with."""
    line = trace.steps[-1].line if trace.steps else 0
    return Divergence(max(0, len(trace.steps) - 1), "end", None, line, 0, line, "no result", "")
