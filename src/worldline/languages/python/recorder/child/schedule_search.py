"""Search of schedules: one program, executed with many schedules in one process, without traces.

All schedules with at most a number of preemptions are executed, those with fewer first; then random
ones. A schedule is the list of threads that run next, up to the last that is not the default.
"""

import io
import sys
import threading
import time
from collections import deque
from typing import Any

from .bounded_repr import render, type_name
from .choice_session import ChoiceSession
from .interrupts import FILENAME
from .json_lines import OWN_BUILTINS
from .program_process import new_namespace, short_text
from .task_control import control_tasks
from .thread_choices import random_chooser
from .thread_primitives import replace_threads, reset_names
from .thread_scheduler import AbandonedError, ThreadScheduler

__builtins__ = OWN_BUILTINS

_monotonic = time.monotonic
# Threads are stored as bytes. Tasks have no choices of their own, but they are numbered, too.
_MAX_THREADS = 256


def _ignore(_: int) -> None:
    """Take no notice of the number of the task: nothing is recorded."""


class ScheduleSearch:
    """The executions that are left to do, and the outcomes so far."""

    def __init__(
        self, request: "dict[str, Any]", session: ChoiceSession, code: Any, start: Any
    ) -> None:
        """Prepare a search.

        Args:
            request: The program, its limits, and the bounds of the search (`search`): the number of
                preemptions, of executions and of lines of each, of random schedules, and a seed.
            session: The session of other choices, which have the first value of their domain.
            code: The compiled program.
            start: The compiled call; `code` itself if there is none.
        """
        self.request, self.session, self.code, self.start = request, session, code, start
        self.bounds = request["search"]
        self.scheduler = ThreadScheduler(lambda options, *_: options[0], self._on_deadlock)
        self.scheduler.is_searching = True
        replace_threads(self.scheduler, self._on_call, code)
        self.end_tasks = control_tasks(request, self.scheduler, _ignore, session.notes)
        self.deadline = _monotonic() + 0.8 * request["limits"]["seconds"]
        # For each outcome: its number of executions, and the key and schedule of the shortest.
        self.outcomes: dict[tuple[str, str, str], list[Any]] = {}
        self.executions = self.preempted = 0
        # All schedules with at most this number of preemptions were executed.
        self.finished = -1
        self.is_cut_off, self.is_exhaustive = False, True
        self.first_outcome: tuple[str, str, str] | None = None
        self.errors: list[str] = []
        # Of the current execution: the threads that were chosen, and the points of choice with
        # those that could run and whether the first of them was running.
        self.chosen = bytearray()
        self.points: list[tuple[list[int], bool]] = []

    def rows(self) -> "list[list[Any]]":
        """Search, and return one row per outcome, and one about the search."""
        self._enumerate()
        self._draw()
        ordered = sorted(self.outcomes.items(), key=lambda item: item[1][1])
        rows = [
            ["result", *outcome, count, key[0], key[1], list(schedule)]
            for outcome, (count, key, schedule) in ordered
        ]
        end = ["searched", self.executions, self.finished, self.is_exhaustive]
        return [*rows, ["result", *end]]

    def _enumerate(self) -> None:
        """Execute all schedules within the bound, those with fewer preemptions first."""
        bound, limit = self.bounds["preemptions"], self.bounds["max_executions"]
        pending: list[deque[bytes]] = [deque() for _ in range(bound + 1)]
        pending[0].append(b"")
        for preemptions, queue in enumerate(pending):
            while queue:
                if self.executions >= limit or _monotonic() > self.deadline:
                    self.is_exhaustive = False
                    return
                prefix = queue.popleft()
                self._execute_schedule(prefix, preemptions)
                self._add_alternatives(prefix, preemptions, pending)
            self.finished = self.finished if self.is_cut_off else preemptions
        # Modules keep what the program changes in them: another outcome may have been left out.
        if self.is_exhaustive:
            self.is_exhaustive = self._execute_prefix(b"") == self.first_outcome

    def _add_alternatives(
        self, prefix: bytes, preemptions: int, pending: "list[deque[bytes]]"
    ) -> None:
        """Add the schedules that differ in one choice after the first ones."""
        for number in range(len(prefix), len(self.points)):
            options, is_running = self.points[number]
            cost = preemptions + is_running
            if cost >= len(pending):
                self.is_exhaustive = False
                continue
            before = bytes(self.chosen[:number])
            pending[cost].extend([before + bytes([other]) for other in options[1:]])

    def _draw(self) -> None:
        """Execute random schedules."""
        for number in range(self.bounds["draws"]):
            if _monotonic() > self.deadline:
                return
            draw = random_chooser(self.bounds["seed"] + number)
            self.preempted = 0

            def choose(options: "list[int]", is_running: bool, draw: Any = draw) -> int:
                value = int(draw(options, is_running))
                self.preempted += is_running and value != options[0]
                return value

            outcome = self._execute(choose)
            last = max(
                [n for n, value in enumerate(self.chosen) if value != self.points[n][0][0]],
                default=-1,
            )
            self._add(outcome, self.preempted, bytes(self.chosen[: last + 1]))

    def _execute_schedule(self, prefix: bytes, preemptions: int) -> None:
        outcome = self._execute_prefix(prefix)
        self.first_outcome = self.first_outcome or outcome
        self._add(outcome, preemptions, prefix)

    def _execute_prefix(self, prefix: bytes) -> "tuple[str, str, str]":
        def choose(options: "list[int]", is_running: bool) -> int:
            number = len(self.chosen)
            return prefix[number] if number < len(prefix) else options[0]

        return self._execute(choose)

    def _add(self, outcome: "tuple[str, str, str]", preemptions: int, schedule: bytes) -> None:
        self.executions += 1
        if outcome[0] in ("step_limit", "too_many_threads", "not_deterministic"):
            self.is_cut_off, self.is_exhaustive = True, False
        if self.scheduler.is_incomplete or self.session.rows:
            # The thread can also continue, or time and random numbers have other values.
            self.is_exhaustive = False
        key = (preemptions, self.scheduler.switches, len(schedule), schedule)
        known = self.outcomes.setdefault(outcome, [0, key, schedule])
        known[0] += 1
        if key < known[1]:
            known[1:] = [key, schedule]

    # -- one execution ------------------------------------------------------------------------

    def _execute(self, choose: Any) -> "tuple[str, str, str]":
        """The ending, the result, and the exceptions of threads."""

        def choose_and_note(options: "list[int]", is_running: bool, name: str) -> int:
            if max(options) >= _MAX_THREADS:
                self.scheduler.stop(
                    "too_many_threads", f"more than {_MAX_THREADS} threads and tasks"
                )
            number = choose(options, is_running)
            if number not in options:
                self.scheduler.stop("not_deterministic", "another schedule was possible before")
            self.chosen.append(number)
            self.points.append((options, is_running))
            return int(number)

        self.chosen, self.points, self.errors = bytearray(), [], []
        scheduler = self.scheduler
        scheduler.restart(choose_and_note)
        scheduler.max_lines = self.bounds["max_lines"]
        self.session.restart([], is_systematic=True)
        reset_names()
        threading.excepthook = self._on_error
        threading.settrace(self._on_call)
        try:
            ending, text = self._run()
        except AbandonedError:
            ending, text = scheduler.end or ("exited", "")
        sys.settrace(None)
        scheduler.end_threads()
        # The scheduler ends what they still execute.
        sys.settrace(self._on_call)
        self.end_tasks()
        sys.settrace(None)
        return ending, text, "; ".join(self.errors)

    def _run(self) -> "tuple[str, str]":
        namespace = new_namespace(self.request | {"path": []})
        printed = sys.stdout = io.StringIO()
        sys.stdin = io.StringIO(self.request["stdin"])
        ending, text = "finished", ""
        try:
            if self.start is self.code:
                sys.settrace(self._on_call)
                eval(self.code, namespace)
            else:
                eval(self.code, namespace)
                sys.settrace(self._on_call)
                result = eval(self.start, namespace)
                sys.settrace(None)
                text = render(result, self.request["limits"]["value_chars"])
        except AbandonedError:
            raise
        except SystemExit as error:
            ending, text = "exited", short_text(error.code)
        except BaseException as error:  # noqa: BLE001
            ending, text = "raised", f"{type_name(type(error))}: {short_text(error)}"
        sys.settrace(None)
        self.scheduler.wait_for_threads()
        is_printed = self.start is self.code and ending == "finished"
        return ending, printed.getvalue() if is_printed else text

    def _on_call(self, frame: Any, event: str, arg: object) -> Any:
        """Trace function of each thread."""
        if self.scheduler.current.parent is not None:
            self.scheduler.begin()
        return self._on_line if frame.f_code.co_filename is FILENAME else None

    def _on_line(self, frame: Any, event: str, arg: object) -> Any:
        if event == "line":
            self.scheduler.before_line()
        return self._on_line

    def _on_deadlock(self, detail: str) -> None:
        self.scheduler.stop("deadlock", detail)

    def _on_error(self, raised: Any) -> None:
        """Note the exception that a thread has not caught."""
        if raised.exc_type is not AbandonedError and not self.scheduler.is_over:
            number = self.scheduler.current.number
            text = f"{type_name(raised.exc_type)}: {short_text(raised.exc_value)}"
            self.errors.append(f"thread {number} raised {text}")
