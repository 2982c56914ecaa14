"""Event loop of `asyncio` with virtual time: callbacks run in Python's order, delays are choices.

Python runs ready callbacks first in, first out, and timers in the order of their deadlines. It is
free how long the program computes in between. So the choices are whether the next deadline passes
before the ready callbacks run, and whether a new timer is started so late that another one comes
first.
"""

import heapq
import itertools
import re
from collections.abc import Callable
from contextlib import suppress
from sys import _getframe
from types import BuiltinFunctionType
from typing import Any

from .bounded_repr import type_name
from .choice_session import Replacement
from .json_lines import OWN_BUILTINS
from .task_waits import pending_tasks, task_texts
from .thread_scheduler import AbandonedError, ThreadScheduler

__builtins__ = OWN_BUILTINS

TASKS_NOTE = "the program ran asyncio tasks: with virtual time, and delays that are choices"
# A timer that is started late has its deadline this number of seconds after another one.
_SECONDS_LATE = 0.001
# In the text of a task: a line of Python's own code, which depends on the version.
_LIBRARY_LINE = re.compile(r" at \S*[/\\](asyncio[/\\]\w+\.py):\d+")

_scheduler: ThreadScheduler
_notes: "list[str]"
_set_lane: "Callable[[int], object]"
# The package, and its type of tasks with lanes; imported only if the program may use it.
_asyncio: Any = None
_task_type: Any = None
_task_numbers = _timer_numbers = itertools.count(1)
# The loops of an execution in a search.
_loops: "list[Any]" = []


def replace_tasks(
    scheduler: ThreadScheduler, set_lane: "Callable[[int], object]", notes: "list[str]"
) -> None:
    """Put the event loops of the program under the control of a scheduler.

    Args:
        scheduler: The scheduler of the program's threads.
        set_lane: Called with the number of the task or thread that runs next.
        notes: Notes about the recording.
    """
    global _asyncio, _scheduler, _set_lane, _notes, _task_type
    import asyncio

    _asyncio, _scheduler, _set_lane, _notes = asyncio, scheduler, set_lane, notes
    loop: Any = asyncio.BaseEventLoop
    loop._run_once, loop.call_later, loop.time = _run_once, _call_later, _time
    module: Any = asyncio
    _task_type = module.Task = module.tasks.Task = _create_task_type(asyncio.Task)
    if hasattr(module, "eager_task_factory"):
        module.eager_task_factory = module.tasks.eager_task_factory = (
            module.create_eager_task_factory(_task_type)
        )
    module.events.TimerHandle = _create_timer_type(asyncio.TimerHandle)
    module.timeout = module.timeouts.timeout = Replacement(asyncio.timeout, _timeout)
    # The order of a set of coroutines depends on their addresses.
    module.tasks.set = _ordered_set
    _note_holders(asyncio.Lock)
    _shorten_texts(module.base_futures, module.coroutines)


def end_tasks() -> None:
    """End the tasks of an execution that is over, and forget its loops and numbers."""
    global _task_numbers, _timer_numbers
    for loop in _loops:
        for task in pending_tasks(loop):
            task._log_destroy_pending = False
            # The code of the program that this executes is ended by the scheduler, too.
            with suppress(BaseException):
                task.get_coro().close()
        if not loop.is_closed():
            loop.close()
    _loops.clear()
    _task_numbers, _timer_numbers = itertools.count(1), itertools.count(1)
    _asyncio.set_event_loop_policy(None)


# -- one iteration ----------------------------------------------------------------------------


def _run_once(loop: Any) -> None:
    """Wait until callbacks are ready, and run them; replaces the method of the loop."""
    scheduler, ready = _scheduler, loop._ready
    if scheduler.is_over:
        scheduler.go_on_late()
        raise AbandonedError
    if scheduler.is_searching and loop not in _loops:
        _loops.append(loop)
    if ready or loop._stopping:
        _poll(loop)
    else:
        _wait(loop)
    _add_due(loop)
    while ready and (deadline := _next_deadline(loop)) is not None and scheduler.choose_delay():
        scheduler.now = deadline
        _add_due(loop)
    thread = scheduler.current.number
    # Not the callbacks that these add.
    for _ in range(len(ready)):
        handle = ready.popleft()
        if not handle._cancelled:
            _set_lane(_lane_of(handle._callback, thread))
            try:
                handle._run()
            finally:
                _set_lane(thread)


def _lane_of(callback: Any, thread: int) -> int:
    """The task that a callback continues; the thread if it is another function."""
    kind = type(callback)
    # No attribute of an object of the program is read.
    if kind is BuiltinFunctionType or type_name(kind) == "TaskStepMethWrapper":
        owner = callback.__self__
        if issubclass(type(owner), _task_type):
            return int(owner.number)
    return thread


def _wait(loop: Any) -> None:
    """Wait for a ready callback or the next deadline."""
    scheduler, deadline = _scheduler, _next_deadline(loop)
    timeout = None if deadline is None else max(0.0, deadline - scheduler.now)
    if _has_files(loop) and not scheduler.can_others_run():
        # Other processes run in real time.
        loop._process_events(loop._selector.select(timeout))
        if not loop._ready and deadline is not None:
            scheduler.now = max(scheduler.now, deadline)
        return
    thread = scheduler.current
    thread.waits = lambda: task_texts(loop)
    try:
        scheduler.wait(lambda: _poll(loop), timeout)
    finally:
        thread.waits = None


