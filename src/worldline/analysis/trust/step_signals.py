"""Signals of the predicted steps: control flow that is not legal, steps that contradict others."""

from worldline.analysis.trust.step_checks import StepCheck, check_steps, repeated_lines
from worldline.core.errors import ProgramError
from worldline.core.language import missing_feature
from worldline.core.trace import Program
from worldline.languages.python.cfg import CfgSimulator, build_cfg
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
    """Signals of the shape of the predicted execution, for which no value is computed."""
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
    """Signals of values and branches that are computed again from the predicted state before."""
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

    Where the format does not ask for the steps inside lambdas and comprehensions, a prediction may
    have them or not.

    Returns:
        None if the program has no control-flow graph, or the format does not tell calls from lines.
    """
    if not decoded.knows_events or missing_feature(program.language, "cfg"):
        return None
    try:
        graph = build_cfg(program.text)
        simulators = [
            CfgSimulator(graph, program, omits_expression_frames=is_omitted)
            for is_omitted in {False, decoded.omits_expression_frames}
        ]
    except ProgramError:
        return None
    return max(_legal_steps(simulator, program, decoded) for simulator in simulators)


def _legal_steps(simulator: CfgSimulator, program: Program, decoded: Decoded) -> int:
    repeated = repeated_lines(program.text)
    for number, (step, text) in enumerate(zip(decoded.steps, decoded.step_texts, strict=True)):
        lines = {step.line}
        if text.number is None and step.line in repeated:
            # The format does not tell lines with the same text apart.
            lines |= {n for n in repeated if program.line(n) == program.line(step.line)}
        options = [o for o in simulator.options if o.event == step.event and o.line in lines]
        if not options:
            return number
        is_return = step.event == "return"
        try:
            simulator.take(*options, unwound=step.value is None if is_return else None)
        except ValueError:
            return number
    return len(decoded.steps)
