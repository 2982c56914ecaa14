"""Requests about the current position: stacks, variables, expressions, exceptions, places."""

from typing import Any

from worldline.analysis.replay import Side, evaluate, stack_at
from worldline.core.trace import exception_text
from worldline.interfaces.dap.debuggee import SOURCE_REFERENCE
from worldline.interfaces.dap.replay_cursor import ReplayCursor
from worldline.interfaces.dap.request_arguments import (
    Arguments,
    RequestError,
    number_argument,
    object_argument,
    required_number,
    required_text,
    text_argument,
)
from worldline.interfaces.dap.state_views import FrameView

# Most places that are offered for one line.
_MAX_TARGETS = 200
# Most frames and variables of one answer, if the client asks for all.
_MAX_FRAMES, _MAX_VARIABLES = 1_000, 10_000


def answer_threads(cursor: ReplayCursor) -> dict[str, Any]:
    """The executions, and the program's own threads."""
    threads = cursor.views.threads()
    return {"threads": [{"id": id, "name": name} for id, name, _, _ in threads]}


def answer_stack(cursor: ReplayCursor, arguments: Arguments) -> dict[str, Any]:
    """Frames of a thread."""
    start = max(0, number_argument(arguments, "startFrame") or 0)
    count = number_argument(arguments, "levels") or _MAX_FRAMES
    frames, total = cursor.views.stack(required_number(arguments, "threadId"), start, count)
    return {"stackFrames": frames, "totalFrames": total}


def answer_scopes(cursor: ReplayCursor, arguments: Arguments) -> dict[str, Any]:
    """Scopes of a frame."""
    view = cursor.views.frame(required_number(arguments, "frameId"))
    return {"scopes": cursor.views.scopes(view)}


def answer_variables(cursor: ReplayCursor, arguments: Arguments) -> dict[str, Any]:
    """Variables of a scope, or items of a container."""
    kind = text_argument(arguments, "filter")
    if kind not in (None, "indexed", "named"):
        raise RequestError(f"filter must be indexed or named, not {kind!r}")
    return {
        "variables": cursor.views.variables(
            required_number(arguments, "variablesReference"),
            kind=kind,
            start=max(0, number_argument(arguments, "start") or 0),
            count=number_argument(arguments, "count") or _MAX_VARIABLES,
        )
    }


def answer_evaluation(cursor: ReplayCursor, arguments: Arguments) -> dict[str, Any]:
    """The value of an expression in a frame; without one, in the innermost frame."""
    text = required_text(arguments, "expression")
    number = number_argument(arguments, "frameId")
    view = cursor.views.innermost(cursor.side) if number is None else cursor.views.frame(number)
    if view is None:
        raise RequestError("there is no step at this position")
    value = evaluate(text, cursor.views.state(view), cursor.debuggee.program)
    return {"result": value, **cursor.views.value_fields(value, text.strip())}


def answer_goto_targets(cursor: ReplayCursor, arguments: Arguments, *, first_line: int) -> Any:
    """The visits of a line, each a place to go to; its number is its row, and which execution."""
    if not cursor.debuggee.has_source(object_argument(arguments, "source")):
        raise RequestError("this file is not the program that is debugged")
    line = required_number(arguments, "line") - first_line + 1
    tracks = cursor.debuggee.replay.tracks
    # The execution that the user looks at; the other one if the line is only there.
    order = sorted(tracks, key=lambda track: track.execution.side != cursor.side)
    for track in order:
        steps = track.execution.visits.get(line, ())
        if not steps:
            continue
        rows = [track.rows[step] for step in steps if step < len(track.rows)]
        numbered = list(enumerate(rows, 1))
        # Of many visits, those around the current one.
        nearest = sum(row <= cursor.row for row in rows)
        first = max(0, min(nearest - _MAX_TARGETS // 2, len(rows) - _MAX_TARGETS))
        side = track.execution.side
        return {
            "targets": [
                {
                    "id": _target_id(row, side),
                    "label": f"step {row}: visit {number} of {len(rows)} ({side})",
                    "line": line + first_line - 1,
                }
                for number, row in numbered[first : first + _MAX_TARGETS]
            ]
        }
    return {"targets": []}


def find_target(cursor: ReplayCursor, number: int) -> tuple[int, Side]:
    """The row and the execution of a place that was offered.

    Raises:
        RequestError: There is no such place.
    """
    row, is_predicted = divmod(number - 1, 2)
    side: Side = "predicted" if is_predicted else "actual"
    if not 0 <= row < cursor.debuggee.replay.length or cursor.debuggee.replay.track(side) is None:
        raise RequestError(f"there is no target {number}; ask for gotoTargets")
    return row, side


def _target_id(row: int, side: Side) -> int:
    return 2 * row + (side == "predicted") + 1


def answer_exception(cursor: ReplayCursor) -> dict[str, Any]:
    """The exception or the divergence at the current position.

    Raises:
        RequestError: There is neither.
    """
    replay, stop = cursor.debuggee.replay, cursor.stop
    view = cursor.views.innermost(cursor.side)
    step = view.execution.steps[view.entry.step] if view is not None else None
    is_raised = step is not None and step.event == "exception"
    if replay.divergence is not None and cursor.row == replay.divergence_row:
        is_shown = stop is not None and stop.reason == "divergence"
        if is_shown or not is_raised:
            divergence = replay.divergence
            text = "\n".join(filter(None, [divergence.summary(width=200), cursor.debuggee.cause]))
            details = {"typeName": f"divergence in {divergence.where}", "message": text}
            return _exception("divergence", text, details)
    if step is None or not is_raised or view is None:
        raise RequestError("there is no exception at this position")
    text = exception_text(step.value or "").removeprefix("raises ")
    kind = text.partition("(")[0].split()[-1] if text else "exception"
    trace = "\n".join(_stack_lines(view))
    return _exception(kind, text, {"typeName": kind, "message": text, "stackTrace": trace})


def _exception(kind: str, text: str, details: dict[str, Any]) -> dict[str, Any]:
    return {"exceptionId": kind, "description": text, "breakMode": "always", "details": details}


def _stack_lines(view: FrameView) -> list[str]:
    execution = view.execution
    return [
        f"{execution.function(entry.frame)}, line {execution.lines[entry.step]}"
        for entry in stack_at(execution, view.entry.step)[:20]
    ]


def answer_source(cursor: ReplayCursor, arguments: Arguments) -> dict[str, Any]:
    """The text of the program."""
    source = object_argument(arguments, "source")
    number = number_argument(arguments, "sourceReference") or source.get("sourceReference")
    if number != SOURCE_REFERENCE:
        raise RequestError(f"there is no source {number}; there is {SOURCE_REFERENCE}")
    return {"content": cursor.debuggee.program.text}
