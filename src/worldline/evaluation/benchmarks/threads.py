"""Threads benchmark: small concurrent programs, and the set of their possible results.

An answer is correct if some schedule gives it. With repeats, the different answers to a question
are compared with the set.
"""

from collections.abc import Iterator, Sequence

from worldline.analysis.choices import results_to_text
from worldline.core.errors import InputError
from worldline.core.trace import DEADLOCK, Limits, Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.core.util.text import pluralize
from worldline.evaluation.benchmarks.benchmark import Benchmark, BenchmarkOptions, SkippedItem
from worldline.evaluation.benchmarks.concurrent_programs import KINDS
from worldline.languages.python.recorder import PythonRecorder, ScheduleBounds, ScheduleSearch
from worldline.models.prediction import Question

# How often a program is drawn again that is there already.
_MAX_ATTEMPTS = 50
_MAX_EXECUTIONS = 20_000
# The number of executions limits a search, not the time: the results do not depend on the machine.
_LIMITS = Limits(seconds=3_600.0, cpu_seconds=3_600)


def threads(
    *,
    kinds: Sequence[str] = tuple(KINDS),
    per_kind: int = 3,
    preemptions: int = 2,
    draws: int = 200,
    seed: int = 0,
) -> Benchmark:
    """Programs with threads; every result that some schedule gives is correct.

    The possible results of each program are found by executing it with all schedules that have at
    most some preemptions, and, if these are not all schedules, with random ones. Ask with --repeats
    to measure how many of them the answers name.

    Args:
        kinds: Kinds of programs.
        per_kind: Programs of each kind.
        preemptions: Maximum number of preemptions of an enumerated schedule.
        draws: Random schedules of a program whose schedules were not all executed.
        seed: Seed of the programs and of the random schedules.
    """
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds or len(set(kinds)) < len(kinds):
        raise InputError(
            f"threads: kinds={','.join(kinds)} must be one or more different ones of "
            f"{', '.join(KINDS)}"
        )
    for name, value, least in (
        ("per_kind", per_kind, 1),
        ("preemptions", preemptions, 0),
        ("draws", draws, 0),
    ):
        if value < least:
            raise InputError(f"threads: {name}={value} is too few; give {name}={least} or more")
    questions: list[Question] = []
    skipped: list[SkippedItem] = []
    bounds = ScheduleBounds(preemptions, _MAX_EXECUTIONS)
    sampled = ScheduleBounds(0, 1, draws=draws, seed=seed)
    with PythonRecorder() as recorder:
        for name, kind, program in concurrent_programs(kinds=kinds, per_kind=per_kind, seed=seed):
            if program is None:
                skipped.append(SkippedItem(name, "", "too few different programs"))
            else:
                questions.append(_question(name, kind, program, recorder, bounds, sampled))
    options: BenchmarkOptions = {
        "kinds": list(kinds),
        "per_kind": per_kind,
        "preemptions": preemptions,
        "draws": draws,
        "seed": seed,
    }
    return Benchmark("threads", tuple(questions), options, tuple(skipped))


def concurrent_programs(
    *, kinds: Sequence[str] = tuple(KINDS), per_kind: int = 3, seed: int = 0
) -> Iterator[tuple[str, str, Program | None]]:
    """The name and kind of each question, and its program, if another one could be drawn.

    Nothing is executed. For the arguments, see `threads`.
    """
    for kind in kinds:
        rng = SeededRandom("threads", seed, kind)
        known: set[str] = set()
        for number in range(per_kind):
            attempts = (KINDS[kind](rng) for _ in range(_MAX_ATTEMPTS))
            program = next((each for each in attempts if each.hash not in known), None)
            if program is not None:
                known.add(program.hash)
            yield f"{kind}_n{number}", kind, program


def _question(
    name: str,
    kind: str,
    program: Program,
    recorder: PythonRecorder,
    bounds: ScheduleBounds,
    sampled: ScheduleBounds,
) -> Question:
    """A question that expects the results of all schedules that were executed."""
    search = recorder.search_schedules(program, bounds, limits=_LIMITS)
    searches = [search]
    if not search.is_exhaustive and sampled.draws:
        searches.append(recorder.search_schedules(program, sampled, limits=_LIMITS))
    results = sorted({text for each in searches for text in _results(each)})
    facets: dict[str, str | int] = {
        "kind": kind,
        "outcomes": len(results),
        "bound": _bound_text(search, sampled.draws),
    }
    return Question(name, program, results_to_text(results), facets)


def _results(search: ScheduleSearch) -> Iterator[str]:
    """The results of the executions; a deadlock is one, without its details."""
    for outcome in search.outcomes:
        yield DEADLOCK if outcome.ending == DEADLOCK else outcome.text


def _bound_text(search: ScheduleSearch, draws: int) -> str:
    """Which schedules were executed: "2 preemptions, 200 random schedules"."""
    if search.is_exhaustive:
        return "all schedules"
    bound = pluralize(max(0, search.finished_preemptions), "preemption")
    return f"{bound}, {pluralize(draws, 'random schedule')}" if draws else bound
