"""Other threads that could run at a choice, such that the execution may have the predicted steps.

A switch is left out only if it cannot give the next predicted step: the thread that would run was
stopped before a line, and the prediction has another line, or another thread, there. With tasks of
`asyncio`, the number of a step is that of the task, not of the thread: no switch is left out.
"""

from worldline.core.trace import THREAD, Choice, Step, Trace, may_run_tasks
from worldline.models.codecs import Decoded

# After this number of lines in a row, the recorder lets another thread run.
_MAX_LINES = 200


def other_threads(
    trace: Trace, number: int, predicted: Decoded, *, is_mapped: bool = True
) -> list[int]:
    """The other threads that may run at a choice, the predicted one first; or the other delay.

    Args:
        trace: An execution that matches the prediction up to the choice.
        number: The number of the choice of a thread or a delay.
        predicted: The predicted steps.
        is_mapped: Whether the steps of both are numbered in the same way.
    """
    choice = trace.choices[number]
    others = [thread for thread in _options(choice) if str(thread) != choice.value]
    index = 0 if choice.step is None else choice.step + 1
    if not is_mapped or not predicted.shows_steps or index >= len(predicted.steps):
        return others
    if may_run_tasks(trace):
        return others
    fitting = [thread for thread in others if _may_follow(trace, number, thread, predicted, index)]
    expected = predicted.steps[index].thread if predicted.names_threads else None
    return sorted(fitting, key=lambda thread: thread != expected)


def runs_long(trace: Trace, end: int) -> bool:
    """Whether a thread had to stop because it executed many lines in a row, before some step."""
    if not trace.has_threads and not any(choice.name == THREAD for choice in trace.choices):
        return False
    length, thread = 0, -1
    for step in trace.steps[: end + 1]:
        if step.thread != thread:
            length, thread = 0, step.thread
        length += step.event == "line"
        if length >= _MAX_LINES:
            return True
    return False


def threads_at(trace: Trace, step: int) -> tuple[int, ...]:
    """The threads of which one executes a step; the actual one if there was no choice."""
    for choice in reversed(trace.choices):
        if choice.name == THREAD and choice.step == step - 1:
            return tuple(sorted(_options(choice)))
    return (trace.steps[step].thread,) if step < len(trace.steps) else ()


def _options(choice: Choice) -> list[int]:
    """The threads that can run: "threads(1, 0)" -> [1, 0]"""
    inside = choice.domain.partition("(")[2].rstrip(")")
    return [int(each) for each in inside.split(",")]


def _may_follow(trace: Trace, number: int, thread: int, predicted: Decoded, index: int) -> bool:
    """Whether a thread may execute the predicted step; if it does not, it could run unseen."""
    if not _is_before_line(trace, number, thread):
        return True
    own, step_text = predicted.steps[index], predicted.step_texts[index]
    if predicted.names_threads and own.thread != thread:
        return False
    following = _next_step(trace, index, thread)
    if following is None:
        return True
    if predicted.knows_events and own.event != following.event:
        return False
    if step_text.number is not None:
        return step_text.number == following.line
    return step_text.line == trace.source_line(following)


def _is_before_line(trace: Trace, number: int, thread: int) -> bool:
    """Whether a thread was stopped before a line, which is then the next thing that it does."""
    if trace.choices[number].arguments == str(thread):
        return True
    for choice in reversed(trace.choices[:number]):
        if choice.name != THREAD:
            continue
        if choice.value == str(thread):
            return False
        if choice.arguments == str(thread):
            # It may have continued without a choice.
            first = 0 if choice.step is None else choice.step + 1
            last = trace.choices[number].step
            between = trace.steps[first : 0 if last is None else last + 1]
            return all(step.thread != thread for step in between)
    return False


def _next_step(trace: Trace, start: int, thread: int) -> Step | None:
    return next((step for step in trace.steps[start:] if step.thread == thread), None)
