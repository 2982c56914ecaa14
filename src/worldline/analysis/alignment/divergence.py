"""Divergence: the first step at which two executions differ, and in what."""

from dataclasses import dataclass
from typing import Literal

from worldline.core.trace import Event
from worldline.core.util.text import truncate_text

# What differs at the first step that differs.
DivergenceKind = Literal["argument", "state", "action", "return", "exception", "end"]


@dataclass(frozen=True, slots=True)
class VariableDifference:
    """One local variable that differs; None on a side where it does not exist."""

    name: str
    actual: str | None
    predicted: str | None

    def __repr__(self) -> str:
        actual, predicted = (
            "none" if value is None else truncate_text(value, 30)
            for value in (self.actual, self.predicted)
        )
        return f"VariableDifference({truncate_text(self.name, 20)} = {predicted}, actual {actual})"


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first step at which the predicted execution differs from the actual one.

    Attributes:
        step: The number of the step, from 0.
        where: What differs.
        event: The actual event; None if the actual execution has ended.
        line: The line number of the actual step.
        scope: The scope of the actual step.
        executed_line: The number of the line that was executed just before and led to this
            step. For a return, it is the returning line itself.
        actual: The actual value, or the actual source line.
        predicted: The predicted value, or the predicted source line.
        variable: The first variable that differs.
        differences: All variables that differ.
        predicted_event: The predicted event.
        predicted_line: The predicted source line.
        predicted_line_number: Its number, if the codec's format contains line numbers.
        is_within_truncated_step: Whether the output ends inside this step, which was already
            wrong.
        is_other_thread: Whether another thread executes the predicted step.
    """

    step: int
    where: DivergenceKind
    event: Event | None
    line: int
    scope: int
    executed_line: int
    actual: str
    predicted: str
    variable: str | None = None
    differences: tuple[VariableDifference, ...] = ()
    predicted_event: Event | None = None
    predicted_line: str | None = None
    predicted_line_number: int | None = None
    is_within_truncated_step: bool = False
    is_other_thread: bool = False

    def __repr__(self) -> str:
        return f"Divergence({truncate_text(self.summary(), 105)})"

    def summary(self, *, width: int = 30) -> str:
        """The divergence in one line; values are shortened to `width` characters.

        "step 17 in state: n = 3, actual 5"
        """
        name = f"{truncate_text(self.variable, width)} = " if self.variable else ""
        predicted = truncate_text(self.predicted.strip() or "nothing", width)
        actual = truncate_text(self.actual.strip() or "nothing", width)
        return f"step {self.step} in {self.where}: {name}{predicted}, actual {actual}"
