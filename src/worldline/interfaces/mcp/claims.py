"""Claims about an execution, compared with the actual one up to the first divergence.

A claim lists executed lines in order. Of the state, only the claimed variables are compared, and
of the program, only the functions that the claim mentions.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from worldline.analysis.alignment import compare_values, results_equal
from worldline.core.errors import InputError
from worldline.core.trace import Trace, exception_text, function_lines
from worldline.core.util.text import pluralize, truncate_text
from worldline.interfaces.mcp.answers import Divergence, Verdict
from worldline.interfaces.mcp.executed_lines import ExecutedLine, lines_of_trace
from worldline.interfaces.mcp.text_limits import NAME_CHARS, short_pair_value, short_value
from worldline.languages.python.expression_frames import without_expression_frames

MAX_VALUE_CHARS = 20_000
MAX_CLAIMED_STEPS = 1_000
# Characters of all values of a claim together.
MAX_CLAIM_CHARS = 200_000
_EXCEPTION = re.compile(r"\s*([\w.]+)\s*(.*)", re.DOTALL)


def _as_text(value: object) -> str:
    """The text of a value that a client sent as JSON instead: 9 -> "9"; null -> "" """
    if value is None:
        return ""
    return value if isinstance(value, str) else repr(value)


Value = Annotated[str, Field(max_length=MAX_VALUE_CHARS), BeforeValidator(_as_text)]


class ClaimedStep(BaseModel):
    """One executed line of a claim."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    line: int
    """Number of the line that runs, in the order of execution. A line that calls a function comes
    once, before the lines of that function."""
    variables: dict[str, Value] = Field(default={}, max_length=50)
    """Values after the line, as `repr` writes them. Only the given variables are checked."""
    returned: Value = ""
    """The value that the line returns, as `repr` writes it."""
    raised: Value = ""
    """The exception that the line raises: `KeyError`, or `KeyError('x')`."""


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """The outcome of comparing a claim with the actual execution.

    Attributes:
        verdict: Whether the claim is right.
        words: The reason, in a sentence.
        checked_steps: The number of claimed steps that are right.
        divergence: The first divergence of a wrong claim.
        lines: The executed lines up to the divergence; for a claimed result, all of them.
    """

    verdict: Verdict
    words: str
    checked_steps: int
    divergence: Divergence | None
    lines: tuple[ExecutedLine, ...]


def check_claim(
    trace: Trace, *, value: str = "", raised: str = "", steps: Sequence[ClaimedStep] = ()
) -> ClaimCheck:
    """Compare a claim with the actual execution: its steps first, then its result.

    Args:
        trace: The actual execution.
        value: The claimed result, as `repr` writes it.
        raised: The claimed exception: its class, or its class and text.
        steps: The claimed lines, in the order of execution. They may end before the execution.

    Returns:
        The verdict, and the first divergence in words.

    Raises:
        InputError: The claim is too long.
    """
    if sum(map(_claim_chars, steps)) > MAX_CLAIM_CHARS:
        raise InputError(
            f"the claimed steps have more than {MAX_CLAIM_CHARS:,} characters; claim fewer steps"
        )
    plain = without_expression_frames(trace)
    lines = _mentioned_lines(plain, steps)
    check = _check_steps(plain, lines, steps) if steps else None
    if check is not None and (check.verdict != "right" or not (value or raised)):
        return check
    everything = tuple(lines_of_trace(trace))
    result = _check_result(trace, value, raised)
    words = result[1] if check is None else f"{check.words} {result[1]}"
    return ClaimCheck(result[0], words, len(steps), result[2], everything)


def _claim_chars(step: ClaimedStep) -> int:
    values = sum(len(name) + len(value) for name, value in step.variables.items())
    return values + len(step.returned) + len(step.raised)


def _mentioned_lines(trace: Trace, steps: Sequence[ClaimedStep]) -> list[ExecutedLine]:
    """The executed lines of the functions that the claim mentions."""
    functions = function_lines(trace.program)
    claimed = {step.line for step in steps}
    mentioned = {functions.get(line, 0) for line in claimed}
    return [
        line
        for line in lines_of_trace(trace)
        if (
            line.line in claimed
            if line.kind == "call"
            else functions.get(line.line, 0) in mentioned
        )
    ]


def _check_steps(
    trace: Trace, lines: Sequence[ExecutedLine], steps: Sequence[ClaimedStep]
) -> ClaimCheck:
    states: dict[int, dict[str, str]] = {}
    for number, claimed in enumerate(steps):
        before = tuple(lines[: number + 1])
        if number >= len(lines):
            return _beyond_the_end(trace, number, claimed, before)
        line = lines[number]
        divergence = _line_divergence(trace, number, claimed, line)
        if divergence is None:
            state = states.setdefault(line.scope, {})
            line.apply(state)
            divergence = _state_divergence(number, claimed, line, state)
        if divergence is None:
            divergence = _result_divergence(number, claimed, line)
        if divergence is not None:
            words = _step_words(trace, number, claimed, line, divergence)
            return ClaimCheck("wrong", words, number, divergence, before)
    words = f"All {pluralize(len(steps), 'claimed step')} are right."
    if len(steps) == 1:
        words = "The claimed step is right."
    rest = len(lines) - len(steps)
    if rest:
        following = lines[len(steps)].line
        words += f" {pluralize(rest, 'more line')} ran after that, the next is line {following}."
    return ClaimCheck("right", words, len(steps), None, tuple(lines[: len(steps)]))


