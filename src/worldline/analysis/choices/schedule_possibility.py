"""Possibility of a predicted result of a program with threads: whether some schedule gives it."""

from typing import Protocol

from worldline.analysis.choices.possibility import Possibility, PossibilityOutcome
from worldline.core.trace import DEADLOCK, Limits, Program, Trace, schedule_text
from worldline.core.util.text import pluralize, truncate_text
from worldline.languages.python.recorder import ScheduleBounds, ScheduleSearch
from worldline.models.prediction import Prediction

# Bounds of two searches: a quick one, and one that looks for all schedules that there are.
_QUICK = 1
_ALL = 100
MAX_SCHEDULES = 5_000
_LIMITS = Limits(seconds=60.0, cpu_seconds=60)
_MAX_LISTED = 5


class ScheduleRecorder(Protocol):
    """Executes programs with given schedules of their threads."""

    def record_scheduled(
        self, program: Program, schedule: tuple[int, ...] = (), *, limits: Limits | None = None
    ) -> Trace:
        """Execute a program; see `PythonRecorder.record_scheduled`."""
        ...

    def search_schedules(
        self, program: Program, bounds: ScheduleBounds, *, limits: Limits | None = None
    ) -> ScheduleSearch:
        """Execute a program many times; see `PythonRecorder.search_schedules`."""
        ...


def find_schedule_possibility(
    prediction: Prediction,
    recorder: ScheduleRecorder,
    *,
    limits: Limits | None = None,
    max_executions: int = MAX_SCHEDULES,
) -> Possibility:
    """Search for a schedule of the program's threads that gives the predicted result.

    Schedules with fewer preemptions are executed first. The result is impossible only if all
    schedules that there are were executed, with switches before lines. It is possible only if the
    recorded execution has it, too.

    Args:
        prediction: The predicted result.
        recorder: Executes the program.
        limits: Limits of the execution that is recorded.
        max_executions: Maximum number of schedules.
    """
    program, executions = prediction.program, 0
    for preemptions in (_QUICK, _ALL):
        bounds = ScheduleBounds(preemptions, max_executions)
        search = recorder.search_schedules(program, bounds, limits=_LIMITS)
        executions += search.executions
        schedule = _schedule_of_result(search, prediction)
        if schedule is not None:
            trace = recorder.record_scheduled(program, schedule, limits=limits)
            # A script's result is what it prints, as in the search.
            result = trace.stdout if program.entry is None else trace.result
            if _is_predicted(trace.ending.reason, result, prediction):
                return Possibility("possible", trace, executions=executions)
            reason = f"schedule {schedule_text(schedule)} gives this result, but not if recorded"
            return Possibility("undecided", trace, None, reason, executions)
        if search.is_exhaustive:
            break
    trace = recorder.record_scheduled(program, limits=limits)
    outcome, reason = _judge(search)
    return Possibility(outcome, trace, None, reason, executions)


def _schedule_of_result(search: ScheduleSearch, prediction: Prediction) -> tuple[int, ...] | None:
    """The shortest schedule that gives the predicted result."""
    for outcome in search.outcomes:
        if _is_predicted(outcome.ending, outcome.result, prediction):
            return outcome.schedule
    return None


def _is_predicted(ending: str, result: str | None, prediction: Prediction) -> bool:
    """Whether an execution has the predicted result, which may be "deadlock"."""
    answer = prediction.answer or ""
    if ending == DEADLOCK:
        return answer.strip() == DEADLOCK
    are_equal = prediction.program.values.results_equal
    return ending == "finished" and result is not None and are_equal(result, answer)


def _judge(search: ScheduleSearch) -> tuple[PossibilityOutcome, str]:
    """The outcome of a search that has not found the predicted result, and why."""
    texts = [truncate_text(outcome.text, 40) for outcome in search.outcomes[:_MAX_LISTED]]
    more = ", …" if len(search.outcomes) > _MAX_LISTED else ""
    others = f"outcomes: {', '.join(texts)}{more}"
    count = pluralize(search.executions, "execution")
    if search.is_exhaustive:
        every = "no schedule with switches before lines gives this result"
        return "impossible", f"{every} ({count}; {others})"
    bound = pluralize(search.finished_preemptions, "preemption")
    tried = f"with at most {bound} " if search.finished_preemptions >= 0 else "that was tried "
    return "undecided", f"no schedule {tried}gives this result ({count}; {others})"
