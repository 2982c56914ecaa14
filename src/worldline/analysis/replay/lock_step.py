"""Replay of one execution, or of an actual and a predicted one in lock step, in both directions.

A position is the number of a row: a pair of an actual and a predicted step, or one of them alone.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from worldline.analysis.alignment import Divergence
from worldline.analysis.replay.indexed_execution import IndexedExecution, Side

# The numbers of an actual and of a predicted step; None if one of them has no step.
StepPair = tuple[int | None, int | None]
Motion = Literal["in", "over", "out", "back", "back_over"]


@dataclass(frozen=True, slots=True)
class Track:
    """One execution in a replay.

    Attributes:
        execution: The execution.
        steps: For each row, the last step up to it; -1 before the first.
        rows: For each step, its row.
    """

    execution: IndexedExecution
    steps: Sequence[int]
    rows: Sequence[int]

    def step(self, row: int) -> int:
        """The step at a row, or the last one before it; -1 if there is none."""
        return self.steps[row] if self.steps else -1

    def is_at(self, row: int) -> bool:
        """Whether the execution has a step of its own at a row."""
        step = self.step(row)
        return step >= 0 and self.rows[step] == row


@dataclass(frozen=True, slots=True)
class Replay:
    """One or two executions that are visited together.

    Attributes:
        tracks: The executions; the actual one is first.
        length: The number of rows.
        divergence: The first difference of the two.
        divergence_row: Its row.
    """

    tracks: tuple[Track, ...]
    length: int
    divergence: Divergence | None = None
    divergence_row: int | None = None

    def __repr__(self) -> str:
        sides = " and ".join(track.execution.side for track in self.tracks)
        return f"Replay({sides}, {self.length} rows)"

    def track(self, side: Side) -> Track | None:
        """The track of a side; None if there is none."""
        return next((track for track in self.tracks if track.execution.side == side), None)


def replay_one(execution: IndexedExecution) -> Replay:
    """Replay one execution; a row is a step."""
    count = len(execution.steps)
    return Replay((Track(execution, range(count), range(count)),), count)


def replay_both(
    actual: IndexedExecution,
    predicted: IndexedExecution,
    pairs: Sequence[StepPair],
    *,
    divergence: Divergence | None = None,
    matched_steps: int = 0,
) -> Replay:
    """Replay an actual and a predicted execution in lock step.

    Args:
        actual: The recorded execution.
        predicted: The predicted execution.
        pairs: Their steps in pairs; up to the divergence, a pair has the same number twice.
        divergence: The first difference.
        matched_steps: The number of steps before it.
    """
    tracks = (
        _track(actual, [pair[0] for pair in pairs]),
        _track(predicted, [pair[1] for pair in pairs]),
    )
    row = None if divergence is None else min(matched_steps, len(pairs) - 1)
    return Replay(tracks, len(pairs), divergence, row)


def _track(execution: IndexedExecution, indices: Sequence[int | None]) -> Track:
    steps, rows, last = [], [], -1
    for row, index in enumerate(indices):
        if index is not None:
            last = index
            rows.append(row)
        steps.append(last)
    return Track(execution, steps, rows)


def move(
    replay: Replay,
    row: int,
    motion: Motion,
    side: Side,
    *,
    thread: int = 0,
    stays_inside: bool = True,
) -> int | None:
    """The row after a move; None at the end, or at the beginning for a move backwards.

    Every call, line, return and exception is a step. `in` and `back` go to the next and the
    previous one; `over` and `back_over` skip the calls of the current line; `out` leaves the
    current function.

    Args:
        replay: The replay.
        row: The current row.
        motion: The kind of move.
        side: The execution whose functions `over` and `out` refer to.
        thread: The thread of the program that moves; other threads move as they did meanwhile.
        stays_inside: Go to the last row, or the first, if there is no step to go to. Without it,
            the result is then None.
    """
    track = replay.track(side) or replay.tracks[0]
    is_back = motion in ("back", "back_over")
    step = track.step(row)
    has_threads = len(track.execution.thread_steps) > 1
    if step < 0 or (motion in ("in", "back") and not has_threads):
        return _neighbour(replay, row, -1 if is_back else 1)
    if not track.is_at(row) and not is_back and step + 1 >= len(track.rows):
        # Only the other execution has more steps.
        return _neighbour(replay, row, 1)
    target = _find_step(track.execution, step, motion, thread)
    # The rows of a prediction in progress end before the actual steps do.
    if target is not None and target < len(track.rows):
        return track.rows[target]
    edge = 0 if is_back else replay.length - 1
    return None if row == edge or not stays_inside else edge


def _neighbour(replay: Replay, row: int, offset: int) -> int | None:
    target = row + offset
    return target if 0 <= target < replay.length else None


def _find_step(execution: IndexedExecution, step: int, motion: Motion, thread: int) -> int | None:
    """The step of the same thread that a move goes to; None if there is none."""
    steps = execution.thread_steps.get(thread, ())
    is_back = motion in ("back", "back_over")
    index = bisect_left(steps, step) if is_back else bisect_right(steps, step)
    if motion in ("in", "back"):
        position = index - 1 if is_back else index
        return steps[position] if 0 <= position < len(steps) else None
    current = bisect_right(steps, step) - 1
    if current < 0:
        return steps[0] if steps and not is_back else None
    frames, frame_of_step = execution.frames, execution.frame_of_step
    limit = frames[frame_of_step[steps[current]]].depth - (motion == "out")
    candidates = range(index - 1, -1, -1) if is_back else range(index, len(steps))
    for position in candidates:
        if frames[frame_of_step[steps[position]]].depth <= limit:
            return steps[position]
    return None
