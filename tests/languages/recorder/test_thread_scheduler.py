"""Scheduled threads: each operation of `threading`, deadlocks, and replaying a trace."""

from collections.abc import Iterator
from textwrap import dedent, indent

import pytest
from click.testing import CliRunner

from tests.languages.recorder.both_recorders import BothRecorders, both_recorders
from tests.languages.recorder.methods import VERSIONS, python_of
from tests.languages.recorder.schedule_measurements import recorded_traces, trace_bytes
from tests.support.thread_programs import thread_program
from worldline import PythonRecorder, record, replay
from worldline.core.errors import InputError
from worldline.core.trace import (
    Program,
    parse_schedule,
    schedule_of,
    schedule_text,
    starts_threads,
)
from worldline.interfaces.cli.command_line import main

# For each program: the body of a function `f`, and its result with the default schedule.
OPERATIONS = {
    "lock": (
        """
        lock = threading.Lock()
        with lock:
            run(lambda: None)
        return lock.locked()
        """,
        "False",
    ),
    "lock fails": (
        """
        lock = threading.Lock()
        lock.acquire()
        return lock.acquire(False)
        """,
        "False",
    ),
    "lock times out": (
        """
        lock = threading.Lock()
        lock.acquire()
        return lock.acquire(timeout=9)
        """,
        "False",
    ),
    "release unlocked": (
        """
        try:
            threading.Lock().release()
        except RuntimeError as error:
            return str(error)
        """,
        "'release unlocked lock'",
    ),
    "reentrant": (
        """
        lock = threading.RLock()
        with lock, lock:
            return lock.acquire()
        """,
        "True",
    ),
    "event": (
        """
        e = threading.Event()
        run(e.wait, e.set)
        return e.wait()
        """,
        "True",
    ),
    "event times out": (
        """
        return threading.Event().wait(5)
        """,
        "False",
    ),
    "condition": (
        """
        c, out = threading.Condition(), []
        def wait():
            with c:
                c.wait_for(lambda: out)
                out.append(2)
        def add():
            with c:
                out.append(1)
                c.notify()
        run(wait, add)
        return out
        """,
        "[1, 2]",
    ),
    "condition times out": (
        """
        c = threading.Condition()
        with c:
            return c.wait(timeout=1)
        """,
        "False",
    ),
    "semaphore": (
        """
        s, out = threading.Semaphore(0), []
        run(lambda: out.append(s.acquire()), s.release)
        return out
        """,
        "[True]",
    ),
    "barrier": (
        """
        b, out = threading.Barrier(2), []
        run(lambda: out.append(b.wait()), lambda: out.append(b.wait()))
        return sorted(out)
        """,
        "[0, 1]",
    ),
    "broken barrier": (
        """
        b = threading.Barrier(2)
        try:
            b.wait(timeout=1)
        except threading.BrokenBarrierError:
            return 'broken'
        """,
        "'broken'",
    ),
    "queue": (
        """
        q, out = queue.Queue(1), []
        def put():
            for n in range(3):
                q.put(n)
        def take():
            for n in range(3):
                out.append(q.get())
        run(put, take)
        return out
        """,
        "[0, 1, 2]",
    ),
    "queue is empty": (
        """
        try:
            queue.Queue().get(timeout=3)
        except queue.Empty:
            return 'empty'
        """,
        "'empty'",
    ),
    "queue is joined": (
        """
        q = queue.Queue()
        q.put(1)
        run(q.join, q.task_done)
        return q.qsize()
        """,
        "1",
    ),
    "simple queue": (
        """
        q = queue.SimpleQueue()
        run(lambda: q.put(7))
        return q.get(), type(q).__name__
        """,
        "(7, 'SimpleQueue')",
    ),
    "sleep": (
        """
        out = []
        def work(n):
            time.sleep(n)
            out.append(n)
        run(lambda: work(2), lambda: work(1), lambda: work(0))
        return out
        """,
        "[0, 1, 2]",
    ),
    "timer": (
        """
        out = []
        t = threading.Timer(50, out.append, (1,))
        t.start()
        t.join()
        return out
        """,
        "[1]",
    ),
    "pool": (
        """
        from concurrent.futures import ThreadPoolExecutor
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(abs, [-1, 2, -3]))
        """,
        "[1, 2, 3]",
    ),
    "names": (
        """
        t = threading.Thread(target=len)
        return t.name, threading.current_thread().name
        """,
        "('Thread-1 (len)', 'MainThread')",
    ),
    "alive": (
        """
        t = threading.Thread(target=time.sleep, args=(9,))
        before = t.is_alive()
        t.start()
        during = t.is_alive()
        t.join(1)
        still = t.is_alive()
        t.join()
        return before, during, still, t.is_alive()
        """,
        "(False, True, True, False)",
    ),
    "thread without threading": (
        """
        import _thread
        out = []
        _thread.start_new_thread(out.append, (1,))
        time.sleep(1)
        return out
        """,
        "[1]",
    ),
    "daemon": (
        """
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        return 1
        """,
        "1",
    ),
    "busy waiting": (
        """
        out = []
        def wait():
            while not out:
                pass
        run(wait, lambda: out.append(3))
        return out
        """,
        "[3]",
    ),
    "thread local": (
        """
        own = threading.local()
        def set_own():
            own.x = 1
        run(set_own)
        return hasattr(own, 'x')
        """,
        "False",
    ),
    "error": (
        """
        threading.excepthook = len
        run(lambda: 1 / 0)
        return 'still here'
        """,
        "'still here'",
    ),
}
RUN = """import queue, threading, time

def run(*targets):
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

"""
COUNTER = f"""{RUN}
def count():
    total = 0
    def add():
        nonlocal total
        value = total
        total = value + 1
    run(add, add)
    return total
"""
LOST = "0*5 1*2 2"


