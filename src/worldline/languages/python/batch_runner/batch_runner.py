"""Execution of one source and many tests or calls in one sandboxed process.

Nothing is traced. If the process dies, the item that ended it is executed once more, alone, and the
other items continue in a new process.
"""

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from worldline.core.trace import Ending, Limits, Program
from worldline.languages.python.recorder import PythonRecorder

ItemKind = Literal["statement", "expression"]
ItemStatus = Literal[
    "passed",  # the statement ended without an exception
    "value",  # the expression has a value
    "failed",  # the statement raised an AssertionError
    "raised",  # another exception
    "time_limit",
    "invalid",  # the item does not compile
    "not_loaded",  # the source does not compile, or raised an exception
    "crashed",  # the process died, also when the item was executed alone
    "not_executed",  # too many items before it have ended their process
]
DEFAULT_ITEM_SECONDS = 0.1
# Change it when the same batch can have other outcomes than before.
_VERSION = 1


@dataclass(frozen=True, slots=True)
class BatchItem:
    """A statement or an expression that is evaluated after the source.

    Attributes:
        text: Its source text.
        kind: A statement passes or fails; an expression has a value.
        seconds: CPU time that it may use.
    """

    text: str
    kind: ItemKind = "statement"
    seconds: float = DEFAULT_ITEM_SECONDS


@dataclass(frozen=True, slots=True)
class Batch:
    """A source and its items.

    Attributes:
        source: The source text that is executed first.
        items: Statements and expressions that use its names.
        load_seconds: CPU time of the source itself.
        value_chars: Length of a value; a longer one is shortened.
        max_slow_items: After this many items that exceed their limit, the others have a tenth of
            theirs.
        max_crashes: After this many items that end their process, the others are not executed.
        memory_mb: Memory of the process.
    """

    source: str
    items: tuple[BatchItem, ...]
    load_seconds: float = 1.0
    value_chars: int = 10_000
    max_slow_items: int = 10
    max_crashes: int = 3
    memory_mb: int = 1024

    @property
    def key(self) -> str:
        """Hash of everything that the outcomes depend on."""
        content = [_VERSION, self.source, [(i.text, i.kind, i.seconds) for i in self.items]]
        content += [self.load_seconds, self.value_chars, self.max_slow_items, self.max_crashes]
        content += [self.memory_mb]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """The status of one item; `detail` is an expression's value or the name of its exception."""

    status: ItemStatus
    detail: str = ""


@dataclass(frozen=True, slots=True)
class BatchOutcome:
    """The outcomes of all items, and what they cost.

    Attributes:
        items: The outcomes, in the order of the items.
        processes: How many processes were used: 1 unless an item ended one.
        cpu_seconds: CPU time of the processes that ended by themselves.
        seconds: Elapsed time.
        memory_kb: Largest memory of a process that ended by itself.
    """

    items: tuple[ItemOutcome, ...]
    processes: int
    cpu_seconds: float
    seconds: float
    memory_kb: int


def run_batch(batch: Batch, recorder: PythonRecorder) -> BatchOutcome:
    """Execute a source and evaluate its items.

    Args:
        batch: The source and the items.
        recorder: Starts the sandboxed processes.

    Raises:
        RecorderError: The recorder itself failed.
        SandboxError: The sandbox is not available; nothing was executed.
    """
    outcomes: list[ItemOutcome] = []
    crashes, processes, is_alone = 0, 0, False
    cpu_seconds, memory_kb, start = 0.0, 0, time.monotonic()
    while len(outcomes) < len(batch.items):
        rest = batch.items[len(outcomes) :]
        items = rest[:1] if is_alone else rest
        rows, ending = _execute(batch, items, recorder)
        processes += 1
        if rows and rows[-1][0] == "end":
            _, used, memory = rows.pop()
            cpu_seconds, memory_kb = cpu_seconds + used, max(memory_kb, memory)
        if rows and rows[0][0] == "not_loaded":
            outcomes += [ItemOutcome("not_loaded")] * len(rest)
            break
        outcomes += [ItemOutcome(status, detail) for status, detail in rows]
        was_alone, is_alone = is_alone, False
        if len(rows) == len(items):
            continue
        # An item has ended the process. Alone, it may not: others may have used up the memory.
        if not was_alone and len(items) > 1:
            is_alone = True
            continue
        outcomes.append(_dead_outcome(ending))
        crashes += 1
        if crashes >= batch.max_crashes:
            outcomes += [ItemOutcome("not_executed")] * (len(batch.items) - len(outcomes))
    elapsed = time.monotonic() - start
    return BatchOutcome(tuple(outcomes), processes, cpu_seconds, elapsed, memory_kb)


def _execute(
    batch: Batch, items: Sequence[BatchItem], recorder: PythonRecorder
) -> tuple[list[list[Any]], Ending]:
    """The rows of one process, and how it ended."""
    request = {
        "source": batch.source,
        "items": [(item.kind, item.text, item.seconds) for item in items],
        "load_seconds": batch.load_seconds,
        "value_chars": batch.value_chars,
        "max_slow_items": batch.max_slow_items,
    }
    # The harness limits each item; these limits end a process that evades it.
    seconds = 30 + 10 * (batch.load_seconds + sum(item.seconds for item in items))
    limits = Limits(
        seconds=seconds,
        memory_mb=batch.memory_mb,
        trace_mb=1,
        output_mb=4 + len(items) * (batch.value_chars * 6 + 100) // 1_000_000,
    )
    trace = recorder.record(Program.from_text(_harness(), stdin=json.dumps(request)), limits=limits)
    return _parse_rows(trace.stdout, len(items)), trace.ending


def _parse_rows(stdout: str, n_items: int) -> list[list[Any]]:
    """The rows of a process, up to the first one that is damaged or that nobody expects."""
    rows: list[list[Any]] = []
    for line in stdout.split("\n")[:-1]:
        try:
            row = json.loads(line)
            is_end = row[0] == "end" and len(rows) == n_items
            if not is_end and (row[0] not in get_args(ItemStatus) or len(rows) == n_items):
                break
        except (ValueError, TypeError, LookupError):
            break
        rows.append(row)
    return rows


def _dead_outcome(ending: Ending) -> ItemOutcome:
    """The outcome of an item whose process died.

    SIGVTALRM and SIGALRM are the harness's own limits.
    """
    is_limit = ending.reason == "time_limit" or ending.detail in ("SIGVTALRM", "SIGALRM")
    return ItemOutcome("time_limit") if is_limit else ItemOutcome("crashed", ending.reason)


@cache
def _harness() -> str:
    """The text of the harness."""
    return Path(__file__).with_name("batch_harness.py").read_text(encoding="utf-8")
