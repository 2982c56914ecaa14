"""Trace as parallel lists, as a store has it, without an object for each step."""

from dataclasses import dataclass

from worldline.core.trace.program import Program
from worldline.core.trace.step import EVENTS
from worldline.core.trace.trace import Ending, Limits, Origin, gaps_of

_RETURN = EVENTS.index("return")


@dataclass(frozen=True, slots=True)
class StepColumns:
    """Steps and scopes of the main thread as parallel lists.

    The variables that changed, those that are gone, and those of the scopes are in one list each,
    one step or scope after the other.

    Attributes:
        event: Index into `EVENTS`, one per step.
        line: `Step.line`, one per step.
        scope: `Step.scope`, one per step.
        value: `Step.value`, one per step.
        n_changed: Number of variables that changed, one per step.
        n_gone: Number of variables that are gone, one per step.
        changed_names: Names of the variables that changed.
        changed_values: Their values.
        gone: Names of the variables that are gone.
        scope_function: `Scope.function`, one per scope.
        scope_line: `Scope.line`, one per scope.
        scope_parameters: `Scope.parameters`, one per scope.
        scope_n_variables: Number of variables, one per scope.
        scope_variables: Their names.
    """

    event: list[int]
    line: list[int]
    scope: list[int]
    value: list[str | None]
    n_changed: list[int]
    n_gone: list[int]
    changed_names: list[str]
    changed_values: list[str]
    gone: list[str]
    scope_function: list[str]
    scope_line: list[int]
    scope_parameters: list[int]
    scope_n_variables: list[int]
    scope_variables: list[str]

    def __repr__(self) -> str:
        return f"<StepColumns: {len(self.event)} steps, {len(self.scope_function)} scopes>"


@dataclass(frozen=True, slots=True)
class TraceColumns:
    """A trace of a program without threads, choices and assumed calls; see `Trace`."""

    program: Program
    columns: StepColumns
    ending: Ending
    limits: Limits
    origin: Origin
    stdout: str = ""
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<TraceColumns: {self.n_steps} steps, {self.ending.reason}>"

    @property
    def n_steps(self) -> int:
        """Number of steps."""
        return len(self.columns.event)

    @property
    def is_complete(self) -> bool:
        """Whether the program ended by itself and all of its steps are recorded."""
        columns = self.columns
        if not self.ending.is_complete or not columns.event:
            return False
        return columns.event[-1] == _RETURN and columns.scope[-1] == 0

    @property
    def result(self) -> str | None:
        """The value that the entry point returned, as text; None if it did not return."""
        is_known = self.ending.reason == "finished" and self.is_complete
        return self.columns.value[-1] if is_known else None

    @property
    def gaps(self) -> tuple[str, ...]:
        """The notes about something that was not recorded."""
        return gaps_of(self.notes)
