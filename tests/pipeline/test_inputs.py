"""Files of programs as they come: lines, packed lines, Parquet, folders of them, broken ones."""

import gzip
import json
from pathlib import Path

import pytest

from tests.pipeline.rows import row, write
from worldline.errors import InputError
from worldline.pipeline import Inputs, cut_into_shards
from worldline.pipeline.seen import Seen
from worldline.store import Column, parquet_bytes

COLUMNS = [Column(name, "text", "") for name in ("id", "code", "call", "stdin", "facets", "other")]


def test_all_kinds_of_files_in_the_order_of_their_names(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", [row(1), row(2)])
    with gzip.open(tmp_path / "c.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(row(3)))
    rows = [{**row(4), "facets": '{"depth": 3}', "other": "x"}, {**row(5), "stdin": "in"}]
    (tmp_path / "a.parquet").write_bytes(parquet_bytes(COLUMNS, rows))
    (tmp_path / "notes.txt").write_text("no programs", encoding="utf-8")
    inputs = Inputs(tmp_path)
    found = list(inputs)
    assert inputs.share == 1.0
    fields = [given for _, given, _ in found]
    assert [given and given["id"] for given in fields] == ["p4", "p5", "p1", "p2", "p3"]
    assert fields[0] == {name: row(4)[name] for name in ("id", "code", "call")} | {
        "facets": {"depth": 3}
    }
    assert fields[1] is not None
    assert fields[1]["stdin"] == "in"
    assert found[3][0] == "line 2 of b.jsonl"


def test_what_is_no_row_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a"}\r\n\n[1]\n{"id"\n\xff\n{"id": "\xe2\x80\xa8b"}')
    found = list(Inputs(path))
    assert [why for _, _, why in found if why] == [
        "line 3 of a.jsonl: expected a JSON object, found list",
        "line 4 of a.jsonl: not JSON (Expecting ':' delimiter: line 1 column 6 (char 5)); "
        "each line must be one JSON object",
        "line 5 of a.jsonl: not JSON ('utf-8' codec can't decode byte 0xff in position 0: invalid "
        "start byte); each line must be one JSON object",
    ]
    assert [given for _, given, why in found if not why] == [{"id": "a"}, {"id": "\u2028b"}]


def test_whoever_has_no_name_is_named_by_its_place(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [{"code": "x"}, {"code": "y", "id": 7}, {"id": None}])
    found = [given and given["id"] for _, given, _ in Inputs(tmp_path / "a.jsonl")]
    assert found == ["line 1 of a.jsonl", "7", "line 3 of a.jsonl"]


def test_what_cannot_be_read_at_all_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("", encoding="utf-8")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b"{}" * 999)[:-9])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    for name, message in (
        ("none.jsonl", "there is no file or folder"),
        ("empty", "no programs in"),
        ("a.txt", "is no file of programs; give a .jsonl"),
        ("cut.jsonl.gz", "cannot read .*cut.jsonl.gz: Compressed file ended"),
        ("bad.parquet", "cannot read .*bad.parquet"),
    ):
        with pytest.raises(InputError, match=message):
            list(Inputs(tmp_path / name))


def test_shards_are_named_by_what_is_in_them() -> None:
    def names(*inputs: list[int], settings: str = "s") -> list[str]:
        given = [[(f"line {n}", row(n), "") for n in numbers] for numbers in inputs]
        return [shard.name for shard in cut_into_shards(given, settings, 2)]

    first = names([1, 2, 3])
    assert len(first) == 2
    assert names([1, 2, 3]) == first
    assert names([1, 2, 3], settings="t")[0] != first[0]
    # One more input behind it leaves its shards alone, and so does what comes behind a whole one.
    assert names([1, 2, 3], [4])[:2] == first
    assert names([1, 2, 4])[0] == first[0]
    assert not set(names([0, 1, 2, 3])) & set(first)
    # The same rows, but the second is known by then.
    assert names([2, 3], [2, 3])[1].partition("-")[2] != names([2, 3])[0].partition("-")[2]


def test_the_same_program_is_new_once() -> None:
    given = [("", row(1), ""), ("", row(1, id="other"), ""), ("", row(1, call="f(9)"), "")]
    (shard,) = cut_into_shards([given], "s", 10)
    assert [each.is_new for each in shard.rows] == [True, False, True]


def test_seen_is_a_set() -> None:
    seen, known = Seen(), set[int]()
    draws = [0, 1, 1 << 16, 1 << 63, 0, 1, *(n * 7919 % (1 << 40) for n in range(120_000))]
    for number in [*draws, *draws[::3]]:
        # 0 and 1 are one to it, which a hash does not mind.
        kept = number or 1
        assert seen.add(number) == (kept not in known)
        known.add(kept)
    assert len(seen) == len(known)
