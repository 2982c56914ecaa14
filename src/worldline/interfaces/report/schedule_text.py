"""Text of a search of schedules: the outcomes, each with its shortest schedule."""

from collections.abc import Iterator, Sequence

from worldline.core.trace import Choice, is_preemption, schedule_of, schedule_text
from worldline.core.util.text import pluralize, truncate_text
from worldline.languages.python.recorder import ScheduleSearch


def schedule_lines(
    search: ScheduleSearch, *, width: int, limit: int | None = None
) -> Iterator[str]:
    """Yield one line about the search, and two per outcome: its text, and its schedule."""
    outcomes = pluralize(len(search.outcomes), "outcome")
    yield f"{outcomes}, {pluralize(search.executions, 'execution')}: {_extent(search)}"
    for number, outcome in enumerate(search.outcomes):
        if limit is not None and number >= limit:
            yield f"… {len(search.outcomes) - limit:,} more; list all with --all"
            return
        text = outcome.text.rstrip("\n").replace("\n", "⏎")
        yield truncate_text(text, max(20, 3 * width))
        preemptions = pluralize(outcome.preemptions, "preemption")
        executions = pluralize(outcome.executions, "execution")
        yield f"    --schedule '{schedule_text(outcome.schedule)}'  {preemptions}, {executions}"


def schedule_summary(choices: Sequence[Choice]) -> str:
    """The schedule of an execution: "0*5 1*2 2  (1 preemption)"."""
    preemptions = pluralize(sum(map(is_preemption, choices)), "preemption")
    return f"{schedule_text(schedule_of(choices))}  ({preemptions})"


def _extent(search: ScheduleSearch) -> str:
    """Which schedules were executed."""
    bound = f"at most {pluralize(search.bounds.preemptions, 'preemption')}"
    if search.is_exhaustive:
        return "all schedules that there are"
    if search.is_complete:
        return f"all schedules with {bound}"
    return f"not all schedules with {bound} (a limit was reached)"
