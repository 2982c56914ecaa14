"""What holding a program costs, in processor time: each layer on top of the one before."""

import json
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.processes import offspring
from tests.recorders.methods import ROOT
from worldline.recorders import PythonRecorder
from worldline.sandbox import LAYERS, Layer, Sandbox
from worldline.trace import Program

SMALL = Program("def f(x):\n    return x\n", "f(1)")
# A process that has what the recorder's has, forks and waits: the least that a program can cost.
_FLOOR = """
import os, sys
sys.path.insert(0, sys.argv[1])
from inner import zygote
for line in sys.stdin:
    for _ in range(int(line)):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    print("done", flush=True)
"""
STAGES: tuple[tuple[str, frozenset[Layer]], ...] = (
    ("recorded, not held", frozenset()),
    ("in bubblewrap, with control groups", frozenset({"bubblewrap", "control groups"})),
    ("and limits", frozenset(LAYERS[:2]) | {"limits"}),
    ("and namespaces", frozenset(LAYERS[:3]) | {"limits"}),
    ("and a disk", frozenset(LAYERS[:4]) | {"limits"}),
    ("and Landlock, capabilities, seccomp: all", frozenset(LAYERS)),
)


class Account:
    """Processor time of some processes and all they start, by the kernel's own count."""

    def __init__(self, pids: Sequence[int]) -> None:
        self._folder = Path("/sys/fs/cgroup/cpuacct") / f"worldline-{uuid.uuid4().hex[:8]}"
        self._folder.mkdir()
        for pid in pids:
            (self._folder / "tasks").write_text(str(pid))

    def seconds(self) -> float:
        """So far."""
        return int((self._folder / "cpuacct.usage").read_text()) / 1e9

    def close(self) -> None:
        """Whoever was in it is elsewhere or gone."""
        for pid in (self._folder / "tasks").read_text().split():
            (self._folder.parent / "tasks").write_text(pid)
        self._folder.rmdir()


@contextmanager
def bare_forks() -> Iterator[tuple[int, Callable[[int], None]]]:
    """A process that forks so many times when it is told to, and its id."""
    inner = str(ROOT / "src/worldline/recorders")
    with subprocess.Popen(
        [sys.executable, "-c", _FLOOR, inner],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        asked, told = process.stdin, process.stdout

        def fork(count: int) -> None:
            asked.write(f"{count}\n")
            asked.flush()
            assert told.readline() == "done\n"

        yield process.pid, fork
        asked.close()


def cost_of(pid: int, work: Callable[[int], None], count: int, repeats: int) -> float:
    """Milliseconds of a processor for one, the least of several."""
    account = Account(offspring(pid))
    try:
        work(20)
        found = []
        for _ in range(repeats):
            before = account.seconds()
            work(count)
            found.append((account.seconds() - before) / count * 1e3)
        return min(found)
    finally:
        account.close()


def costs(programs: Sequence[Program], *, count: int = 200, repeats: int = 5) -> dict[str, float]:
    """By stage: what one program costs, and what a real one does with its trace."""
    found = {}
    with bare_forks() as (pid, fork):
        found["fork and exit"] = cost_of(pid, fork, count, repeats)
    for name, layers in STAGES:
        with PythonRecorder(sandbox=Sandbox(layers)) as recorder:
            found[name] = cost_of(_pid(recorder), _recording(recorder, [SMALL]), count, repeats)
    with PythonRecorder() as recorder:
        pid = _pid(recorder)
        found["CRUXEval, all layers"] = cost_of(pid, _recording(recorder, programs), count, repeats)
    return found


def _pid(recorder: PythonRecorder) -> int:
    assert recorder.method
    assert recorder._zygote is not None
    return recorder._zygote._process.pid


def _recording(recorder: PythonRecorder, programs: Sequence[Program]) -> Callable[[int], None]:
    def record(count: int) -> None:
        for number in range(count):
            recorder.record(programs[number % len(programs)])

    return record


def rates(programs: Sequence[Program], *, seconds: float = 10) -> tuple[float, float]:
    """Programs a second on two cores: held and recorded, and forks that do nothing."""

    def both(work: Callable[[Callable[[], bool]], int]) -> float:
        end = time.monotonic() + seconds
        done: list[int] = []
        threads = [
            threading.Thread(target=lambda: done.append(work(lambda: time.monotonic() > end)))
            for _ in range(2)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sum(done) / seconds

    def forks(is_over: Callable[[], bool]) -> int:
        count = 0
        with bare_forks() as (_, fork):
            while not is_over():
                fork(20)
                count += 20
        return count

    def held(is_over: Callable[[], bool]) -> int:
        command = [sys.executable, "-c", _RATE, json.dumps([p.source for p in programs])]
        command += [json.dumps([p.call for p in programs]), str(seconds)]
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
        return int(ran.stdout)

    return both(held), both(forks)


_RATE = """
import json, sys, time
from worldline.recorders import PythonRecorder
from worldline.trace import Program
programs = [Program(*each) for each in zip(json.loads(sys.argv[1]), json.loads(sys.argv[2]))]
count = 0
with PythonRecorder() as recorder:
    recorder.record(programs[0])
    end = time.monotonic() + float(sys.argv[3])
    while time.monotonic() < end:
        recorder.record(programs[count % len(programs)])
        count += 1
print(count)
"""
