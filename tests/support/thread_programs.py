"""Programs with threads: the stored ones with known bugs, and generated ones."""

import random
import re
from dataclasses import dataclass
from pathlib import Path

from tests.support.paths import PROJECT_ROOT
from worldline.core.trace import Program

_PROGRAMS = PROJECT_ROOT / "tests" / "programs"


@dataclass(frozen=True)
class ConcurrencyBug:
    """A program with a bug and a corrected version of it.

    `wrong`: how an outcome of the buggy one begins; `right`: the only one of the corrected one.
    """

    name: str
    buggy: Program
    corrected: Program
    wrong: str
    right: str


def concurrency_bugs(folder: str = "threads") -> list[ConcurrencyBug]:
    """The stored programs of a folder: "threads" or "asyncio"."""
    return [_read_bug(path) for path in sorted((_PROGRAMS / folder).glob("*.py"))]


def _read_bug(path: Path) -> ConcurrencyBug:
    text = path.read_text()
    header = dict(re.findall(r"^# (wrong|right): (.*)$", text, re.MULTILINE))
    buggy, corrected = Program(text, "buggy()"), Program(text, "corrected()")
    return ConcurrencyBug(path.stem, buggy, corrected, header["wrong"], header["right"])


def thread_program(seed: int) -> Program:
    """A program with two or three threads that share variables, locks, a queue or an event."""
    rng = random.Random(seed)
    workers = rng.randint(2, 3)
    body = ["total, items, lock = 0, [], threading.Lock()", "ready = threading.Event()"]
    body += ["tasks = queue.Queue()", f"slots = threading.Semaphore({rng.randint(1, 2)})"]
    for number in range(workers):
        body += [f"def work{number}():", "    nonlocal total"]
        statements = [line for _ in range(rng.randint(1, 2)) for line in _statements(rng, number)]
        body += [f"    {line}" for line in statements]
    # No comprehension: from Python 3.12 on, it has no steps of its own.
    threads = ", ".join(f"threading.Thread(target=work{number})" for number in range(workers))
    body += [f"threads = [{threads}]"]
    body += ["for thread in threads:", "    thread.start()"]
    body += ["tasks.put(5)", "ready.set()"]
    body += ["for thread in threads:", "    thread.join()"]
    body += ["return total, items, tasks.qsize()"]
    lines = "".join(f"    {line}\n" for line in body)
    return Program(
        f"import queue\nimport threading\nimport time\n\n\ndef play():\n{lines}", "play()"
    )


def _statements(rng: random.Random, number: int) -> list[str]:
    amount = rng.randint(1, 9)
    return rng.choice(
        [
            ["value = total", f"total = value + {amount}"],
            ["with lock:", f"    total += {amount}", f"    items.append({number})"],
            [f"if len(items) < {rng.randint(1, 2)}:", f"    items.append({amount})"],
            ["ready.wait()", f"total *= {rng.randint(2, 3)}"],
            [f"tasks.put({amount})", "items.append(tasks.get())"],
            ["with slots:", f"    items.append({number})"],
            [f"for step in range({rng.randint(1, 2)}):", "    total += step + 1"],
            [f"time.sleep({rng.choice((0, 0.5, 1))})", f"items.append({amount})"],
            ["if lock.acquire(timeout=1):", "    total -= 1", "    lock.release()"],
            [f"total += {amount} if ready.is_set() else -{amount}"],
        ]
    )
