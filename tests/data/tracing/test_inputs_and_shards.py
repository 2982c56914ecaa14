"""Program files of all types, damaged ones, and their division into shards."""

import gzip
import json
from pathlib import Path

import pytest

from tests.data.tracing.rows import row, write
from worldline.core.errors import InputError
from worldline.data.tracing import ProgramInputs, make_shards
from worldline.data.tracing.duplicate_set import DuplicateSet
from worldline.evaluation.store import Column, parquet_bytes
from worldline.models.prediction import question_from_row

COLUMNS = [Column(name, "text", "") for name in ("id", "code", "call", "stdin", "facets", "other")]


def test_all_file_types_are_read_in_the_order_of_names(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", [row(1), row(2)])
    with gzip.open(tmp_path / "c.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(row(3)))
    rows = [{**row(4), "facets": '{"depth": 3}', "other": "x"}, {**row(5), "stdin": "in"}]
    (tmp_path / "a.parquet").write_bytes(parquet_bytes(COLUMNS, rows))
    (tmp_path / "notes.txt").write_text("no programs", encoding="utf-8")
    inputs = ProgramInputs(tmp_path)
    result = list(inputs)
    assert inputs.fraction_read == 1.0
    fields = [row_fields for _, row_fields, _ in result]
    assert [row_fields and row_fields["id"] for row_fields in fields] == [
        "p4",
        "p5",
        "p1",
        "p2",
        "p3",
    ]
    assert fields[0] == {name: row(4)[name] for name in ("id", "code", "call")} | {
        "facets": {"depth": 3}
    }
    assert fields[1] is not None
    assert fields[1]["stdin"] == "in"
    assert result[3][0] == "line 2 of b.jsonl"


def test_language_is_part_of_the_program(tmp_path: Path) -> None:
    script = {**row(1), "language": "javascript"}
    write(tmp_path / "a.jsonl", [row(1), script, {**row(1), "language": "python"}])
    (plain,) = make_shards([list(ProgramInputs(write(tmp_path / "b.jsonl", [row(1)])))], "", 10)
    (result,) = make_shards([list(ProgramInputs(tmp_path / "a.jsonl"))], "", 10)
    assert [each.is_new for each in result.rows] == [True, True, False]
    programs = [question_from_row(each.fields or {}, "").program for each in result.rows]
    assert [each.language for each in programs] == ["python", "javascript", "python"]
    # Without a language, or with Python, the row and the name of its shard are the same.
    assert result.rows[0].fields == result.rows[2].fields == plain.rows[0].fields
    (explicit,) = make_shards([[("line 1", result.rows[2].fields, "")]], "", 10)
    assert explicit.name == plain.name
    table = [Column(name, "text", "") for name in ("id", "code", "call", "language")]
    (tmp_path / "c.parquet").write_bytes(parquet_bytes(table, [script]))
    ((_, fields, _),) = ProgramInputs(tmp_path / "c.parquet")
    assert fields is not None
    assert fields["language"] == "javascript"


def test_invalid_rows_are_reported_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"id": "a"}\r\n\n[1]\n{"id"\n\xff\n{"id": "\xe2\x80\xa8b"}')
    result = list(ProgramInputs(path))
    assert [error for _, _, error in result if error] == [
        "line 3 of a.jsonl: expected a JSON object, found list",
        "line 4 of a.jsonl: not JSON (Expecting ':' delimiter: line 1 column 6 (char 5)); "
        "each line must be one JSON object",
        "line 5 of a.jsonl: not JSON ('utf-8' codec can't decode byte 0xff in position 0: invalid "
        "start byte); each line must be one JSON object",
    ]
    assert [fields for _, fields, error in result if not error] == [{"id": "a"}, {"id": "\u2028b"}]


def test_default_id_is_the_source_of_the_row(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [{"code": "x"}, {"code": "y", "id": 7}, {"id": None}])
    result = [fields and fields["id"] for _, fields, _ in ProgramInputs(tmp_path / "a.jsonl")]
    assert result == ["line 1 of a.jsonl", "7", "line 3 of a.jsonl"]


def test_unreadable_input_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.txt").write_text("", encoding="utf-8")
    (tmp_path / "cut.jsonl.gz").write_bytes(gzip.compress(b"{}" * 999)[:-9])
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    for name, message in (
        ("none.jsonl", "there is no file or folder"),
        ("empty", "no programs in"),
        ("a.txt", "is not a file of programs; give a .jsonl"),
        ("cut.jsonl.gz", "cannot read .*cut.jsonl.gz: Compressed file ended"),
        ("bad.parquet", "cannot read .*bad.parquet"),
    ):
        with pytest.raises(InputError, match=message):
            list(ProgramInputs(tmp_path / name))


def test_shard_names_depend_on_content_and_settings() -> None:
    def names(*inputs: list[int], settings: str = "s") -> list[str]:
        rows = [[(f"line {n}", row(n), "") for n in numbers] for numbers in inputs]
        return [shard.name for shard in make_shards(rows, settings, 2)]

    first = names([1, 2, 3])
    assert len(first) == 2
    assert names([1, 2, 3]) == first
    assert names([1, 2, 3], settings="t")[0] != first[0]
    # An additional input does not change the earlier shards, nor do rows after a full shard.
    assert names([1, 2, 3], [4])[:2] == first
    assert names([1, 2, 4])[0] == first[0]
    assert not set(names([0, 1, 2, 3])) & set(first)
    # The same rows again are duplicates, so the name differs.
    assert names([2, 3], [2, 3])[1].partition("-")[2] != names([2, 3])[0].partition("-")[2]


def test_duplicate_program_is_not_new() -> None:
    rows = [("", row(1), ""), ("", row(1, id="other"), ""), ("", row(1, call="f(9)"), "")]
    (shard,) = make_shards([rows], "s", 10)
    assert [program.is_new for program in shard.rows] == [True, False, True]


def test_duplicate_set_behaves_like_a_set() -> None:
    seen, known = DuplicateSet(), set[int]()
    draws = [0, 1, 1 << 16, 1 << 63, 0, 1, *(n * 7919 % (1 << 40) for n in range(120_000))]
    for number in [*draws, *draws[::3]]:
        # 0 is stored as 1.
        stored = number or 1
        assert seen.add(number) == (stored not in known)
        known.add(stored)
    assert len(seen) == len(known)
