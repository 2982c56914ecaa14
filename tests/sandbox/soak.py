"""Many programs in a row, some of them hostile: nothing lost, nothing left, memory flat."""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.processes import offspring
from tests.sandbox.attacks import ATTACKS, Attack
from tests.sandbox.battery import Battery
from worldline.recorders import PythonRecorder
from worldline.sandbox.launch import USER
from worldline.trace import Limits, Program

# Those that end at once; the others only wait for their time to be up.
_SLOW = ("fork tree", "memory of many processes", "threads", "fork", "kill whoever there is")


@dataclass(frozen=True, slots=True)
class Soaked:
    """What came of it."""

    endings: Counter[str]
    wrong: list[str]  # programs whose result is not the one that they have
    escaped: list[str]
    kills: int
    seconds: float
    memory: list[int]  # resident, of this process and the interpreter's, in kB, now and then
    descriptors: tuple[int, int]  # open here, before and after
    processes: tuple[int, int]  # of the recorder's, before and after
    zombies: list[str]


def quick_attacks(battery: Battery) -> list[Attack]:
    """Those that are over within half a second."""
    found = []
    for attack in ATTACKS:
        if attack.name in _SLOW or attack.name.startswith("call: "):
            continue
        began = time.monotonic()
        battery.run(attack, Limits(seconds=0.5))
        if time.monotonic() - began < 0.5:
            found.append(attack)
    return found


def soak(
    battery: Battery,
    programs: Sequence[tuple[Program, str]],
    count: int,
    *,
    seed: int = 7,
    kill_every: int = 5_000,
    tell: Callable[[str], None] = print,
) -> Soaked:
    """Record `count` programs: real ones with a known result, one in a hundred an attack.

    Every so often the interpreter is killed while a program runs.
    """
    draws = random.Random(seed)
    hostile = quick_attacks(battery)
    endings: Counter[str] = Counter()
    wrong: list[str] = []
    escaped: list[str] = []
    memory: list[int] = []
    kills = 0
    began = time.monotonic()
    with PythonRecorder() as recorder:
        recorder.record(programs[0][0])
        before = len(os.listdir("/proc/self/fd")), _processes(recorder)
        for number in range(count):
            if kill_every and number % kill_every == kill_every - 1:
                kills += 1
                _kill_soon(recorder, draws.random() * 0.01)
            if number % 100 == 50:
                attack = draws.choice(hostile)
                trace = recorder.record(battery.program(attack), limits=Limits(seconds=2))
                if attack.has_succeeded(trace):
                    escaped.append(attack.name)
            else:
                program, expected = programs[number % len(programs)]
                trace = recorder.record(program)
                if trace.result != expected:
                    wrong.append(f"{number}: {trace.ending} {trace.result} not {expected}")
            endings[trace.ending.reason] += 1
            if number % max(1, count // 20) == 0:
                memory.append(_resident(recorder))
                tell(
                    f"{number:,} of {count:,}, {memory[-1]:,} kB, {time.monotonic() - began:.0f} s"
                )
        memory.append(_resident(recorder))
        after = len(os.listdir("/proc/self/fd")), _processes(recorder)
    time.sleep(1)
    return Soaked(
        endings,
        wrong,
        escaped,
        kills,
        time.monotonic() - began,
        memory,
        (before[0], after[0]),
        (before[1], after[1]),
        _zombies(),
    )


def _kill_soon(recorder: PythonRecorder, seconds: float) -> None:
    assert recorder._zygote is not None
    pids = offspring(recorder._zygote._process.pid)

    def kill() -> None:
        time.sleep(seconds)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    threading.Thread(target=kill, daemon=True).start()


def _processes(recorder: PythonRecorder) -> int:
    assert recorder._zygote is not None
    return len(offspring(recorder._zygote._process.pid))


def _resident(recorder: PythonRecorder) -> int:
    assert recorder._zygote is not None
    total = 0
    for pid in (os.getpid(), *offspring(recorder._zygote._process.pid)):
        try:
            text = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS"))
    return total


def _zombies() -> list[str]:
    """Processes of the sandbox's user, or of ours, that have ended and were not reaped."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        is_ours = f"PPid:\t{os.getpid()}\n" in text or f"Uid:\t{USER}\t" in text
        if "State:\tZ" in text and is_ours:
            found.append(" ".join(text.split("\n")[:7]))
    return found
