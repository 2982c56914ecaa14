"""Choices of the thread that runs next, and of delays: given as a schedule, random, or default."""

from _random import Random
from collections.abc import Callable
from typing import Any

from .choice_session import ChoiceSession
from .json_lines import OWN_BUILTINS

__builtins__ = OWN_BUILTINS

# A random schedule switches to another thread before one in this number of lines.
_LINES_PER_SWITCH = 4


def thread_chooser(
    session: ChoiceSession, request: "dict[str, Any]"
) -> "Callable[[list[int], bool, str], int]":
    """A function that chooses the next thread or a delay, and adds the choice to the session.

    Args:
        session: The session of choices.
        request: The threads that run first (`schedule`), or the seed of a random schedule
            (`schedule_seed`).
    """
    schedule: list[int] = list(request.get("schedule", []))
    draw_random = random_chooser(request["schedule_seed"]) if "schedule_seed" in request else None

    def choose(options: "list[int]", is_running: bool, name: str) -> int:
        def draw() -> int:
            if draw_random is not None:
                return draw_random(options, is_running)
            number = schedule.pop(0) if schedule else options[0]
            if number not in options:
                verb = "cannot run" if name == "thread" else "is not possible"
                session.notes.append(
                    f"schedule: {name} {number} {verb} at choice {len(session.rows)}; "
                    f"it is one of {options}"
                )
                schedule.clear()
                number = options[0]
            return number

        # The argument is the thread that is running and can continue.
        arguments = (options[0],) if is_running else ()
        domain = f"{name}s({', '.join(map(str, options))})"
        # Without a first value: in a systematic execution, too, the schedule decides.
        return int(session.choose(name, arguments, domain, draw))

    return choose


def random_chooser(seed: int) -> "Callable[[list[int], bool], int]":
    """A function that chooses the next thread at random."""
    generator = Random(seed)

    def choose(options: "list[int]", is_running: bool) -> int:
        if is_running and generator.random() * _LINES_PER_SWITCH >= 1:
            return options[0]
        others = options[1:] if is_running else options
        return others[int(generator.random() * len(others))]

    return choose
