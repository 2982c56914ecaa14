"""Replay of recorded and predicted executions: positions, breakpoints, stacks and values."""

from worldline.analysis.replay.breakpoints import (
    Breakpoint,
    Breakpoints,
    DataBreakpoint,
    FunctionBreakpoint,
    LineBreakpoint,
    Stop,
    StopReason,
    find_stop,
    steps_that_call,
    steps_that_change,
)
from worldline.analysis.replay.call_frames import Frame
from worldline.analysis.replay.expression import (
    Expression,
    evaluate,
    parse_expression,
)
from worldline.analysis.replay.indexed_execution import (
    IndexedExecution,
    Side,
    StackEntry,
    changes_at,
    index_prediction,
    index_trace,
    locals_at,
    stack_at,
)
from worldline.analysis.replay.lock_step import (
    Motion,
    Replay,
    Track,
    move,
    replay_both,
    replay_one,
)
from worldline.analysis.replay.value_tree import ValueItem, value_items

__all__ = [
    "Breakpoint",
    "Breakpoints",
    "DataBreakpoint",
    "Expression",
    "Frame",
    "FunctionBreakpoint",
    "IndexedExecution",
    "LineBreakpoint",
    "Motion",
    "Replay",
    "Side",
    "StackEntry",
    "Stop",
    "StopReason",
    "Track",
    "ValueItem",
    "changes_at",
    "evaluate",
    "find_stop",
    "index_prediction",
    "index_trace",
    "locals_at",
    "move",
    "parse_expression",
    "replay_both",
    "replay_one",
    "stack_at",
    "steps_that_call",
    "steps_that_change",
    "value_items",
]
