"""Action errors: how a wrong event or line at a divergence is wrong."""

from dataclasses import dataclass
from typing import Literal

from worldline.analysis.alignment import Divergence
from worldline.core.errors import ProgramError
from worldline.core.trace import Trace
from worldline.languages.python.cfg import ControlFlowGraph, build_cfg

ActionKind = Literal[
    "branch_misjudged",  # a different successor of the same line
    "loop_left_early",
    "loop_overrun",
    "line_hallucinated",  # a line of the program that cannot come next
    "line_invented",  # not a line of the program at all
    "call_skipped",
    "call_invented",
    "wrong_call",
    "returned_early",
    "return_missed",
    "exception_missed",
    "exception_invented",
    "stopped_early",
    "continued_past_end",
    "unknown",  # the program has no control-flow graph, or no line was predicted
]


@dataclass(frozen=True, slots=True)
class ActionFacts:
    """How an action is wrong, and whether the control-flow graph allows it (None: unknown)."""

    kind: ActionKind
    is_legal: bool | None


def action_facts(actual: Trace, divergence: Divergence) -> ActionFacts:
    """Classify a wrong action with the program's control-flow graph."""
    if divergence.where == "end":
        return ActionFacts("stopped_early" if divergence.event else "continued_past_end", False)
    event, predicted_event = divergence.event, divergence.predicted_event
    predicted_line = divergence.predicted_line or ""
    if divergence.is_within_truncated_step and not predicted_line:
        # The output was truncated before the line.
        return ActionFacts("unknown", None)
    candidate_lines = [
        n
        for n, line in enumerate(actual.program.lines, 1)
        if _may_be_predicted_line(divergence, n, line)
    ]
    if not candidate_lines:
        return ActionFacts("line_invented", False)
    is_same_line = divergence.executed_line in candidate_lines
    if (event == "exception") != (predicted_event == "exception"):
        if predicted_event == "exception" and not is_same_line:
            return ActionFacts("line_hallucinated", False)
        kind: ActionKind = "exception_missed" if event == "exception" else "exception_invented"
        return ActionFacts(kind, is_same_line)
    try:
        graph = build_cfg(actual.program.text)
    except ProgramError:
        # The program is for a different Python version.
        return ActionFacts("unknown", None)
    if not graph.functions_of(actual.scopes[divergence.scope]):
        # A frame that exists only in the Python version of the trace, e.g. of a comprehension.
        return ActionFacts("unknown", None)
    if event == "return" or predicted_event == "return":
        return _return_facts(actual, divergence, candidate_lines, graph)
    if event == "call" or predicted_event == "call":
        return _call_facts(divergence, candidate_lines, graph)
    return _line_facts(actual, divergence, candidate_lines, graph)


def _may_be_predicted_line(divergence: Divergence, number: int, line: str) -> bool:
    """Whether a line of the program may be the predicted one."""
    if divergence.predicted_line_number is not None:
        return number == divergence.predicted_line_number
    text = divergence.predicted_line or ""
    return line == text or (divergence.is_within_truncated_step and line.startswith(text))


def _return_facts(
    actual: Trace, divergence: Divergence, candidate_lines: list[int], graph: ControlFlowGraph
) -> ActionFacts:
    """Classify a divergence where at least one side returns."""
    functions = graph.functions_of(actual.scopes[divergence.scope])
    executed_line = divergence.executed_line
    if divergence.event == "return" and divergence.predicted_event == "return":
        # Both return, from different lines.
        return ActionFacts("line_hallucinated", False)
    is_loop = any(f.kind == "comprehension" for f in functions)
    is_branch = any(executed_line in f.branches for f in functions)
    if divergence.event == "return":
        is_legal = any(
            graph.is_legal(f, executed_line, n) for f in functions for n in candidate_lines
        )
        kind: ActionKind = "loop_overrun" if is_loop else "return_missed"
    else:
        is_legal = executed_line in candidate_lines and any(
            executed_line in f.exits or executed_line in f.yields for f in functions
        )
        kind = "loop_left_early" if is_loop else "returned_early"
    # `if x: return y` on one line is a branch.
    return ActionFacts(
        "branch_misjudged" if is_legal and is_branch and not is_loop else kind, is_legal
    )


def _call_facts(
    divergence: Divergence, candidate_lines: list[int], graph: ControlFlowGraph
) -> ActionFacts:
    """Classify a divergence where at least one side calls a function."""
    callees = graph.callees(divergence.executed_line)
    is_legal = any(n in f.call_lines for f in callees for n in candidate_lines)
    if divergence.predicted_event != "call":
        # Never legal: a call of a function of the program is always a step.
        return ActionFacts("call_skipped", False)
    return ActionFacts("wrong_call" if divergence.event == "call" else "call_invented", is_legal)


def _line_facts(
    actual: Trace, divergence: Divergence, candidate_lines: list[int], graph: ControlFlowGraph
) -> ActionFacts:
    """Classify a divergence where both sides continue in the scope, on different lines."""
    executed_line = divergence.executed_line
    functions = graph.functions_of(actual.scopes[divergence.scope])
    previous = actual.steps[divergence.step - 1] if divergence.step else None
    after_exception = previous is not None and previous.event == "exception"
    is_entry = (
        previous is not None and previous.event == "call" and previous.scope == divergence.scope
    )
    legal_lines = [
        n
        for n in candidate_lines
        for f in functions
        if (
            n in f.entry
            if is_entry
            else graph.is_legal(f, executed_line, n, after_exception=after_exception)
        )
    ]
    if not legal_lines:
        return ActionFacts("line_hallucinated", False)
    exits = (
        graph.loop_exit(executed_line, divergence.line),
        graph.loop_exit(executed_line, legal_lines[0]),
    )
    if exits == ("stays", "leaves"):
        return ActionFacts("loop_left_early", True)
    if exits == ("leaves", "stays"):
        return ActionFacts("loop_overrun", True)
    return ActionFacts("branch_misjudged", True)
