"""CPU time of the sandbox: each layer in addition to those before it."""

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

from tests.languages.recorder.methods import ROOT
from tests.support.processes import process_tree
from worldline.core.trace import Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.sandbox import LAYERS, Layer, Sandbox

SMALL = Program("def f(x):\n    return x\n", "f(1)")
# A process with the modules of the recorder that only forks and waits: the minimum per program.
_FORK_SCRIPT = """
import os, sys
sys.path.insert(0, sys.argv[1])
import child.fork_server
for line in sys.stdin:
    for _ in range(int(line)):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    print("done", flush=True)
"""
STAGES: tuple[tuple[str, frozenset[Layer]], ...] = (
    ("recorded, without a sandbox", frozenset()),
    ("in bubblewrap, with control groups", frozenset({"bubblewrap", "control groups"})),
    ("and limits", frozenset(LAYERS[:2]) | {"limits"}),
    ("and namespaces", frozenset(LAYERS[:3]) | {"limits"}),
    ("and a disk", frozenset(LAYERS[:4]) | {"limits"}),
    ("and Landlock, capabilities, seccomp: all", frozenset(LAYERS)),
)


class CpuAccount:
    """CPU time of some processes and their children, as the kernel counts it."""

    def __init__(self, pids: Sequence[int]) -> None:
        self._folder = Path("/sys/fs/cgroup/cpuacct") / f"worldline-{uuid.uuid4().hex[:8]}"
        self._folder.mkdir()
        for pid in pids:
            (self._folder / "tasks").write_text(str(pid))

    def seconds(self) -> float:
        """CPU time until now."""
        return int((self._folder / "cpuacct.usage").read_text()) / 1e9

    def close(self) -> None:
        """Move the remaining processes to the parent group and remove the group."""
        for pid in (self._folder / "tasks").read_text().split():
            (self._folder.parent / "tasks").write_text(pid)
        self._folder.rmdir()


@contextmanager
def bare_forks() -> Iterator[tuple[int, Callable[[int], None]]]:
    """Yield the id of a process, and a function that makes it fork N times."""
    folder = str(ROOT / "src/worldline/languages/python/recorder")
    with subprocess.Popen(
        [sys.executable, "-c", _FORK_SCRIPT, folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        requests, replies = process.stdin, process.stdout

        def fork(count: int) -> None:
            requests.write(f"{count}\n")
            requests.flush()
            assert replies.readline() == "done\n"

        yield process.pid, fork
        requests.close()


def cost_of(pid: int, work: Callable[[int], None], count: int, repeats: int) -> float:
    """CPU milliseconds per program, the minimum of several repeats."""
    account = CpuAccount(process_tree(pid))
    try:
        work(20)
        milliseconds = []
        for _ in range(repeats):
            before = account.seconds()
            work(count)
            milliseconds.append((account.seconds() - before) / count * 1e3)
        return min(milliseconds)
    finally:
        account.close()


def costs(programs: Sequence[Program], *, count: int = 200, repeats: int = 5) -> dict[str, float]:
    """CPU milliseconds per program, by stage; the last stage records programs of a benchmark."""
    by_stage = {}
    with bare_forks() as (pid, fork):
        by_stage["fork and exit"] = cost_of(pid, fork, count, repeats)
    for name, layers in STAGES:
        with PythonRecorder(sandbox=Sandbox(layers)) as recorder:
            by_stage[name] = cost_of(_pid(recorder), _recording(recorder, [SMALL]), count, repeats)
    with PythonRecorder() as recorder:
        pid = _pid(recorder)
        work = _recording(recorder, programs)
        by_stage["CRUXEval, all layers"] = cost_of(pid, work, count, repeats)
    return by_stage


def _pid(recorder: PythonRecorder) -> int:
    assert recorder.backend
    assert recorder._server is not None
    return recorder._server._process.pid


def _recording(recorder: PythonRecorder, programs: Sequence[Program]) -> Callable[[int], None]:
    def record(count: int) -> None:
        for number in range(count):
            recorder.record(programs[number % len(programs)])

    return record


def rates(programs: Sequence[Program], *, seconds: float = 10) -> tuple[float, float]:
    """Programs per second on two cores: recorded in the sandbox, and forks that do nothing."""

    def rate_on_two_cores(work: Callable[[Callable[[], bool]], int]) -> float:
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

    def recordings(is_over: Callable[[], bool]) -> int:
        command = [sys.executable, "-c", _RECORD_SCRIPT, json.dumps([p.source for p in programs])]
        command += [json.dumps([p.call for p in programs]), str(seconds)]
        run = subprocess.run(command, capture_output=True, text=True, check=True, env=os.environ)
        return int(run.stdout)

    return rate_on_two_cores(recordings), rate_on_two_cores(forks)


_RECORD_SCRIPT = """
import json, sys, time
from worldline.languages.python.recorder import PythonRecorder
from worldline.core.trace import Program
programs = [Program(source, call) for source, call in zip(json.loads(sys.argv[1]), json.loads(sys.argv[2]))]
count = 0
with PythonRecorder() as recorder:
    recorder.record(programs[0])
    end = time.monotonic() + float(sys.argv[3])
    while time.monotonic() < end:
        recorder.record(programs[count % len(programs)])
        count += 1
print(count)
"""
