"""A recording is cancelled from another thread; no other recording is."""

import threading
import time

from worldline.core.trace import Limits, Program
from worldline.languages.python.recorder import Cancellation, PythonRecorder

SHORT = Program("def f():\n    return 7\n", "f()")
LIMITS = Limits(seconds=60, steps=10**9, trace_mb=1)
# Few steps and much time: the program has to be killed, no limit ends it.
SLEEPING = Program("import time\ndef f():\n    time.sleep(50)\n", "f()")


def test_a_running_program_is_killed() -> None:
    cancellation = Cancellation()
    with PythonRecorder() as recorder:
        threading.Timer(0.3, cancellation.cancel).start()
        start = time.monotonic()
        trace = recorder.record(SLEEPING, limits=LIMITS, cancellation=cancellation)
        assert (trace.ending.reason, trace.ending.detail) == ("killed", "cancelled")
        assert time.monotonic() - start < 30
        assert not trace.is_complete
        # The same interpreter executes the next program.
        assert recorder.record(SHORT).result == "7"
    cancellation.close()


def test_a_program_that_was_cancelled_before_its_start_does_not_run() -> None:
    cancellation = Cancellation()
    cancellation.cancel()
    assert cancellation.is_cancelled
    with PythonRecorder() as recorder:
        start = time.monotonic()
        trace = recorder.record(SLEEPING, limits=LIMITS, cancellation=cancellation)
        assert trace.ending.detail == "cancelled"
        assert time.monotonic() - start < 30
    cancellation.close()


def test_a_late_cancellation_does_not_affect_the_next_program() -> None:
    cancellation = Cancellation()
    with PythonRecorder() as recorder:
        assert recorder.record(SHORT, cancellation=cancellation).result == "7"
        cancellation.cancel()
        assert recorder.record(SHORT).result == "7"
        other = Cancellation()
        assert recorder.record(SHORT, cancellation=other).result == "7"
        other.close()
    cancellation.close()
    # After it is closed, there is nothing left to cancel.
    cancellation.cancel()
