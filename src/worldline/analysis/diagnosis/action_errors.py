"""Action errors: how a wrong event or line at a divergence is wrong."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from worldline.analysis.alignment import Divergence
from worldline.analysis.diagnosis.source_statements import (
    executed_expressions,
    statements_at,
    syntax_nodes,
)
from worldline.core.errors import ProgramError
from worldline.core.language import missing_feature
from worldline.core.trace import Event, Trace
from worldline.languages.control_flow import ControlFlowGraph, build_cfg
from worldline.models.codecs import Decoded, branch_note

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
    # The program has no control-flow graph, no line was predicted, or the thread is another one.
    "unknown",
]


@dataclass(frozen=True, slots=True)
class ActionFacts:
    """How an action is wrong.

    Attributes:
        kind: The kind of error.
        is_legal: Whether the control-flow graph allows the predicted line; None if unknown.
        is_line_after_call: Whether a call was skipped, and the predicted line is the one that the
            actual execution reaches when the call has returned.
        contradicted_note: The result of the condition, or of the loop, that the prediction itself
            writes correctly and then does not follow: "True", "False" or "done".
    """

    kind: ActionKind
    is_legal: bool | None
    is_line_after_call: bool = False
    contradicted_note: str | None = None


def action_facts(actual: Trace, decoded: Decoded, divergence: Divergence) -> ActionFacts:
    """Classify a wrong action with the program's control-flow graph."""
    facts = _action_facts(actual, divergence)
    if not facts.is_legal:
        return facts
    return replace(facts, contradicted_note=_contradicted_note(actual, decoded, divergence))


def _contradicted_note(actual: Trace, decoded: Decoded, divergence: Divergence) -> str | None:
    """The correct result of a condition or a loop that the prediction writes but does not follow.

    "L2: if n > 2: => False", then "L3: n = 0", the body of the condition -> "False"
    """
    text = actual.program.text if actual.program.is_python else ""
    line = divergence.executed_line
    number = divergence.step - 1
    if not 0 <= number < len(decoded.step_texts) or actual.steps[number].event != "line":
        return None
    note = decoded.step_texts[number].note
    next_lines = (
        (divergence.event, divergence.line),
        (divergence.predicted_event, divergence.predicted_line_number),
    )
    if note is None or any(event not in ("line", "return") for event, _ in next_lines):
        return None
    actual_note, predicted_note = (
        branch_note(text, line, None if event == "return" else next_line)
        for event, next_line in next_lines
    )
    return note if note == actual_note != predicted_note else None


def _action_facts(actual: Trace, divergence: Divergence) -> ActionFacts:
    if divergence.where == "end":
        return ActionFacts("stopped_early" if divergence.event else "continued_past_end", False)
    if divergence.is_other_thread:
        return ActionFacts("unknown", None)
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
    if missing_feature(actual.program.language, "cfg"):
        return ActionFacts(_kind_by_events(event, predicted_event), None)
    try:
        graph = build_cfg(actual.program.text, language=actual.program.language)
    except ProgramError:
        # The program is for a different Python version.
        return ActionFacts("unknown", None)
    if not graph.functions_of(actual.scopes[divergence.scope]):
        # A frame that exists only in the Python version of the trace, e.g. of a comprehension.
        return ActionFacts("unknown", None)
    if event == "return" or predicted_event == "return":
        return _return_facts(actual, divergence, candidate_lines, graph)
    if event == "call" or predicted_event == "call":
        return _call_facts(actual, divergence, candidate_lines, graph)
    return _line_facts(actual, divergence, candidate_lines, graph)


def _kind_by_events(event: Event | None, predicted: Event | None) -> ActionKind:
    """The kind of error that the events alone show, without a control-flow graph."""
    if "return" in (event, predicted) and event != predicted:
        return "returned_early" if predicted == "return" else "return_missed"
    if "call" in (event, predicted):
        if event == predicted:
            return "wrong_call"
        return "call_skipped" if event == "call" else "call_invented"
    return "unknown"


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
    actual: Trace, divergence: Divergence, candidate_lines: list[int], graph: ControlFlowGraph
) -> ActionFacts:
    """Classify a divergence where at least one side calls a function."""
    if divergence.predicted_event != "call":
        is_legal = _may_skip_call(actual, divergence, candidate_lines, graph)
        line_after_call = _line_after_call(actual, divergence)
        return ActionFacts("call_skipped", is_legal, line_after_call in candidate_lines)
    callees = graph.callees(divergence.executed_line)
    is_legal = any(n in f.call_lines for f in callees for n in candidate_lines)
    return ActionFacts("wrong_call" if divergence.event == "call" else "call_invented", is_legal)


def _line_after_call(actual: Trace, divergence: Divergence) -> int | None:
    """The line of the caller's next step, after the call at the divergence has returned."""
    steps = iter(actual.steps[divergence.step :])
    for step in steps:
        if step.event == "return" and step.scope == divergence.scope:
            break
    return next((step.line for step in steps if step.event == "line"), None)


def _may_skip_call(
    actual: Trace, divergence: Divergence, candidate_lines: list[int], graph: ControlFlowGraph
) -> bool:
    """Whether the line may continue without the call: `a and g(x)`, `g(x) if a else 0`."""
    executed_line = divergence.executed_line
    caller = next(
        (s for s in reversed(actual.steps[: divergence.step]) if s.line == executed_line), None
    )
    if caller is None:
        return False
    name = actual.scopes[divergence.scope].function.rpartition(".")[2]
    is_conditional = any(
        isinstance(call.func, ast.Name | ast.Attribute)
        and (call.func.id if isinstance(call.func, ast.Name) else call.func.attr) == name
        for statement in statements_at(syntax_nodes(actual.program.text), executed_line)
        for call in _conditional_calls(statement)
    )
    return is_conditional and any(
        graph.is_legal(f, executed_line, n)
        or (n == executed_line and (n in f.exits or n in f.yields))
        for f in graph.functions_of(actual.scopes[caller.scope])
        for n in candidate_lines
    )


def _conditional_calls(statement: ast.stmt) -> Iterator[ast.Call]:
    """The calls of a line that are evaluated only if a condition of the same line holds."""
    for expression in executed_expressions(statement):
        for node in ast.walk(expression):
            optional: list[ast.expr] = []
            if isinstance(node, ast.BoolOp):
                optional = node.values[1:]
            elif isinstance(node, ast.IfExp):
                optional = [node.body, node.orelse]
            elif isinstance(node, ast.Compare):
                optional = node.comparators[1:]
            for part in optional:
                yield from (call for call in ast.walk(part) if isinstance(call, ast.Call))


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
