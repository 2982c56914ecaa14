"""Request and reply of a search of schedules: its bounds, and the outcomes of the executions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from worldline.core.trace import schedule_text


@dataclass(frozen=True, slots=True)
class ScheduleBounds:
    """Bounds of a search of schedules.

    Attributes:
        preemptions: Maximum number of preemptions of an enumerated schedule.
        max_executions: Maximum number of enumerated schedules.
        max_lines: Maximum number of lines of one execution.
        draws: Number of random schedules.
        seed: Seed of the random schedules.
    """

    preemptions: int = 2
    max_executions: int = 20_000
    max_lines: int = 20_000
    draws: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class ScheduledOutcome:
    """One possible outcome of a program with threads.

    Attributes:
        ending: How the program ended: "finished", "raised", "exited", "deadlock" or "step_limit".
        result: What it returned, as text; the exception; for a module, what it printed; for a
            deadlock, who waits for what in the shortest schedule.
        errors: The exceptions that threads did not catch, as text.
        executions: The number of executions with this outcome.
        preemptions: The number of preemptions in the shortest schedule.
        switches: The number of switches to another thread in it.
        schedule: The shortest schedule: fewest preemptions, then fewest switches. It has the thread
            that runs next at each of the first choices; later ones have their default.
    """

    ending: str
    result: str
    errors: str
    executions: int
    preemptions: int
    switches: int
    schedule: tuple[int, ...]

    def __repr__(self) -> str:
        return f"ScheduledOutcome({self.text!r}, {schedule_text(self.schedule)!r})"

    @property
    def text(self) -> str:
        """The outcome as text: "3", "raises KeyError: 'a'", "deadlock: …"."""
        prefix = {"finished": "", "raised": "raises ", "exited": "exits "}
        text = prefix.get(self.ending, f"{self.ending.replace('_', ' ')}: ") + self.result
        return f"{text} ({self.errors})" if self.errors else text


@dataclass(frozen=True, slots=True)
class ScheduleSearch:
    """The outcomes of a program over all schedules of its threads within a bound.

    Attributes:
        outcomes: Every outcome that an execution had, those with shorter schedules first.
        bounds: The bounds of the search.
        executions: The number of executions.
        finished_preemptions: All schedules with at most this number of preemptions were executed;
            -1 if not even all without one.
        is_exhaustive: Whether these are all schedules that there are: no other outcome is possible.
    """

    outcomes: tuple[ScheduledOutcome, ...]
    bounds: ScheduleBounds
    executions: int
    finished_preemptions: int
    is_exhaustive: bool

    @property
    def is_complete(self) -> bool:
        """Whether all schedules within the bound on preemptions were executed."""
        return self.is_exhaustive or self.finished_preemptions == self.bounds.preemptions

    def __repr__(self) -> str:
        kind = "exhaustive" if self.is_exhaustive else "complete" if self.is_complete else "stopped"
        count = f"{len(self.outcomes)} outcomes, {self.executions:,} executions"
        return f"ScheduleSearch({count}, {self.bounds.preemptions} preemptions, {kind})"


def decode_search(rows: Sequence[list[Any]], bounds: ScheduleBounds) -> ScheduleSearch:
    """The result of a search, from the rows of the child process."""
    *outcomes, (_, executions, finished, is_exhaustive) = rows
    return ScheduleSearch(
        tuple(_decode_outcome(row) for row in outcomes),
        bounds,
        int(executions),
        int(finished),
        bool(is_exhaustive),
    )


def _decode_outcome(row: list[Any]) -> ScheduledOutcome:
    ending, result, errors, executions, preemptions, switches, schedule = row
    return ScheduledOutcome(
        ending, result, errors, executions, preemptions, switches, tuple(schedule)
    )
