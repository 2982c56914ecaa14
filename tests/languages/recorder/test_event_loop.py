"""Event loops of `asyncio` with virtual time: operations, orders, deadlocks, and known bugs."""

from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent, indent

import pytest
from click.testing import CliRunner

from tests.languages.recorder.both_recorders import BothRecorders, both_recorders
from tests.languages.recorder.methods import VERSIONS, python_of, share_of
from tests.languages.recorder.schedule_measurements import recorded_traces, trace_bytes
from tests.support.task_programs import COUNTER, task_program
from tests.support.thread_programs import ConcurrencyBug, concurrency_bugs
from worldline import PythonRecorder, record, replay, schedules
from worldline.core.trace import Program, Trace, is_preemption, parse_schedule
from worldline.interfaces.cli.command_line import main
from worldline.languages.python.recorder import ScheduleBounds

NOTE = "the program ran asyncio tasks: with virtual time, and delays that are choices"
BUGS = concurrency_bugs("asyncio")
# For each operation: the body of `main`, and its result with the default schedule.
OPERATIONS = {
    "sleep": (
        """
        out = []
        async def work(n):
            await asyncio.sleep(n)
            out.append(n)
        start = loop.time()
        await asyncio.gather(work(500), work(100), work(0), work(100))
        return out, loop.time() - start
        """,
        "([0, 100, 100, 500], 500.0)",
    ),
    "first in, first out": (
        """
        out = []
        async def work(n):
            for step in range(2):
                out.append(n)
                await asyncio.sleep(0)
        await asyncio.gather(work(1), work(2), work(3))
        return out
        """,
        "[1, 2, 3, 1, 2, 3]",
    ),
    "lock and condition": (
        """
        lock, condition, out = asyncio.Lock(), asyncio.Condition(), []
        async def wait():
            async with condition:
                await condition.wait_for(lambda: out)
                out.append(2)
        async def add():
            async with lock, condition:
                out.append(1)
                condition.notify_all()
        await asyncio.gather(wait(), add())
        return out, lock.locked()
        """,
        "([1, 2], False)",
    ),
    "semaphore and event": (
        """
        event, slots, out = asyncio.Event(), asyncio.Semaphore(1), []
        async def work(n):
            async with slots:
                out.append(n)
                await event.wait()
        async def go():
            event.set()
        await asyncio.gather(work(1), work(2), go())
        return out
        """,
        "[1, 2]",
    ),
    "queue": (
        """
        queue, out = asyncio.Queue(1), []
        async def put():
            for n in range(3):
                await queue.put(n)
        async def take():
            for n in range(3):
                out.append(await queue.get())
                queue.task_done()
        await asyncio.gather(put(), take(), queue.join())
        return out
        """,
        "[0, 1, 2]",
    ),
    "time out": (
        """
        out = []
        try:
            async with asyncio.timeout(5):
                await asyncio.Event().wait()
        except TimeoutError:
            out.append(loop.time())
        try:
            await asyncio.wait_for(asyncio.sleep(9), 2)
        except TimeoutError:
            out.append(loop.time())
        return out, await asyncio.wait_for(asyncio.sleep(1, 'ok'), 2)
        """,
        "([5.0, 7.0], 'ok')",
    ),
    "wait": (
        """
        tasks = [asyncio.create_task(asyncio.sleep(n, n)) for n in (3, 1)]
        done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        first = [task.result() for task in done]
        return first, [await each for each in asyncio.as_completed(pending)]
        """,
        "([1], [3])",
    ),
    "as completed": (
        """
        out = []
        async def work(n):
            out.append(n)
        for each in asyncio.as_completed([work(n) for n in range(20)]):
            await each
        return out == list(range(20))
        """,
        "True",
    ),
    "group": (
        """
        out = []
        async def stop(n):
            try:
                await asyncio.sleep(9)
            finally:
                out.append(n)
        try:
            async with asyncio.TaskGroup() as group:
                for n in range(9):
                    group.create_task(stop(n))
                group.create_task(asyncio.wait_for(stop(9), 'x'))
        except* TypeError as group:
            out.append(len(group.exceptions))
        return out
        """,
        "[0, 1, 2, 3, 4, 5, 6, 7, 8, 1]",
    ),
    "names and lanes": (
        """
        task = asyncio.create_task(asyncio.sleep(0))
        text = repr(task)
        await task
        return task.get_name(), text.rpartition('asyncio/')[2][:8], type(task), asyncio.Task
        """,
        "('Task-2', 'tasks.py', <class '_asyncio.Task'>, <class '_asyncio.Task'>)",
    ),
    "threads": (
        """
        out = []
        def block():
            time.sleep(7)
            loop.call_soon_threadsafe(out.append, 2)
            return 3
        value = await asyncio.to_thread(block)
        await asyncio.sleep(0)
        time.sleep(1)
        return out, value, loop.time() - start
        """,
        "([2], 3, 8.0)",
    ),
    "socket": (
        """
        import socket
        one, two = socket.socketpair()
        reader, writer = await asyncio.open_connection(sock=one)
        two.send(b'line ' + bytes([10]))
        text = await reader.readline()
        writer.close()
        return text
        """,
        "b'line \\n'",
    ),
}