@pytest.fixture(scope="module", params=VERSIONS)
def both(request: pytest.FixtureRequest) -> Iterator[BothRecorders]:
    with both_recorders(python_of(request.param), has_threads=True) as both:
        yield both


def function(body: str) -> Program:
    """A program with the function `f`."""
    return Program(f"{RUN}def f():\n{indent(dedent(body), '    ')}\n", "f()")


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_have_the_results_of_python(both: BothRecorders, name: str) -> None:
    body, result = OPERATIONS[name]
    trace = both.record(function(body))
    assert (trace.ending.reason, trace.result) == ("finished", result), trace.ending
    again, _ = both.c.record_choosing(trace.program, trace.choices)
    assert trace_bytes(again) == trace_bytes(trace)


def test_time_moves_while_all_threads_sleep() -> None:
    body = "run(lambda: 0)\nstart = time.monotonic()\ntime.sleep(1000)\n"
    trace = record(function(f"{body}return time.monotonic() - start"), threads=True)
    assert 1000 <= float(trace.result or 0) < 1100
    assert replay(trace) == trace


def test_a_deadlock_says_who_waits_for_what(both: BothRecorders) -> None:
    body = """a, b = threading.Lock(), threading.RLock()
def work(first, second):
    with first:
        time.sleep(1)
        with second:
            pass
run(lambda: work(a, b), lambda: work(b, a))"""
    trace = both.record(function(body))
    assert trace.ending.reason == "deadlock"
    assert trace.ending.is_complete
    assert trace.result is None
    assert trace.ending.detail == (
        "the main thread waits at line 8 in Thread.join of thread 1; "
        "thread 1 waits at line 15 in RLock.acquire, held by thread 2; "
        "thread 2 waits at line 15 in Lock.acquire, held by thread 1"
    )


