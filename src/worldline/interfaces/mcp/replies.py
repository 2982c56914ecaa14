"""Answers of the tools, from traces, checks, predictions and comparisons."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from worldline.analysis.alignment import results_equal
from worldline.analysis.trust import Trust, TrustModel
from worldline.core.trace import Program
from worldline.core.util.text import pluralize, truncate_text
from worldline.interfaces.mcp.answers import (
    ChangeAnswer,
    CheckAnswer,
    Line,
    Outcome,
    PredictionAnswer,
    TraceAnswer,
    WeakStep,
)
from worldline.interfaces.mcp.call_table import Reply
from worldline.interfaces.mcp.claims import ClaimCheck
from worldline.interfaces.mcp.executed_lines import ExecutedLine, executed_lines
from worldline.interfaces.mcp.predicted_values import (
    predicted_value,
    prediction_words,
    weakest_words,
)
from worldline.interfaces.mcp.text_limits import NAME_CHARS, short_value
from worldline.interfaces.mcp.trace_store import SCHEME, StoredTrace, resource_addresses
from worldline.interfaces.mcp.trace_views import (
    effective_lines,
    ending_summary,
    exception_of,
    exception_path,
    fitted_text,
    line_history,
    listing,
    printed_text,
    select_lines,
    shown_line,
    variable_history,
)
from worldline.interfaces.mcp.trust_replies import foreign_words, trust_words
from worldline.interfaces.mcp.version_changes import VersionDifference
from worldline.models.prediction import Prediction

# Executed lines that are shown of each version, and before a divergence.
_CONTEXT_LINES = 8
_CONTEXT_BYTES = 2_500
_PATH_LINES = 12


def trace_reply(id: str, stored: StoredTrace, *, variable: str = "", line: int = 0) -> Reply:
    """The answer about an execution.

    Args:
        id: The id of the call.
        stored: The trace.
        variable: Show the lines that changed this variable.
        line: Show every execution of this line.
    """
    trace, program = stored.trace, stored.trace.program
    path: list[ExecutedLine] = []
    if variable:
        chosen = variable_history(stored.lines, variable)
        heading = f"Lines that changed {truncate_text(variable, NAME_CHARS)}:"
    elif line:
        chosen = line_history(stored.lines, line)
        heading = f"Executions of line {line}, with the variables it uses:"
    else:
        chosen = effective_lines(stored.lines)
        heading = "Lines with an effect (step, line, source, what changed after it):"
        if trace.ending.reason == "raised":
            path = exception_path(trace.steps, stored.lines)
    show = partial(shown_line, program, steps=trace.steps if line else None)
    lines, left_out = select_lines(chosen, show, max_bytes=6_000)
    shown_path, path_left_out = select_lines(path, show, max_lines=_PATH_LINES, max_bytes=2_500)
    addresses = resource_addresses(id, trace)
    answer = TraceAnswer(
        id=id,
        summary=ending_summary(trace),
        ending=trace.ending.reason,
        result=None if trace.result is None else short_value(trace.result, width=400),
        exception=exception_of(trace),
        printed=printed_text(trace),
        steps=len(trace.steps),
        lines=lines,
        left_out=left_out,
        exception_path=shown_path,
        notes=[short_value(note, width=100) for note in trace.notes[:3]],
        resources=addresses,
    )
    parts = [answer.summary]
    if answer.printed:
        parts += ["Printed:", answer.printed]
    if shown_path:
        parts += ["The exception's path:", *listing(shown_path, path_left_out)]
    parts += [heading, *listing(lines, left_out)] if lines else [f"{heading} none."]
    parts += [f"Note: {note}" for note in answer.notes]
    if addresses:
        base, ends = f"{SCHEME}/{id}/", [each.split("/", 4)[-1] for each in addresses]
        parts.append(f"The rest: the resources {base} with {', '.join(ends)}")
    return Reply(answer, fitted_text(parts))


def check_reply(id: str, stored: StoredTrace, check: ClaimCheck) -> Reply:
    """The answer about a claim."""
    trace = stored.trace
    lines, left_out = _context(trace.program, check.lines)
    answer = CheckAnswer(
        id=id,
        summary=f"{check.verdict.capitalize()}. {check.words}",
        verdict=check.verdict,
        divergence=check.divergence,
        checked_steps=check.checked_steps,
        result=None if trace.result is None else short_value(trace.result, width=400),
        exception=exception_of(trace),
        lines=lines,
        resources=resource_addresses(id, trace),
    )
    parts = [answer.summary]
    if lines and check.verdict != "right":
        skipped = f" ({pluralize(left_out, 'line')} before them)" if left_out else ""
        parts += [f"The last executed lines{skipped}:", *listing(lines)]
    if answer.resources:
        parts.append(f"All steps: {answer.resources[0]}")
    return Reply(answer, fitted_text(parts))


@dataclass(frozen=True, slots=True)
class VersionOutcome:
    """The execution of one version.

    Attributes:
        outcome: How it ended.
        lines: Its executed lines.
        is_known: Whether the execution ended by itself, so that its result can be compared.
        full_result: The complete result.
        stdout: All that it printed; None for a prediction.
    """

    outcome: Outcome
    lines: list[ExecutedLine]
    is_known: bool
    full_result: str | None
    stdout: str | None


def outcome_of_trace(id: str, stored: StoredTrace) -> VersionOutcome:
    """The outcome of a version that was executed."""
    trace = stored.trace
    outcome = Outcome(
        ending=trace.ending.reason,
        result=None if trace.result is None else short_value(trace.result),
        exception=exception_of(trace),
        printed=printed_text(trace, width=200),
        steps=len(trace.steps),
        resources=resource_addresses(id, trace)[:1],
    )
    is_known = trace.is_complete or trace.ending.reason in ("raised", "exited", "not_loaded")
    return VersionOutcome(outcome, stored.lines, is_known, trace.result, trace.stdout)


def outcome_of_prediction(prediction: Prediction) -> VersionOutcome:
    """The outcome of a version whose execution was predicted."""
    value = predicted_value(prediction)
    steps = prediction.decoded.steps
    outcome = Outcome(
        ending="predicted",
        result=None if value is None else short_value(value),
        steps=len(steps),
    )
    lines = executed_lines(prediction.program, steps)
    return VersionOutcome(outcome, lines, value is not None, value, None)


def change_reply(
    id: str,
    before: Program,
    after: Program,
    outcomes: Sequence[VersionOutcome],
    difference: VersionDifference | None,
    *,
    predicted: bool,
) -> Reply:
    """The answer about two versions."""
    old, new = outcomes
    is_same = _is_same(old, new) if old.is_known and new.is_known else None
    words = {
        True: "Both versions have the same result and output.",
        False: _difference_words(old, new),
        None: "One of the executions has no result, so that results cannot be compared.",
    }[is_same]
    first = "On the lines that both versions have, no step differs."
    old_lines, new_lines = old.lines, new.lines
    if difference is not None:
        first = f"First difference: {difference.words}."
        old_lines, new_lines = old_lines[: difference.before], new_lines[: difference.after]
    shown_old, _ = _context(before, old_lines)
    shown_new, _ = _context(after, new_lines)
    kind = "Predicted, not executed: " if predicted else ""
    answer = ChangeAnswer(
        id=id,
        summary=f"{kind}{words} {first}",
        source="predicted" if predicted else "actual",
        is_same=is_same,
        before=old.outcome,
        after=new.outcome,
        difference="" if difference is None else difference.words,
        before_lines=shown_old,
        after_lines=shown_new,
    )
    parts = [answer.summary]
    for name, each, lines in (("old", old, shown_old), ("new", new, shown_new)):
        steps = pluralize(each.outcome.steps, "step")
        parts.append(f"The {name} version ({_outcome_words(each)}, {steps}), its last lines there:")
        parts += listing(lines)
    return Reply(answer, fitted_text(parts))


def _is_same(old: VersionOutcome, new: VersionOutcome) -> bool:
    is_both = None not in (old.full_result, new.full_result)
    is_same_result = (
        results_equal(old.full_result or "", new.full_result or "")
        if is_both
        else (old.full_result, old.outcome.exception) == (new.full_result, new.outcome.exception)
    )
    return is_same_result and old.stdout == new.stdout


def _outcome_words(each: VersionOutcome) -> str:
    outcome = each.outcome
    if outcome.result is not None:
        return f"returns {outcome.result}"
    if outcome.exception is not None:
        return f"raises {outcome.exception}"
    return outcome.ending.replace("_", " ")


def _difference_words(old: VersionOutcome, new: VersionOutcome) -> str:
    words = [_outcome_words(each) for each in (old, new)]
    if words[0] != words[1]:
        return f"The old version {words[0]}, the new one {words[1]}."
    return f"Both versions: {words[0]}. They differ in what they print, or in what is not shown."


def prediction_reply(
    id: str,
    prediction: Prediction,
    weakest: WeakStep | None,
    *,
    trust_model: TrustModel | None = None,
    trust: Trust | None = None,
) -> Reply:
    """The answer with a model's prediction.

    Args:
        id: The id of the call.
        prediction: The prediction.
        weakest: Its least certain step.
        trust_model: The trust model, if there is one.
        trust: The trust in the value by this model.
    """
    value = predicted_value(prediction)
    program, decoded = prediction.program, prediction.decoded
    words, trusted = prediction_words(prediction), trust_words(prediction, trust_model, trust)
    chosen = effective_lines(executed_lines(program, decoded.steps))
    lines, left_out = select_lines(chosen, partial(shown_line, program), max_bytes=6_000)
    usage = prediction.generation.usage.completion if prediction.generation else 0
    is_known = trust_model is not None and not foreign_words(prediction, trust_model)
    answer = PredictionAnswer(
        id=id,
        summary=words,
        value=None if value is None else short_value(value, width=400),
        finish=prediction.finish,
        steps=len(decoded.steps),
        weakest_step=weakest,
        trust=trusted,
        probability=trust.probability if trust is not None and is_known else None,
        lines=lines,
        left_out=left_out,
        model=truncate_text(prediction.model, 80),
        completion_tokens=usage,
    )
    parts = [words]
    if weakest is not None:
        parts.append(weakest_words(weakest))
    parts.append(trusted)
    if lines:
        parts += ["Predicted lines with an effect:", *listing(lines, left_out)]
    return Reply(answer, fitted_text(parts))


def _context(program: Program, lines: Sequence[ExecutedLine]) -> tuple[list[Line], int]:
    """The last of some executed lines, and how many are before them."""
    last = [shown_line(program, line) for line in lines[-_CONTEXT_LINES:]]
    while last and sum(len(line.model_dump_json().encode()) for line in last) > _CONTEXT_BYTES:
        del last[0]
    return last, len(lines) - len(last)
