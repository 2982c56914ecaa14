"""What an execution is: programs, steps and traces. Pure data, no files, clock or network."""

from worldline.trace.program import (
    START_MARK,
    Program,
    check_call,
    parse_source,
    source_lines,
)
from worldline.trace.step import CUT_MARK, EVENTS, Event, Step, changes, state_at, states
from worldline.trace.trace import (
    Ending,
    EndReason,
    Limits,
    Origin,
    Scope,
    Trace,
    python_version,
    step_from_json,
    step_to_json,
    trace_from_json,
    trace_to_json,
)

__all__ = [
    "CUT_MARK",
    "EVENTS",
    "START_MARK",
    "EndReason",
    "Ending",
    "Event",
    "Limits",
    "Origin",
    "Program",
    "Scope",
    "Step",
    "Trace",
    "changes",
    "check_call",
    "parse_source",
    "python_version",
    "source_lines",
    "state_at",
    "states",
    "step_from_json",
    "step_to_json",
    "trace_from_json",
    "trace_to_json",
]
