"""Predicted steps of several threads: written, read back, and followed by the schedule."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.analysis.choices.test_schedules import LOST, TINY
from tests.analysis.choices.thread_possibility_measurements import predicted
from tests.support.thread_programs import thread_program
from worldline import diagnose
from worldline.analysis.choices import Possibility, find_possibility
from worldline.core.errors import InputError, RecorderError
from worldline.core.trace import Program, Trace
from worldline.evaluation.runs import execute_and_diagnose
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import make_prediction

# One thread reads the variable before the other writes it.
RACY = (0, 0, 1, 1, 2)
UNSEEN = """
import queue
import threading

tasks = queue.SimpleQueue()

def f():
    threading.Thread(target=tasks.put, args=(1,)).start()
    count = tasks.qsize()
    return 7
"""
WAITING = """
import threading

lock = threading.Lock()

def f():
    def work():
        with lock:
            x = 1
    threads = [threading.Thread(target=work), threading.Thread(target=work)]
    threads[0].start(); threads[1].start()
    threads[0].join(); threads[1].join()
    return 7
"""

# An exception leaves a function after another thread has run.
LEFT = """
import threading

def work():
    try:
        raise ValueError
    finally:
        x = 1

def f():
    thread = threading.Thread(target=work)
    thread.start()
    try:
        1 / 0
    finally:
        thread.join()
"""
POOL = """
from concurrent.futures import ThreadPoolExecutor

def work():
    x = 1

def f():
    with ThreadPoolExecutor() as pool:
        pool.submit(work)
        raise ValueError
