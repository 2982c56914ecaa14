"""Threads that a program starts: each step has the number of its thread."""

from collections.abc import Iterator
from textwrap import dedent

import pytest

from tests.languages.recorder.both_recorders import BothRecorders, both_recorders
from tests.languages.recorder.methods import VERSIONS, python_of
from worldline.core.errors import InputError
from worldline.core.trace import Limits, Program, Trace, trace_from_json, trace_to_json
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import CODECS
from worldline.models.codecs.choices import ChoiceCodec

FEW_STEPS = Limits(seconds=60, steps=500)


@pytest.fixture(scope="module", params=VERSIONS)
def both(request: pytest.FixtureRequest) -> Iterator[BothRecorders]:
    with both_recorders(python_of(request.param), has_threads=True) as both:
        yield both


@pytest.fixture(params=["core", "reference"])
def recorder(both: BothRecorders, request: pytest.FixtureRequest) -> PythonRecorder:
    return both.c if request.param == "core" else both.reference


def program(body: str, call: str | None = "use()") -> Program:
    return Program("import threading\n" + dedent(body), call)


def thread_events(trace: Trace, thread: int) -> list[tuple[str, int]]:
    """The events and lines of a thread."""
    return [(step.event, step.line) for step in trace.steps if step.thread == thread]


# Threads that run one after another, so that the order is deterministic.
SEQUENTIAL = """
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


def test_both_tracers_agree_on_threads_that_run_one_after_another(both: BothRecorders) -> None:
    trace = both.record(program(SEQUENTIAL))
    assert trace.result == "[16, 2]"
    assert trace.is_complete
    assert {step.thread for step in trace.steps} == {0, 1, 2, 3}
    # A thread starts with its first call, also if that is a `run` of the program.
    assert thread_events(trace, 1) == [
        ("call", 4), ("line", 5), ("line", 6), ("line", 7), ("line", 6), ("line", 7), ("line", 6),
        ("line", 7), ("line", 6), ("line", 8), ("return", 8),
    ]  # fmt: skip
    assert thread_events(trace, 2) == [
        ("call", 10), ("line", 11), ("line", 12), ("exception", 12), ("return", 12),
    ]  # fmt: skip
    # A generator that another thread resumes keeps its scope; the steps are of that thread.
    scopes = {step.thread: step.scope for step in trace.steps if step.line in (15, 16)}
    assert scopes.keys() == {0, 3}
    assert scopes[0] == scopes[3]
    assert trace_from_json(trace_to_json(trace)) == trace
    assert any("threads" in note for note in trace.notes)


def test_only_the_main_thread_is_recorded_by_default(recorder: PythonRecorder) -> None:
    with PythonRecorder(backend="core" if recorder.backend == "core" else "settrace") as default:
        trace = default.record(program(SEQUENTIAL))
    assert not trace.has_threads
    assert trace.result == "[16, 2]"
    assert trace.notes == ("the program started threads: only the main thread is recorded",)


def test_concurrent_threads_each_have_all_their_steps(recorder: PythonRecorder) -> None:
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
        # Each thread has its own state.
        totals = [step.changed["total"] for step in mine if "total" in step.changed]
        assert totals == sorted(totals, key=int)
        assert len(totals) == 301


def test_a_thread_that_outlives_the_main_thread_is_recorded(recorder: PythonRecorder) -> None:
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
    assert thread_events(trace, 1)[-1] == ("return", 7)
    assert trace.is_complete


def test_a_daemon_thread_does_not_keep_the_recording_from_ending(
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


def test_a_limit_may_be_reached_in_a_thread(both: BothRecorders) -> None:
    source = """
        def forever():
            while True:
                pass

        def use():
            thread = threading.Thread(target=forever); thread.start(); thread.join()
    """
    for recorder in (both.c, both.reference):
        trace = recorder.record(program(source), limits=FEW_STEPS)
        assert trace.ending.reason == "step_limit"
        assert len(trace.steps) == 500
        assert trace.steps[-1].thread == 1


def test_a_repr_of_the_program_is_rendered_while_other_threads_run(
    recorder: PythonRecorder,
) -> None:
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


def test_recursion_in_a_thread_raises_a_recursion_error(recorder: PythonRecorder) -> None:
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


def test_codecs_refuse_traces_with_threads(both: BothRecorders) -> None:
    trace = both.c.record(program(SEQUENTIAL))
    for codec in CODECS.values():
        if isinstance(codec, ChoiceCodec):
            assert ".thread" in "".join(map(str, codec.encode(trace)))
        elif not codec.is_chat:
            with pytest.raises(InputError, match="cannot encode the steps of several threads"):
                codec.encode(trace)
