"""Where a frame may be goes in, the steps that may come next in it come out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from worldline.flow.graph import FlowGraph
from worldline.flow.spots import Leaving, ProgramSpots


class Phase(Enum):
    """What has been done at a spot."""

    READY = "ready"  # nothing yet
    CALLED = "called"  # it has called something, which came back
    FAILED = "failed"  # it has to raise
    RAISED = "raised"  # it has had its exception step


class At(NamedTuple):
    """A spot of a function that a frame may be at."""

    function: int
    spot: int
    phase: Phase


@dataclass(slots=True)
class Reached:
    """What may come next in a frame: steps by line, and what leads to the others."""

    lines: dict[int, set[At]] = field(default_factory=dict)
    raising: set[At] = field(default_factory=set)
    leaving: set[tuple[int, int, Leaving]] = field(default_factory=set)
    # A function, and whether it may be started -> the spots that may call it, as they will be then.
    calling: dict[tuple[int, bool], set[At]] = field(default_factory=dict)


def reach(graph: FlowGraph, code: ProgramSpots, start: Iterable[At], line: int) -> Reached:
    """Follow the spots from where a frame is on a line, up to the next step.

    the spot where "return f(x)" has called f -> leaving {that of its return}
    """
    reached = Reached()
    found: set[At] = set()
    waiting = list(start)
    while waiting:
        at = waiting.pop()
        if at not in found:
            found.add(at)
            _note_calls(graph, code, at, line, reached)
            waiting += _pass(code, at, reached)
    return reached


def _pass(code: ProgramSpots, at: At, reached: Reached) -> Iterator[At]:
    """Note what may come of one spot; where it goes on without a step comes out."""
    function, index, phase = at
    spot = code.functions[function].spots[index]
    has_to_call = bool(spot.calls) and phase is Phase.READY
    # What its call has raised would have had it fail.
    has_called = bool(spot.calls) and phase is Phase.CALLED
    if phase is Phase.FAILED or (spot.may_raise and phase is not Phase.RAISED and not has_called):
        reached.raising.add(At(function, index, Phase.RAISED))
    if phase is Phase.FAILED or has_to_call:
        return
    moves = spot.moves
    if phase is Phase.RAISED:
        moves = spot.caught + (spot.moves if spot.ends_by_exception else ())
        if spot.is_unwound:
            reached.leaving.add((function, index, "reraise"))
    elif spot.leaves is not None:
        reached.leaving.add((function, index, spot.leaves))
        if spot.leaves != "reraise":
            return
    for to, is_step in moves:
        there = code.functions[function].spots[to].line
        if is_step and there is not None:
            reached.lines.setdefault(there, set()).add(At(function, to, Phase.READY))
        else:
            yield At(function, to, Phase.READY)


def _note_calls(graph: FlowGraph, code: ProgramSpots, at: At, line: int, reached: Reached) -> None:
    """Note the functions that a spot may call."""
    spot = code.functions[at.function].spots[at.spot]
    then = at._replace(phase=Phase.CALLED) if at.phase is Phase.READY else at
    if spot.calls and at.phase is Phase.READY:
        for index in spot.calls:
            reached.calling.setdefault((index, True), set()).add(then)
    may_call = spot.may_call and not spot.calls and at.phase in (Phase.READY, Phase.CALLED)
    for index in graph.callees_at.get(line, ()):
        callee = graph.functions[index]
        if index in code.direct:
            continue
        may_start = may_call or callee.name == "__del__"
        # A generator may be thrown away anywhere, which resumes it once more, or runs it at last.
        if may_start or callee.is_generator:
            reached.calling.setdefault((index, may_start), set()).add(then)
