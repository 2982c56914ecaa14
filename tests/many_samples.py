"""A run of any size, made of real samples under other names; and what queries on it cost.

Used by tests/runs in small, and by `scripts/bench sql` at full size.
"""

import itertools
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.runs import COLUMNS, Manifest, Run, query_runs
from worldline.runs.run import PART_ROWS
from worldline.store import place_of, write_part

QUESTION = (
    "select outcome, differs_in, kind, count(*) as n, avg(matched_steps) as steps, "
    "sum(usage_written) as tokens from samples group by all order by all"
)


def make_run(folder: Path, rows: Sequence[dict[str, Any]], count: int) -> None:
    """Store `count` samples: the rows again and again, each time under another name and with a
    text of its own."""
    with Run(folder) as run:
        run.begin(Manifest(benchmark="many", questions=count))
    place = place_of(folder)
    numbered = zip(range(count), itertools.cycle(rows), strict=False)
    while part := list(itertools.islice(numbered, PART_ROWS)):
        write_part(
            place,
            COLUMNS,
            [
                row | {"sample": f"s{number}", "text": f"{row.get('text') or ''}{number}"}
                for number, row in part
            ],
        )


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds for one question, by worldline and by bare DuckDB on the same files, by turns: with
    the start of a process, and within one."""

    command: float
    bare_command: float
    ours: float
    bare: float


def cost_of_sql(folder: Path, *, repeats: int) -> Cost:
    """The median of several turns; both must give the same rows."""
    import duckdb

    files = f"{folder}/parts/*.parquet"
    bare_sql = QUESTION.replace("samples", f"read_parquet('{files}')")
    script = f"import duckdb\nprint(len(duckdb.sql({bare_sql!r}).fetchall()))"

    def bare() -> list[tuple[Any, ...]]:
        with duckdb.connect() as connection:
            return connection.execute(bare_sql).fetchall()

    assert list(query_runs([folder], QUESTION).rows) == bare()
    turns = [
        (
            _seconds(lambda: _run(sys.executable, "-m", "worldline", "sql", str(folder), QUESTION)),
            _seconds(lambda: _run(sys.executable, "-c", script)),
            _seconds(lambda: query_runs([folder], QUESTION)),
            _seconds(bare),
        )
        for _ in range(repeats)
    ]
    return Cost(*map(statistics.median, zip(*turns, strict=True)))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
