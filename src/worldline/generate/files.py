"""An order and a path go in; a file of programs comes out, which a kill does not lose.

While it is made, everything is in a journal beside it (`.NAME.unfinished`). In the end the file is
written in one move, and `NAME.about.json` beside it says how it was made and what was left out.
"""

import json
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.generate.balance import Shortage
from worldline.generate.excluded import Excluded
from worldline.generate.making import Decision, Order, Progress, check_order, decide
from worldline.predict import Question, questions_from_rows, read_questions
from worldline.store import Journal, Lock, read_journal

FORMAT = 1
# What a kill can lose at most.
_SECONDS, _DECISIONS = 1.0, 256

Row = dict[str, Any]
# A decision, and the candidate behind it: its number, and its level's.
_Judged = tuple[Decision, int, int]


def generate_file(
    path: Path,
    order: Order,
    excluded: Excluded,
    *,
    workers: int = 1,
    is_restarted: bool = False,
    begun: Callable[[Progress], None] = lambda _: None,
    decided: Callable[[Decision], None] = lambda _: None,
) -> Progress:
    """Make a file of programs, or go on with one that was begun by the same order.

    `begun` is told what is there already, `decided` of each candidate that is judged.
    """
    check_order(order)
    wanted = _about(order, excluded)
    lock = Lock(path)
    try:
        if is_restarted:
            for each in (path, journal_path(path), about_path(path)):
                each.unlink(missing_ok=True)
        finished = _finished(path, wanted)
        if finished is not None:
            begun(finished)
            return finished
        journal = Journal(journal_path(path))
        progress = _begun(journal, path, wanted)
        begun(progress)
        try:
            _go_on(journal, order, excluded, workers, progress, decided)
        finally:
            journal.close()
        _finish(path, wanted, progress)
        return progress
    finally:
        lock.let_go()


def journal_path(path: Path) -> Path:
    """Where a file is while it is made."""
    return path.with_name(f".{path.name}.unfinished")


def about_path(path: Path) -> Path:
    """Where it says how a file was made."""
    return path.with_name(f"{path.name}.about.json")


def question_to_row(question: Question) -> Row:
    """A question as `read_questions` reads it."""
    return {
        "id": question.id,
        "code": question.program.source,
        "call": question.program.call,
        "expected": question.expected,
        "facets": dict(question.facets),
    }


def _about(order: Order, excluded: Excluded) -> Row:
    # By way of JSON, as what it is compared with.
    found: Row = json.loads(json.dumps(asdict(order)))
    without = {"names": list(excluded.names), "programs": excluded.hash}
    return {
        "format": FORMAT,
        "order": found,
        "without": without,
        "worldline": version("worldline"),
    }


def _refuse(path: Path, there: Row, wanted: Row) -> None:
    """Say what is different; nothing where all is the same."""
    if there == wanted:
        return
    old, new = ({**each.get("order", {}), **each.get("without", {})} for each in (there, wanted))
    old["worldline"], new["worldline"] = there.get("worldline"), wanted["worldline"]
    changes = [
        f"{name}: {old.get(name)} then, {new[name]} now"
        for name in new
        if old.get(name) != new[name]
    ]
    raise InputError(
        f"{path} was made by another command ({'; '.join(changes) or 'another format'}); name "
        "another file with -o, or begin this one anew with --restart"
    )


def _finished(path: Path, wanted: Row) -> Progress | None:
    """What a file that is done holds; none where it is not, or not yet."""
    if journal_path(path).exists() or not path.exists():
        return None
    try:
        about = json.loads(about_path(path).read_text(encoding="utf-8"))
        there, counts = about["made"], about["counts"]
        left_out = Counter({(reason, level): n for reason, level, n in counts["left_out"]})
        shortages = [Shortage(tuple(cell), *rest) for cell, *rest in counts["shortages"]]
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"{path} is there, and not known to be made by worldline generate; name another file "
            "with -o, or replace this one with --restart"
        ) from None
    _refuse(path, there, wanted)
    return Progress(counts["number"], 0, list(read_questions(path)), left_out, shortages)


def _begun(journal: Journal, path: Path, wanted: Row) -> Progress:
    """How far the journal has come."""
    rows = read_journal(journal.path)
    progress = Progress()
    if not rows:
        journal.replace([wanted])
        return progress
    there, *batches = rows
    _refuse(path, there, wanted)
    for batch in batches:
        places = ((f"{journal.path}", row) for row in batch["rows"])
        progress.questions += questions_from_rows(places)
        progress.left_out.update({(reason, level): n for reason, level, n in batch["left_out"]})
        progress.number, progress.level = batch["next"]
    # A line that was cut by a kill would be in the way of the next.
    journal.replace(rows)
    return progress


def _go_on(
    journal: Journal,
    order: Order,
    excluded: Excluded,
    workers: int,
    progress: Progress,
    decided: Callable[[Decision], None],
) -> None:
    batch: list[_Judged] = []
    written = time.monotonic()
    decisions = decide(order, excluded, workers=workers, progress=progress)
    try:
        for decision in decisions:
            batch.append((decision, progress.number, progress.level))
            if len(batch) >= _DECISIONS or time.monotonic() - written > _SECONDS:
                # First: what ctrl-c finds in the batch is written, and must not be there twice.
                rows, batch = batch, []
                journal.append(_batch_row(rows))
                written = time.monotonic()
            decided(decision)
    finally:
        decisions.close()
        # Stopped by ctrl-c, nothing is lost at all.
        if batch:
            journal.append(_batch_row(batch))


def _batch_row(batch: list[_Judged]) -> Row:
    decisions = [decision for decision, _, _ in batch]
    left_out = Counter((each.reason, each.level) for each in decisions if each.question is None)
    return {
        # Not how far it is by now: that may be behind what is in no row.
        "next": list(batch[-1][1:]),
        "rows": [question_to_row(each.question) for each in decisions if each.question is not None],
        "left_out": [[*key, number] for key, number in left_out.items()],
    }


def _finish(path: Path, wanted: Row, progress: Progress) -> None:
    counts = {
        "number": progress.number,
        "kept": len(progress.questions),
        "left_out": [[*key, number] for key, number in sorted(progress.left_out.items())],
        "shortages": [[list(s.cell), s.wanted, s.found, s.tries] for s in progress.shortages],
    }
    about = json.dumps({"made": wanted, "counts": counts}, indent=1) + "\n"
    lines = "".join(json.dumps(question_to_row(each)) + "\n" for each in progress.questions)
    try:
        for target, text in ((about_path(path), about), (path, lines)):
            fresh = target.with_name(f".{target.name}.new")
            fresh.write_text(text, encoding="utf-8")
            os.replace(fresh, target)
        journal_path(path).unlink()
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error
