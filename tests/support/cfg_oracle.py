"""Independent check that a predicted execution follows the control-flow graph.

It uses only the edges of the graph and shares no code with `CfgSimulator`, which drives guided
prediction. A prediction contains the text of a line, not its number, so a step may be on any line
with that text.
"""

from dataclasses import dataclass

from worldline.core.trace import Event, Program
from worldline.languages.control_flow import ControlFlowGraph, FunctionGraph, build_cfg
from worldline.models.prediction import Prediction

# A function and its current line; 0 before the first one.
Position = tuple[FunctionGraph, int]


@dataclass
class Frame:
    """Possible positions of an active call, and the event of its last step."""

    positions: list[Position]
    last: Event


def steps_in_graph(prediction: Prediction) -> int:
    """Check that all steps of a prediction are in the graph of its program, and count them."""
    program = prediction.program
    graph = build_cfg(program.text, language=program.language)
    stack: list[Frame] = []
    for number, (step, written) in enumerate(
        zip(prediction.decoded.steps, prediction.decoded.step_texts, strict=True)
    ):
        lines = {n for n, line in enumerate(program.lines, 1) if line == written.line}
        if step.event == "call":
            callers = [line for _, line in stack[-1].positions] if stack else None
            stack.append(Frame(_positions_after_call(graph, lines, callers), "call"))
        else:
            assert stack, f"step {number}: a {step.event} after the end"
            frame = stack[-1]
            frame.positions = _positions_after_step(graph, frame, step.event, lines)
            frame.last = step.event
        assert stack[-1].positions, f"step {number} of {_failure_text(program, prediction)}"
        if step.event == "return":
            stack.pop()
    return len(prediction.decoded.steps)


def _positions_after_call(
    graph: ControlFlowGraph, lines: set[int], callers: list[int] | None
) -> list[Position]:
    """Positions after a call at one of these lines: of new calls, or of resumed generators."""
    named = graph.functions if callers is None else [f for n in callers for f in graph.callees(n)]
    fresh = [(f, 0) for f in named if f.call_lines & lines]
    return fresh + [(f, line) for f in named for line in lines & f.yields.keys()]


def _positions_after_step(
    graph: ControlFlowGraph, frame: Frame, event: Event, lines: set[int]
) -> list[Position]:
    """Possible positions of a frame after a step that is not a call."""
    following_positions: dict[tuple[int, int], Position] = {}
    for function, line in frame.positions:
        for following in lines:
            if event == "line":
                is_raised = frame.last == "exception"
                is_legal = (
                    following in function.entry
                    if line == 0
                    else graph.is_legal(function, line, following, after_exception=is_raised)
                )
            elif event == "exception":
                # `throw` may raise in a generator before its first line.
                is_legal = following == line or (line == 0 and following in function.call_lines)
            else:
                leaves = function.exits | function.reraises | function.yields.keys()
                is_legal = frame.last == "exception" or (following == line and line in leaves)
            if is_legal:
                following_positions[id(function), following] = (function, following)
    return list(following_positions.values())


def _failure_text(program: Program, prediction: Prediction) -> str:
    return f"{prediction.id} is not in the graph of\n{program.text}\n{prediction.text}"
