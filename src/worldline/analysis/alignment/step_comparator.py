"""Comparison of predicted steps with the actual ones, step by step."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from worldline.analysis.alignment.divergence import Divergence, VariableDifference
from worldline.core.trace import Event, Step, Trace, function_lines
from worldline.models.codecs import UNCHANGED

# Python binds these at the start of a class body; the recorder leaves them out.
_CLASS_BODY_NAMES = frozenset({"__module__", "__qualname__"})
# Lines that a call event can have, in formats that do not tell calls from lines.
_MAY_BE_CALL = re.compile(r"\s*(?:@|(?:async\s+)?def\b|class\b)|.*\blambda\b")


@dataclass(frozen=True, slots=True)
class PredictedStep:
    """One predicted step, as the model wrote it; see `StepText`."""

    event: Event
    line: str
    locals: Mapping[str, str]
    value: str | None
    knows_event: bool = True
    line_number: int | None = None
    shows_state: bool = True
    shows_all: bool = True
    thread: int | None = None

    @property
    def stated_event(self) -> Event:
        """The event; where the format does not tell calls from lines, as the line itself shows it.

        The decoder takes any step that writes all its locals for a call.
        """
        if self.knows_event or self.event != "call" or ".0" in self.locals:
            return self.event
        return "call" if _MAY_BE_CALL.match(self.line) else "line"


class StepComparator:
    """Compares predicted steps with the actual ones.

    Keeps the last state and line of every scope, and counts the equality rules that were needed.
    """

    def __init__(self, actual: Trace) -> None:
        self.actual = actual
        self.program = actual.program
        # For each line, the first line of the innermost function that it is in.
        self._functions = function_lines(actual.program)
        is_python = actual.program.is_python
        self._for_starts = ("for ", "async for ") if is_python else ("for ", "for(")
        self.states: dict[int, dict[str, str]] = {}
        self.last_line: dict[int, int] = {}
        self.stack: list[int] = []
        self.rules: Counter[str] = Counter()
        # For each scope: the variables that changed since its state was last shown, and the line
        # that changed each.
        self.unshown_changes: dict[int, dict[str, int]] = {}

    def advance(self, step: Step, *, shows_state: bool = True) -> None:
        """Advance by one actual step that the predicted one matched."""
        if shows_state and step.has_locals:
            self.unshown_changes.pop(step.scope, None)
        elif step.has_locals:
            changed = dict.fromkeys((*step.changed, *step.gone), self.executed_line(step))
            self.unshown_changes.setdefault(step.scope, {}).update(changed)
        self.states[step.scope] = self.state_after(step)
        self.last_line[step.scope] = step.line
        if step.event == "call":
            self.stack.append(step.scope)
        elif step.event == "return" and self.stack:
            self.stack.pop()

    def state_after(self, step: Step) -> dict[str, str]:
        """The actual state of the step's scope, including the step's own changes."""
        state = {**self.states.get(step.scope, {}), **step.changed}
        return {name: value for name, value in state.items() if name not in step.gone}

    def executed_line(self, step: Step) -> int:
        """The number of the line that was executed just before and led to this step."""
        if step.event in ("return", "exception"):
            return step.line
        if step.event == "call":
            return self.last_line.get(self.stack[-1], step.line) if self.stack else step.line
        return self.last_line.get(step.scope, step.line)

    def _writing_line(self, step: Step, name: str) -> int:
        """The number of the line that last changed a variable, shown or not."""
        unshown_changes = self.unshown_changes.get(step.scope, {})
        return (
            self.executed_line(step)
            if name in step.changed
            else unshown_changes.get(name, self.executed_line(step))
        )

    def values_equal(self, actual: str, predicted: str) -> bool:
        """Compare two values, and count the equality rule that was needed."""
        comparison = self.program.values.compare_values(actual, predicted)
        if comparison.is_same and comparison.rule is not None:
            self.rules[comparison.rule] += 1
        return comparison.is_same

    def compare_step(self, index: int, step: Step, predicted: PredictedStep) -> Divergence | None:
        """Find the divergence at this step, if there is one."""
        if predicted.thread is not None and predicted.thread != step.thread:
            return self.thread_divergence(index, step, predicted)
        line = self.program.line(step.line)
        is_same_event = step.event == predicted.event or (
            not predicted.knows_event and step.has_locals and predicted.event in ("call", "line")
        )
        is_same_line = (
            line == predicted.line
            if predicted.line_number is None
            else step.line == predicted.line_number
        )
        if not is_same_event or (not is_same_line and self._is_other_function(step, predicted)):
            return self.action_divergence(index, step, predicted)
        if not step.has_locals:
            if not is_same_line:
                return self.action_divergence(index, step, predicted)
            return self.value_divergence(index, step, predicted)
        differences = (
            self.local_differences(step, predicted.locals, shows_all=predicted.shows_all)
            if predicted.shows_state
            else ()
        )
        # After a `for`, a wrong line explains a wrong loop variable, not the other way round.
        if not is_same_line and (not differences or self._is_after_for(step)):
            return self.action_divergence(index, step, predicted, differences)
        return self.state_divergence(index, step, predicted, differences) if differences else None

    def local_differences(
        self, step: Step, predicted_locals: Mapping[str, str], *, shows_all: bool = True
    ) -> tuple[VariableDifference, ...]:
        """Locals that differ, in the order of the prediction; then those it omits.

        If not all variables are shown, those that are omitted are unknown.
        """
        actual = self.state_after(step)
        before = self.states.get(step.scope, {})
        differences = []
        for name, text in predicted_locals.items():
            # `..` for a variable that the scope has not shown yet says nothing about its value.
            value = before.get(name) if text == UNCHANGED else text
            if name not in actual:
                if (text == UNCHANGED and not shows_all) or name in _CLASS_BODY_NAMES:
                    continue
                differences.append(VariableDifference(name, None, value or text))
            elif value is None or not self.values_equal(actual[name], value):
                differences.append(VariableDifference(name, actual[name], value))
        for name, value in actual.items() if shows_all else ():
            if name not in predicted_locals and not self.program.values.is_opaque(value):
                differences.append(VariableDifference(name, value, None))
        return tuple(differences)

    def _is_other_function(self, step: Step, predicted: PredictedStep) -> bool:
        """Whether a different line is in another function, whose locals cannot be compared."""
        if "call" in (step.event, predicted.stated_event):
            return True
        if predicted.line_number is not None:
            lines = [predicted.line_number]
        else:
            lines = [n for n, line in enumerate(self.program.lines, 1) if line == predicted.line]
        function = self._functions.get(step.line)
        return bool(lines) and all(self._functions.get(line) != function for line in lines)

    def _is_after_for(self, step: Step) -> bool:
        source = self.program.line(self.executed_line(step)).lstrip()
        return step.event == "line" and source.startswith(self._for_starts)

    def action_divergence(
        self,
        index: int,
        step: Step,
        predicted: PredictedStep,
        differences: tuple[VariableDifference, ...] = (),
    ) -> Divergence:
        """The divergence of a step with a wrong event or line."""
        return Divergence(
            step=index,
            where="action",
            event=step.event,
            line=step.line,
            scope=step.scope,
            # The line executed before the step, also if the step is a return or an exception.
            executed_line=self.last_line.get(step.scope, step.line)
            if step.event != "call"
            else self.executed_line(step),
            actual=self.program.line(step.line),
            predicted=predicted.line,
            differences=differences,
            predicted_event=predicted.stated_event,
            predicted_line=predicted.line,
            predicted_line_number=predicted.line_number,
        )

    def thread_divergence(self, index: int, step: Step, predicted: PredictedStep) -> Divergence:
        """The divergence of a step that another thread executes."""
        return replace(
            self.action_divergence(index, step, predicted),
            actual=f"thread {step.thread}: {self.program.line(step.line).strip()}",
            predicted=f"thread {predicted.thread}: {predicted.line.strip()}",
            is_other_thread=True,
        )

    def value_divergence(
        self, index: int, step: Step, predicted: PredictedStep
    ) -> Divergence | None:
        """The divergence in a returned or raised value, if the values differ."""
        null = self.program.values.NULL
        actual = null if step.value is None else step.value
        value = null if predicted.value is None else predicted.value
        if self.values_equal(actual, value):
            return None
        return Divergence(
            step=index,
            where="return" if step.event == "return" else "exception",
            event=step.event,
            line=step.line,
            scope=step.scope,
            executed_line=step.line,
            actual=actual,
            predicted=value,
            predicted_event=predicted.event,
            predicted_line=predicted.line,
            predicted_line_number=predicted.line_number,
        )

    def state_divergence(
        self,
        index: int,
        step: Step,
        predicted: PredictedStep,
        differences: tuple[VariableDifference, ...],
    ) -> Divergence:
        """The divergence of a step with wrong arguments or locals."""
        first = differences[0]
        scope = self.actual.scopes[step.scope]
        # Resuming a generator is a call, too, but its parameters are no longer arguments.
        is_first_call = step.event == "call" and step.scope not in self.states
        is_argument = is_first_call and first.name in scope.variables[: scope.parameters]
        return Divergence(
            step=index,
            where="argument" if is_argument else "state",
            event=step.event,
            line=step.line,
            scope=step.scope,
            executed_line=self._writing_line(step, first.name),
            actual="" if first.actual is None else first.actual,
            predicted="" if first.predicted is None else first.predicted,
            variable=first.name,
            differences=differences,
            predicted_event=predicted.event,
            predicted_line=predicted.line,
            predicted_line_number=predicted.line_number,
        )