def _poll(loop: Any) -> bool:
    """Add the callbacks of files that are ready; whether any callback is ready."""
    if _has_files(loop):
        loop._process_events(loop._selector.select(0))
    return bool(loop._ready)


def _has_files(loop: Any) -> bool:
    """Whether the loop waits for files or signals; it always has a pipe to itself."""
    has_files = len(loop._selector.get_map()) > 1 or bool(loop._signal_handlers)
    _scheduler.is_incomplete |= has_files
    return has_files


def _next_deadline(loop: Any) -> "float | None":
    """The deadline of the next timer; removes those that were cancelled."""
    timers = loop._scheduled
    while timers and timers[0]._cancelled:
        loop._timer_cancelled_count -= 1
        heapq.heappop(timers)._scheduled = False
    return timers[0]._when if timers else None


def _add_due(loop: Any) -> None:
    """Make the timers ready whose deadline has passed."""
    while (deadline := _next_deadline(loop)) is not None and deadline <= _scheduler.now:
        timer = heapq.heappop(loop._scheduled)
        timer._scheduled = False
        loop._ready.append(timer)


# -- time -------------------------------------------------------------------------------------


def _time(loop: Any) -> float:
    """The virtual time; replaces the method of the loop."""
    if not str(_getframe(1).f_globals.get("__name__")).startswith("asyncio"):
        # The program may read any later time, too.
        _scheduler.is_incomplete = True
    return _scheduler.now


def _call_later(loop: Any, delay: Any, callback: Any, *arguments: Any, context: Any = None) -> Any:
    """Start a timer; replaces the method of the loop."""
    if delay is None:
        raise TypeError("delay must not be None")
    return loop.call_at(_deadline(loop, delay), callback, *arguments, context=context)


def _timeout(delay: Any) -> Any:
    """Replaces `asyncio.timeout`."""
    loop = _asyncio.get_running_loop()
    return _asyncio.Timeout(None if delay is None else _deadline(loop, delay))


def _deadline(loop: Any, delay: Any) -> float:
    """The deadline of a timer that is started now, or so late that others come first."""
    scheduler = _scheduler
    deadline = scheduler.now + delay
    if delay <= 0:
        return float(deadline)
    for other in sorted({timer._when for timer in loop._scheduled if not timer._cancelled}):
        if other >= deadline:
            # Other amounts of time are possible, too.
            scheduler.is_incomplete = True
            if not scheduler.choose_delay():
                break
            deadline = other + _SECONDS_LATE
            scheduler.now = deadline - delay
    return float(deadline)


# -- types and texts that the program sees ----------------------------------------------------


def _create_task_type(base: Any) -> Any:
    """The type of tasks that have a lane.

    Their hash is their number: the order of a set of tasks must not depend on their addresses.
    """

    def start(self: Any, coro: Any, *, loop: Any = None, name: Any = None, **more: Any) -> None:
        if TASKS_NOTE not in _notes:
            _notes.append(TASKS_NOTE)
        self.number = _scheduler.add_lane()
        name = f"Task-{next(_task_numbers)}" if name is None else name
        # Without a running loop, the type of tasks itself raises an exception.
        has_loop = loop is not None or _asyncio._get_running_loop() is not None
        current = _asyncio.current_task(loop) if has_loop else None
        before = getattr(current, "number", _scheduler.current.number)
        # An eager task begins here.
        _set_lane(self.number)
        try:
            base.__init__(self, coro, loop=loop, name=name, **more)
        finally:
            _set_lane(before)

    def number_of(self: Any) -> int:
        return int(self.number)

    names = {"__init__": start, "__hash__": number_of, "__module__": base.__module__}
    return type("Task", (base,), names)


def _create_timer_type(base: Any) -> Any:
    """The type of timers; of those with the same deadline, the one that started first is first."""

    def start(self: Any, *arguments: Any) -> None:
        base.__init__(self, *arguments)
        self.number = next(_timer_numbers)

    def is_before(self: Any, other: Any) -> bool:
        return bool((self._when, self.number) < (other._when, other.number))

    names = {"__init__": start, "__lt__": is_before, "__slots__": ("number",)}
    return type("TimerHandle", (base,), names | {"__module__": base.__module__})


def _ordered_set(*items: Any) -> Any:
    return dict.fromkeys(*items) if items else set()


def _note_holders(lock: Any) -> None:
    """Let locks know the task that has them."""
    original = lock.acquire

    async def acquire(self: Any) -> bool:
        await original(self)
        self.holder = getattr(_asyncio.current_task(), "number", None)
        return True

    acquire.__qualname__ = original.__qualname__
    lock.acquire = acquire


def _shorten_texts(futures: Any, coroutines: Any) -> None:
    """Leave out what depends on the version of Python: callbacks, and lines of its own code."""
    info, text = futures._future_repr_info, coroutines._format_coroutine

    def future_info(future: Any) -> "list[str]":
        return [part for part in info(future) if not part.startswith("cb=[")]

    def coroutine_text(coroutine: Any) -> str:
        return _LIBRARY_LINE.sub(r" at \1", text(coroutine))

    futures._future_repr_info, coroutines._format_coroutine = future_info, coroutine_text
