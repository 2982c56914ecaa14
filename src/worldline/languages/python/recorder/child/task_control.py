"""Control of the event loops of `asyncio`, if the program may use it."""

import re
import sys
from collections.abc import Callable
from typing import Any

from .event_loop import end_tasks, replace_tasks
from .json_lines import OWN_BUILTINS
from .thread_scheduler import ThreadScheduler

__builtins__ = OWN_BUILTINS

_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import|import[ \t]+([\w., \t]+))", re.M)


def control_tasks(
    request: "dict[str, Any]",
    scheduler: ThreadScheduler,
    set_lane: "Callable[[int], object]",
    notes: "list[str]",
) -> "Callable[[], object]":
    """Put the program's event loops under the control of the scheduler of its threads.

    A program that cannot use `asyncio` does not import it because of this.

    Args:
        request: The program (`text`), and folders of files that it may import (`path`).
        scheduler: The scheduler.
        set_lane: Called with the number of the task or thread that runs next.
        notes: Notes about the recording.

    Returns:
        A function that ends the tasks of an execution that is over.
    """
    text = request["text"]
    # IsolatedAsyncioTestCase, too.
    if "asyncio" not in text.lower() and not (request["path"] and _imports_files(text)):
        return _ignore
    replace_tasks(scheduler, set_lane, notes)
    return end_tasks


def _ignore() -> None:
    """End no tasks."""


def _imports_files(text: str) -> bool:
    """Whether a program may import a module that is not Python's own.

    "import os, cache as c" -> True; "from os import path" -> False
    """
    lists = [first or second for first, second in _IMPORT.findall(text)]
    names = [name.split()[0] for each in lists for name in each.split(",") if name.strip()]
    return any(name.partition(".")[0] not in sys.stdlib_module_names for name in names)
