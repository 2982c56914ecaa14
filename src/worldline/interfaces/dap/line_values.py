"""Values of each line up to a position, which an editor shows at the end of the line."""

from typing import Any

from worldline.analysis.replay import IndexedExecution, Track, changes_at
from worldline.core.trace import exception_text
from worldline.interfaces.dap.debuggee import Debuggee

# Rows before the position that are looked at: an editor shows the last values only.
_MAX_ROWS = 5_000
# Longest text of a line.
_MAX_CHARS = 500


def line_values(debuggee: Debuggee, row: int) -> list[dict[str, Any]]:
    """What each line did when it was executed last, in both executions.

    `x = a + 1` -> {"line": 3, "actual": "x=2", "predicted": "x=3", "differs": True, "source": …}

    Args:
        debuggee: The program and its executions.
        row: The position.
    """
    replay = debuggee.replay
    first = max(0, row - _MAX_ROWS)
    texts = {
        track.execution.side: _texts_by_line(track, range(row, first - 1, -1))
        for track in replay.tracks
    }
    actual, predicted = texts.get("actual", {}), texts.get("predicted", {})
    divergence = replay.divergence_row
    is_behind = divergence is not None and row >= divergence
    has_both = len(replay.tracks) > 1
    return [
        {
            "line": line,
            "source": debuggee.source(line),
            "actual": actual.get(line) or None,
            "predicted": predicted.get(line) or None,
            "differs": has_both and is_behind and actual.get(line) != predicted.get(line),
        }
        for line in sorted({*actual, *predicted})
        if actual.get(line) or predicted.get(line)
    ]


def _texts_by_line(track: Track, rows: range) -> dict[int, str]:
    """The text of the last execution of each line, from rows in descending order."""
    texts: dict[int, str] = {}
    for row in rows:
        if not track.is_at(row):
            continue
        execution, step = track.execution, track.step(row)
        line = _line_of_change(execution, step)
        if line is not None and line not in texts:
            text = _text(execution, step)
            # Also without a change: an earlier execution of the line is not its last one.
            texts[line] = text if len(text) <= _MAX_CHARS else f"{text[:_MAX_CHARS]}…"
    return texts


def _line_of_change(execution: IndexedExecution, step: int) -> int | None:
    """The line that caused what a step shows: for a line step, the one before it in its frame."""
    if execution.steps[step].event != "line":
        return execution.lines[step]
    frame = execution.frame_of_step[step]
    for earlier in range(step - 1, max(-1, step - _MAX_ROWS), -1):
        if execution.frame_of_step[earlier] == frame and execution.steps[earlier].has_locals:
            # After a call, no line has been executed: the call has its own values.
            is_after_call = execution.steps[earlier].event == "call"
            is_unchanged = is_after_call and not changes_at(execution, step)
            return None if is_unchanged else execution.lines[earlier]
    return None


def _text(execution: IndexedExecution, step: int) -> str:
    shown = execution.steps[step]
    if shown.event == "return":
        return "" if shown.value is None else f"returns {shown.value}"
    if shown.event == "exception":
        return f"raises {exception_text(shown.value or '')}"
    changes = changes_at(execution, step)
    return ", ".join(f"{name}={after}" for name, (_, after) in changes.items() if after is not None)
