"""Threads that a program starts: each step marked with its own, in C as in the reference."""

from collections.abc import Iterator
from textwrap import dedent

import pytest

from tests.recorders.methods import python_of
from tests.recorders.same import Both, both_of
from worldline.codecs import CODECS
from worldline.errors import InputError
from worldline.recorders import PythonRecorder
from worldline.trace import Limits, Program, Trace, trace_from_json, trace_to_json

FEW = Limits(seconds=60, steps=500)


@pytest.fixture(scope="module", params=["3.11", "3.12", "3.13"])
def both(request: pytest.FixtureRequest) -> Iterator[Both]:
    with both_of(python_of(request.param), has_threads=True) as both:
        yield both


@pytest.fixture(params=["core", "reference"])
def recorder(both: Both, request: pytest.FixtureRequest) -> PythonRecorder:
    return both.core if request.param == "core" else both.reference


def program(body: str, call: str | None = "use()") -> Program:
    return Program("import threading\n" + dedent(body), call)


def run_of(trace: Trace, thread: int) -> list[tuple[str, int]]:
    """What a thread did: events and lines."""
    return [(step.event, step.line) for step in trace.steps if step.thread == thread]


# One thread at a time, so that the order is the same every time.
IN_TURN = """
    class Worker(threading.Thread):
        def run(self):
            total = 0
            for i in range(3):
                total += i
            self.total = total

    def add(n, out):
        out.append(n * n)
        raise ValueError(n)

    def numbers():
        yield 1
        yield 2

    def go(thread):
        thread.start(); thread.join()

    def use():
        out, g = [], numbers()
        first = next(g)
        worker = Worker(); go(worker); del worker
        threading.excepthook = len
        go(threading.Thread(target=add, args=(4, out)))
        go(threading.Thread(target=lambda: out.append(next(g))))
        return out
"""


def test_one_after_the_other_they_give_the_bytes_of_the_reference(both: Both) -> None:
    trace = both.record(program(IN_TURN))
    assert trace.result == "[16, 2]"
    assert trace.is_whole
    assert {step.thread for step in trace.steps} == {0, 1, 2, 3}
    # A thread begins with its first call, also where that is the program's own `run`.
    assert run_of(trace, 1) == [
        ("call", 4), ("line", 5), ("line", 6), ("line", 7), ("line", 6), ("line", 7), ("line", 6),
        ("line", 7), ("line", 6), ("line", 8), ("return", 8),
    ]  # fmt: skip
    assert run_of(trace, 2) == [
        ("call", 10), ("line", 11), ("line", 12), ("exception", 12), ("return", 12),
    ]  # fmt: skip
    # A generator that another thread resumes: its scope is the same, its steps are that thread's.
    scopes = {step.thread: step.scope for step in trace.steps if step.line in (15, 16)}
    assert scopes.keys() == {0, 3}
    assert scopes[0] == scopes[3]
    assert trace_from_json(trace_to_json(trace)) == trace
    assert any("threads" in note for note in trace.notes)


def test_without_being_asked_only_the_main_thread_is_recorded(recorder: PythonRecorder) -> None:
    with PythonRecorder(method="core" if recorder.method == "core" else "settrace") as alone:
        trace = alone.record(program(IN_TURN))
    assert not trace.has_threads
    assert trace.result == "[16, 2]"
    assert trace.notes == ("the program started threads: only the main thread is recorded",)


def test_threads_at_work_at_once_each_have_all_their_steps(recorder: PythonRecorder) -> None:
    trace = recorder.record(
        program("""
            def count(n, barrier):
                barrier.wait()
                total = 0
                for i in range(n):
                    total += len(str(i))
                return total

            def use():
                barrier = threading.Barrier(4)
                threads = [threading.Thread(target=count, args=(n, barrier)) for n in (300,) * 4]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
        """),
        limits=Limits(seconds=120),
    )
    assert trace.ending.reason == "finished"
    for number in (1, 2, 3, 4):
        mine = [step for step in trace.steps if step.thread == number]
        assert [step.event for step in mine] == ["call"] + ["line"] * 604 + ["return"]
        assert mine[-1].value == "790"
        assert len({step.scope for step in mine}) == 1
        # Its state is its own, and adds up.
        totals = [step.changed["total"] for step in mine if "total" in step.changed]
        assert totals == sorted(totals, key=int)
        assert len(totals) == 301


def test_what_goes_on_behind_the_main_thread_is_recorded(recorder: PythonRecorder) -> None:
    trace = recorder.record(
        program(
            """
            import time
            def late():
                time.sleep(0.3)
                done = 1
                return done

            threading.Thread(target=late).start()
        """,
            None,
        )
    )
    assert trace.ending.reason == "finished"
    assert run_of(trace, 1)[-1] == ("return", 7)
    assert trace.is_whole


def test_a_thread_that_never_ends_does_not_keep_a_trace_from_its_end(
    recorder: PythonRecorder,
) -> None:
    trace = recorder.record(
        program("""
            def forever(seen):
                while True:
                    seen.set()

            def use():
                seen = threading.Event()
                threading.Thread(target=forever, args=(seen,), daemon=True).start()
                return seen.wait()
        """),
        limits=Limits(seconds=60, steps=10**9, trace_mb=1000),
    )
    assert (trace.ending.reason, trace.result) == ("finished", "True")


def test_a_limit_strikes_in_a_thread_as_in_any(both: Both) -> None:
    source = """
        def forever():
            while True:
                pass

        def use():
            thread = threading.Thread(target=forever); thread.start(); thread.join()
    """
    for recorder in (both.core, both.reference):
        trace = recorder.record(program(source), limits=FEW)
        assert trace.ending.reason == "step_limit"
        assert len(trace.steps) == 500
        assert trace.steps[-1].thread == 1


def test_a_repr_of_the_programs_own_is_rendered_while_others_run(recorder: PythonRecorder) -> None:
    trace = recorder.record(
        program("""
            class Shy:
                def __init__(self, n):
                    self.n = n
                def __repr__(self):
                    with lock:
                        return f"Shy({self.n})"

            lock = threading.RLock()

            def work(n):
                for i in range(20):
                    shy = Shy(i)
                return shy

            def use():
                threads = [threading.Thread(target=work, args=(n,)) for n in range(2)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                return 7
        """),
        limits=Limits(seconds=120),
    )
    assert trace.result == "7"
    for number in (1, 2):
        mine = [step for step in trace.steps if step.thread == number]
        shown = [step.changed["shy"] for step in mine if "shy" in step.changed]
        assert shown == [f"Shy({i})" for i in range(20)]
        assert mine[-1].value == "Shy(19)"


def test_recursion_in_a_thread_ends_as_everywhere(recorder: PythonRecorder) -> None:
    trace = recorder.record(
        program("""
            def down(n):
                return down(n + 1)

            def safe(out):
                try:
                    down(0)
                except RecursionError:
                    out.append("deep")

            def use():
                out = []
                thread = threading.Thread(target=safe, args=(out,)); thread.start(); thread.join()
                return out
        """),
        limits=Limits(seconds=120),
    )
    assert trace.result == "['deep']"


def test_formats_that_have_no_place_for_threads_say_so(both: Both) -> None:
    trace = both.core.record(program(IN_TURN))
    for codec in CODECS.values():
        if not codec.is_chat:
            with pytest.raises(InputError, match="no place for the steps of several threads"):
                codec.encode(trace)
