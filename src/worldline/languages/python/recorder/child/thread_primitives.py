"""Locks, threads and times of `threading`, `queue` and `time`, under the control of a scheduler.

Only what is written in C is replaced: `Condition`, `Event`, `Semaphore`, `Barrier` and `Queue` are
Python code on top of it.
"""

import _thread
import itertools
import sys
import threading
import time
from importlib import import_module
from types import CodeType
from typing import Any

from .choice_session import Replacement
from .json_lines import OWN_BUILTINS
from .shared_process import _nested_codes
from .thread_scheduler import Task, ThreadScheduler
from .thread_waits import FIRST_IDENT

__builtins__ = OWN_BUILTINS

_CLOCKS = ("time", "monotonic", "perf_counter")
_scheduler: ThreadScheduler


class Lock:
    """A lock that lets other threads run while it waits."""

    __slots__ = ("__weakref__", "holder", "is_locked")

    def __init__(self) -> None:
        self.is_locked = False
        self.holder: int | None = None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Acquire the lock; whether it was possible."""
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if timeout < 0 and timeout != -1:
            raise ValueError("timeout value must be a non-negative number")
        if self.is_locked:
            if _scheduler.is_over:
                _scheduler.go_on_late()
            elif not blocking or not _scheduler.wait(
                self._is_free, None if timeout == -1 else timeout
            ):
                return False
        self.is_locked, self.holder = True, _scheduler.current.number
        return True

    def release(self) -> None:
        """Release the lock, whichever thread has it."""
        if not self.is_locked and not _scheduler.is_over:
            raise RuntimeError("release unlocked lock")
        self.is_locked, self.holder = False, None

    def locked(self) -> bool:
        """Whether a thread has the lock."""
        return self.is_locked

    def _is_free(self) -> bool:
        return not self.is_locked

    def _at_fork_reinit(self) -> None:
        self.is_locked, self.holder = False, None

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    acquire_lock, release_lock, locked_lock = acquire, release, locked

    def __repr__(self) -> str:
        state = "locked" if self.is_locked else "unlocked"
        return f"<{state} _thread.lock object at {id(self):#x}>"


# The program sees the name of the type that it replaces.
Lock.__module__, Lock.__qualname__, Lock.__name__ = "_thread", "lock", "lock"


class RLock:
    """A lock that the thread that has it can acquire again."""

    __slots__ = ("__weakref__", "block", "count", "holder")

    def __init__(self) -> None:
        self.block = Lock()
        self.holder: int | None = None
        self.count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Acquire the lock; whether it was possible."""
        if not self._is_owned() and not self.block.acquire(blocking, timeout):
            return False
        self.holder = _scheduler.current.number
        self.count += 1
        return True

    def release(self) -> None:
        """Release the lock once."""
        if not self._is_owned() and not _scheduler.is_over:
            raise RuntimeError("cannot release un-acquired lock")
        self.count -= 1
        if self.count <= 0:
            self._release_save()

    def _is_owned(self) -> bool:
        return self.holder == _scheduler.current.number

    def _recursion_count(self) -> int:
        return self.count if self._is_owned() else 0

    def _release_save(self) -> "tuple[int, int | None]":
        state = self.count, self.holder
        self.count, self.holder = 0, None
        self.block.release()
        return state

    def _acquire_restore(self, state: "tuple[int, int | None]") -> None:
        self.block.acquire()
        self.count, self.holder = state

    def _at_fork_reinit(self) -> None:
        self.__init__()  # type: ignore[misc]

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        state = "locked" if self.count else "unlocked"
        owner = 0 if self.holder is None else FIRST_IDENT + self.holder
        address = f"at {id(self):#x}"
        return f"<{state} _thread.RLock object owner={owner} count={self.count} {address}>"


RLock.__module__ = "_thread"


class ThreadHandle:
    """What `threading.Thread` has since Python 3.13 to wait for its thread."""

    def __init__(self) -> None:
        self.task: Task | None = None

    @property
    def ident(self) -> int:
        """The identifier of the thread."""
        return FIRST_IDENT + (self.task.number if self.task is not None else 0)

    def is_done(self) -> bool:
        """Whether the thread has ended."""
        return self.task is not None and self.task.is_done

    def join(self, timeout: "float | None" = None) -> None:
        """Wait until the thread has ended."""
        if not self.is_done():
            _scheduler.wait(self.is_done, timeout)

    def _set_done(self) -> None:
        pass


class _ActiveThreads(dict):  # type: ignore[type-arg]
    """Threads by identifier; a fork, in which a value is rendered, must not forget them."""

    def clear(self) -> None:
        pass


class _NoThreads(set):  # type: ignore[type-arg]
    """Threads that a fork, in which a value is rendered, considers as stopped: none."""

    def add(self, thread: object) -> None:
        pass


