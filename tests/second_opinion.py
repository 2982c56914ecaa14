"""Whether an imagined execution keeps to the control-flow graph, by the edges of the graph alone.

`flow.Walk` says what may come next and drives guided prediction; this shares no code with it. A
prediction has the text of its lines, not their numbers, so each is all the lines with that text.
"""

from dataclasses import dataclass

from worldline.flow import FlowGraph, FunctionFlow, flow_graph
from worldline.predict import Prediction
from worldline.trace import Event, Program

# A function and the line that it is on; 0 before its first.
Place = tuple[FunctionFlow, int]


@dataclass
class Frame:
    """Where a call may be, and how its last step came about."""

    places: list[Place]
    last: Event


def steps_in_graph(found: Prediction) -> int:
    """How many steps a prediction has; all of them must be in the graph of its program."""
    program = found.program
    graph = flow_graph(program.text)
    stack: list[Frame] = []
    for number, (step, written) in enumerate(
        zip(found.decoded.steps, found.decoded.written, strict=True)
    ):
        lines = {n for n, line in enumerate(program.lines, 1) if line == written.line}
        if step.event == "call":
            callers = [line for _, line in stack[-1].places] if stack else None
            stack.append(Frame(_entered(graph, lines, callers), "call"))
        else:
            assert stack, f"step {number}: a {step.event} behind the end"
            frame = stack[-1]
            frame.places = _after(graph, frame, step.event, lines)
            frame.last = step.event
        assert stack[-1].places, f"step {number} of {_told(program, found)}"
        if step.event == "return":
            stack.pop()
    return len(found.decoded.steps)


def _entered(graph: FlowGraph, lines: set[int], callers: list[int] | None) -> list[Place]:
    """The functions that a call on one of these lines enters, or generators that it resumes."""
    named = graph.functions if callers is None else [f for n in callers for f in graph.callees(n)]
    fresh = [(f, 0) for f in named if f.call_lines & lines]
    return fresh + [(f, line) for f in named for line in lines & f.yields.keys()]


def _after(graph: FlowGraph, frame: Frame, event: Event, lines: set[int]) -> list[Place]:
    """Where a frame may be behind a step that is not a call."""
    found: dict[tuple[int, int], Place] = {}
    for function, line in frame.places:
        for following in lines:
            if event == "line":
                is_raised = frame.last == "exception"
                is_legal = (
                    following in function.entry
                    if line == 0
                    else graph.is_legal(function, line, following, is_after_exception=is_raised)
                )
            elif event == "exception":
                # A generator may be thrown into before its first line.
                is_legal = following == line or (line == 0 and following in function.call_lines)
            else:
                leaves = function.exits | function.reraises | function.yields.keys()
                is_legal = frame.last == "exception" or (following == line and line in leaves)
            if is_legal:
                found[id(function), following] = (function, following)
    return list(found.values())


def _told(program: Program, found: Prediction) -> str:
    return f"{found.id} is not in the graph of\n{program.text}\n{found.text}"
