"""Soak test: many programs with one recorder, some of them hostile, without leaks or losses."""

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.languages.sandbox.attacks import ATTACKS, Attack
from tests.languages.sandbox.battery import Battery
from tests.support.processes import process_tree
from worldline.core.trace import Limits, Program
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.sandbox.unprivileged_user import USER

# Attacks that run until their time limit.
SLOW_ATTACKS = (
    "fork tree",
    "memory of many processes",
    "threads",
    "fork",
    "kill all processes by id",
)


@dataclass(frozen=True, slots=True)
class SoakResult:
    """Result of a soak test.

    Attributes:
        endings: The number of endings of each kind.
        wrong: Programs whose result is not the expected one.
        escaped: Attacks that have succeeded.
        kills: How often the fork server was killed.
        seconds: The duration.
        memory: Samples of the resident memory of this process and the recorder's, in kB.
        descriptors: Open file descriptors before and after.
        processes: Processes of the recorder before and after.
        zombies: Processes that were not reaped.
    """

    endings: Counter[str]
    wrong: list[str]
    escaped: list[str]
    kills: int
    seconds: float
    memory: list[int]
    descriptors: tuple[int, int]
    processes: tuple[int, int]
    zombies: list[str]


def quick_attacks(battery: Battery) -> list[Attack]:
    """The attacks that end within half a second."""
    attacks = []
    for attack in ATTACKS:
        if attack.name in SLOW_ATTACKS or attack.name.startswith("call: "):
            continue
        start = time.monotonic()
        battery.run(attack, Limits(seconds=0.5))
        if time.monotonic() - start < 0.5:
            attacks.append(attack)
    return attacks


def soak(
    battery: Battery,
    programs: Sequence[tuple[Program, str]],
    count: int,
    *,
    seed: int = 7,
    kill_every: int = 5_000,
    tell: Callable[[str], None] = print,
) -> SoakResult:
    """Record `count` programs with known results; one in a hundred is an attack instead.

    The fork server is killed after every `kill_every` programs, while a program runs.
    """
    choices = random.Random(seed)
    attacks = quick_attacks(battery)
    endings: Counter[str] = Counter()
    wrong: list[str] = []
    escaped: list[str] = []
    memory: list[int] = []
    kills = 0
    start = time.monotonic()
    with PythonRecorder() as recorder:
        recorder.record(programs[0][0])
        before = len(os.listdir("/proc/self/fd")), _processes(recorder)
        for number in range(count):
            if kill_every and number % kill_every == kill_every - 1:
                kills += 1
                _kill_soon(recorder, choices.random() * 0.01)
            if number % 100 == 50:
                attack = choices.choice(attacks)
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
                    f"{number:,} of {count:,}, {memory[-1]:,} kB, {time.monotonic() - start:.0f} s"
                )
        memory.append(_resident(recorder))
        after = len(os.listdir("/proc/self/fd")), _processes(recorder)
    time.sleep(1)
    return SoakResult(
        endings,
        wrong,
        escaped,
        kills,
        time.monotonic() - start,
        memory,
        (before[0], after[0]),
        (before[1], after[1]),
        _zombies(),
    )


def _kill_soon(recorder: PythonRecorder, seconds: float) -> None:
    assert recorder._server is not None
    pids = process_tree(recorder._server._process.pid)

    def kill() -> None:
        time.sleep(seconds)
        for pid in pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue

    threading.Thread(target=kill, daemon=True).start()


def _processes(recorder: PythonRecorder) -> int:
    assert recorder._server is not None
    return len(process_tree(recorder._server._process.pid))


def _resident(recorder: PythonRecorder) -> int:
    assert recorder._server is not None
    total = 0
    for pid in (os.getpid(), *process_tree(recorder._server._process.pid)):
        try:
            text = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in text.splitlines() if line.startswith("VmRSS"))
    return total


def _zombies() -> list[str]:
    """Processes of the sandbox's user, or children of this process, that were not reaped."""
    zombies = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except OSError:
            continue
        is_ours = f"PPid:\t{os.getpid()}\n" in text or f"Uid:\t{USER}\t" in text
        if "State:\tZ" in text and is_ours:
            zombies.append(" ".join(text.split("\n")[:7]))
    return zombies
