"""Many programs go in; a folder of their traces comes out, recorded by several processes."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from worldline.errors import InputError, RecorderError
from worldline.predict import Question
from worldline.recorders import PythonRecorder
from worldline.runs.manifest import this_session
from worldline.runs.recorder_pool import Batch, Done, record_batches
from worldline.store import (
    TRACE_PART_ROWS,
    Lock,
    Place,
    iterate_trace_rows,
    other_files,
    part_files,
    place_of,
)
from worldline.trace import Limits, Program

FORMAT = 1
FILE = "traces.json"
# Programs whose traces make a part, at least.
_LEAST_ROWS = 50
# What must not change while a folder is gone on with.
_FIXED = ("python", "limits")
# A process may be ended by a system that gave away more memory than it has.
_TIMES_TO_TRY = 3


@dataclass(frozen=True, slots=True)
class RecordingSummary:
    """How the recording of a file of programs came out: `kept` was there before, `endings` are
    those of all that are stored, and `failed` are not stored, since the recorder failed.

    `agreeing` of `expected` results are what the file says that they are; `disagreeing` names
    the others.
    """

    programs: int
    kept: int
    endings: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    expected: int = 0
    agreeing: int = 0
    disagreeing: tuple[str, ...] = ()
    failed: int = 0
    first_failure: str | None = None
    left: int = 0


def record_into(
    address: str | Path,
    questions: Sequence[Question],
    *,
    limits: Limits | None = None,
    python: str | None = None,
    workers: int = 1,
    is_restarted: bool = False,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> RecordingSummary:
    """Record what a folder does not have yet, in parts of 2,000 traces, in the file's order.

    Interrupted, it keeps what is recorded and says how much is left; killed, it loses at most a
    part a process. `on_progress` is told how many of how many are done.
    """
    place, limits = place_of(address), limits or Limits()
    if not place.is_remote and Path(place.path).is_file():
        raise InputError(f"{address} is a file; name a folder for the traces with -o")
    settings = _settings(limits, python)
    lock = Lock(place.journal)
    try:
        _begin(place, settings, is_restarted=is_restarted)
        kept = len(questions) - len(_missing(place, questions))
        total = len(questions) - kept
        # Smaller ones where there would not be one for every process.
        size = min(TRACE_PART_ROWS, max(_LEAST_ROWS, -(-len(questions) // workers)))
        for _ in range(_TIMES_TO_TRY):
            wanted = _missing(place, questions)
            done = record_batches(
                _batches(place, wanted, size),
                limits=limits,
                python=python,
                workers=workers,
                on_progress=partial(_tell, on_progress, total, total - len(wanted)),
            )
            if not done.has_died:
                return _summary(place, questions, kept, done)
    finally:
        lock.let_go()
    raise RecorderError(
        f"a process that recorded programs died, {_TIMES_TO_TRY} times, perhaps for want of "
        "memory: give fewer --workers; the same command (without --restart) goes on"
    )


def _tell(on_progress: Callable[[int, int], None], total: int, before: int, count: int) -> None:
    on_progress(before + count, total)


def _settings(limits: Limits, python: str | None) -> dict[str, Any]:
    with PythonRecorder(python=python) as recorder:
        # Which Python it is, it says of itself.
        origin = recorder.record(Program("def f():\n    return 0\n", "f()")).origin
    return {"recorder": origin.recorder, "python": origin.python, "limits": asdict(limits)}


def _begin(place: Place, now: dict[str, Any], *, is_restarted: bool) -> None:
    """Say what the folder is of; one that was begun otherwise is refused."""
    is_ours = place.read(FILE) is not None
    if not is_ours:
        _refuse_strangers(place)
    if is_restarted:
        for path in part_files(place):
            place.remove(path)
    if is_restarted or not is_ours:
        begun = {"format": FORMAT, **now, "sessions": []}
    else:
        begun = _manifest(place)
    for name in _FIXED:
        if begun.get(name) != now[name]:
            raise InputError(
                f"the traces in {place.address} were recorded with {name} {begun.get(name)}, not "
                f"{now[name]}; name another folder with -o, or begin it anew with --restart"
            )
    begun["sessions"] = [*begun["sessions"], this_session()]
    place.write(FILE, json.dumps(begun, indent=1).encode() + b"\n")


def _manifest(place: Place) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(place.read(FILE) or b"")
        is_known = found["format"] == FORMAT and isinstance(found["sessions"], list)
    except (ValueError, KeyError, TypeError):
        is_known = False
    if not is_known:
        raise InputError(
            f"{FILE} in {place.address} is damaged, or another version of worldline wrote it; name "
            "another folder with -o, or begin it anew with --restart"
        )
    return found


def _refuse_strangers(place: Place) -> None:
    """A folder that holds other things does not become one of traces."""
    found = [Path(path).name for path in part_files(place)] + other_files(place, FILE)
    if found:
        raise InputError(
            f"{place.address} holds {found[0]!r} and no {FILE}; name another folder with -o"
        )


def _missing(place: Place, questions: Sequence[Question]) -> list[tuple[int, Question]]:
    """What the folder does not have, each with its place in the file; another program by the same
    name is refused."""
    rows = iterate_trace_rows(place, columns=["id", "program"])
    stored = {row["id"]: row["program"] for row in rows}
    missing = []
    for number, question in enumerate(questions):
        program = stored.get(question.id)
        if program is None:
            missing.append((number, question))
        elif program != question.program.hash:
            raise InputError(
                f"{place.address} holds another program by the name of {question.id!r}; name "
                "another folder with -o, or begin it anew with --restart"
            )
    return missing


def _batches(place: Place, wanted: Sequence[tuple[int, Question]], size: int) -> list[Batch]:
    """Programs that make a part each.

    Parts are named by the place of their first program: in the order of names, so are the rows.
    That holds where it is gone on with, too, since no batch reaches over what is there already.
    """
    groups: list[list[tuple[int, Question]]] = []
    for number, question in wanted:
        if number % size == 0 or not groups or groups[-1][-1][0] != number - 1:
            groups.append([])
        groups[-1].append((number, question))
    return [Batch(place.address, tuple(group)) for group in groups]


def _summary(
    place: Place, questions: Sequence[Question], kept: int, done: Done
) -> RecordingSummary:
    """All that is in the folder of these programs, whenever it was recorded."""
    asked = {question.id for question in questions}
    found = RecordingSummary(
        len(questions), kept, failed=done.failed, first_failure=done.first_failure
    )
    steps = expected = agreeing = 0
    disagreeing: list[str] = []
    columns = ["id", "ending", "steps", "expected", "is_expected"]
    for row in iterate_trace_rows(place, columns=columns):
        if row["id"] not in asked:
            continue
        found.endings[row["ending"]] += 1
        steps += row["steps"]
        expected += row["expected"] is not None
        agreeing += row["is_expected"] is True
        if row["is_expected"] is False:
            disagreeing.append(row["id"])
    left = len(questions) - found.endings.total() - done.failed
    return replace(
        found,
        steps=steps,
        expected=expected,
        agreeing=agreeing,
        disagreeing=tuple(disagreeing),
        left=left,
    )
