"""One recorder that several threads use at the same time."""

from concurrent.futures import ThreadPoolExecutor

from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder


def test_threads_that_share_a_recorder_get_their_own_traces(recorder: PythonRecorder) -> None:
    programs = [
        Program(f"def f(n):\n    for i in range(n):\n        s = {n}\n    return s\n", f"f({n})")
        for n in range(1, 25)
    ]
    with ThreadPoolExecutor(4) as threads:
        traces = list(threads.map(recorder.record, programs))
    for number, (program, trace) in enumerate(zip(programs, traces, strict=True), 1):
        assert trace.program == program
        assert (trace.result, trace.ending.reason) == (str(number), "finished")
        assert len(trace.steps) == 2 * number + 7
