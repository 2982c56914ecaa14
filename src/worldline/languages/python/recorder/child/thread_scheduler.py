"""Scheduler of a program's threads: one runs at a time, and every switch is a choice.

All other threads wait, each for its own gate. A thread can be switched before each line of the
program, and when it waits for a lock, another thread or a time. Time is virtual: it moves to the
earliest deadline if a waiting thread is chosen whose condition is not met.
"""

import os
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from sys import _getframe
from typing import Any

from .json_lines import OWN_BUILTINS
from .thread_waits import waiting_text

__builtins__ = OWN_BUILTINS

# After this number of lines in a row, the next thread that can run does: it may be waited for in a
# loop.
_MAX_LINES = 200
# A thread that does not end although its execution is over is parked after this number of waits.
_MAX_WAITS = 100


class AbandonedError(SystemExit):
    """The execution is over; raised in the threads that have not ended."""


class Task:
    """A thread of the program.

    Attributes:
        number: Its number; 0 for the main thread.
        gate: Released when the thread may run.
        condition: Whether what it waits for has happened; None if it is not waiting.
        deadline: The time at which it stops waiting.
        frame: Where it waits.
        waits: If its event loop waits, gives what each of its tasks waits for.
        parent: The thread that waits until this one is ready to run.
    """

    def __init__(self, number: int, *, is_daemon: bool = False) -> None:
        self.number = number
        self.is_daemon = is_daemon
        self.gate = allocate_lock()
        self.gate.acquire()
        self.condition: Callable[[], bool] | None = None
        self.deadline: float | None = None
        self.frame: Any = None
        self.waits: Callable[[], list[str]] | None = None
        self.parent: Task | None = None
        # The lock that Python up to 3.12 releases when the thread ends.
        self.sentinel: Any = None
        self.is_done = False

    def is_ready(self) -> bool:
        """Whether the thread can run now."""
        return self.condition is None or self.condition()


# Chooses one of the threads that can run; the second argument is whether the first of them is the
# current one, which could continue; the third is what is chosen, a "thread" or a "delay".
Choose = Callable[["list[int]", bool, str], int]


