"""Execution with an index: the stack and the state of any step are looked up, not recomputed."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from worldline.analysis.replay.call_frames import Frame, build_frames
from worldline.analysis.replay.variable_history import Histories, build_histories
from worldline.core.trace import Program, Step, Trace
from worldline.models.codecs import Decoded

Side = Literal["actual", "predicted"]
_DEFINITION = re.compile(r"\s*(?:async\s+)?(?:def|class|function|fn|func)\*?\s+(\w+)")


@dataclass(frozen=True, slots=True)
class StackEntry:
    """A frame on the stack, and the step that it is at."""

    frame: int
    step: int


@dataclass(frozen=True, slots=True)
class IndexedExecution:
    """The steps of one execution, with an index of them.

    Attributes:
        side: Whether it was recorded or predicted.
        program: The program.
        steps: Its steps.
        lines: The line of each step; None if a model wrote a line that the program does not have.
        functions: The name of the function of each scope.
        frames: Its frames.
        frame_of_step: For each step, the number of its frame.
        histories: The histories of the variables of each scope.
        visits: For each line, the steps at which it is about to be executed or called.
        thread_steps: For each thread of the program, its steps.
    """

    side: Side
    program: Program
    steps: Sequence[Step]
    lines: Sequence[int | None]
    functions: Sequence[str]
    frames: Sequence[Frame]
    frame_of_step: Sequence[int]
    histories: Histories
    visits: Mapping[int, Sequence[int]]
    thread_steps: Mapping[int, Sequence[int]]

    def __repr__(self) -> str:
        return f"IndexedExecution({self.side}, {len(self.steps)} steps, {len(self.frames)} frames)"

    def frame(self, step: int) -> Frame:
        """The frame of a step."""
        return self.frames[self.frame_of_step[step]]

    def depth(self, step: int) -> int:
        """The number of callers of a step's function."""
        return self.frame(step).depth

    def function(self, frame: int) -> str:
        """The name of a frame's function."""
        return self.functions[self.frames[frame].scope]


def index_trace(trace: Trace) -> IndexedExecution:
    """Index a recorded execution."""
    return _index(
        "actual",
        trace.program,
        trace.steps,
        [step.line for step in trace.steps],
        [scope.function for scope in trace.scopes],
        [scope.variables for scope in trace.scopes],
    )


def index_prediction(
    predicted: Decoded, program: Program, *, actual: Trace | None = None, matched_steps: int = 0
) -> IndexedExecution:
    """Index a predicted execution.

    Args:
        predicted: The steps that a codec decoded.
        program: The program that was predicted.
        actual: The recorded execution, if there is one: it has the names of functions.
        matched_steps: The number of steps that match it. Up to there, a line is the actual one,
            also if several lines have the same text.
    """
    lines: list[int | None] = []
    texts = program.lines
    for number, (step, text) in enumerate(zip(predicted.steps, predicted.step_texts, strict=True)):
        is_in_program = 0 < step.line <= len(texts) and texts[step.line - 1] == text.line
        if actual is not None and number < min(matched_steps, len(actual.steps)):
            lines.append(actual.steps[number].line)
        elif text.number is not None and 0 < text.number <= len(texts):
            lines.append(text.number)
        else:
            lines.append(step.line if is_in_program else None)
    functions = _function_names(predicted.steps, lines, texts, actual)
    return _index("predicted", program, predicted.steps, lines, functions, ())


def stack_at(
    execution: IndexedExecution, step: int, *, thread: int | None = None
) -> list[StackEntry]:
    """The stack at a step, the innermost frame first; empty if the thread has not started.

    Args:
        execution: The execution.
        step: The step.
        thread: The thread of the program; by default that of the step.
    """
    if thread is not None and execution.steps[step].thread != thread:
        steps = execution.thread_steps.get(thread, ())
        index = bisect_right(steps, step)
        if not index:
            return []
        step = steps[index - 1]
    entries = []
    number: int | None = execution.frame_of_step[step]
    at: int | None = step
    while number is not None and at is not None:
        frame = execution.frames[number]
        entries.append(StackEntry(number, at))
        number, at = frame.parent, frame.caller_step
    return entries


def locals_at(execution: IndexedExecution, entry: StackEntry) -> dict[str, str]:
    """The local variables of a frame on the stack."""
    histories = execution.histories.get(execution.frames[entry.frame].scope, {})
    values = {name: history.at(entry.step) for name, history in histories.items()}
    return {name: value for name, value in values.items() if value is not None}


def changes_at(execution: IndexedExecution, step: int) -> dict[str, tuple[str | None, str | None]]:
    """The variables that changed at a step: their values before and after.

    `i = 1` at i = 0 -> {"i": ("0", "1")}; None if a variable does not exist
    """
    changed = execution.steps[step]
    histories = execution.histories.get(changed.scope, {})
    changes = {}
    for name in (*changed.changed, *changed.gone):
        history = histories.get(name)
        if history is not None and history.before(step) != history.at(step):
            changes[name] = (history.before(step), history.at(step))
    return changes


def _index(
    side: Side,
    program: Program,
    steps: Sequence[Step],
    lines: Sequence[int | None],
    functions: Sequence[str],
    variables: Sequence[Sequence[str]],
) -> IndexedExecution:
    frames, frame_of_step = build_frames(steps)
    visits: dict[int, list[int]] = {}
    thread_steps: dict[int, list[int]] = {}
    entered: set[int] = set()
    for number, (step, line) in enumerate(zip(steps, lines, strict=True)):
        # A generator is resumed by a call on the line of its `yield`, which is not executed again.
        is_visit = step.event == "line" or (step.event == "call" and step.scope not in entered)
        entered.add(step.scope)
        if line is not None and is_visit:
            visits.setdefault(line, []).append(number)
        thread_steps.setdefault(step.thread, []).append(number)
    return IndexedExecution(
        side,
        program,
        steps,
        lines,
        functions,
        frames,
        frame_of_step,
        build_histories(steps, variables),
        visits,
        thread_steps,
    )


def _function_names(
    steps: Sequence[Step], lines: Sequence[int | None], texts: Sequence[str], actual: Trace | None
) -> list[str]:
    """The names of the functions of predicted scopes, by the line that they were entered on."""
    known = {scope.line: scope.function for scope in actual.scopes} if actual else {}
    names: dict[int, str] = {}
    for step, line in zip(steps, lines, strict=True):
        if step.scope in names:
            continue
        definition = _DEFINITION.match(texts[line - 1]) if line else None
        name = known.get(line or 0) or (definition[1] if definition else "?")
        names[step.scope] = name
    return [names.get(scope, "?") for scope in range(max(names, default=-1) + 1)]
