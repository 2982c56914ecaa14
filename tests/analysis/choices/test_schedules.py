"""Schedules of programs with threads: known bugs, all interleavings, and possible results."""

import itertools
import random
from collections.abc import Iterator

import pytest

from tests.support.thread_programs import ConcurrencyBug, concurrency_bugs
from worldline import PythonRecorder, make_prediction, record, schedules
from worldline.analysis.choices import Possibility, find_schedule_possibility
from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program, is_preemption
from worldline.evaluation.runs import execute_and_diagnose
from worldline.languages.python.recorder import ScheduleBounds
from worldline.models.codecs import get_codec
from worldline.models.prediction import Prediction

BUGS = concurrency_bugs()
LIMITS = Limits(seconds=600.0, cpu_seconds=300)
TINY = """
import threading

def f():
    out = []
    thread = threading.Thread(target=out.append, args=(1,))
    thread.start()
    out.append(2)
    thread.join()
    return out
"""
LOST = """
import threading

def f():
    total = 0
    def add():
        nonlocal total
        value = total
        total = value + 1
    threads = [threading.Thread(target=add), threading.Thread(target=add)]
    threads[0].start()
    threads[1].start()
    threads[0].join()
    threads[1].join()
    return total
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def test_there_are_enough_bugs() -> None:
    assert len(BUGS) >= 12


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_known_bug_is_found_and_its_correction_has_none(
    recorder: PythonRecorder, bug: ConcurrencyBug
) -> None:
    bounds = ScheduleBounds(preemptions=2)
    found = recorder.search_schedules(bug.buggy, bounds, limits=LIMITS)
    assert found.is_complete
    (outcome, *_) = [each for each in found.outcomes if each.text.startswith(bug.wrong)]
    # Its schedule gives that outcome.
    trace = recorder.record_scheduled(bug.buggy, outcome.schedule)
    assert trace.ending.reason == outcome.ending
    assert (trace.result or trace.ending.detail) == outcome.result
    assert sum(map(is_preemption, trace.choices)) == outcome.preemptions

    corrected = recorder.search_schedules(bug.corrected, bounds, limits=LIMITS)
    assert corrected.is_complete
    assert [each.text for each in corrected.outcomes] == [bug.right]


@pytest.mark.parametrize("seed", range(5))
def test_the_results_are_those_of_all_interleavings(recorder: PythonRecorder, seed: int) -> None:
    """Two threads of two lines: every order of the four lines has at most three preemptions."""
    rng = random.Random(seed)
    operations = [
        [f"{name} = x + {rng.randint(1, 3)}", f"x = {name} * {rng.randint(1, 3)}"]
        if rng.random() < 0.7
        else [f"x += {rng.randint(1, 3)}", f"x *= {rng.randint(2, 3)}"]
        for name in ("a", "b")
    ]
    expected = set()
    for order in set(itertools.permutations((0, 0, 1, 1))):
        names, left = {"x": 1}, [list(lines) for lines in operations]
        for thread in order:
            exec(left[thread].pop(0), names)
        expected.add(str(names["x"]))
    threads = [
        f"    def work{n}():\n        nonlocal x\n        {lines[0]}\n        {lines[1]}\n"
        for n, lines in enumerate(operations)
    ]
    source = (
        f"import threading\n\ndef f():\n    x = 1\n{''.join(threads)}"
        "    first = threading.Thread(target=work0)\n    second = threading.Thread(target=work1)\n"
        "    first.start(); second.start()\n    first.join(); second.join()\n    return x\n"
    )
    search = recorder.search_schedules(Program(source, "f()"), ScheduleBounds(3), limits=LIMITS)
    assert {outcome.text for outcome in search.outcomes} == expected


def test_the_shortest_schedule_has_the_fewest_preemptions(recorder: PythonRecorder) -> None:
    program = Program(LOST, "f()")
    searches = [recorder.search_schedules(program, ScheduleBounds(n)) for n in (0, 1, 2)]
    assert [[each.text for each in search.outcomes] for search in searches] == [
        ["2"], ["2", "1"], ["2", "1"],
    ]  # fmt: skip
    lost = searches[2].outcomes[1]
    assert (lost.preemptions, lost.switches) == (1, 4)
    assert searches[1].outcomes[1].schedule == lost.schedule
    assert sum(outcome.executions for outcome in searches[2].outcomes) == searches[2].executions


def test_a_small_program_has_a_finite_number_of_schedules() -> None:
    search = schedules(TINY, "f()", preemptions=9)
    assert search.is_exhaustive
    assert {outcome.text for outcome in search.outcomes} == {"[1, 2]", "[2, 1]"}
    stopped = schedules(LOST, "f()", max_executions=5)
    assert not stopped.is_complete
    assert stopped.executions == 5


def test_random_schedules_find_results_beyond_the_bound() -> None:
    found = schedules(LOST, "f()", preemptions=0, draws=100, seed=3)
    assert {outcome.text for outcome in found.outcomes} == {"1", "2"}
    assert found == schedules(LOST, "f()", preemptions=0, draws=100, seed=3)


def test_endless_loops_and_uncaught_exceptions_are_outcomes() -> None:
    source = """
