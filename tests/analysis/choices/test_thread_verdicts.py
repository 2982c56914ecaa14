"""Verdicts on programs with threads and tasks: nothing that some order gives is impossible."""

import random
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.analysis.choices.test_schedules import LOST
from tests.analysis.choices.test_thread_steps import RACY, edited, judge, step_of
from tests.analysis.choices.thread_possibility_measurements import (
    enumerate_matching,
    join,
    predicted,
)
from tests.support.task_programs import COUNTER
from tests.support.thread_programs import thread_program
from worldline.analysis.choices import find_possibility, results_to_text, thread_alternatives
from worldline.analysis.diagnosis import Sample
from worldline.core.trace import Limits, Program, Trace
from worldline.evaluation.runs import execute_and_diagnose
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.python.recorder.child import thread_scheduler
from worldline.models.codecs import get_codec
from worldline.models.prediction import make_prediction

DEADLOCK = "deadlock"
WORKER = """
import asyncio

out = []

def work():
    out.append(1)
    out.append(2)

async def main():
    task = asyncio.create_task(asyncio.to_thread(work))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    count = len(out)
    out.append(9)
    await task
    return out

def f():
    return asyncio.run(main())
"""
RACE = """
import random
import threading

def f():
    drawn = 1
    out = []
    def work():
        out.append(1)
    thread = threading.Thread(target=work)
    thread.start()
    count = len(out)
    thread.join()
    return count
"""
OVERWRITTEN = """
import random
import threading

def f():
    items = [1, 2]
    thread = threading.Thread(target=items.append, args=(3,))
    thread.start()
    random.shuffle(items)
    thread.join()
    return items
"""
CYCLE = """
import threading

def f():
    first, second = threading.Event(), threading.Event()
    def wait():
        first.wait()
        second.set()
    thread = threading.Thread(target=wait)
    thread.start()
    second.wait()
    first.set()
    thread.join()
    return 7
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def values_of(trace: Trace, name: str) -> list[str]:
    return [step.changed[name] for step in trace.steps if name in step.changed]


def diagnose_main(recorder: PythonRecorder, text: str, schedule: tuple[int, ...]) -> Sample:
    """The diagnosis of a prediction in CWM's format that has only the steps of the main thread."""
    trace = recorder.record_scheduled(Program(text, "f()"), schedule)
    steps = tuple(step for step in trace.steps if step.thread == 0)
    codec = get_codec("cwm")
    main = "".join(codec.encode(replace(trace, steps=steps, choices=())))
    return execute_and_diagnose(make_prediction("a", trace.program, main, codec), recorder)


def answer(
    recorder: PythonRecorder, text: str, expected: str | None, *, limits: Limits | None = None
) -> Sample:
    codec = get_codec("chat")
    prediction = make_prediction(
        "a", Program(CYCLE, "f()"), f"[ANSWER] {text} [/ANSWER]", codec, expected=expected
    )
    return execute_and_diagnose(prediction, recorder, limits=limits)


def interleaved(recorder: PythonRecorder) -> Trace:
    """The worker is interrupted after its first line, by the task."""
    traces = (recorder.record_scheduled(Program(WORKER, "f()"), seed=seed) for seed in range(200))
    return next(trace for trace in traces if trace.result == "[1, 9, 2]")


@pytest.mark.parametrize("codec", ["cwm-choices", "delta-choices", "cwm"])
def test_a_task_and_a_worker_thread_are_possible_or_undecided(
    recorder: PythonRecorder, codec: str
) -> None:
    trace = interleaved(recorder)
    assert judge(recorder, trace, codec).outcome == "possible"
    wrong = edited(trace, step_of(trace, "count", 1), "count", "5")
    result = judge(recorder, wrong, codec)
    assert result.outcome == "undecided"
    assert "do not determine the order of the threads or tasks" in result.reason


@pytest.mark.parametrize("codec", ["cwm-choices", "delta-choices"])
def test_the_steps_of_tasks_are_read_back_and_possible(
    recorder: PythonRecorder, codec: str
) -> None:
    trace = recorder.record_scheduled(Program(COUNTER, "count()"), (1,))
    assert trace.result == "1"
    prediction = predicted(trace, codec)
    decoded = prediction.decoded
    assert [replace(step, line=0) for step in decoded.steps] == [
        replace(step, line=0) for step in trace.steps
    ]
    assert decoded.choices == {}
    assert judge(recorder, trace, codec).outcome == "possible"
    # Without threads, it is recorded in real time first, and no step has the number of a task.
    sample = execute_and_diagnose(prediction, recorder)
    assert sample.diagnosis.facts.outcome == "correct"


def test_tasks_in_real_time_are_never_impossible(recorder: PythonRecorder) -> None:
    text = COUNTER.replace("total = [0]", "total = [random.randint(0, 1)]")
    text = text.replace("import asyncio", "import asyncio\nimport random")
    text = text.replace("sleep(1)", "sleep(0.001)").replace("total, 2)", "total, 0.001)")
    codec = get_codec("cwm-choices")
    trace = recorder.record(Program(text, "count()"))
    wrong = re.sub(r'"value": "[01]"', '"value": "5"', "".join(codec.encode(trace)))
    sample = execute_and_diagnose(make_prediction("a", trace.program, wrong, codec), recorder)
    assert sample.possibility is not None
    assert sample.possibility.outcome == "undecided"


