"""Request and reply about choices: the values that the child process gets, and those it made."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

from worldline.core.trace import SCHEDULING, Choice, Step
from worldline.languages.python.recorder.assumed_request import calling_step
from worldline.languages.python.recorder.literals import literal_to_json, parse_literal


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a random number from [0, 1) was compared with.

    Attributes:
        starts: For each threshold, the smallest number beyond it, and the threshold as it was
            written; both as text.
        is_used: Whether the number was also used in another way than in comparisons.
    """

    starts: tuple[tuple[str, str], ...] = ()
    is_used: bool = False


@dataclass(frozen=True, slots=True)
class Execution:
    """One execution without a trace.

    Attributes:
        ending: How it ended: "finished", "raised" or "exited".
        result: What it returned, as text; the exception; for a module, what it printed.
        choices: Its choices; their steps are not known.
        thresholds: For each choice, what it was compared with.
    """

    ending: str
    result: str
    choices: tuple[Choice, ...] = ()
    thresholds: tuple[Thresholds, ...] = ()


def decode_executions(rows: Sequence[list[Any]]) -> list[Execution]:
    """Executions without traces, from the rows of the child process."""
    return [
        Execution(ending, text, decode_choices(choices, ()), decode_thresholds(choices))
        for ending, text, choices in rows
    ]


def choice_request(choices: Sequence[Choice], *, is_systematic: bool) -> dict[str, Any]:
    """The fields of a request for an execution whose first choices are given."""
    return {
        "choices": [
            [choice.name, choice.domain, literal_to_json(parse_literal(choice.value))]
            for choice in choices
        ],
        "is_systematic": is_systematic,
    }


def decode_choices(rows: Sequence[list[Any]], steps: Sequence[Step]) -> tuple[Choice, ...]:
    """The choices of a recording, from the rows of the child process."""
    threads = {step.thread for step in steps}
    return tuple(
        Choice(
            name,
            arguments,
            value,
            domain,
            line,
            _choice_step(name, line, steps, count, threads),
        )
        for name, arguments, value, domain, line, count, *_ in rows
    )


def _choice_step(
    name: str, line: int, steps: Sequence[Step], count: int, threads: Set[int]
) -> int | None:
    """The step of a choice; for that of a schedule, the last step before it.

    A thread that has waited in its line continues after steps of other threads.
    """
    if not steps:
        return None
    if name in SCHEDULING:
        return count - 1 if count else None
    last = calling_step(steps, count=count)
    if last is None or len(threads) == 1 or steps[last].line == line:
        return last
    for thread in threads:
        own = [n for n, step in enumerate(steps[:count]) if step.thread == thread]
        number = calling_step([steps[n] for n in own])
        if number is not None and steps[own[number]].line == line:
            return own[number]
    return last


def decode_thresholds(rows: Sequence[list[Any]]) -> tuple[Thresholds, ...]:
    """For each choice, what it was compared with."""
    return tuple(Thresholds(tuple((a, b) for a, b in row[6]), bool(row[7])) for row in rows)
