"""Two executions, step by step: what a step tells, and where the imagined one is the same again."""

from collections.abc import Mapping

from worldline.align import canonical
from worldline.codecs import Decoded
from worldline.report.recording import exception_text
from worldline.trace import Step, Trace

# The locals at every step of the real and of the imagined execution.
States = tuple[list[dict[str, str]], list[dict[str, str]]]


def step_tells(step: Step) -> str:
    """What a step that leaves a scope says; nothing of other ones.

    "= 4", "raises KeyError(1)", "left by the exception"
    """
    if step.event == "exception":
        return exception_text(step.value or "")
    if step.event == "return":
        return "left by the exception" if step.value is None else f"= {step.value}"
    return ""


def is_same_step(truth: Trace, decoded: Decoded, index: int, both: States) -> bool:
    """Whether both sides are on the same line with the same whole state, or value."""
    if index >= min(len(truth.steps), len(decoded.steps)):
        return False
    real, imagined = truth.steps[index], decoded.steps[index]
    written = decoded.written[index]
    if truth.source_line(real) != written.line or written.number not in (None, real.line):
        return False
    if not written.shows_state:
        return real.event == imagined.event
    if real.has_locals and imagined.has_locals:
        return _canonical(both[0][index]) == _canonical(both[1][index])
    if real.event != imagined.event or real.value is None or imagined.value is None:
        return real.event == imagined.event
    return canonical(real.value) == canonical(imagined.value)


def _canonical(state: Mapping[str, str]) -> dict[str, str]:
    return {name: canonical(value) for name, value in state.items()}


def still_wrong(truth: Trace, decoded: Decoded, index: int, both: States) -> str | None:
    """Where both sides write the same and are not: the first local that keeps a wrong value."""
    if index >= min(len(truth.steps), len(decoded.steps)):
        return None
    real, imagined = truth.steps[index], decoded.steps[index]
    is_alike = (
        truth.source_line(real) == decoded.written[index].line
        and (real.event, real.value) == (imagined.event, imagined.value)
        and dict(real.changed) == dict(imagined.changed)
    )
    if not is_alike:
        return None
    for name, value in both[1][index].items():
        if canonical(both[0][index].get(name, "")) != canonical(value):
            return name
    return None