def program(body: str) -> Program:
    """A program whose `main` has this body."""
    start = "    loop = asyncio.get_running_loop()\n    start = loop.time()\n"
    text = f"import asyncio, time\n\nasync def main():\n{start}{indent(dedent(body), '    ')}\n"
    return Program(f"{text}\ndef f():\n    return asyncio.run(main())\n", "f()")


@pytest.fixture(scope="module", params=VERSIONS)
def python(request: pytest.FixtureRequest) -> str:
    return python_of(request.param)


@pytest.fixture(scope="module")
def both(python: str) -> Iterator[BothRecorders]:
    with both_recorders(python, has_threads=True) as both:
        yield both


@pytest.fixture(scope="module")
def recorder() -> Iterator[PythonRecorder]:
    with PythonRecorder() as recorder:
        yield recorder


def test_operations_have_the_results_of_python(both: BothRecorders, python: str) -> None:
    for name in share_of(list(OPERATIONS), python):
        body, result = OPERATIONS[name]
        trace = both.record(program(body))
        assert (trace.ending.reason, trace.result) == ("finished", result), (name, trace.ending)
        assert NOTE in trace.notes
        again, _ = both.c.record_choosing(trace.program, trace.choices)
        assert trace_bytes(again) == trace_bytes(trace)


def test_each_step_has_the_number_of_its_task(both: BothRecorders) -> None:
    trace = both.record(Program(COUNTER, "count()"))
    assert trace.result == "2"
    lanes = [(step.thread, step.line) for step in trace.steps if step.event == "call"]
    # Task 1 is the coroutine of `asyncio.run`; a frame that continues after an await has a call.
    assert lanes[1:] == [
        (0, 14), (1, 9), (2, 3), (3, 3), (2, 4), (2, 6), (3, 4), (3, 6), (1, 11),
    ]  # fmt: skip
    scopes = {step.thread: step.scope for step in trace.steps if 3 <= step.line <= 7}
    assert len({scopes[2], scopes[3]}) == 2
    assert all(scopes[s.thread] == s.scope for s in trace.steps if 3 <= s.line <= 7)


def test_a_schedule_gives_the_same_trace_in_every_recorder(both: BothRecorders) -> None:
    counter = Program(COUNTER, "count()")
    traces = [
        recorder.record_scheduled(counter, parse_schedule("1"))
        for recorder in (both.c, both.reference)
    ]
    assert [trace.result for trace in traces] == ["1", "1"]
    assert trace_bytes(traces[0]) == trace_bytes(traces[1])
    (delay,) = filter(is_preemption, traces[0].choices)
    assert (delay.name, delay.domain, delay.value) == ("delay", "delays(0, 1)", "1")


def test_eager_tasks_have_their_lanes() -> None:
    source = """import asyncio

async def child():
    await asyncio.sleep(0)

async def main():
    asyncio.get_running_loop().set_task_factory(asyncio.eager_task_factory)
    await asyncio.create_task(child())

def f():
    asyncio.run(main())
"""
    with PythonRecorder(python=python_of("3.12"), has_threads=True) as recorder:
        trace = recorder.record(Program(source, "f()"))
    assert trace.ending.reason == "finished"
    assert {step.thread for step in trace.steps if step.line in (3, 4)} == {2}
    assert {step.thread for step in trace.steps if 6 <= step.line <= 8} == {1}