def _beyond_the_end(
    trace: Trace, number: int, claimed: ClaimedStep, before: tuple[ExecutedLine, ...]
) -> ClaimCheck:
    """The check of a claim that continues after the last executed line."""
    if not trace.is_complete:
        words = f"The execution was stopped ({trace.ending.reason}) before claimed step {number}."
        return ClaimCheck("unknown", words, number, None, before)
    words = f"Claimed step {number} (line {claimed.line}) does not run: the execution had ended."
    divergence = Divergence(claim=number, claimed=f"line {claimed.line}", actual="the end")
    return ClaimCheck("wrong", words, number, divergence, before)


def _line_divergence(
    trace: Trace, number: int, claimed: ClaimedStep, line: ExecutedLine
) -> Divergence | None:
    if claimed.line == line.line:
        return None
    return Divergence(
        claim=number,
        line=line.line,
        claimed=_line_text(trace, claimed.line),
        actual=_line_text(trace, line.line),
    )


def _line_text(trace: Trace, number: int) -> str:
    source = truncate_text(trace.program.line(number).strip(), 80)
    return f"line {number}: {source}" if source else f"line {number}, which does not exist"


def _state_divergence(
    number: int, claimed: ClaimedStep, line: ExecutedLine, state: dict[str, str]
) -> Divergence | None:
    for name, value in claimed.variables.items():
        actual = state.get(name)
        if actual is not None and compare_values(actual, value).is_same:
            continue
        # The last line of a function has no state after it.
        if not line.is_followed:
            continue
        return Divergence(
            claim=number,
            line=line.line,
            variable=truncate_text(name, NAME_CHARS),
            claimed=short_pair_value(value, actual or ""),
            actual="no such variable" if actual is None else short_pair_value(actual, value),
        )
    return None


def _result_divergence(number: int, claimed: ClaimedStep, line: ExecutedLine) -> Divergence | None:
    if claimed.returned and (
        line.returned is None or not compare_values(line.returned, claimed.returned).is_same
    ):
        actual = "it returned nothing" if line.returned is None else line.returned
        return Divergence(
            claim=number,
            line=line.line,
            claimed=f"returns {short_pair_value(claimed.returned, actual)}",
            actual=short_pair_value(actual, claimed.returned),
        )
    last = exception_text(line.raised[-1]).removeprefix("raises ") if line.raised else ""
    if claimed.raised and not is_same_exception(last, claimed.raised):
        return Divergence(
            claim=number,
            line=line.line,
            claimed=f"raises {short_value(claimed.raised)}",
            actual=f"raises {short_value(last)}" if last else "no exception",
        )
    return None


def _step_words(
    trace: Trace, number: int, claimed: ClaimedStep, line: ExecutedLine, divergence: Divergence
) -> str:
    right = f"{pluralize(number, 'claimed step')} right, then: " if number else ""
    if claimed.line != line.line:
        return f"{right}{divergence.actual} ran, not {divergence.claimed}."
    where = _line_text(trace, line.line)
    if divergence.variable is not None:
        name = divergence.variable
        if divergence.actual == "no such variable":
            return f"{right}after {where}, there is no variable {name}."
        return f"{right}after {where}, {name} = {divergence.actual}, not {divergence.claimed}."
    return f"{right}{where}: {divergence.actual}; claimed: {divergence.claimed}."


def _check_result(trace: Trace, value: str, raised: str) -> tuple[Verdict, str, Divergence | None]:
    """The verdict about a claimed result or exception, in words, and the divergence."""
    call = truncate_text(trace.program.call or "the program", 80)
    ending = trace.ending
    if ending.reason not in ("finished", "raised", "exited", "not_loaded"):
        detail = short_value(ending.detail, width=200)
        reason = ending.reason.replace("_", " ")
        return "unknown", f"{call} was stopped: {reason}, {detail}.", None
    if ending.reason == "finished" and trace.result is None:
        return "unknown", f"The result of {call} was not recorded.", None
    if trace.result is not None:
        claimed = value or f"raises {raised}"
        actual = short_pair_value(trace.result, claimed)
        if not raised and results_equal(trace.result, value):
            return "right", f"{call} returns {actual}.", None
        shown = short_pair_value(value, trace.result) if value else f"raises {short_value(raised)}"
        divergence = Divergence(claimed=shown, actual=actual)
        return "wrong", f"{call} returns {actual}; claimed: {shown}.", divergence
    actual = short_value(ending.detail, width=300)
    if raised and is_same_exception(ending.detail, raised):
        return "right", f"{call} raises {actual}.", None
    shown = f"raises {short_value(raised)}" if raised else short_value(value)
    divergence = Divergence(claimed=shown, actual=f"raises {actual}")
    return "wrong", f"{call} raises {actual}; claimed: {shown}.", divergence


def is_same_exception(actual: str, claimed: str) -> bool:
    """Whether a claimed exception is the actual one; a text is compared if it is claimed.

    "KeyError: 'x'", "KeyError" -> True; "KeyError('x')", "KeyError('y')" -> False
    """
    raised, wanted = _EXCEPTION.match(actual), _EXCEPTION.match(claimed)
    if raised is None or wanted is None:
        return False
    if raised[1].rpartition(".")[2] != wanted[1].rpartition(".")[2]:
        return False
    text = wanted[2].strip(" :()'\",")
    return text == raised[2].strip(" :()'\",") if text else True
