"""File of harvested programs, written so that an interrupted command can resume.

During the harvest, the functions' rows are in a journal next to the file (`.NAME.unfinished`). At
the end, the file is written atomically. `NAME.functions.jsonl` next to it has the functions and
their branches, and `NAME.about.json` the settings and totals.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.util.files import write_file
from worldline.data.generation import DecontaminationIndex, about_path
from worldline.data.generation.program_file import journal_path
from worldline.data.harvest.harvest_plan import HarvestPlan, PlannedFunction
from worldline.data.harvest.harvest_rows import Row, function_row, program_rows, summarize_rows
from worldline.data.harvest.harvest_workers import execute_functions, file_map
from worldline.data.harvest.input_execution import INPUT_SOURCES, HarvestLimits
from worldline.evaluation.store import Journal, Lock, read_journal

FORMAT = 3
SIMILARITY = 0.85


def harvest_file(
    path: Path,
    paths: Sequence[str | Path],
    index: DecontaminationIndex,
    *,
    limits: HarvestLimits | None = None,
    similarity: float = SIMILARITY,
    workers: int = 1,
    restart: bool = False,
    on_function: Callable[[Row], None] = lambda _: None,
) -> dict[str, Any]:
    """Harvest the functions of packages into a file, or resume an equal harvest.

    Args:
        path: The file to write, as JSON lines.
        paths: Source trees, wheels, sdists and site-packages folders.
        index: Programs to exclude.
        limits: Limits of each function; `HarvestLimits()` by default.
        similarity: Leave out functions that are at least this similar to an earlier one.
        workers: Number of worker processes; 1 works in this process.
        restart: Delete the earlier results and begin again.
        on_function: Called with the row of every executed function.

    Returns:
        The totals, as in `NAME.about.json`.

    Raises:
        InputError: A source cannot be read, or the file is of a different harvest.
        RecorderError: A worker died.
    """
    limits = limits or HarvestLimits()
    _check_sources(limits)
    description = _describe(paths, index, limits, similarity)
    lock = Lock(path)
    try:
        if restart:
            for each in (path, journal_path(path), about_path(path), functions_path(path)):
                each.unlink(missing_ok=True)
        if (finished := _read_finished(path, description)) is not None:
            return finished
        journal = Journal(journal_path(path))
        rows = _read_rows(journal, path, description)
        try:
            with file_map(workers) as map_files:
                plan = HarvestPlan(paths, index, similarity=similarity, map_files=map_files)
                order = _harvest(plan, rows, journal, limits, workers, on_function)
        finally:
            journal.close()
        return _write_finished(path, description, [rows[id] for id in order], plan)
    finally:
        lock.release()


def functions_path(path: Path) -> Path:
    """Path of the file with the functions of a harvest."""
    return path.with_name(f"{path.name}.functions.jsonl")


def _check_sources(limits: HarvestLimits) -> None:
    for name in limits.sources:
        if name not in INPUT_SOURCES:
            raise InputError(f"there is no source {name!r}; use: {', '.join(INPUT_SOURCES)}")
    if not limits.sources:
        raise InputError(f"name one source of inputs or more: {', '.join(INPUT_SOURCES)}")


def _describe(
    paths: Sequence[str | Path],
    index: DecontaminationIndex,
    limits: HarvestLimits,
    similarity: float,
) -> Row:
    settings = {**asdict(limits), "sources": list(limits.sources), "similarity": similarity}
    return {
        "format": FORMAT,
        "paths": [str(path) for path in paths],
        "settings": settings,
        "excluded": {"names": list(index.names), "programs": index.hash},
        "worldline": version("worldline"),
    }


def _check_same(path: Path, stored: Any, description: Row) -> None:
    if stored == description:
        return
    known = stored if isinstance(stored, dict) else {}
    changed = [name for name, value in description.items() if known.get(name) != value]
    raise InputError(
        f"{path} was harvested by a different command (other {', '.join(changed)}); write to a "
        "different file with -o, or use --restart to replace this one"
    )


def _read_finished(path: Path, description: Row) -> dict[str, Any] | None:
    """The totals of a finished file; None if it does not exist or is unfinished."""
    if journal_path(path).exists() or not path.exists():
        return None
    try:
        about = json.loads(about_path(path).read_text(encoding="utf-8"))
        stored, totals = about["harvest"], about["totals"]
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError(
            f"{path} exists and was not written by worldline harvest; write to a different file "
            "with -o, or use --restart to replace this one"
        ) from None
    _check_same(path, stored, description)
    result: dict[str, Any] = totals
    return result


def _read_rows(journal: Journal, path: Path, description: Row) -> dict[str, Row]:
    """The functions' rows in the journal, or none in a new journal."""
    rows = read_journal(journal.path)
    if not rows:
        journal.replace([description])
        return {}
    _check_same(path, rows[0], description)
    # Drop the incomplete last line that a kill may have left.
    journal.replace(rows)
    return {row["id"]: row for row in rows[1:]}


def _harvest(
    plan: HarvestPlan,
    rows: dict[str, Row],
    journal: Journal,
    limits: HarvestLimits,
    workers: int,
    on_function: Callable[[Row], None],
) -> list[str]:
    """Execute the functions that are not in `rows`; return the ids of all in the plan's order."""
    order: list[str] = []
    functions = _new_functions(plan, rows, order, on_function)
    for planned, outcome in execute_functions(functions, limits, workers=workers):
        row = function_row(planned, outcome, limits.max_inputs)
        journal.append(row)
        rows[planned.task.id] = row
        on_function(row)
    return order


def _new_functions(
    plan: Iterable[PlannedFunction],
    rows: dict[str, Row],
    order: list[str],
    on_function: Callable[[Row], None],
) -> Iterator[PlannedFunction]:
    for planned in plan:
        order.append(planned.task.id)
        row = rows.get(planned.task.id)
        # A package may have changed since the harvest was interrupted.
        if row is not None and row["hash"] == planned.hash:
            on_function(row)
        else:
            yield planned


def _write_finished(
    path: Path, description: Row, rows: list[Row], plan: HarvestPlan
) -> dict[str, Any]:
    counts = plan.counts
    totals = {
        "packages": counts.packages,
        "files": counts.files,
        "functions": counts.functions,
        "functions_left_out": dict(counts.left_out.most_common()),
        **summarize_rows(rows),
    }
    about = json.dumps({"harvest": description, "totals": totals}, indent=1) + "\n"
    programs = "".join(json.dumps(each) + "\n" for row in rows for each in program_rows(row))
    functions = "".join(json.dumps(row) + "\n" for row in rows)
    try:
        for target, text in (
            (about_path(path), about),
            (functions_path(path), functions),
            (path, programs),
        ):
            write_file(target, text.encode())
        journal_path(path).unlink()
    except OSError as error:
        raise InputError(f"cannot write {path}: {error}") from error
    return totals
