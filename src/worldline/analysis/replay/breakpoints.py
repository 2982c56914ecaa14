"""Breakpoints over recorded steps: at lines, functions, variables, exceptions, the divergence."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import merge
from typing import Literal

from worldline.analysis.replay.expression import Expression, evaluate, is_true
from worldline.analysis.replay.indexed_execution import (
    IndexedExecution,
    Side,
    StackEntry,
    locals_at,
)
from worldline.analysis.replay.lock_step import Replay, Track
from worldline.core.errors import ExpressionError
from worldline.core.trace import exception_text
from worldline.core.util.text import truncate_text

StopReason = Literal["line", "function", "data", "exception", "divergence", "pause", "start", "end"]
_EMBEDDED = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True, slots=True)
class LineBreakpoint:
    """Stop before a line is executed, or write a message there.

    Attributes:
        id: Its number.
        line: The line in the program's text.
        condition: Stop only if it is true in the recorded state.
        message: Text that is written instead of stopping; expressions in it are in braces.
    """

    id: int
    line: int
    condition: Expression | None = None
    message: str | None = None


@dataclass(frozen=True, slots=True)
class FunctionBreakpoint:
    """Stop where a function is called, by its name or its qualified name."""

    id: int
    name: str
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class DataBreakpoint:
    """Stop where a variable has a new value.

    Attributes:
        id: Its number.
        name: The variable.
        side: The execution; None for both.
        scope: The scope; None for every scope that has such a variable.
        condition: Stop only if it is true in the recorded state.
    """

    id: int
    name: str
    side: Side | None = None
    scope: int | None = None
    condition: Expression | None = None


Breakpoint = LineBreakpoint | FunctionBreakpoint | DataBreakpoint


@dataclass(frozen=True, slots=True)
class Breakpoints:
    """All breakpoints of a session.

    Attributes:
        own: Breakpoints at lines, functions and variables.
        on_exception: Stop where an exception is raised.
        on_divergence: Stop where the prediction diverges.
    """

    own: tuple[Breakpoint, ...] = ()
    on_exception: bool = False
    on_divergence: bool = True


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a replay stops, and why.

    Attributes:
        row: The row.
        reason: The kind of breakpoint; "end" or "start" if there was none, "pause" if cancelled.
        side: The execution in which it was reached.
        ids: The breakpoints that were reached.
        text: What happened, in words.
    """

    row: int
    reason: StopReason
    side: Side = "actual"
    ids: tuple[int, ...] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A step that a breakpoint may stop at."""

    row: int
    reason: StopReason
    track: Track
    breakpoint: Breakpoint | None = None


def find_stop(
    replay: Replay,
    row: int,
    breakpoints: Breakpoints,
    *,
    backwards: bool = False,
    on_message: Callable[[str], None] | None = None,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Stop:
    """The first stop after a row, or before it.

    Args:
        replay: The replay.
        row: The current row, which is not a stop.
        breakpoints: The breakpoints.
        backwards: Search the rows before the current one.
        on_message: Called with the messages of breakpoints that write one.
        is_cancelled: Whether to stop at once; asked at every step that may be a stop.
    """
    candidates = merge(
        *_all_candidates(replay, row, breakpoints, backwards),
        key=lambda candidate: candidate.row,
        reverse=backwards,
    )
    stop: Stop | None = None
    for candidate in candidates:
        if stop is not None and candidate.row != stop.row:
            break
        if is_cancelled():
            return Stop(candidate.row, "pause", candidate.track.execution.side)
        reached = _reach(replay, candidate, on_message if not backwards else None)
        if reached is not None:
            ids = (*(stop.ids if stop else ()), *reached.ids)
            first = stop or reached
            stop = Stop(first.row, first.reason, first.side, ids, first.text)
    if stop is not None:
        return stop
    if backwards:
        return Stop(0, "start", replay.tracks[0].execution.side, text="start of the recording")
    last = replay.length - 1
    track = next((track for track in replay.tracks if track.is_at(last)), replay.tracks[0])
    return Stop(last, "end", track.execution.side, text="end of the recording")


def steps_that_call(execution: IndexedExecution, name: str) -> list[int]:
    """The steps that call a function; those that resume a generator are left out."""
    matching = {
        function
        for function in set(execution.functions)
        if name in (function, re.split(r"[.:#]+", function)[-1])
    }
    entered: set[int] = set()
    steps = []
    for frame in execution.frames:
        if frame.scope not in entered and execution.functions[frame.scope] in matching:
            entered.add(frame.scope)
            steps.append(frame.first_step)
    return steps


def steps_that_change(execution: IndexedExecution, breakpoint: DataBreakpoint) -> list[int]:
    """The steps at which a variable has a new value."""
    scopes = execution.histories if breakpoint.scope is None else [breakpoint.scope]
    changes = [
        execution.histories[scope][breakpoint.name].steps
        for scope in scopes
        if breakpoint.name in execution.histories.get(scope, {})
    ]
    return changes[0] if len(changes) == 1 else sorted(step for each in changes for step in each)


def steps_that_raise(execution: IndexedExecution) -> list[int]:
    """The steps at which an exception is raised, not those where it passes on to a caller."""
    steps = []
    for number, step in enumerate(execution.steps):
        if step.event != "exception":
            continue
        before = execution.steps[number - 1] if number else None
        is_passed_on = before is not None and before.event == "return" and before.value is None
        if not is_passed_on:
            steps.append(number)
    return steps


def _all_candidates(
    replay: Replay, row: int, breakpoints: Breakpoints, backwards: bool
) -> Iterator[Iterator[_Candidate]]:
    for track in replay.tracks:
        for each in breakpoints.own:
            steps = _steps_of(track.execution, each)
            reason: StopReason = (
                "line"
                if isinstance(each, LineBreakpoint)
                else "function"
                if isinstance(each, FunctionBreakpoint)
                else "data"
            )
            yield _candidates(track, steps, row, backwards, reason, each)
        if breakpoints.on_exception:
            steps = steps_that_raise(track.execution)
            yield _candidates(track, steps, row, backwards, "exception")
    target = replay.divergence_row if breakpoints.on_divergence else None
    if target is not None and (target < row if backwards else target > row):
        yield iter([_Candidate(target, "divergence", replay.tracks[-1])])


def _steps_of(execution: IndexedExecution, breakpoint: Breakpoint) -> Sequence[int]:
    if isinstance(breakpoint, LineBreakpoint):
        return execution.visits.get(breakpoint.line, ())
    if isinstance(breakpoint, FunctionBreakpoint):
        return steps_that_call(execution, breakpoint.name)
    if breakpoint.side not in (None, execution.side):
        return ()
    return steps_that_change(execution, breakpoint)


def _candidates(
    track: Track,
    steps: Sequence[int],
    row: int,
    backwards: bool,
    reason: StopReason,
    breakpoint: Breakpoint | None = None,
) -> Iterator[_Candidate]:
    # The rows of a prediction in progress end before the actual steps do.
    steps = steps[: bisect_left(steps, len(track.rows))]
    if backwards:
        end = bisect_left(steps, row, key=track.rows.__getitem__)
        order = range(end - 1, -1, -1)
    else:
        order = range(bisect_right(steps, row, key=track.rows.__getitem__), len(steps))
    for index in order:
        yield _Candidate(track.rows[steps[index]], reason, track, breakpoint)


def _reach(
    replay: Replay, candidate: _Candidate, on_message: Callable[[str], None] | None
) -> Stop | None:
    """The stop at a candidate; None if its condition is false, or if it only writes a message."""
    execution, each = candidate.track.execution, candidate.breakpoint
    row, side = candidate.row, execution.side
    step = candidate.track.step(row)
    if each is None:
        if candidate.reason == "divergence":
            assert replay.divergence is not None
            return Stop(row, "divergence", "predicted", text=replay.divergence.summary())
        return Stop(row, "exception", side, text=exception_text(execution.steps[step].value or ""))
    state = locals_at(execution, StackEntry(execution.frame_of_step[step], step))
    if each.condition is not None and not is_true(each.condition, state, execution.program):
        return None
    if isinstance(each, LineBreakpoint) and each.message is not None:
        if on_message is not None:
            on_message(_message(each.message, state, execution))
        return None
    text = ""
    if isinstance(each, DataBreakpoint):
        history = execution.histories[execution.steps[step].scope][each.name]
        before, after = (
            "no value" if value is None else truncate_text(value, 60)
            for value in (history.before(step), history.at(step))
        )
        text = f"{each.name} changed from {before} to {after}"
    return Stop(row, candidate.reason, side, (each.id,), text)


def _message(template: str, state: dict[str, str], execution: IndexedExecution) -> str:
    """Fill in the expressions of a message: "i = {i}" -> "i = 3"."""

    def fill(match: re.Match[str]) -> str:
        try:
            return evaluate(match[1], state, execution.program)
        except ExpressionError as error:
            return f"<{error}>"

    return _EMBEDDED.sub(fill, template)