class ThreadScheduler:
    """Decides which thread of the program runs."""

    def __init__(self, choose: Choose, on_deadlock: "Callable[[str], None]") -> None:
        """Begin with the main thread.

        Args:
            choose: Chooses the next thread.
            on_deadlock: Ends the recording, with a text about who waits for what.
        """
        self.choose, self.on_deadlock = choose, on_deadlock
        # Whether the program is executed many times, in no time.
        self.is_searching = False
        os.register_at_fork(after_in_child=self._stop_in_fork)
        self.is_active = True
        self.restart(choose)

    def restart(self, choose: Choose) -> None:
        """Forget all threads: the next execution begins."""
        self.choose = choose
        self.current = Task(0)
        self.tasks = [self.current]
        self.alive = [self.current]
        self.now = 0.0
        # Lines since the last switch; lines and switches of the execution.
        self.lines_in_a_row = self.lines = self.switches = 0
        self.max_lines: int | None = None
        # Whether schedules are left out: a thread had to stop that could continue, or only some
        # amounts of time are considered.
        self.is_incomplete = False
        self.is_over = False
        self.waits_after_end = 0
        self.end: tuple[str, str] | None = None

    def _stop_in_fork(self) -> None:
        self.is_active = False

    # -- switches -----------------------------------------------------------------------------

    def before_line(self) -> None:
        """Choose which thread runs next; the current one is about to execute a line."""
        if self.is_over:
            raise AbandonedError
        self.lines += 1
        if self.max_lines is not None and self.lines > self.max_lines:
            self.stop("step_limit", f"more than {self.max_lines:,} lines")
        if len(self.alive) == 1 or not self.is_active:
            return
        options = self._others()
        if not options:
            return
        self.lines_in_a_row += 1
        if self.lines_in_a_row <= _MAX_LINES:
            options = [self.current.number, *options]
            number = self.choose(options, True, "thread")
        else:
            self.is_incomplete = True
            number = options[0] if len(options) == 1 else self.choose(options, False, "thread")
        if number != self.current.number:
            self._switch_to(self.tasks[number])

    def wait(self, condition: "Callable[[], bool]", timeout: "float | None" = None) -> bool:
        """Let other threads run until a condition is met.

        Args:
            condition: What to wait for.
            timeout: Seconds after which to stop.

        Returns:
            Whether the condition is met.
        """
        if self.is_over:
            self.go_on_late()
            raise AbandonedError
        task = self.current
        task.condition = condition
        task.deadline = None if timeout is None else self.now + timeout
        task.frame = _getframe(1)
        number = self._next()
        if number != task.number:
            self._switch_to(self.tasks[number])
        is_met = condition()
        if not is_met and task.deadline is not None:
            self.now = max(self.now, task.deadline)
        task.condition = task.deadline = task.frame = None
        return is_met

    def choose_delay(self) -> bool:
        """Whether the program is so slow that the next deadline of an event loop passes."""
        return not self.is_over and self.is_active and self.choose([0, 1], True, "delay") == 1

    def _next(self) -> int:
        """The thread that runs after the current one, which waits or has ended."""
        options = self._others()
        if not options:
            self._report_deadlock()
        return options[0] if len(options) == 1 else self.choose(options, False, "thread")

    def _others(self) -> "list[int]":
        """The threads that can run, without the current one unless that waits for a time.

        Those that are ready come first, in the order of their numbers from the current one on; then
        those whose deadline is the earliest.
        """
        ready, waiting = [], []
        own = self.current.number
        later = [task for task in self.alive if task.number > own]
        earlier = [task for task in self.alive if task.number <= own]
        for task in later + earlier:
            if task is self.current and task.condition is None:
                continue
            if task.is_ready():
                ready.append(task.number)
            elif task.deadline is not None:
                waiting.append(task)
        first = min([task.deadline for task in waiting], default=None)  # type: ignore[type-var]
        return ready + [task.number for task in waiting if task.deadline == first]

    def can_others_run(self) -> bool:
        """Whether a thread can run, now or at some time, besides the current one."""
        return bool(self._others())

    def _switch_to(self, task: Task) -> None:
        before, self.current = self.current, task
        self.lines_in_a_row = 0
        self.switches += 1
        task.gate.release()
        before.gate.acquire()
        if self.is_over:
            raise AbandonedError

    # -- begin and end of threads -------------------------------------------------------------

    def start(
        self,
        function: "Callable[..., object]",
        arguments: "tuple[Any, ...]" = (),
        named: "dict[str, Any] | None" = None,
        *,
        is_daemon: bool = False,
        prepare: "Callable[[], object]" = int,
    ) -> Task:
        """Start a thread; the current one continues as soon as the new one is ready to run.

        Args:
            function: What the thread executes.
            arguments: Its arguments.
            named: Its named arguments.
            is_daemon: Whether the program ends without waiting for the thread.
            prepare: Called first in the thread.
        """
        task = Task(len(self.tasks), is_daemon=is_daemon)
        task.parent = parent = self.current

        def run() -> None:
            try:
                prepare()
                function(*arguments, **(named or {}))
            finally:
                self._end(task)

        self.tasks.append(task)
        self.alive.append(task)
        self.current = task
        try:
            start_new_thread(run, ())
        except BaseException:
            self.current = parent
            self.tasks.pop()
            self.alive.pop()
            raise
        parent.gate.acquire()
        if self.is_over:
            raise AbandonedError
        return task

    def add_lane(self) -> int:
        """The number of a new task of an event loop; threads and tasks are numbered together."""
        lane = Task(len(self.tasks))
        lane.is_done = True
        self.tasks.append(lane)
        return lane.number

    def begin(self) -> int:
        """Called by a new thread that is ready to run; returns its number when it runs."""
        task = self.current
        if task.parent is not None:
            parent, task.parent = task.parent, None
            self.switches -= 1
            self._switch_to(parent)
        return task.number

    def _end(self, task: Task) -> None:
        task.is_done = True
        self.alive.remove(task)
        self.lines_in_a_row = 0
        self.switches += 1
        if self.is_over:
            following = self.tasks[0]
        elif task.parent is not None:
            following, task.parent = task.parent, None
        else:
            try:
                following = self.tasks[self._next()]
            except AbandonedError:
                following = self.tasks[0]
        self.current = following
        following.gate.release()

    def wait_for_threads(self) -> None:
        """Wait until all threads that are not daemons have ended."""

        def are_done() -> bool:
            return all(task.is_daemon for task in self.alive[1:])

        if not are_done():
            self.wait(are_done)

    # -- end of the execution -----------------------------------------------------------------

    def stop(self, reason: str, detail: str) -> None:
        """End an execution without a recording: raise an exception in the main thread."""
        self.end = (reason, detail)
        self.is_over = True
        if self.current is not self.tasks[0] and not self.current.is_done:
            self._switch_to(self.tasks[0])
        raise AbandonedError

    def end_threads(self) -> None:
        """End all threads but the main thread, one after the other."""
        main = self.tasks[0]
        self.is_over = True
        for task in self.alive[1:]:
            self.current = task
            task.gate.release()
            main.gate.acquire()
        self.current = main

    def go_on_late(self) -> None:
        """Park a thread that continues although the execution is over for a while."""
        self.waits_after_end += 1
        if self.waits_after_end > _MAX_WAITS and self.current is not self.tasks[0]:
            task, self.current = self.current, self.tasks[0]
            self.current.gate.release()
            task.gate.acquire()

    def _report_deadlock(self) -> None:
        texts = []
        for task in [task for task in self.alive if not task.is_daemon]:
            of_tasks = task.waits() if task.waits is not None else []
            texts += of_tasks or [waiting_text(task.number, task.frame)]
        self.on_deadlock("; ".join(texts))