def test_a_deadlock_says_which_task_waits_for_what(both: BothRecorders) -> None:
    body = """a, b, queue = asyncio.Lock(), asyncio.Lock(), asyncio.Queue()
async def work(first, second):
    async with first:
        await asyncio.sleep(1)
        async with second:
            pass
idle = asyncio.create_task(queue.get())
await asyncio.gather(work(a, b), work(b, a), idle)"""
    trace = both.record(program(body))
    assert trace.ending.reason == "deadlock"
    assert trace.ending.detail == (
        "task 1 waits at line 13 in gather of task 2 and task 3 and task 4; "
        "task 2 waits in Queue.get; "
        "task 3 waits at line 10 in Lock.acquire, held by task 4; "
        "task 4 waits at line 10 in Lock.acquire, held by task 3"
    )


def test_a_signal_is_no_deadlock_next_to_an_idle_worker(recorder: PythonRecorder) -> None:
    body = """
    import signal
    await asyncio.to_thread(int)
    future = loop.create_future()
    loop.add_signal_handler(signal.SIGALRM, future.set_result, 5)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    return await future
    """
    trace = recorder.record_scheduled(program(body))
    assert (trace.ending.reason, trace.result) == ("finished", "5")


@pytest.mark.parametrize("attribute", ["self", "{}[name]"])
def test_a_deadlock_does_not_read_attributes_of_the_program(
    recorder: PythonRecorder, attribute: str
) -> None:
    body = f"""class Iterator:
    def __init__(self, future):
        self.inner = iter(future)
    def __getattr__(self, name):
        return {attribute}
    def __await__(self):
        return self
    __iter__ = __await__
    def __next__(self):
        return next(self.inner)
await Iterator(loop.create_future())"""
    trace = recorder.record_scheduled(program(body))
    assert trace.ending.reason == "deadlock"
    assert trace.ending.detail == "task 1 waits at line 16 for a future"


def test_a_task_is_created_without_a_running_loop(python: str) -> None:
    text = """import asyncio

async def work():
    return 1

def f():
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop.run_until_complete(asyncio.Task(work()))
"""
    with PythonRecorder(python=python) as recorder:
        assert recorder.record_scheduled(Program(text, "f()")).result == "1"


def test_a_test_case_with_its_own_loop_is_controlled(recorder: PythonRecorder) -> None:
    text = """import unittest

class Case(unittest.IsolatedAsyncioTestCase):
    async def test(self):
        pass

def f():
    result = unittest.TestResult()
    Case("test").run(result)
    return result.testsRun, result.errors
"""
    trace = recorder.record_scheduled(Program(text, "f()"))
    assert trace.result == "(1, [])"
    assert NOTE in trace.notes


def texts(body: str, *, preemptions: int = 2) -> set[str]:
    """All results within a bound."""
    search = schedules(program(body), preemptions=preemptions)
    assert search.is_complete
    return {outcome.text for outcome in search.outcomes}


ORDER = """
out = []
async def work(n):
    await asyncio.sleep(n)
    out.append(n)
await asyncio.gather({works})
return out
"""


def test_only_a_timer_that_is_started_later_can_be_late() -> None:
    # The first timer has a deadline at or before that of the second, whenever that is started.
    assert texts(ORDER.format(works="work(1), work(2)")) == {"[1, 2]"}
    assert texts(ORDER.format(works="work(2), work(1)")) == {"[1, 2]", "[2, 1]"}


def test_a_slow_program_may_time_out() -> None:
    body = """
    try:
        async with asyncio.timeout({timeout}):
            for step in range(2):
                await asyncio.sleep({step})
        return 'in time'
    except TimeoutError:
        return 'too late'
    """
    assert texts(body.format(timeout=10, step=1)) == {"'in time'", "'too late'"}
    # Also a program that never waits for a time.
    assert texts(body.format(timeout=10, step=0)) == {"'in time'", "'too late'"}
    # The time limit of two seconds begins before the sleeps.
    assert texts(body.format(timeout=2, step=1)) == {"'too late'"}


