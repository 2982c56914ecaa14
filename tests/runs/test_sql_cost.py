"""Queries are about as fast as DuckDB alone; the real figure is `scripts/bench sql`'s."""

from pathlib import Path

from tests.many_samples import cost_of_sql, make_run
from tests.runs.samples import fill, knowing_engine, questions
from worldline.recorders import PythonRecorder
from worldline.runs import query_runs, read_run


def test_many_samples_are_queried_nearly_as_fast_as_by_duckdb_alone(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = questions(4)
    fill(tmp_path / "few", asked, knowing_engine(recorder, asked[:2]), recorder)
    make_run(tmp_path / "many", read_run(tmp_path / "few"), 5_000)
    counted = (
        "select verdict, count(*), count(distinct sample) from samples group by all order by 1"
    )
    assert query_runs([tmp_path / "many"], counted).rows == (
        ("no_answer", 2_500, 2_500),
        ("right", 2_500, 2_500),
    )
    cost = cost_of_sql(tmp_path / "many", repeats=3)
    # On a busy machine: twice, and the time to set up the view.
    assert cost.ours < 3 * cost.bare + 0.1
