"""What is put in place is whole or not there; what was added is read again."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.columns import COLUMNS
from worldline.errors import InputError
from worldline.store import (
    Journal,
    Lock,
    Source,
    part_files,
    place_of,
    query,
    read_journal,
    read_parts,
    write_part,
)

ROW = {
    "sample": "é\n\x00",
    "step": 3,
    "share": 0.5,
    "is_cut": True,
    "ids": [1, 128001],
    "names": ["a", ""],
    "facets": '{"depth": 3, "form": "it\'s"}',
}


def test_rows_come_back_from_parts_as_they_were(tmp_path: Path) -> None:
    place = place_of(tmp_path / "run")
    write_part(place, COLUMNS, [ROW, {"sample": "bare"}])
    write_part(place, COLUMNS, [{"sample": "later", "ids": []}])
    found = read_parts(place)
    assert [{k: v for k, v in row.items() if v is not None} for row in found] == [
        ROW,
        {"sample": "bare"},
        {"sample": "later", "ids": []},
    ]
    assert read_parts(place, columns=["step"]) == [{"step": 3}, {"step": None}, {"step": None}]


def test_half_a_surrogate_pair_is_stored_spelled_out(tmp_path: Path) -> None:
    place = place_of(tmp_path / "run")
    write_part(place, COLUMNS, [{"sample": "a\ud800"}])
    assert read_parts(place, columns=["sample"]) == [{"sample": "a\\ud800"}]


def test_an_unfinished_part_is_not_seen(tmp_path: Path) -> None:
    place = place_of(tmp_path / "run")
    write_part(place, COLUMNS, [ROW])
    Path(place.path, "parts", "000002-x.parquet.unfinished").write_bytes(b"PAR1")
    assert len(part_files(place)) == 1


def test_a_damaged_part_is_named(tmp_path: Path) -> None:
    place = place_of(tmp_path / "run")
    place.write("parts/000001-x.parquet", b"PAR1 nonsense PAR1")
    with pytest.raises(InputError, match=r"cannot read .*000001-x\.parquet"):
        read_parts(place)


def test_a_journal_keeps_whole_lines_only(tmp_path: Path) -> None:
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


def test_a_journal_that_is_damaged_in_the_middle_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    path.write_text('{"sample": "a\n{"sample": "b"}\n')
    with pytest.raises(InputError, match=r"damaged.*--restart"):
        read_journal(path)


def test_what_was_appended_survives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    script = (
        "import os, signal, sys; from pathlib import Path; from worldline.store import Journal\n"
        "journal = Journal(Path(sys.argv[1]))\n"
        "for n in range(100): journal.append({'sample': n})\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script, str(path)], check=False)
    assert done.returncode == -9
    assert [row["sample"] for row in read_journal(path)] == list(range(100))


def test_only_one_process_writes(tmp_path: Path) -> None:
    first = Lock(tmp_path / "open.jsonl")
    with pytest.raises(InputError, match="being written by another process"):
        Lock(tmp_path / "open.jsonl")
    first.let_go()
    Lock(tmp_path / "open.jsonl").let_go()
    assert os.listdir(tmp_path) == []


def test_sql_sees_parts_and_open_rows_with_their_facets(tmp_path: Path) -> None:
    place = place_of(tmp_path / "it's a run")
    write_part(place, COLUMNS, [ROW])
    opened = [{"sample": "open", "facets": '{"depth": 40}'}]
    kinds = {"depth": "int", "form": "text", "step": "int"}
    source = Source(place, part_files(place), opened, kinds)
    found = query(
        "select run, sample, depth, form, step from samples order by depth", [source], COLUMNS
    )
    assert found.columns == ("run", "sample", "depth", "form", "step")
    assert found.rows == (
        ("it's a run", "é\n\x00", 3, "it's", 3),
        ("it's a run", "open", 40, None, None),
    )
    assert query("select sum(depth) from samples", [source], COLUMNS).rows == ((43,),)


def test_sql_over_several_runs_names_them(tmp_path: Path) -> None:
    sources = []
    for name in ("a", "b"):
        place = place_of(tmp_path / name)
        write_part(place, COLUMNS, [ROW] * (2 if name == "a" else 1))
        sources.append(Source(place, part_files(place), facets={name: "text"}))
    found = query("select run, count(*) from samples group by all order by run", sources, COLUMNS)
    assert found.rows == (("a", 2), ("b", 1))


def test_sql_on_a_run_without_rows(tmp_path: Path) -> None:
    source = Source(place_of(tmp_path / "run"), [])
    assert query("select count(*), max(step) from samples", [source], COLUMNS).rows == ((0, None),)


def test_wrong_sql_says_where(tmp_path: Path) -> None:
    source = Source(place_of(tmp_path / "run"), [])
    with pytest.raises(InputError, match=r"stpe(.|\n)*samples"):
        query("select stpe from samples", [source], COLUMNS)


def test_an_address_that_nobody_knows_is_refused() -> None:
    with pytest.raises(InputError, match="cannot open nowhere://x/y"):
        place_of("nowhere://x/y")


def test_a_path_that_is_not_text_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / os.fsdecode(b"run\xff")
    folder.mkdir()
    for name in (folder, "a"):
        with pytest.raises(InputError, match=r"run\\udcff.* is not UTF-8"):
            place_of(name)
        monkeypatch.chdir(folder)
    assert place_of(tmp_path / "é").path.endswith("é")


def test_parts_of_another_version_have_other_columns(tmp_path: Path) -> None:
    place = place_of(tmp_path / "run")
    write_part(place, COLUMNS[:2], [{"sample": "old", "step": 1}])
    write_part(place, (*reversed(COLUMNS[:3]),), [{"sample": "new", "step": 2, "share": 0.5}])
    source = Source(place, part_files(place))
    found = query("select sample, step, share from samples order by step", [source], COLUMNS[:3])
    assert found.rows == (("old", 1, None), ("new", 2, 0.5))
