"""Runs of any size, copied from a few samples, and the cost of SQL queries on them.

Used by tests/evaluation/runs with few samples, and by `scripts/bench sql` at full size.
"""

import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet

from worldline.evaluation.runs import COLUMNS, Manifest, RunWriter, query_runs
from worldline.evaluation.runs.run_writer import PART_ROWS
from worldline.evaluation.store import rows_to_arrow
from worldline.evaluation.store.parquet_parts import COMPRESSION, ROW_GROUP

QUERY = (
    "select outcome, differs_in, kind, count(*) as n, avg(matched_steps) as steps, "
    "sum(usage_completion) as tokens from samples group by all order by all"
)


def make_run(folder: Path, rows: Sequence[dict[str, Any]], count: int) -> None:
    """Store `count` samples: the rows repeated, each with its own name and output."""
    with RunWriter(folder) as run:
        run.begin(Manifest(benchmark="many", questions=count))
    # As Arrow columns: 100,000 rows as objects take minutes.
    table = rows_to_arrow(COLUMNS, rows)
    outputs = table["output"].to_pylist()
    for part, first in enumerate(range(0, count, PART_ROWS), 1):
        numbers = range(first, min(first + PART_ROWS, count))
        chosen = table.take([number % len(rows) for number in numbers])
        texts = [f"{outputs[number % len(rows)] or ''}{number}" for number in numbers]
        for name, values in (("sample", [f"s{number}" for number in numbers]), ("output", texts)):
            index = chosen.column_names.index(name)
            chosen = chosen.set_column(index, name, [values])
        path = folder / "parts" / f"{part:06d}-{part:08x}.parquet"
        path.parent.mkdir(exist_ok=True)
        pyarrow.parquet.write_table(chosen, path, row_group_size=ROW_GROUP, **COMPRESSION)


@dataclass(frozen=True, slots=True)
class Cost:
    """Seconds for one query, by worldline and by DuckDB alone, alternating on the same files.

    `command` and `bare_command` include the start of a process; `ours` and `bare` do not.
    """

    command: float
    bare_command: float
    ours: float
    bare: float


def cost_of_sql(folder: Path, *, repeats: int) -> Cost:
    """Measure the medians of several rounds; both must give the same rows."""
    import duckdb

    files = f"{folder}/parts/*.parquet"
    bare_sql = QUERY.replace("samples", f"read_parquet('{files}')")
    script = f"import duckdb\nprint(len(duckdb.sql({bare_sql!r}).fetchall()))"

    def bare() -> list[tuple[Any, ...]]:
        with duckdb.connect() as connection:
            return connection.execute(bare_sql).fetchall()

    assert list(query_runs([folder], QUERY).rows) == bare()
    rounds = [
        (
            _seconds(lambda: _run(sys.executable, "-m", "worldline", "sql", str(folder), QUERY)),
            _seconds(lambda: _run(sys.executable, "-c", script)),
            _seconds(lambda: query_runs([folder], QUERY)),
            _seconds(bare),
        )
        for _ in range(repeats)
    ]
    return Cost(*map(statistics.median, zip(*rounds, strict=True)))


def _run(*command: str) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _seconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began
