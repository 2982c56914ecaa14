"""Choices of one sample as JSON: whether it is possible, and the schedule of its threads."""

from collections.abc import Mapping
from typing import Any

from worldline.analysis.choices import Possibility
from worldline.core.trace import (
    THREAD,
    Trace,
    is_preemption,
    schedule_choices,
    schedule_of,
    schedule_text,
)

_CHOICE_SENTENCES = {
    "possible": "Some values of the program's choices give this prediction. The actual execution "
    "that is shown has these values.",
    "impossible": "No values of the program's choices give this prediction.",
    "undecided": "No values of the program's choices were found that give this prediction, but "
    "not all could be tried.",
}
_SCHEDULE_SENTENCES = {
    "possible": "Some schedule of the threads gives this result. The actual execution that is "
    "shown has this schedule.",
    # The reason of the search says which schedules were executed.
    "impossible": "",
    "undecided": "Not all schedules of the threads could be tried.",
}


def possibility_document(possibility: Possibility | None) -> dict[str, str] | None:
    """Say whether a prediction is possible, and why: `Possibility` in viewer/src/api.

    Args:
        possibility: The result of the search; None if the program has no choices.
    """
    if possibility is None:
        return None
    trace = possibility.trace
    is_threaded = trace.has_threads or bool(schedule_choices(trace.choices))
    sentences = _SCHEDULE_SENTENCES if is_threaded else _CHOICE_SENTENCES
    reason = possibility.reason
    if reason and is_threaded:
        reason = f"{reason[0].upper()}{reason[1:]}."
    elif reason:
        reason = f"The closest execution: {reason}."
    return {
        "outcome": possibility.outcome,
        "sentence": sentences[possibility.outcome],
        "reason": reason,
    }


def schedule_document(trace: Trace) -> dict[str, Any] | None:
    """The schedule of an execution, None without threads: `Schedule` in viewer/src/api."""
    choices = schedule_choices(trace.choices)
    if not choices and not trace.has_threads:
        return None
    return {
        "text": schedule_text(schedule_of(choices)),
        "preemptions": sum(map(is_preemption, choices)),
    }


def preempted_lines(trace: Trace) -> Mapping[int, int]:
    """For each step after which a thread was interrupted that could continue, its next line."""
    return {
        choice.step: choice.line
        for choice in trace.choices
        if choice.name == THREAD and is_preemption(choice) and choice.step is not None
    }
