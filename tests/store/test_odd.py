"""A disk that fills up, locks let go at the wrong moment, odd values and odd names."""

import errno
import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.store.columns import COLUMNS
from worldline.errors import InputError
from worldline.store import (
    Journal,
    Lock,
    Source,
    check_row,
    part_files,
    place_of,
    query,
    read_journal,
    read_parts,
    write_part,
)
from worldline.store import journal as journal_module


class FullDisk:
    """A file on a disk that has room for so many bytes more."""

    def __init__(self, file: Any, room: int) -> None:
        self.file, self.room = file, room

    def write(self, data: Any) -> int:
        if not self.room:
            raise OSError(errno.ENOSPC, "No space left on device")
        written: int = self.file.write(bytes(data)[: self.room])
        self.room -= written
        return written

    def __getattr__(self, name: str) -> Any:
        return getattr(self.file, name)


def test_a_row_that_finds_no_room_is_not_half_there(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "open.jsonl")
    journal.append({"sample": "a"})
    full = FullDisk(journal._file, 5)
    journal._file = full  # type: ignore[assignment]
    with pytest.raises(InputError, match="No space left"):
        journal.append({"sample": "lost"})
    full.room = 1000
    journal.append({"sample": "b"})
    assert read_journal(journal.path) == [{"sample": "a"}, {"sample": "b"}]


def test_a_row_is_written_whole_however_little_a_write_takes(tmp_path: Path) -> None:
    class Slow(FullDisk):
        def write(self, data: Any) -> int:
            return super().write(bytes(data)[:3])

    journal = Journal(tmp_path / "open.jsonl")
    journal.append({"sample": "a"})
    journal._file = Slow(journal._file, 1000)  # type: ignore[assignment]
    journal.append({"sample": "b"})
    assert read_journal(journal.path) == [{"sample": "a"}, {"sample": "b"}]


def test_a_lock_that_is_let_go_while_it_is_taken_still_keeps_others_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "open.jsonl"
    first = Lock(path)
    flock: Callable[..., None] = fcntl.flock

    def let_go_before(*arguments: Any) -> None:
        # Between the opening of the file and its locking.
        monkeypatch.setattr(fcntl, "flock", flock)
        first.let_go()
        flock(*arguments)

    monkeypatch.setattr(fcntl, "flock", let_go_before)
    second = Lock(path)
    with pytest.raises(InputError, match="another process"):
        Lock(path)
    second.let_go()
    assert os.listdir(tmp_path) == []


def test_half_a_pair_in_a_list_of_texts_is_stored_spelled_out(tmp_path: Path) -> None:
    place = place_of(tmp_path / "run")
    write_part(place, COLUMNS, [{"names": ["a\ud800", "b"]}])
    assert read_parts(place, columns=["names"]) == [{"names": ["a\\ud800", "b"]}]


@pytest.mark.parametrize(
    ("row", "said"),
    [({"step": 2**63}, "step"), ({"ids": [1, 2**31]}, "ids"), ({"ids": [-(2**32)]}, "ids")],
)
def test_numbers_that_no_part_holds_are_refused_by_name(row: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=f"s1: its {said} is too large"):
        check_row(COLUMNS, {"sample": "s1", **row})
    check_row(COLUMNS, {"step": -(2**63), "ids": [2**31 - 1]})


@pytest.mark.parametrize("folder", ["step=512", "sample=x/run", "run[1]", "it's * a ?run"])
def test_what_a_folder_is_called_does_not_change_what_is_in_it(tmp_path: Path, folder: str) -> None:
    place = place_of(tmp_path / folder)
    write_part(place, COLUMNS, [{"sample": "a", "step": 9}])
    source = Source(place, part_files(place), [{"sample": "b", "step": 9}])
    found = query("select sample, step from samples order by all", [source], COLUMNS)
    assert found.rows == (("a", 9), ("b", 9))


@pytest.mark.parametrize(
    "name", ['na"me', "it's", "a.b", "*", "a/b", "a~1b", "größe", "back\\slash", "0", "$"]
)
def test_a_facet_may_have_any_name(tmp_path: Path, name: str) -> None:
    rows = [{"sample": "a", "facets": json.dumps({name: "right", "other": "wrong"})}]
    source = Source(place_of(tmp_path / "run"), [], rows, {name: "text", "other": "text"})
    found = query("select * from samples", [source], COLUMNS)
    assert dict(zip(found.columns, found.rows[0], strict=True))[name] == "right"


def test_a_facet_by_a_columns_name_is_left_to_the_json(tmp_path: Path) -> None:
    facets = {"Step": "x", "RUN": "y", "": "z", "Topic": "first", "topic": "second"}
    rows = [{"sample": "a", "step": 3, "facets": json.dumps(facets)}]
    source = Source(place_of(tmp_path / "run"), [], rows, dict.fromkeys(facets, "text"))
    found = query("select * from samples", [source], COLUMNS)
    assert found.columns == ("run", *(column.name for column in COLUMNS), "Topic")
    assert (found.rows[0][0], found.rows[0][2], found.rows[0][-1]) == ("run", 3, "first")


def test_runs_of_one_name_are_told_apart_by_their_paths(tmp_path: Path) -> None:
    addresses = [tmp_path / "a" / "base", tmp_path / "b" / "base", tmp_path / "b" / "tuned"]
    sources = [Source(place_of(path), [], [{"sample": "x"}]) for path in addresses]
    found = query("select run from samples order by all", sources, COLUMNS)
    assert found.rows == ((str(addresses[0]),), (str(addresses[1]),), ("tuned",))


def test_a_damaged_part_is_named_in_sql(tmp_path: Path) -> None:
    place = place_of(tmp_path / "run")
    place.write("parts/000001-x.parquet", b"PAR1 nonsense PAR1")
    with pytest.raises(InputError, match=r"cannot read .*000001-x\.parquet"):
        query("select 1", [Source(place, part_files(place))], COLUMNS)


def test_a_folder_may_be_called_after_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert place_of("~nobody-of-this-name/run").path == f"{tmp_path}/~nobody-of-this-name/run"
    monkeypatch.setenv("HOME", "/home/me")
    assert place_of("~/run").path == "/home/me/run"


def test_the_file_that_replaces_a_journal_has_a_name_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    assert journal_module.unfinished(path) != path
    Journal(path).replace([{"sample": "a"}])
    assert os.listdir(tmp_path) == ["open.jsonl"]
