"""Parts, journals, locks and SQL queries of a store."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.evaluation.store.sample_columns import COLUMNS
from worldline.core.errors import InputError
from worldline.evaluation.store import (
    Column,
    Journal,
    LegacyNames,
    Lock,
    QuerySource,
    open_location,
    part_files,
    query,
    read_journal,
    read_parts,
    write_part,
)

ROW = {
    "sample": "é\n\x00",
    "step": 3,
    "share": 0.5,
    "is_truncated": True,
    "ids": [1, 128001],
    "names": ["a", ""],
    "facets": '{"depth": 3, "form": "it\'s"}',
}


def test_rows_round_trip_through_parts(tmp_path: Path) -> None:
    location = open_location(tmp_path / "run")
    write_part(location, COLUMNS, [ROW, {"sample": "bare"}])
    write_part(location, COLUMNS, [{"sample": "later", "ids": []}])
    result = read_parts(location)
    assert [{k: v for k, v in row.items() if v is not None} for row in result] == [
        ROW,
        {"sample": "bare"},
        {"sample": "later", "ids": []},
    ]
    assert read_parts(location, columns=["step"]) == [{"step": 3}, {"step": None}, {"step": None}]


def test_lone_surrogate_is_escaped(tmp_path: Path) -> None:
    location = open_location(tmp_path / "run")
    write_part(location, COLUMNS, [{"sample": "a\ud800"}])
    assert read_parts(location, columns=["sample"]) == [{"sample": "a\\ud800"}]


def test_unfinished_part_is_ignored(tmp_path: Path) -> None:
    location = open_location(tmp_path / "run")
    write_part(location, COLUMNS, [ROW])
    Path(location.path, "parts", "000002-x.parquet.unfinished").write_bytes(b"PAR1")
    assert len(part_files(location)) == 1


def test_error_names_a_damaged_part(tmp_path: Path) -> None:
    location = open_location(tmp_path / "run")
    location.write("parts/000001-x.parquet", b"PAR1 nonsense PAR1")
    with pytest.raises(InputError, match=r"cannot read .*000001-x\.parquet"):
        read_parts(location)


def test_journal_ignores_an_unfinished_last_line(tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    journal = Journal(path)
    journal.append({"sample": "a\n"})
    journal.append({"sample": "b"})
    with path.open("a") as file:
        file.write('{"sample": "c"')
    assert read_journal(path) == [{"sample": "a\n"}, {"sample": "b"}]
    journal.replace([{"sample": "b"}])
    journal.append({"sample": "d"})
    assert read_journal(path) == [{"sample": "b"}, {"sample": "d"}]


def test_journal_with_a_damaged_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    path.write_text('{"sample": "a\n{"sample": "b"}\n')
    with pytest.raises(InputError, match=r"damaged.*--restart"):
        read_journal(path)


def test_appended_rows_survive_sigkill(tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    script = (
        "import os, signal, sys; from pathlib import Path\n"
        "from worldline.evaluation.store import Journal\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "for n in range(100): journal.append({'sample': n})\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode == -9
    assert [row["sample"] for row in read_journal(path)] == list(range(100))


def test_second_lock_is_refused_until_the_first_is_released(tmp_path: Path) -> None:
    first = Lock(tmp_path / "open.jsonl")
    with pytest.raises(InputError, match="being written by another process"):
        Lock(tmp_path / "open.jsonl")
    first.release()
    Lock(tmp_path / "open.jsonl").release()
    assert os.listdir(tmp_path) == []


def test_sql_reads_parts_and_open_rows_with_facet_columns(tmp_path: Path) -> None:
    location = open_location(tmp_path / "it's a run")
    write_part(location, COLUMNS, [ROW])
    open_rows = [{"sample": "open", "facets": '{"depth": 40}'}]
    types = {"depth": "int", "form": "text", "step": "int"}
    source = QuerySource(location, part_files(location), open_rows, types)
    result = query(
        "select run, sample, depth, form, step from samples order by depth", [source], COLUMNS
    )
    assert result.columns == ("run", "sample", "depth", "form", "step")
    assert result.rows == (
        ("it's a run", "é\n\x00", 3, "it's", 3),
        ("it's a run", "open", 40, None, None),
    )
    assert query("select sum(depth) from samples", [source], COLUMNS).rows == ((43,),)


def test_sql_over_several_runs_has_a_run_column(tmp_path: Path) -> None:
    sources = []
    for name in ("a", "b"):
        location = open_location(tmp_path / name)
        write_part(location, COLUMNS, [ROW] * (2 if name == "a" else 1))
        sources.append(QuerySource(location, part_files(location), facets={name: "text"}))
    result = query("select run, count(*) from samples group by all order by run", sources, COLUMNS)
    assert result.rows == (("a", 2), ("b", 1))


RENAMING = LegacyNames(
    {"old_step": "step", "was_truncated": "is_truncated"},
    {"sample": {"before": "after"}},
    {"facets": {"deep": "depth"}},
)


@pytest.mark.parametrize("order", [("old",), ("old", "new"), ("old", "old", "new")])
def test_sql_shows_old_parts_with_current_names(tmp_path: Path, order: tuple[str, ...]) -> None:
    location = open_location(tmp_path / "run")
    before = [
        Column("sample", "text", ""),
        Column("old_step", "int", ""),
        Column("was_truncated", "bool", ""),
        Column("facets", "text", ""),
    ]
    old = {"sample": "before", "old_step": 3, "was_truncated": True, "facets": '{"deep": 7}'}
    new = {"sample": "after", "step": 3, "is_truncated": True, "facets": '{"depth": 7}'}
    for age in order:
        write_part(location, before if age == "old" else COLUMNS, [old if age == "old" else new])
    for open_rows in ((), (new,)):
        source = QuerySource(location, part_files(location), open_rows, {"depth": "int"})
        # Without times, which these old parts lack, unlike those of a run.
        columns = [column for column in COLUMNS if column.type != "time"]
        result = query(
            "select sample, step, is_truncated, depth from samples",
            [source],
            columns,
            legacy_names=RENAMING,
        )
        assert result.rows == (("after", 3, True, 7),) * (len(order) + len(open_rows))
        every = query("select * from samples", [source], columns, legacy_names=RENAMING)
        assert not {"old_step", "was_truncated"} & set(every.columns)


def test_sql_on_a_run_without_rows(tmp_path: Path) -> None:
    source = QuerySource(open_location(tmp_path / "run"), [])
    assert query("select count(*), max(step) from samples", [source], COLUMNS).rows == ((0, None),)


def test_sql_error_shows_the_position(tmp_path: Path) -> None:
    source = QuerySource(open_location(tmp_path / "run"), [])
    with pytest.raises(InputError, match=r"stpe(.|\n)*samples"):
        query("select stpe from samples", [source], COLUMNS)


def test_unknown_address_scheme_is_refused() -> None:
    with pytest.raises(InputError, match="cannot open nowhere://x/y"):
        open_location("nowhere://x/y")


def test_path_that_is_not_utf8_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / os.fsdecode(b"run\xff")
    folder.mkdir()
    for name in (folder, "a"):
        with pytest.raises(InputError, match=r"run\\udcff.* is not UTF-8"):
            open_location(name)
        monkeypatch.chdir(folder)
    assert open_location(tmp_path / "é").path.endswith("é")


def test_sql_reads_parts_with_different_columns(tmp_path: Path) -> None:
    location = open_location(tmp_path / "run")
    write_part(location, COLUMNS[:2], [{"sample": "old", "step": 1}])
    write_part(location, (*reversed(COLUMNS[:3]),), [{"sample": "new", "step": 2, "share": 0.5}])
    source = QuerySource(location, part_files(location))
    result = query("select sample, step, share from samples order by step", [source], COLUMNS[:3])
    assert result.rows == (("old", 1, None), ("new", 2, 0.5))