@pytest.mark.parametrize("drawn", ["1", "random.randint(1, 2)"])
def test_the_main_thread_alone_is_undecided_after_a_choice(
    recorder: PythonRecorder, drawn: str
) -> None:
    """Some order gives each of these; the threads' own order is not searched for main's steps."""
    text = RACE.replace("drawn = 1", f"drawn = {drawn}")
    for schedule in ((), (0, 0, 0, 0), (0, 1, 1, 1)):
        sample = diagnose_main(recorder, text, schedule)
        outcome = "correct" if sample.possibility is None else sample.possibility.outcome
        assert outcome in ("correct", "possible", "undecided")
    lost = LOST.replace("total = 0", f"drawn = {drawn}\n    total = 0", 1)
    lost = lost.replace("import threading", "import random\nimport threading")
    sample = diagnose_main(recorder, lost, (0, 0, 1, 1, 2))
    assert sample.possibility is not None
    assert sample.possibility.outcome == "undecided"


def test_the_main_thread_is_impossible_before_any_choice(recorder: PythonRecorder) -> None:
    trace = recorder.record(Program(LOST, "f()"))
    codec = get_codec("cwm")
    wrong = "".join(codec.encode(trace)).replace('"total": "0"', '"total": "5"', 1)
    sample = execute_and_diagnose(make_prediction("a", trace.program, wrong, codec), recorder)
    assert sample.possibility is not None
    assert sample.possibility.outcome == "impossible"


def test_a_value_that_another_thread_changes_is_possible(recorder: PythonRecorder) -> None:
    traces = (
        recorder.record_scheduled(Program(OVERWRITTEN, "f()"), seed=seed) for seed in range(200)
    )
    # The thread runs between the shuffle and the step that shows the list.
    shown = ["[1, 2]", "[2, 1, 3]"]
    trace = next(trace for trace in traces if values_of(trace, "items") == shown)
    assert judge(recorder, trace, "cwm-choices").outcome == "possible"


def test_a_step_of_another_thread_has_no_kind_of_action(recorder: PythonRecorder) -> None:
    trace = recorder.record_scheduled(Program(LOST, "f()"), RACY)
    first = next(number for number, step in enumerate(trace.steps) if step.thread == 1)
    steps = list(trace.steps)
    steps[first] = replace(steps[first], thread=9)
    prediction = predicted(replace(trace, steps=tuple(steps)), "delta-choices")
    facts = execute_and_diagnose(prediction, recorder).diagnosis.facts
    assert facts.divergence is not None
    assert (facts.divergence.step, facts.divergence.where) == (first, "action")
    assert facts.divergence.is_other_thread
    assert facts.action is not None
    assert facts.action.kind == "unknown"


def test_a_deadlock_is_an_answer(recorder: PythonRecorder) -> None:
    expected = results_to_text([DEADLOCK])
    sample = answer(recorder, "deadlock", expected)
    assert sample.diagnosis.facts.outcome == "correct"
    assert sample.possibility is not None
    assert sample.possibility.outcome == "possible"
    assert sample.actual.ending.reason == DEADLOCK
    sample = answer(recorder, "7", expected)
    facts = sample.diagnosis.facts
    assert facts.outcome == "diverged"
    assert facts.divergence is not None
    assert facts.divergence.actual == DEADLOCK
    assert sample.possibility is not None
    assert sample.possibility.outcome == "impossible"


def test_a_deadlock_that_lasts_until_the_time_limit_is_searched(recorder: PythonRecorder) -> None:
    """Without the scheduler, the program is killed, and does not say that it has threads."""
    sample = answer(recorder, "deadlock", None, limits=Limits(seconds=1.0))
    assert sample.diagnosis.facts.outcome == "correct"
    assert sample.actual.ending.reason == DEADLOCK


def test_the_limit_of_lines_is_that_of_the_scheduler() -> None:
    assert thread_alternatives._MAX_LINES == thread_scheduler._MAX_LINES


@pytest.mark.parametrize("seed", [1, 3, 26, 51, 87, 119])
def test_joined_executions_are_judged_as_without_leaving_out_switches(
    recorder: PythonRecorder, seed: int
) -> None:
    """The first steps of one schedule and the last ones of another: a third one may give them."""
    program = thread_program(seed)
    traces = [recorder.record_scheduled(program, seed=seed + each) for each in range(2)]
    joined = join(traces[0], traces[1], random.Random(seed))
    if joined is None:
        pytest.skip("the two executions differ in too few steps")
    prediction = predicted(joined, "delta-choices")
    expected = enumerate_matching(recorder, prediction)
    result = find_possibility(prediction, recorder, has_threads=True)
    if expected is not None:
        assert (result.outcome, result.step) == expected
