"""A divergence in the next line or event goes in; what kind of wrong turn it is comes out."""

from dataclasses import dataclass
from typing import Literal

from worldline.align import Divergence
from worldline.errors import ProgramError
from worldline.flow import FlowGraph, flow_graph
from worldline.trace import Trace

ActionKind = Literal[
    "branch_misjudged",  # another way out of the same line
    "loop_left_early",
    "loop_overrun",
    "line_hallucinated",  # a line of the program that cannot come next
    "line_invented",  # not a line of the program at all
    "call_skipped",
    "call_imagined",
    "other_call",
    "returned_early",
    "return_missed",
    "exception_missed",
    "exception_imagined",
    "stopped_early",
    "ran_on",
    "unjudged",  # the program's control flow is not known, or no line was written
]


@dataclass(frozen=True, slots=True)
class ActionFacts:
    """What kind of wrong turn was taken, and whether the program's control flow allows it."""

    kind: ActionKind
    is_legal: bool | None


def action_facts(truth: Trace, divergence: Divergence) -> ActionFacts:
    """The kind of a wrong turn, by the program's own control-flow graph."""
    if divergence.where == "end":
        return ActionFacts("stopped_early" if divergence.event else "ran_on", False)
    true, predicted = divergence.event, divergence.predicted_event
    written = divergence.predicted_line or ""
    if divergence.is_within_cut and not written:
        # The text broke off before it came to a line.
        return ActionFacts("unjudged", None)
    places = [n for n, line in enumerate(truth.program.lines, 1) if _is_meant(divergence, n, line)]
    if not places:
        return ActionFacts("line_invented", False)
    is_here = divergence.executed in places
    if (true == "exception") != (predicted == "exception"):
        if predicted == "exception" and not is_here:
            return ActionFacts("line_hallucinated", False)
        kind: ActionKind = "exception_missed" if true == "exception" else "exception_imagined"
        return ActionFacts(kind, is_here)
    try:
        graph = flow_graph(truth.program.text)
    except ProgramError:
        # A program for another Python than this one.
        return ActionFacts("unjudged", None)
    if not graph.functions_of(truth.scopes[divergence.scope]):
        # A frame that only the Python that recorded it has.
        return ActionFacts("unjudged", None)
    if true == "return" or predicted == "return":
        return _return_facts(truth, divergence, places, graph)
    if true == "call" or predicted == "call":
        return _call_facts(divergence, places, graph)
    return _line_facts(truth, divergence, places, graph)


def _is_meant(divergence: Divergence, number: int, line: str) -> bool:
    """Whether a line of the program may be the one that was written."""
    if divergence.predicted_number is not None:
        return number == divergence.predicted_number
    written = divergence.predicted_line or ""
    return line == written or (divergence.is_within_cut and line.startswith(written))


def _return_facts(
    truth: Trace, divergence: Divergence, places: list[int], graph: FlowGraph
) -> ActionFacts:
    """One side leaves the scope where the other goes on."""
    functions = graph.functions_of(truth.scopes[divergence.scope])
    here = divergence.executed
    if divergence.event == "return" and divergence.predicted_event == "return":
        # Both return, from different lines: the turn was taken before.
        return ActionFacts("line_hallucinated", False)
    is_loop = any(f.kind == "comprehension" for f in functions)
    is_branch = any(here in f.branches for f in functions)
    if divergence.event == "return":
        is_legal = any(graph.is_legal(f, here, n) for f in functions for n in places)
        kind: ActionKind = "loop_overrun" if is_loop else "return_missed"
    else:
        is_legal = here in places and any(here in f.exits or here in f.yields for f in functions)
        kind = "loop_left_early" if is_loop else "returned_early"
    # `if x: return y` on one line decides whether to return.
    return ActionFacts(
        "branch_misjudged" if is_legal and is_branch and not is_loop else kind, is_legal
    )


def _call_facts(divergence: Divergence, places: list[int], graph: FlowGraph) -> ActionFacts:
    """One side enters a function where the other does not, or another one."""
    callees = graph.callees(divergence.executed)
    is_legal = any(n in f.call_lines for f in callees for n in places)
    if divergence.predicted_event != "call":
        # A call may be left out only where a built-in function could have been meant.
        return ActionFacts("call_skipped", False)
    return ActionFacts("other_call" if divergence.event == "call" else "call_imagined", is_legal)


def _line_facts(
    truth: Trace, divergence: Divergence, places: list[int], graph: FlowGraph
) -> ActionFacts:
    """Both go on in the scope, on different lines."""
    here = divergence.executed
    functions = graph.functions_of(truth.scopes[divergence.scope])
    before = truth.steps[divergence.step - 1] if divergence.step else None
    is_after_exception = before is not None and before.event == "exception"
    is_entry = before is not None and before.event == "call" and before.scope == divergence.scope
    legal = [
        n
        for n in places
        for f in functions
        if (
            n in f.entry
            if is_entry
            else graph.is_legal(f, here, n, is_after_exception=is_after_exception)
        )
    ]
    if not legal:
        return ActionFacts("line_hallucinated", False)
    real, imagined = graph.loop_exit(here, divergence.line), graph.loop_exit(here, legal[0])
    if (real, imagined) == ("stays", "leaves"):
        return ActionFacts("loop_left_early", True)
    if (real, imagined) == ("leaves", "stays"):
        return ActionFacts("loop_overrun", True)
    return ActionFacts("branch_misjudged", True)