"""


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


@pytest.fixture(scope="module")
def racy(recorder: PythonRecorder) -> Trace:
    trace = recorder.record_scheduled(Program(LOST, "f()"), RACY)
    assert trace.result == "1"
    return trace


def edited(trace: Trace, step: int, name: str, value: str) -> Trace:
    """The trace with one value of a step changed."""
    steps = list(trace.steps)
    assert name in steps[step].changed
    steps[step] = replace(steps[step], changed={**steps[step].changed, name: value})
    return replace(trace, steps=tuple(steps))


def judge(recorder: PythonRecorder, trace: Trace, codec: str = "cwm-choices") -> Possibility:
    return find_possibility(predicted(trace, codec), recorder, has_threads=True)


def step_of(trace: Trace, name: str, thread: int) -> int:
    """The first step of a thread that changes a variable."""
    return next(n for n, s in enumerate(trace.steps) if s.thread == thread and name in s.changed)


@pytest.mark.parametrize("seed", [2, 7])
def test_the_steps_of_threads_are_read_back(recorder: PythonRecorder, seed: int) -> None:
    trace = recorder.record_scheduled(thread_program(seed), seed=seed)
    assert len({step.thread for step in trace.steps}) > 2
    codec = get_codec("delta-choices")
    decoded = codec.decode("".join(codec.encode(trace)), trace.program)
    assert (decoded.steps, decoded.stop, decoded.choices) == (trace.steps, "complete", {})
    assert decoded.names_threads
    # CWM's format writes no line numbers.
    codec = get_codec("cwm-choices")
    decoded = codec.decode("".join(codec.encode(trace)), trace.program)
    assert [replace(step, line=0) for step in decoded.steps] == [
        replace(step, line=0) for step in trace.steps
    ]


@pytest.mark.parametrize("text", [LEFT, POOL])
@pytest.mark.parametrize("name", ["cwm-choices", "delta-choices"])
def test_a_return_by_exception_after_a_switch_is_read_back(
    recorder: PythonRecorder, text: str, name: str
) -> None:
    trace = recorder.record_scheduled(Program(text, "f()"))
    pairs = zip(trace.steps, trace.steps[1:], strict=False)
    assert any(a.thread != b.thread and b.event == "return" and b.value is None for a, b in pairs)
    decoded = predicted(trace, name).decoded
    assert decoded.stop == "complete"
    assert [step.thread for step in decoded.steps] == [step.thread for step in trace.steps]
    if name == "delta-choices":
        assert decoded.steps == trace.steps
    sample = execute_and_diagnose(predicted(trace, name), recorder)
    assert sample.diagnosis.facts.outcome == "correct"


def test_a_switch_is_written_at_the_step_that_follows_it(racy: Trace) -> None:
    text = "".join(get_codec("cwm-choices").encode(racy))
    marks = re.findall(r'"\.thread": "(\d)"', text)
    switches = [
        str(step.thread)
        for before, step in zip(racy.steps, racy.steps[1:], strict=False)
        if step.thread != before.thread
    ]
    assert marks == switches == ["1", "2", "1", "0"]
    returned = replace(racy, steps=(racy.steps[0], replace(racy.steps[-1], thread=2)))
    assert ".thread 2: 1" in "".join(get_codec("delta-choices").encode(returned))
    with pytest.raises(InputError, match="use cwm-choices or delta-choices"):
        get_codec("delta").encode(racy)


@pytest.mark.parametrize("codec", ["cwm-choices", "delta-choices", "cwm"])
def test_an_execution_with_another_schedule_is_possible(
    recorder: PythonRecorder, racy: Trace, codec: str
) -> None:
    result = judge(recorder, racy, codec)
    assert result.outcome == "possible"
    assert result.trace.result == "1"
    sample = execute_and_diagnose(predicted(racy, codec), recorder)
    assert sample.diagnosis.facts.outcome == "correct"
    assert sample.actual.steps == result.trace.steps


@pytest.mark.parametrize("codec", ["cwm-choices", "cwm"])
def test_an_edited_value_is_impossible_at_its_step(
    recorder: PythonRecorder, racy: Trace, codec: str
) -> None:
    step = step_of(racy, "value", 2)
    result = judge(recorder, edited(racy, step, "value", "5"), codec)
    assert (result.outcome, result.step) == ("impossible", step)
    assert "value = 5, actual 0" in result.reason
    sample = execute_and_diagnose(predicted(edited(racy, step, "value", "5"), codec), recorder)
    facts = sample.diagnosis.facts
    assert facts.alignment is not None
    assert (facts.outcome, facts.alignment.matched_steps) == ("diverged", step)
    # Without the numbers of threads, it may be the steps of the main thread only.
    verdict = "impossible" if codec == "cwm-choices" else "undecided"
    assert facts.note.startswith(f"{verdict}: ")


def test_an_edited_value_that_an_unseen_thread_explains_is_possible(
    recorder: PythonRecorder,
) -> None:
    """The other thread has no steps: the prediction does not say when it runs."""
    trace = recorder.record_scheduled(Program(UNSEEN, "f()"))
    step = step_of(trace, "count", 0)
    other = "1" if trace.steps[step].changed["count"] == "0" else "0"
    assert judge(recorder, edited(trace, step, "count", other)).outcome == "possible"
    result = judge(recorder, edited(trace, step, "count", "2"))
    assert (result.outcome, result.step) == ("impossible", step)


def test_a_thread_that_waits_cannot_run(recorder: PythonRecorder) -> None:
    """Thread 2 waits for the lock that thread 1 holds."""
    trace = recorder.record_scheduled(Program(WAITING, "f()"), (0, 1, 1))
    inside = [n for n, step in enumerate(trace.steps) if "x = 1" in trace.source_line(step)]
    steps = list(trace.steps)
    second = replace(steps[inside[1]], thread=2)
    # Both threads in the part that the lock guards: the second one's first steps are left out.
    begun = [step for step in trace.steps if step.thread == 2][:2]
    steps = [*steps[: inside[0] + 1], *begun, second]
    result = judge(recorder, replace(trace, steps=tuple(steps)))
    assert (result.outcome, result.step) == ("impossible", inside[0] + 3)
    assert "thread 2" in result.reason
    assert result.reason.endswith("threads that can run: 1")


def test_diagnose_follows_the_threads(racy: Trace) -> None:
    text = "".join(get_codec("cwm-choices").encode(racy))
    sample = diagnose(LOST, "f()", text, codec="cwm-choices")
    assert sample.diagnosis.facts.outcome == "correct"
    assert sample.actual.result == "1"


def test_the_number_of_executions_is_limited(recorder: PythonRecorder, racy: Trace) -> None:
    prediction = predicted(racy, "cwm-choices")
    result = find_possibility(prediction, recorder, has_threads=True, max_executions=1)
    assert (result.outcome, result.executions) == ("undecided", 1)


def test_a_prediction_of_the_main_thread_is_compared_with_it(recorder: PythonRecorder) -> None:
    """Without threads, as `record` without --threads shows the program."""
    main = recorder.record(Program(LOST, "f()"))
    assert not main.has_threads
    text = "".join(get_codec("cwm").encode(main))
    sample = execute_and_diagnose(
        make_prediction("a", main.program, text, get_codec("cwm")), recorder
    )
    assert sample.diagnosis.facts.outcome == "correct"
    assert sample.possibility is None


def test_a_search_that_fails_is_undecided(
    recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RecorderError("no memory")

    monkeypatch.setattr(recorder, "search_schedules", fail)
    prediction = make_prediction(
        "a", Program(TINY, "f()"), "[ANSWER] [9] [/ANSWER]", get_codec("chat")
    )
    sample = execute_and_diagnose(prediction, recorder)
    assert isinstance(sample.possibility, Possibility)
    assert sample.possibility.outcome == "undecided"
    assert sample.diagnosis.facts.note == ("undecided: the search for executions failed: no memory")
