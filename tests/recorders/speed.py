"""What recording costs: one program, one recorder, the least seconds of several runs.

    python tests/recorders/speed.py METHOD,METHOD WORKLOAD REPEATS CRUXEVAL

Several methods take turns in one process: machines change their speed within seconds.
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

RECORDERS = Path(__file__).parents[2] / "src" / "worldline" / "recorders"
ENGINE = ("untraced", "empty", "core")
OTHERS = ("settrace", "coverage", "hunter", "PySnooper", "snoop")
LIMITS = {"steps": 10**9, "trace_mb": 4_000, "value_chars": 10_000}
SIZE = 4_010_000_000

Run = Callable[[], object]


def seconds_of(
    methods: Sequence[str],
    workload: str,
    *,
    repeats: int,
    data: Path | None = None,
    python: str = sys.executable,
) -> dict[str, float]:
    """The least of several runs with each, in a new process; of the core, there can be one."""
    command = [python, __file__, ",".join(methods), workload, str(repeats), str(data or "")]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    asked = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return dict(zip(methods, map(float, asked.stdout.split()), strict=True))


# -- in that process ----------------------------------------------------------------------------


def prepare(workload: str, filename: str, data: str) -> Run:
    """Load the program; gives what is measured."""
    if workload != "CRUXEval":
        space: dict[str, Any] = {"__name__": "program"}
        exec(compile(WORKLOADS[workload], filename, "exec", dont_inherit=True), space)
        main: Run = space["main"]
        return main
    calls = []
    for line in Path(data).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        space = {"__name__": "program"}
        text = f"{row['code']}\ndef main():\n    return f({row['input']})\n"
        exec(compile(text, filename, "exec", dont_inherit=True), space)
        calls.append(space["main"])

    def all_of_them() -> None:
        for call in calls:
            with suppress(Exception):
                call()

    return all_of_them


@contextmanager
def untraced() -> Iterator[None]:
    yield


def by_core() -> Callable[[], Any]:
    sys.path.insert(0, str(RECORDERS))
    from inner.core import Core
    from inner.renderer import Renderer

    memory = os.memfd_create("speed", os.MFD_ALLOW_SEALING)
    os.truncate(memory, SIZE)
    core = Core(
        LIMITS,
        (memory, SIZE),
        renderer=Renderer(LIMITS["value_chars"], is_guarded=False),
        signals=[],
        has_threads=False,
        finish=fail,
        failed=fail,
    )

    @contextmanager
    def record() -> Iterator[None]:
        core.start()
        try:
            yield
        finally:
            core.stop()

    return record


def fail(*said: object) -> None:
    """Nothing may end a measurement."""
    sys.stderr.write(f"{said}\n")
    os._exit(1)


def empty() -> Callable[[], Any]:
    sys.path.insert(0, str(RECORDERS))
    from inner import _core

    @contextmanager
    def record() -> Iterator[None]:
        _core.start_empty()
        try:
            yield
        finally:
            sys.settrace(None)

    return record


def by_reference() -> Callable[[], Any]:
    sys.path.insert(0, str(RECORDERS))
    from inner.interrupts import HEADROOM, Stack, stack_height
    from inner.renderer import Renderer
    from inner.tracer import Tracer

    stack = Stack(stack_height(), headroom=HEADROOM)
    out = os.memfd_create("speed")

    @contextmanager
    def record() -> Iterator[None]:
        renderer = Renderer(LIMITS["value_chars"], is_guarded=False)
        tracer = Tracer(
            LIMITS,
            out,
            renderer=renderer,
            stack=stack,
            signals=[],
            finish=fail,
            failed=fail,
            has_threads=False,
        )
        tracer.start()
        try:
            yield
        finally:
            tracer.stop()

    return record


def by_coverage() -> Callable[[], Any]:
    import coverage

    @contextmanager
    def record() -> Iterator[None]:
        measured = coverage.Coverage(data_file=None, config_file=False, branch=True)
        measured.start()
        try:
            yield
        finally:
            measured.stop()

    return record


def by_hunter() -> Callable[[], Any]:
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


def by_pysnooper() -> Callable[[], Any]:
    import pysnooper

    out = open(os.devnull, "w")  # noqa: SIM115
    return lambda: pysnooper.snoop(output=out.write, depth=10_000, max_variable_length=None)


def by_snoop() -> Callable[[], Any]:
    import snoop

    out = open(os.devnull, "w")  # noqa: SIM115
    config = snoop.Config(out=out, color=False)
    return lambda: config.snoop(depth=10_000)


MADE: dict[str, Callable[[], Callable[[], Any]]] = {
    "untraced": lambda: untraced,
    "empty": empty,
    "core": by_core,
    "settrace": by_reference,
    "coverage": by_coverage,
    "hunter": by_hunter,
    "PySnooper": by_pysnooper,
    "snoop": by_snoop,
}


def main() -> None:
    """Measure and print seconds."""
    methods, workload, repeats, data = sys.argv[1:5]
    runs = {method: ready(method, workload, data) for method in methods.split(",")}
    times: dict[str, list[float]] = {method: [] for method in runs}
    for _ in range(int(repeats)):
        for method, (record, run) in runs.items():
            with record():
                start = time.process_time()
                run()
                times[method].append(time.process_time() - start)
    sys.stdout.write(" ".join(str(min(found)) for found in times.values()) + "\n")


def ready(method: str, workload: str, data: str) -> tuple[Callable[[], Any], Run]:
    """A recorder, and the program loaded as it likes it."""
    record = MADE[method]()
    filename = "<program>"
    if method in ("core", "settrace"):
        # The very object: no other code is the program's.
        filename = sys.modules["inner.interrupts"].FILENAME
    if method in ("coverage", "PySnooper", "snoop"):
        # They read the source, and take no interest in what has none.
        filename = write_source(workload, data)
    return record, prepare(workload, filename, data)


def write_source(workload: str, data: str) -> str:
    """Put the program where a tracer looks for it; CRUXEval has no one file."""
    import tempfile

    path = Path(tempfile.mkdtemp(prefix="speed-"), "workload.py")
    path.write_text(WORKLOADS.get(workload, ""), encoding="utf-8")
    return str(path)


if __name__ == "__main__":
    main()