def test_ready_callbacks_have_one_order() -> None:
    body, result = OPERATIONS["first in, first out"]
    search = schedules(program(body).text.replace("loop.time()", "0"), "f()", preemptions=9)
    assert [outcome.text for outcome in search.outcomes] == [result]
    assert (search.executions, search.is_exhaustive) == (1, True)
    # Two timers with the same deadline may have been started at different times.
    assert not schedules(program(ORDER.format(works="work(1), work(1)"))).is_exhaustive


def test_an_execution_leaves_nothing_to_the_next_one() -> None:
    """Tasks that were not finished, their locks, and the numbers of tasks."""
    body = """
    lock = asyncio.Lock()
    async def forget():
        async with lock:
            try:
                await asyncio.Event().wait()
            finally:
                # The search ends this, too.
                while True:
                    pass
    task = asyncio.create_task(forget())
    late = asyncio.create_task(asyncio.sleep(3))
    await asyncio.sleep(1)
    assert late.done() or late.get_name() == 'Task-3'
    return await lock.acquire()
    """
    search = schedules(program(body), preemptions=1)
    assert search.executions > 1
    assert {outcome.ending for outcome in search.outcomes} == {"deadlock"}


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_a_known_bug_is_found_and_its_correction_has_none(
    recorder: PythonRecorder, bug: ConcurrencyBug
) -> None:
    found = recorder.search_schedules(bug.buggy, ScheduleBounds(2))
    assert found.is_complete
    outcome = next(each for each in found.outcomes if each.text.startswith(bug.wrong))
    trace = recorder.record_scheduled(bug.buggy, outcome.schedule)
    assert (trace.ending.reason, trace.result or trace.ending.detail) == (
        outcome.ending, outcome.result,
    )  # fmt: skip
    assert sum(map(is_preemption, trace.choices)) == outcome.preemptions
    corrected = recorder.search_schedules(bug.corrected, ScheduleBounds(2))
    assert corrected.is_complete
    assert [each.text for each in corrected.outcomes] == [bug.right]


def test_there_are_enough_bugs() -> None:
    assert len(BUGS) == 8


@pytest.mark.parametrize("seed", range(2))
def test_generated_programs_are_replayed_with_the_same_bytes(
    recorder: PythonRecorder, seed: int
) -> None:
    """A small version of `schedule_measurements`."""
    traces, _ = recorded_traces(recorder, task_program(seed), preemptions=1, max_executions=50)
    for trace in traces:
        assert trace_bytes(replay(trace)) == trace_bytes(trace)


def test_a_delay_that_is_not_possible_has_a_note() -> None:
    trace = record(COUNTER, "count()", schedule=(7,))
    assert trace.result == "2"
    assert "schedule: delay 7 is not possible at choice 0; it is one of [0, 1]" in trace.notes


def test_tasks_are_as_in_python_without_the_option() -> None:
    trace: Trace = record(COUNTER.replace("(1)", "(0.001)").replace("2)", "0.1)"), "count()")
    assert (trace.result, trace.has_threads, trace.choices, trace.notes) == ("2", False, (), ())


def test_the_commands(tmp_path: Path) -> None:
    path, stored = tmp_path / "counter.py", tmp_path / "trace.json"
    path.write_text(COUNTER)
    runner = CliRunner()
    searched = runner.invoke(main, ["schedules", str(path), "--call", "count()"])
    assert "1\n    --schedule '1'  1 preemption" in searched.output, searched.output
    order = ["record", str(path), "--call", "count()", "--schedule", "1"]
    recorded = runner.invoke(main, [*order, "--all"])
    assert "finished: 1" in recorded.output
    assert "schedule: 1  (1 preemption)" in recorded.output
    assert "··2· " in recorded.output
    runner.invoke(main, [*order, "--format", "json", "-o", str(stored)])
    replayed = runner.invoke(main, ["replay", str(stored)])
    assert replayed.exit_code == 0, replayed.output
    assert "the same execution" in replayed.output
