"""Steps that may come next in a frame, found by a search over the instruction graph."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from worldline.languages.control_flow.control_flow_graph import ControlFlowGraph
from worldline.languages.control_flow.instruction_nodes import FrameExit, ProgramInstructions


class Phase(Enum):
    """Progress of a frame at an instruction."""

    READY = "ready"  # not executed yet
    CALLED = "called"  # it has called a function, which has returned
    MUST_RAISE = "must_raise"  # its exception step comes next
    RAISED = "raised"  # it has had its exception step


class ProgramPoint(NamedTuple):
    """A point where a frame may be: indexes of a function and of a node in it, and the phase."""

    function: int
    node: int
    phase: Phase


class PossibleExit(NamedTuple):
    """An instruction that may leave the frame, and how."""

    function: int
    node: int
    kind: FrameExit


@dataclass(slots=True)
class Successors:
    """Steps that may come next in a frame.

    Attributes:
        lines: line of a line step -> the points where the frame is then.
        raising: points where the frame is after an exception step.
        exits: instructions that may leave the frame.
        calls: index of a function, and whether the call may start it -> the points where the frame
            is during the call.
    """

    lines: dict[int, set[ProgramPoint]] = field(default_factory=dict)
    raising: set[ProgramPoint] = field(default_factory=set)
    exits: set[PossibleExit] = field(default_factory=set)
    calls: dict[tuple[int, bool], set[ProgramPoint]] = field(default_factory=dict)


def find_successors(
    graph: ControlFlowGraph, code: ProgramInstructions, start: Iterable[ProgramPoint], line: int
) -> Successors:
    """Follow the instructions from where a frame is on a line, up to the next step.

    the node where "return f(x)" has called f -> exits {the node of its return}
    """
    successors = Successors()
    visited: set[ProgramPoint] = set()
    pending = list(start)
    while pending:
        point = pending.pop()
        if point not in visited:
            visited.add(point)
            _add_calls(graph, code, point, line, successors)
            pending += _add_steps(code, point, successors)
    return successors


def _add_steps(
    code: ProgramInstructions, point: ProgramPoint, successors: Successors
) -> Iterator[ProgramPoint]:
    """Add the steps that may follow one point; yield the points reached without a step."""
    function, index, phase = point
    node = code.functions[function].nodes[index]
    must_call = bool(node.known_callees) and phase is Phase.READY
    # If the call had raised, the phase would be MUST_RAISE.
    has_called = bool(node.known_callees) and phase is Phase.CALLED
    if phase is Phase.MUST_RAISE or (
        node.may_raise and phase is not Phase.RAISED and not has_called
    ):
        successors.raising.add(ProgramPoint(function, index, Phase.RAISED))
    if phase is Phase.MUST_RAISE or must_call:
        return
    transitions = node.successors
    if phase is Phase.RAISED:
        absorbed = node.successors if node.may_absorb_exception else ()
        transitions = node.exception_successors + absorbed
        if node.is_uncaught:
            successors.exits.add(PossibleExit(function, index, "reraise"))
    elif node.frame_exit is not None:
        successors.exits.add(PossibleExit(function, index, node.frame_exit))
        if node.frame_exit != "reraise":
            return
    for target, has_line_step in transitions:
        line = code.functions[function].nodes[target].line
        if has_line_step and line is not None:
            successors.lines.setdefault(line, set()).add(
                ProgramPoint(function, target, Phase.READY)
            )
        else:
            yield ProgramPoint(function, target, Phase.READY)


def _add_calls(
    graph: ControlFlowGraph,
    code: ProgramInstructions,
    point: ProgramPoint,
    line: int,
    successors: Successors,
) -> None:
    """Add the functions that may be called at one point."""
    node = code.functions[point.function].nodes[point.node]
    during_call = point._replace(phase=Phase.CALLED) if point.phase is Phase.READY else point
    if node.known_callees and point.phase is Phase.READY:
        for index in node.known_callees:
            successors.calls.setdefault((index, True), set()).add(during_call)
    may_call = (
        node.may_call and not node.known_callees and point.phase in (Phase.READY, Phase.CALLED)
    )
    callees = graph.callees_at.get(line, ())
    for index in callees if node.possible_callees is None else node.possible_callees:
        callee = graph.functions[index]
        if index in code.only_called_directly:
            continue
        may_start = may_call or callee.name == "__del__"
        # A generator may be closed anywhere, which resumes it, or starts it, once more.
        if may_start or callee.is_generator:
            successors.calls.setdefault((index, may_start), set()).add(during_call)
