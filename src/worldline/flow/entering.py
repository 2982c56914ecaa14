"""What a frame has reached goes in, the calls that may come of it come out.

Generators are kept count of: those that wait where they yielded, and those that have not run.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from worldline.flow.graph import FlowGraph
from worldline.flow.reach import At, Phase, Reached
from worldline.flow.spots import ProgramSpots


class Suspended(NamedTuple):
    """Where a generator waits: at the spot of its yield; its line, and the lines on which it has
    had exception steps."""

    function: int
    spot: int
    line: int
    struck: frozenset[int]


@dataclass(slots=True)
class Entered:
    """What a call on one line may be: where the new frame is, and where it comes from."""

    callee: set[At] = field(default_factory=set)
    caller: set[At] = field(default_factory=set)
    resumed: set[Suspended] = field(default_factory=set)
    is_fresh: bool = False


class Entering:
    """The calls that may be made in one walk, by what has been made and left before."""

    def __init__(self, graph: FlowGraph, code: ProgramSpots) -> None:
        self._graph = graph
        self._code = code
        # At most so many generators wait there; there may be fewer.
        self._suspended: Counter[Suspended] = Counter()
        # At most so many were made that have not run, and will be when they are thrown away.
        self._unstarted: Counter[int] = Counter()
        # By what was reached, which lives as long as the walk does.
        self._known: dict[int, dict[int, Entered]] = {}

    def calls(self, reached: Reached) -> dict[int, Entered]:
        """What may be called, by the line of the call step."""
        if id(reached) not in self._known:
            self._known[id(reached)] = self._find(reached)
        return self._known[id(reached)]

    def _find(self, reached: Reached) -> dict[int, Entered]:
        found: dict[int, Entered] = {}
        for (index, may_start), callers in reached.calling.items():
            callee = self._graph.functions[index]
            start = At(index, self._code.functions[index].start, Phase.READY)
            for line in callee.call_lines if may_start or self._unstarted[index] else ():
                entered = found.setdefault(line, Entered())
                entered.is_fresh = True
                entered.caller |= callers
                if may_start:
                    entered.callee.add(start)
                if callee.is_generator:
                    entered.callee.add(start._replace(phase=Phase.FAILED))
            for waiting in self._suspended:
                if waiting.function == index:
                    entered = found.setdefault(waiting.line, Entered())
                    entered.resumed.add(waiting)
                    entered.caller |= callers
                    entered.callee.add(At(index, waiting.spot + 1, Phase.READY))
                    entered.callee.add(At(index, waiting.spot, Phase.FAILED))
        return found

    def make(self, line: int) -> None:
        """A line was come to, which may make generators."""
        if line in self._code.made_on:
            self._unstarted += self._code.made_on[line]
            self._known.clear()

    def suspend(self, waiting: Suspended) -> None:
        """A generator has yielded."""
        self._suspended[waiting] += 1
        self._known.clear()

    def enter(self, entered: Entered) -> None:
        """A call was made: where it is certain that a generator was resumed, or run at last, and
        which one, it no longer waits for that."""
        functions = {at.function for at in entered.callee}
        if entered.is_fresh and not entered.resumed and len(functions) == 1:
            self._unstarted -= Counter(functions)
        elif len(entered.resumed) == 1 and not entered.is_fresh:
            self._suspended -= Counter(entered.resumed)
        self._known.clear()

    def delegating(self) -> list[Suspended]:
        """The generators that wait for what another one yields."""
        spots = [each.spots for each in self._code.functions]
        return [it for it in self._suspended if spots[it.function][it.spot].delegates]