class _OrderedSet(dict):  # type: ignore[type-arg]
    """A set in order of insertion: that of locks and threads depends on their addresses."""

    def add(self, item: object) -> None:
        self[item] = None

    def discard(self, item: object) -> None:
        self.pop(item, None)

    def difference_update(self, items: "list[object]") -> None:
        for item in items:
            self.discard(item)


def replace_threads(scheduler: ThreadScheduler, hook: Any, code: CodeType) -> None:
    """Put the program's threads under the control of a scheduler.

    Args:
        scheduler: The scheduler.
        hook: The trace function of new threads.
        code: The program's code.
    """
    global _scheduler
    _scheduler = scheduler
    module: Any = threading
    _thread.start_new_thread = _thread.start_new = _raw_start(scheduler, hook)
    _thread.allocate_lock = _thread.allocate = Lock  # type: ignore[assignment]
    _thread.get_ident = _ident
    module.Lock = module._allocate_lock = Lock
    module._CRLock = _thread.RLock = RLock  # type: ignore[misc, assignment]
    module.get_ident, module.get_native_id = _ident, _ident
    main = threading.main_thread()
    module._active = _ActiveThreads({FIRST_IDENT: main})
    module._dangling = _NoThreads()
    module._enumerate = lambda: [threading.current_thread()]
    main._ident = FIRST_IDENT  # type: ignore[attr-defined]
    if hasattr(module, "_start_joinable_thread"):
        module._start_joinable_thread = _start_joinable
        module._ThreadHandle = ThreadHandle
        module._thread_shutdown = scheduler.wait_for_threads
    else:
        module._start_new_thread = _start_with_sentinel
        module._set_sentinel = _sentinel
        module._shutdown_locks = _OrderedSet()
    _replace_waiting(scheduler)
    names = [name for each in _nested_codes(code) for name in each.co_names]
    if any("concurrent" in name or "asyncio" in name for name in names):
        pools: Any = import_module("concurrent.futures.thread")
        pools.set = _OrderedSet


def _ident() -> int:
    return FIRST_IDENT + _scheduler.current.number


def _raw_start(scheduler: ThreadScheduler, hook: Any) -> Any:
    def start(function: Any, arguments: Any, named: Any = None) -> int:
        def prepare() -> None:
            sys.settrace(hook)

        task = scheduler.start(function, arguments, named, is_daemon=True, prepare=prepare)
        return FIRST_IDENT + task.number

    return Replacement(_thread.start_new_thread, start)


def _start_joinable(function: Any, *, handle: ThreadHandle, daemon: bool) -> None:
    scheduler = _scheduler

    def prepare() -> None:
        handle.task = scheduler.current

    scheduler.start(function, is_daemon=daemon, prepare=prepare)


def _start_with_sentinel(function: Any, arguments: Any) -> None:
    scheduler = _scheduler

    def run() -> None:
        try:
            function(*arguments)
        finally:
            if scheduler.current.sentinel is not None:
                scheduler.current.sentinel.release()

    scheduler.start(run, is_daemon=function.__self__.daemon)


def _sentinel() -> Lock:
    """The lock that Python up to 3.12 releases when the calling thread ends."""
    _scheduler.current.sentinel = lock = Lock()
    return lock


def _replace_waiting(scheduler: ThreadScheduler) -> None:
    """Replace what waits for a time, and the clocks that waiting functions read."""
    import queue

    original = time.sleep

    def sleep(seconds: Any, /) -> None:
        if seconds < 0:
            raise ValueError("sleep length must be non-negative")
        if len(scheduler.tasks) == 1 and not scheduler.is_searching:
            # A program without threads takes its time.
            original(seconds)
        else:
            scheduler.wait(lambda: False, seconds)

    def shifted(original: Any, factor: int) -> Any:
        def read() -> Any:
            value = original()
            return value + type(value)(scheduler.now * factor)

        return Replacement(original, read)

    time.sleep = Replacement(original, sleep)
    for name in _CLOCKS:
        setattr(time, name, shifted(getattr(time, name), 1))
        setattr(time, f"{name}_ns", shifted(getattr(time, f"{name}_ns"), 1_000_000_000))
    modules: Any = (threading, queue)
    modules[0]._time = modules[1].time = lambda: scheduler.now
    simple: Any = queue._PySimpleQueue  # type: ignore[attr-defined]
    simple.__module__, simple.__qualname__, simple.__name__ = "_queue", "SimpleQueue", "SimpleQueue"
    queue.SimpleQueue = simple  # type: ignore[misc]


def reset_names() -> None:
    """Number the names of threads from 1 again, and forget the threads of an execution."""
    module: Any = threading
    module._counter = itertools.count(1).__next__
    for ident in [ident for ident in module._active if ident != FIRST_IDENT]:
        del module._active[ident]
    module._limbo.clear()
    getattr(module, "_shutdown_locks", set()).clear()
    pools: Any = sys.modules.get("concurrent.futures.thread")
    if pools is not None:
        pools.ThreadPoolExecutor._counter = itertools.count().__next__
