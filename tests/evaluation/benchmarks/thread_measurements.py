"""Measurement: the expected results of the benchmark `threads`, on several versions and bounds.

python -m tests.evaluation.benchmarks.thread_measurements 3.11 3.12 3.13

The results of the default questions are found on each version; they must be the same. On the first
version, all schedules with one more preemption, and 1,000 random ones, must add no result.
"""

import sys
from contextlib import ExitStack

from tests.support.pythons import find_python
from worldline.core.trace import Limits, Program
from worldline.evaluation.benchmarks.threads import concurrent_programs
from worldline.languages.python.recorder import PythonRecorder, ScheduleBounds

_LIMITS = Limits(seconds=3_600.0, cpu_seconds=3_600)


def results(recorder: PythonRecorder, program: Program, preemptions: int, draws: int) -> set[str]:
    """The results of all schedules with some preemptions, and of random ones."""
    searches = [
        recorder.search_schedules(program, bounds, limits=_LIMITS)
        for bounds in (ScheduleBounds(preemptions), ScheduleBounds(0, 1, draws=draws))
    ]
    return {
        "deadlock" if outcome.ending == "deadlock" else outcome.text
        for search in searches
        for outcome in search.outcomes
    }


def measure(versions: list[str]) -> None:
    """Print how many questions have the same results."""
    same = more = single = deadlocks = 0
    total = 0
    with ExitStack() as stack:
        recorders = [
            stack.enter_context(PythonRecorder(python=find_python(version))) for version in versions
        ]
        for name, _, program in concurrent_programs():
            assert program is not None
            found = [results(recorder, program, 2, 200) for recorder in recorders]
            wider = results(recorders[0], program, 3, 1_000)
            total += 1
            same += all(each == found[0] for each in found)
            more += wider != found[0]
            single += len(found[0]) == 1
            deadlocks += "deadlock" in found[0]
            sys.stdout.write(f"{name}: {sorted(found[0])} {len(wider - found[0])} more\n")
            sys.stdout.flush()
    sys.stdout.write(
        f"{total} questions, {single} with one result, {deadlocks} that can deadlock; the same on "
        f"{', '.join(versions)}: {same}; with more results beyond the bound: {more}\n"
    )


if __name__ == "__main__":
    measure(sys.argv[1:])
