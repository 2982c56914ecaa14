"""Text about what tasks of `asyncio` wait for, from their coroutines."""

from importlib import import_module
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any

from .interrupts import FILENAME
from .json_lines import OWN_BUILTINS
from .thread_waits import operation

__builtins__ = OWN_BUILTINS

# For each type, the names of its frame and of what it awaits. No attribute of an object of the
# program is read.
_ATTRIBUTES: "dict[type, tuple[str, str]]" = {
    CoroutineType: ("cr_frame", "cr_await"),
    GeneratorType: ("gi_frame", "gi_yieldfrom"),
    AsyncGeneratorType: ("ag_frame", "ag_await"),
}


def pending_tasks(loop: Any) -> "list[Any]":
    """The tasks of a loop that have not ended, in the order in which they were created."""
    return sorted(import_module("asyncio").all_tasks(loop), key=_number)


def _number(task: Any) -> int:
    return int(task.number)


def task_texts(loop: Any) -> "list[str]":
    """What each task of a loop waits for."""
    return [_task_text(task) for task in pending_tasks(loop)]


def _task_text(task: Any) -> str:
    """What a task waits for: "task 1 waits at line 9 in Lock.acquire, held by task 2"."""
    line, library_frame = 0, None
    awaited = task.get_coro()
    while type(awaited) in _ATTRIBUTES:
        frame_name, awaited_name = _ATTRIBUTES[type(awaited)]
        frame = getattr(awaited, frame_name)
        if frame is not None and frame.f_code.co_filename is FILENAME:
            line, library_frame = frame.f_lineno, None
        elif frame is not None and library_frame is None:
            library_frame = frame
        awaited = getattr(awaited, awaited_name)
    where = f" at line {line}" if line else ""
    called = operation(library_frame, "task") if library_frame is not None else ""
    others = _awaited_tasks(task._fut_waiter, library_frame)
    if not called and _children(task._fut_waiter):
        called = " in gather"
    names = f" of {' and '.join([f'task {number}' for number in others])}" if others else ""
    return f"task {task.number} waits{where}{called}{names or ('' if called else ' for a future')}"


def _children(waiter: Any) -> Any:
    """What `gather` waits for; nothing for another future."""
    is_gather = type(waiter) is import_module("asyncio.tasks")._GatheringFuture
    return waiter._children if is_gather else ()


def _awaited_tasks(waiter: Any, frame: Any) -> "list[int]":
    """The tasks that a task waits for: itself, or in `gather`, `wait` or a `TaskGroup`."""
    values = frame.f_locals if frame is not None else {}
    group = getattr(values.get("self"), "_tasks", ())
    several = _children(waiter) or values.get("fs") or group
    candidates = [waiter, values.get("fut")]
    if type(several) in (list, dict, set):
        candidates += several
    kind = import_module("asyncio").Task
    pending = [each for each in candidates if isinstance(each, kind) and not each.done()]
    return sorted({_number(task) for task in pending})
