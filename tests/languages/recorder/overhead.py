"""Overhead of tracers: the minimum time of a workload over several repeats.

    python tests/languages/recorder/overhead.py TRACER,TRACER WORKLOAD REPEATS CRUXEVAL

Several tracers alternate in one process, because the speed of a machine changes within seconds.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from workloads import WORKLOADS

# Not from tests.support: this file is also executed as a script, by other interpreters.
PROJECT_ROOT = Path(__file__).parents[3]
RECORDER_FOLDER = PROJECT_ROOT / "src" / "worldline" / "languages" / "python" / "recorder"
# Without a tracer, with an empty trace function, with the tracer in C.
INTERPRETER = ("untraced", "empty", "core")
OTHERS = ("settrace", "coverage", "hunter", "PySnooper", "snoop")
LIMITS = {"steps": 10**9, "trace_mb": 4_000, "value_chars": 10_000}
SIZE = 4_010_000_000

Workload = Callable[[], object]


def measure_seconds(
    tracers: Sequence[str],
    workload: str,
    *,
    repeats: int,
    data: Path | None = None,
    python: str = sys.executable,
) -> dict[str, float]:
    """The minimum time with each tracer, measured in a new process."""
    command = [python, __file__, ",".join(tracers), workload, str(repeats), str(data or "")]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(zip(tracers, map(float, run.stdout.split()), strict=True))


# -- in that process ----------------------------------------------------------------------------


def load_workload(workload: str, filename: str, data: str) -> Workload:
    """Load the program; returns the function to measure."""
    if workload != "CRUXEval":
        namespace: dict[str, Any] = {"__name__": "program"}
        exec(compile(WORKLOADS[workload], filename, "exec", dont_inherit=True), namespace)
        main: Workload = namespace["main"]
        return main
    calls = []
    for line in Path(data).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        namespace = {"__name__": "program"}
        text = f"{row['code']}\ndef main():\n    return f({row['input']})\n"
        exec(compile(text, filename, "exec", dont_inherit=True), namespace)
        calls.append(namespace["main"])

    def call_all() -> None:
        for call in calls:
            with suppress(Exception):
                call()

    return call_all


@contextmanager
def untraced() -> Iterator[None]:
    yield


def c_tracer() -> Callable[[], Any]:
    sys.path.insert(0, str(RECORDER_FOLDER))
    from child.c_tracer import CTracer
    from child.repr_session import ReprSession

    memory = os.memfd_create("speed", os.MFD_ALLOW_SEALING)
    os.truncate(memory, SIZE)
    tracer = CTracer(
        LIMITS,
        (memory, SIZE),
        repr_session=ReprSession(LIMITS["value_chars"], use_forks=False),
        signals=[],
        finish=fail,
        on_error=fail,
    )

    @contextmanager
    def record() -> Iterator[None]:
        tracer.start()
        try:
            yield
        finally:
            tracer.stop()

    return record


def fail(*details: object) -> None:
    """End the measurement with an error."""
    sys.stderr.write(f"{details}\n")
    os._exit(1)


def empty_trace_function() -> Callable[[], Any]:
    sys.path.insert(0, str(RECORDER_FOLDER))
    from child import _tracer

    @contextmanager
    def record() -> Iterator[None]:
        _tracer.start_empty()
        try:
            yield
        finally:
            sys.settrace(None)

    return record


def settrace_tracer() -> Callable[[], Any]:
    sys.path.insert(0, str(RECORDER_FOLDER))
    from child.interrupts import HEADROOM, RecursionLimit, stack_height
    from child.repr_session import ReprSession
    from child.settrace_tracer import SettraceTracer

    recursion_limit = RecursionLimit(stack_height(), headroom=HEADROOM)
    out = os.memfd_create("speed")

    @contextmanager
    def record() -> Iterator[None]:
        tracer = SettraceTracer(
            LIMITS,
            out,
            repr_session=ReprSession(LIMITS["value_chars"], use_forks=False),
            recursion_limit=recursion_limit,
            signals=[],
            finish=fail,
            on_error=fail,
        )
        tracer.start()
        try:
            yield
        finally:
            tracer.stop()

    return record


def coverage_tracer() -> Callable[[], Any]:
    import coverage

    @contextmanager
    def record() -> Iterator[None]:
        collector = coverage.Coverage(data_file=None, config_file=False, branch=True)
        collector.start()
        try:
            yield
        finally:
            collector.stop()

    return record


def hunter_tracer() -> Callable[[], Any]:
    import hunter

    out = open(os.devnull, "w")  # noqa: SIM115

    @contextmanager
    def record() -> Iterator[None]:
        hunter.trace(
            hunter.Q(
                filename="<program>",
                action=hunter.VarsSnooper(stream=out, repr_func=repr),
            )
        )
        try:
            yield
        finally:
            hunter.stop()

    return record


def pysnooper_tracer() -> Callable[[], Any]:
    import pysnooper

    out = open(os.devnull, "w")  # noqa: SIM115
    return lambda: pysnooper.snoop(output=out.write, depth=10_000, max_variable_length=None)


def snoop_tracer() -> Callable[[], Any]:
    import snoop

    out = open(os.devnull, "w")  # noqa: SIM115
    config = snoop.Config(out=out, color=False)
    return lambda: config.snoop(depth=10_000)


TRACERS: dict[str, Callable[[], Callable[[], Any]]] = {
    "untraced": lambda: untraced,
    "empty": empty_trace_function,
    "core": c_tracer,
    "settrace": settrace_tracer,
    "coverage": coverage_tracer,
    "hunter": hunter_tracer,
    "PySnooper": pysnooper_tracer,
    "snoop": snoop_tracer,
}


def main() -> None:
    """Measure and print seconds."""
    tracers, workload, repeats, data = sys.argv[1:5]
    runs = {tracer: prepare(tracer, workload, data) for tracer in tracers.split(",")}
    times: dict[str, list[float]] = {tracer: [] for tracer in runs}
    for _ in range(int(repeats)):
        for tracer, (record, run) in runs.items():
            with record():
                start = time.process_time()
                run()
                times[tracer].append(time.process_time() - start)
    sys.stdout.write(" ".join(str(min(seconds)) for seconds in times.values()) + "\n")


def prepare(tracer: str, workload: str, data: str) -> tuple[Callable[[], Any], Workload]:
    """A tracer as a context manager, and the program, loaded with a file name that suits it."""
    record = TRACERS[tracer]()
    filename = "<program>"
    if tracer in ("core", "settrace"):
        # This string object identifies the program's code.
        filename = sys.modules["child.interrupts"].FILENAME
    if tracer in ("coverage", "PySnooper", "snoop"):
        # They ignore code whose source they cannot read.
        filename = write_source(workload, data)
    return record, load_workload(workload, filename, data)


def write_source(workload: str, data: str) -> str:
    """Write the program to a file; CRUXEval has no single file."""
    import tempfile

    path = Path(tempfile.mkdtemp(prefix="speed-"), "workload.py")
    path.write_text(WORKLOADS.get(workload, ""), encoding="utf-8")
    return str(path)


if __name__ == "__main__":
    main()
