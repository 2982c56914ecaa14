"""Schedule of a program's threads and tasks: which thread runs next, and which delays happen."""

import itertools
from collections.abc import Sequence

from worldline.core.errors import InputError
from worldline.core.trace.choice import Choice
from worldline.core.trace.trace import Trace

# The names of the choices of the thread that runs next, and of the delays of event loops: whether
# the program is so slow that a timer comes first.
THREAD = "thread"
DELAY = "delay"
SCHEDULING = (THREAD, DELAY)
# The ending of an execution that cannot continue; also the answer that predicts it.
DEADLOCK = "deadlock"
# How the recorder's notes about threads and tasks begin.
_THREADS_NOTE = "the program started threads"
_UNRECORDED_THREADS_NOTE = f"{_THREADS_NOTE}: only the main thread"
_TASKS_NOTE = "the program ran asyncio tasks"
_MAX_CHOICES = 1_000_000


def schedule_choices(choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """The choices of a schedule: between threads, and of delays."""
    return tuple(choice for choice in choices if choice.name in SCHEDULING)


def schedule_of(choices: Sequence[Choice]) -> tuple[int, ...]:
    """The threads that run next and the delays, up to the last that is not the default."""
    numbers = [(int(each.value), default_option(each)) for each in schedule_choices(choices)]
    while numbers and numbers[-1][0] == numbers[-1][1]:
        numbers.pop()
    return tuple(number for number, _ in numbers)


def starts_threads(trace: Trace) -> bool:
    """Whether the program started threads, which may not be recorded."""
    return _has_note(trace, _THREADS_NOTE)


def may_run_tasks(trace: Trace) -> bool:
    """Whether the program may run tasks of `asyncio`, whose order has more than the choices."""
    return "asyncio" in trace.program.text.lower() or _has_note(trace, _TASKS_NOTE)


def has_free_order(trace: Trace) -> bool:
    """Whether the order of threads or tasks may be another one with the same choices."""
    return may_run_tasks(trace) or _has_note(trace, _UNRECORDED_THREADS_NOTE)


def _has_note(trace: Trace, beginning: str) -> bool:
    return any(note.startswith(beginning) for note in trace.notes)


def default_option(choice: Choice) -> int:
    """The default, the first of the domain: "threads(1, 0)" -> 1, "delays(0, 1)" -> 0"""
    return int(choice.domain.partition("(")[2].rstrip(")").partition(",")[0])


def is_preemption(choice: Choice) -> bool:
    """Whether a thread was interrupted that could continue, or a task was delayed."""
    return choice.name in SCHEDULING and choice.arguments not in ("", choice.value)


def schedule_text(schedule: Sequence[int]) -> str:
    """A schedule as text.

    (0, 0, 0, 1, 2, 2) -> "0*3 1 2*2"; () -> "default"
    """
    runs = [(number, len(list(run))) for number, run in itertools.groupby(schedule)]
    texts = [f"{number}*{count}" if count > 1 else str(number) for number, count in runs]
    return " ".join(texts) or "default"


def parse_schedule(text: str) -> tuple[int, ...]:
    """The schedule from its text.

    "0*3 1 2*2" -> (0, 0, 0, 1, 2, 2)

    Raises:
        InputError: The text is no schedule.
    """
    schedule: list[int] = []
    for part in [] if text.strip() == "default" else text.replace(",", " ").split():
        number, star, count = part.partition("*")
        if not number.isdecimal() or (star and not count.isdecimal()):
            raise InputError(
                f"{part!r} is not a part of a schedule; write the numbers of threads, as in "
                "'0*3 1 2*2': thread 0 at the first three choices, then 1, then 2 twice"
            )
        # The numbers of digits are compared first: Python refuses to convert very many.
        if max(len(number), len(count)) > len(str(_MAX_CHOICES)) or (
            len(schedule) + int(count or 1) > _MAX_CHOICES
        ):
            raise InputError(
                f"a schedule has at most {_MAX_CHOICES:,} choices; {part!r} is too long"
            )
        schedule += [int(number)] * int(count or 1)
    return tuple(schedule)
