"""Calls and resumptions that may happen next in a simulated execution.

Keeps count of the program's generators: those suspended at a yield, and those not started yet.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from worldline.languages.control_flow.control_flow_graph import ControlFlowGraph
from worldline.languages.control_flow.instruction_nodes import ProgramInstructions
from worldline.languages.control_flow.reachability import Phase, ProgramPoint, Successors


class Suspended(NamedTuple):
    """A suspended generator: its function, the node of its yield, its line, and the lines on which
    it has had exception steps."""

    function: int
    node: int
    line: int
    exception_lines: frozenset[int]


@dataclass(slots=True)
class PossibleCall:
    """A call step that may come next on one line.

    Attributes:
        callees: points where the new frame may be.
        callers: points where the calling frame may be.
        resumed: suspended generators that the call may resume.
        may_start: whether the call may start a function instead of resuming one.
    """

    callees: set[ProgramPoint] = field(default_factory=set)
    callers: set[ProgramPoint] = field(default_factory=set)
    resumed: set[Suspended] = field(default_factory=set)
    may_start: bool = False


class CallTransitions:
    """Calls that may happen next in a simulation, given the generators created so far."""

    def __init__(self, graph: ControlFlowGraph, code: ProgramInstructions) -> None:
        self._graph = graph
        self._code = code
        # Upper bound of the generators suspended at each point.
        self._suspended: Counter[Suspended] = Counter()
        # Upper bound of the generators created but not started; closing them starts them.
        self._unstarted: Counter[int] = Counter()
        # By the id of the successors, which live as long as the simulation.
        self._cache: dict[int, dict[int, PossibleCall]] = {}

    def possible_calls(self, successors: Successors) -> dict[int, PossibleCall]:
        """Map the line of each possible call step to the call."""
        if id(successors) not in self._cache:
            self._cache[id(successors)] = self._find_calls(successors)
        return self._cache[id(successors)]

    def _find_calls(self, successors: Successors) -> dict[int, PossibleCall]:
        calls: dict[int, PossibleCall] = {}
        for (index, may_start), callers in successors.calls.items():
            function = self._graph.functions[index]
            start = ProgramPoint(index, self._code.functions[index].start, Phase.READY)
            for line in function.call_lines if may_start or self._unstarted[index] else ():
                call = calls.setdefault(line, PossibleCall())
                call.may_start = True
                call.callers |= callers
                if may_start:
                    call.callees.add(start)
                if function.is_generator:
                    call.callees.add(start._replace(phase=Phase.MUST_RAISE))
            for suspended in self._suspended:
                if suspended.function == index:
                    call = calls.setdefault(suspended.line, PossibleCall())
                    call.resumed.add(suspended)
                    call.callers |= callers
                    call.callees.add(ProgramPoint(index, suspended.node + 1, Phase.READY))
                    call.callees.add(ProgramPoint(index, suspended.node, Phase.MUST_RAISE))
        return calls

    def record_line(self, line: int) -> None:
        """Count the generators that a line may create."""
        if line in self._code.created_generators:
            self._unstarted += self._code.created_generators[line]
            self._cache.clear()

    def record_yield(self, suspended: Suspended) -> None:
        """Count a generator that has yielded."""
        self._suspended[suspended] += 1
        self._cache.clear()

    def record_call(self, call: PossibleCall) -> None:
        """Stop counting the generator that a call started or resumed, if it is certain which."""
        functions = {point.function for point in call.callees}
        if call.may_start and not call.resumed and len(functions) == 1:
            self._unstarted -= Counter(functions)
        elif len(call.resumed) == 1 and not call.may_start:
            self._suspended -= Counter(call.resumed)
        self._cache.clear()

    def delegating_generators(self) -> list[Suspended]:
        """Suspended generators that delegate to another one with `yield from`."""
        nodes = [function.nodes for function in self._code.functions]
        return [each for each in self._suspended if nodes[each.function][each.node].is_delegation]