def test_a_schedule_gives_the_same_trace_in_every_recorder(both: BothRecorders) -> None:
    program = Program(COUNTER, "count()")
    traces = [
        recorder.record_scheduled(program, parse_schedule(LOST))
        for recorder in (both.c, both.reference)
    ]
    assert [trace.result for trace in traces] == ["1", "1"]
    assert trace_bytes(traces[0]) == trace_bytes(traces[1])
    assert schedule_text(schedule_of(traces[0].choices)) == LOST
    # Thread 2 runs completely between two lines of thread 1.
    ordered = [step.thread for step in traces[0].steps if step.thread]
    assert ordered == [1, 1, 2, 2, 2, 2, 1, 1]


def test_random_schedules_are_reproducible() -> None:
    program = Program(COUNTER, "count()")
    traces = [record(program, schedule_seed=seed) for seed in (1, 1, 2)]
    assert traces[0] == traces[1]
    assert traces[0].choices != traces[2].choices
    assert replay(traces[2]) == traces[2]


def test_a_schedule_that_does_not_fit_has_a_note() -> None:
    trace = record(COUNTER, "count()", schedule=(9,))
    assert trace.result == "2"
    assert any(note.startswith("schedule: thread 9 cannot run") for note in trace.notes)


def test_a_trace_without_recorded_threads_says_so() -> None:
    assert starts_threads(record(COUNTER, "count()"))
    assert not record(COUNTER, "count()").choices
    assert not starts_threads(record("def f():\n    return 1\n", "f()"))


@pytest.mark.parametrize("text", ["0*3 1 2*2", "1", "default"])
def test_schedules_as_text(text: str) -> None:
    assert schedule_text(parse_schedule(text)) == text


@pytest.mark.parametrize("text", ["a", "1*", "-1", "1*x"])
def test_texts_that_are_no_schedule(text: str) -> None:
    with pytest.raises(InputError, match="not a part of a schedule"):
        parse_schedule(text)


@pytest.mark.parametrize("text", ["0*9999999999", f"1 {'9' * 5000}", "0*600000 1*600000"])
def test_schedules_that_are_too_long(text: str) -> None:
    with pytest.raises(InputError, match="at most 1,000,000 choices"):
        parse_schedule(text)


@pytest.mark.parametrize("seed", range(4))
def test_generated_programs_are_replayed_with_the_same_bytes(seed: int) -> None:
    """A small version of `schedule_measurements`."""
    program = thread_program(seed)
    with PythonRecorder() as recorder, PythonRecorder() as other:
        traces, _ = recorded_traces(recorder, program, preemptions=1, max_executions=60)
        for trace in traces:
            assert trace_bytes(other.record_scheduled(program, schedule_of(trace.choices)))
            assert trace_bytes(replay(trace)) == trace_bytes(trace)


def test_the_commands(tmp_path: pytest.TempPathFactory) -> None:
    path = tmp_path / "counter.py"  # type: ignore[operator]
    path.write_text(COUNTER)
    runner = CliRunner()
    searched = runner.invoke(main, ["schedules", str(path), "--call", "count()"])
    assert searched.exit_code == 0, searched.output
    assert f"--schedule '{LOST}'  1 preemption" in searched.output
    recorded = runner.invoke(
        main, ["record", str(path), "--call", "count()", "--schedule", LOST, "--all"]
    )
    assert "finished: 1" in recorded.output
    assert f"schedule: {LOST}  (1 preemption)" in recorded.output
    assert "··2 " in recorded.output


def test_a_choice_after_a_wait_belongs_to_its_own_line() -> None:
    """Another thread runs between the step of the line and the draw."""
    text = """import queue, random, threading

def f():
    box = queue.Queue()
    def put():
        box.put(6)
        last = 2
    thread = threading.Thread(target=put)
    thread.start()
    drawn = random.randint(1, box.get())
    thread.join()
    return drawn
"""
    trace = record(text, "f()", schedule=(0, 0))
    drawn = next(choice for choice in trace.choices if choice.name == "random.randint")
    assert drawn.step is not None
    assert trace.steps[drawn.step].line == drawn.line == 10
    assert any(step.thread == 1 for step in trace.steps[drawn.step : drawn.step + 3])
