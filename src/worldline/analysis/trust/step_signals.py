"""Signals of the predicted steps: illegal control flow, and steps that contradict their line."""

from dataclasses import dataclass
from functools import lru_cache

from worldline.analysis.trust.step_checks import StepCheck, check_steps, repeated_lines
from worldline.core.errors import ProgramError
from worldline.core.language import missing_feature
from worldline.core.trace import Program
from worldline.languages.control_flow import (
    CfgSimulator,
    ControlFlowGraph,
    NextStep,
    ProgramInstructions,
    build_cfg,
    build_instructions,
)
from worldline.models.codecs import Decoded

# Checks for which a value only has to be repeated.
_COPY_CHECKS = ("note", "unwritten", "argument")


def step_signals(program: Program, decoded: Decoded, answer: str | None) -> dict[str, float]:
    """All signals of the predicted steps.

    Args:
        program: The program.
        decoded: The predicted steps.
        answer: The predicted result.
    """
    checks = check_steps(program, decoded, answer)
    return {**_flow_signals(program, decoded, checks), **_value_signals(decoded, checks)}


def _flow_signals(program: Program, decoded: Decoded, checks: list[StepCheck]) -> dict[str, float]:
    """Signals of the predicted control flow, for which no value is computed."""
    steps = len(decoded.steps)
    legal = count_legal_steps(program, decoded)
    return {
        "steps": steps,
        "has_illegal_step": float(legal is not None and legal < steps),
        "has_unread_step": float(decoded.stop != "complete" or bool(decoded.skipped)),
        "has_broken_copy": float(_contradicted(checks, *_COPY_CHECKS) > 0),
        "has_other_answer": float(_contradicted(checks, "answer") > 0),
        "longest_value": max(
            (len(value) for step in decoded.steps for value in step.changed.values()), default=0
        ),
    }


def _value_signals(decoded: Decoded, all_checks: list[StepCheck]) -> dict[str, float]:
    """Signals of values and branches, computed again from the predicted state before the line."""
    checks = [check for check in all_checks if check.kind in ("value", "branch")]
    lines = sum(step.event == "line" for step in decoded.steps)
    checked = len({check.step for check in checks})
    # A wrong step makes later ones wrong, too, but these follow from it: they do not contradict it.
    contradicted = {check.step for check in checks if not check.is_consistent}
    return {
        "has_contradicted_step": float(bool(contradicted)),
        "contradicted_steps": len(contradicted),
        "unchecked_steps": max(0, lines - checked),
    }


def _contradicted(checks: list[StepCheck], *kinds: str) -> float:
    return sum(check.kind in kinds and not check.is_consistent for check in checks)


def count_legal_steps(program: Program, decoded: Decoded) -> int | None:
    """The number of predicted steps before the first that the control-flow graph does not allow.

    Returns:
        None if the program has no control-flow graph, or the format does not tell calls from lines.
    """
    path = follow_steps(program, decoded)
    return None if path is None else path.legal_steps


@dataclass(frozen=True, slots=True)
class GraphPath:
    """The path of predicted steps through the control-flow graph.

    Attributes:
        legal_steps: The number of steps before the first that the graph does not allow.
        options: The steps that may come next; empty after a step that is not legal.
    """

    legal_steps: int
    options: tuple[NextStep, ...]


def follow_steps(program: Program, decoded: Decoded) -> GraphPath | None:
    """Follow predicted steps through the control-flow graph, as far as they are legal.

    Where the format does not ask for the steps inside lambdas and comprehensions, a prediction may
    have them or not.

    Returns:
        None if the program has no control-flow graph, or the format does not tell calls from lines.
    """
    if not decoded.knows_events or missing_feature(program.language, "cfg"):
        return None
    try:
        graph, instructions = _graphs(program)
    except ProgramError:
        return None
    best: GraphPath | None = None
    for is_omitted in sorted({False, decoded.omits_expression_frames}, reverse=True):
        simulator = CfgSimulator(
            graph, program, omits_expression_frames=is_omitted, instructions=instructions
        )
        path = _follow(simulator, program, decoded)
        if best is None or path.legal_steps > best.legal_steps:
            best = path
        if best.legal_steps == len(decoded.steps):
            break
    return best


@lru_cache(maxsize=64)
def _graphs(program: Program) -> tuple[ControlFlowGraph, ProgramInstructions]:
    """The graphs of a program; a prediction may be followed once for each of its steps."""
    graph = build_cfg(program.text, language=program.language)
    return graph, build_instructions(program, graph)


def _follow(simulator: CfgSimulator, program: Program, decoded: Decoded) -> GraphPath:
    repeated = repeated_lines(program.text)
    for number, (step, text) in enumerate(zip(decoded.steps, decoded.step_texts, strict=True)):
        lines = {step.line}
        if text.number is None and step.line in repeated:
            # The format does not tell lines with the same text apart.
            lines |= {n for n in repeated if program.line(n) == program.line(step.line)}
        options = [o for o in simulator.options if o.event == step.event and o.line in lines]
        if not options:
            return GraphPath(number, ())
        is_return = step.event == "return"
        try:
            simulator.take(*options, unwound=step.value is None if is_return else None)
        except ValueError:
            return GraphPath(number, ())
    return GraphPath(len(decoded.steps), tuple(simulator.options))
