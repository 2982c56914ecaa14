"""Edge cases of the store: full disks, lock races, unusual values and names."""

import errno
import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.evaluation.store.sample_columns import COLUMNS
from worldline.core.errors import InputError
from worldline.core.util.files import temporary_path
from worldline.evaluation.store import (
    Journal,
    Lock,
    QuerySource,
    check_row,
    open_location,
    part_files,
    query,
    read_journal,
    read_parts,
    write_part,
)


class FullDisk:
    """A file on a disk that has room for `room` more bytes."""

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


def test_no_partial_row_stays_when_the_disk_is_full(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "open.jsonl")
    journal.append({"sample": "a"})
    full = FullDisk(journal._file, 5)
    journal._file = full  # type: ignore[assignment]
    with pytest.raises(InputError, match="No space left"):
        journal.append({"sample": "lost"})
    full.room = 1000
    journal.append({"sample": "b"})
    assert read_journal(journal.path) == [{"sample": "a"}, {"sample": "b"}]


def test_row_is_written_completely_in_several_short_writes(tmp_path: Path) -> None:
    class ShortWrites(FullDisk):
        def write(self, data: Any) -> int:
            return super().write(bytes(data)[:3])

    journal = Journal(tmp_path / "open.jsonl")
    journal.append({"sample": "a"})
    journal._file = ShortWrites(journal._file, 1000)  # type: ignore[assignment]
    journal.append({"sample": "b"})
    assert read_journal(journal.path) == [{"sample": "a"}, {"sample": "b"}]


def test_lock_taken_while_the_previous_one_is_released_excludes_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "open.jsonl"
    first = Lock(path)
    flock: Callable[..., None] = fcntl.flock

    def release_first(*arguments: Any) -> None:
        # Called after the second lock has opened the file, and before it locks it.
        monkeypatch.setattr(fcntl, "flock", flock)
        first.release()
        flock(*arguments)

    monkeypatch.setattr(fcntl, "flock", release_first)
    second = Lock(path)
    with pytest.raises(InputError, match="another process"):
        Lock(path)
    second.release()
    assert os.listdir(tmp_path) == []


def test_lone_surrogate_in_a_list_is_escaped(tmp_path: Path) -> None:
    location = open_location(tmp_path / "run")
    write_part(location, COLUMNS, [{"names": ["a\ud800", "b"]}])
    assert read_parts(location, columns=["names"]) == [{"names": ["a\\ud800", "b"]}]


@pytest.mark.parametrize(
    ("row", "column"),
    [({"step": 2**63}, "step"), ({"ids": [1, 2**31]}, "ids"), ({"ids": [-(2**32)]}, "ids")],
)
def test_error_names_the_row_and_column_of_a_too_large_number(
    row: dict[str, Any], column: str
) -> None:
    with pytest.raises(InputError, match=f"s1: the number in `{column}` is too large to store"):
        check_row(COLUMNS, {"sample": "s1", **row})
    check_row(COLUMNS, {"step": -(2**63), "ids": [2**31 - 1]})


@pytest.mark.parametrize("folder", ["step=512", "sample=x/run", "run[1]", "it's * a ?run"])
def test_special_characters_in_a_folder_name_do_not_change_its_rows(
    tmp_path: Path, folder: str
) -> None:
    location = open_location(tmp_path / folder)
    write_part(location, COLUMNS, [{"sample": "a", "step": 9}])
    source = QuerySource(location, part_files(location), [{"sample": "b", "step": 9}])
    result = query("select sample, step from samples order by all", [source], COLUMNS)
    assert result.rows == (("a", 9), ("b", 9))


@pytest.mark.parametrize(
    "name", ['na"me', "it's", "a.b", "*", "a/b", "a~1b", "größe", "back\\slash", "0", "$"]
)
def test_a_facet_may_have_any_name(tmp_path: Path, name: str) -> None:
    rows = [{"sample": "a", "facets": json.dumps({name: "right", "other": "wrong"})}]
    source = QuerySource(open_location(tmp_path / "run"), [], rows, {name: "text", "other": "text"})
    result = query("select * from samples", [source], COLUMNS)
    assert dict(zip(result.columns, result.rows[0], strict=True))[name] == "right"


def test_facet_with_the_name_of_a_column_gets_no_column(tmp_path: Path) -> None:
    facets = {"Step": "x", "RUN": "y", "": "z", "Topic": "first", "topic": "second"}
    rows = [{"sample": "a", "step": 3, "facets": json.dumps(facets)}]
    source = QuerySource(open_location(tmp_path / "run"), [], rows, dict.fromkeys(facets, "text"))
    result = query("select * from samples", [source], COLUMNS)
    assert result.columns == ("run", *(column.name for column in COLUMNS), "Topic")
    assert (result.rows[0][0], result.rows[0][2], result.rows[0][-1]) == ("run", 3, "first")


def test_runs_with_the_same_name_are_shown_with_their_paths(tmp_path: Path) -> None:
    addresses = [tmp_path / "a" / "base", tmp_path / "b" / "base", tmp_path / "b" / "tuned"]
    sources = [QuerySource(open_location(path), [], [{"sample": "x"}]) for path in addresses]
    result = query("select run from samples order by all", sources, COLUMNS)
    assert result.rows == ((str(addresses[0]),), (str(addresses[1]),), ("tuned",))


def test_sql_error_names_a_damaged_part(tmp_path: Path) -> None:
    location = open_location(tmp_path / "run")
    location.write("parts/000001-x.parquet", b"PAR1 nonsense PAR1")
    with pytest.raises(InputError, match=r"cannot read .*000001-x\.parquet"):
        query("select 1", [QuerySource(location, part_files(location))], COLUMNS)


def test_folder_name_with_a_tilde_and_no_such_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert open_location("~nobody-of-this-name/run").path == f"{tmp_path}/~nobody-of-this-name/run"
    monkeypatch.setenv("HOME", "/home/me")
    assert open_location("~/run").path == "/home/me/run"


def test_replacing_a_journal_leaves_no_temporary_file(tmp_path: Path) -> None:
    path = tmp_path / "open.jsonl"
    assert temporary_path(path) != path
    Journal(path).replace([{"sample": "a"}])
    assert os.listdir(tmp_path) == ["open.jsonl"]
