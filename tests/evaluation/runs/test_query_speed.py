"""Speed of queries, compared with DuckDB alone; `scripts/bench sql` measures it precisely."""

from pathlib import Path

from tests.evaluation.runs.samples import fill, knowing_engine, questions
from tests.support.large_run import cost_of_sql, make_run
from worldline.evaluation.runs import query_runs, read_run
from worldline.languages.python.recorder import PythonRecorder


def test_queries_are_nearly_as_fast_as_duckdb_alone(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    asked = questions(4)
    fill(tmp_path / "few", asked, knowing_engine(recorder, asked[:2]), recorder)
    make_run(tmp_path / "many", read_run(tmp_path / "few"), 5_000)
    counted = (
        "select verdict, count(*), count(distinct sample) from samples group by all order by 1"
    )
    assert query_runs([tmp_path / "many"], counted).rows == (
        ("correct", 2_500, 2_500),
        ("no_answer", 2_500, 2_500),
    )
    cost = cost_of_sql(tmp_path / "many", repeats=3)
    # A margin for a busy machine: twice the time, plus that to create the view.
    assert cost.ours < 3 * cost.bare + 0.1