import threading

def forever():
    while True:
        pass

def fail():
    raise KeyError("a")

def f(target):
    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    return "done"
"""
    (failed,) = schedules(source, "f(fail)").outcomes
    assert failed.text == "'done' (thread 1 raised KeyError: 'a')"
    endless = schedules(source, "f(forever)", preemptions=0)
    assert [outcome.ending for outcome in endless.outcomes] == ["step_limit"]
    assert not endless.is_complete


def test_programs_of_other_languages_are_refused() -> None:
    program = Program("const f = () => 1;", "f()", language="javascript")
    with pytest.raises(InputError, match="Python"):
        schedules(program)
    with pytest.raises(InputError, match="Python"):
        record(program, schedule=(0, 1))
    with pytest.raises(InputError, match="Python"):
        record(program, schedule_seed=1)


def test_negative_bounds_are_refused() -> None:
    with pytest.raises(InputError, match="preemptions=-1"):
        schedules(TINY, "f()", preemptions=-1)
    with pytest.raises(InputError, match="draws=-1"):
        schedules(TINY, "f()", draws=-1)


def predicted(program: Program, answer: str) -> Prediction:
    return make_prediction("a", program, f"[ANSWER] {answer} [/ANSWER]", get_codec("chat"))


@pytest.mark.parametrize(
    ("answer", "outcome"), [("[1, 2]", "possible"), ("[2,1]", "possible"), ("[1]", "impossible")]
)
def test_a_predicted_result_is_possible_or_not(
    recorder: PythonRecorder, answer: str, outcome: str
) -> None:
    sample = execute_and_diagnose(predicted(Program(TINY, "f()"), answer), recorder)
    assert isinstance(sample.possibility, Possibility)
    assert sample.possibility.outcome == outcome
    is_correct = sample.diagnosis.facts.outcome == "correct"
    assert is_correct == (outcome == "possible")
    if outcome == "possible":
        assert sample.actual.result == answer.replace(",", ", ").replace("  ", " ")


def test_an_impossible_result_is_undecided_without_all_schedules(
    recorder: PythonRecorder,
) -> None:
    possibility = find_schedule_possibility(
        predicted(Program(LOST, "f()"), "3"), recorder, max_executions=50
    )
    assert possibility.outcome == "undecided"
    assert "with at most" in possibility.reason
    assert "outcomes: 2, 1" in possibility.reason


# A search leaves out other random numbers, threads that continue for long, and what depends on
# earlier executions.
BEYOND_A_SEARCH = {
    "random": (
        """
import random
import threading

def f():
    out = []
    thread = threading.Thread(target=lambda: out.append(random.randint(1, 6)))
    thread.start()
    thread.join()
    return out
""",
        "[5]",
    ),
    "long": (
        """
import threading

def f():
    out = []
    thread = threading.Thread(target=out.append, args=(1,))
    thread.start()
    for _ in range(150):
        pass
    seen = len(out)
    thread.join()
    return seen
""",
        "0",
    ),
    "changed_module": (
        """
import collections
import threading

def f():
    vars(collections).setdefault("runs", []).append(1)
    out = []
    def work():
        out.append(2 if len(collections.runs) < 3 else 1)
    thread = threading.Thread(target=work)
    thread.start()
    out.append(3)
    thread.join()
    return out
""",
        "[3, 9]",
    ),
}


@pytest.mark.parametrize("name", BEYOND_A_SEARCH)
def test_a_result_beyond_the_search_is_not_impossible(recorder: PythonRecorder, name: str) -> None:
    source, answer = BEYOND_A_SEARCH[name]
    sample = execute_and_diagnose(predicted(Program(source, "f()"), answer), recorder)
    assert isinstance(sample.possibility, Possibility)
    assert sample.possibility.outcome == "undecided"


def test_the_recorded_execution_has_the_possible_result(recorder: PythonRecorder) -> None:
    source, _ = BEYOND_A_SEARCH["random"]
    (outcome,) = recorder.search_schedules(Program(source, "f()"), ScheduleBounds()).outcomes
    sample = execute_and_diagnose(predicted(Program(source, "f()"), outcome.result), recorder)
    assert isinstance(sample.possibility, Possibility)
    assert sample.possibility.outcome == "possible"
    assert sample.actual.result == outcome.result == "[1]"
    assert sample.diagnosis.facts.outcome == "correct"


def test_an_execution_that_cannot_be_repeated_is_undecided(recorder: PythonRecorder) -> None:
    source, _ = BEYOND_A_SEARCH["changed_module"]
    # Only a later execution in the same process has this result.
    possibility = find_schedule_possibility(predicted(Program(source, "f()"), "[3, 1]"), recorder)
    assert possibility.outcome == "undecided"
    assert "not if recorded" in possibility.reason
