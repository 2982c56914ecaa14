"""`worldline trace`: every program has one outcome, kept traces are correct, runs resume."""

import hashlib
import io
import json
import re
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from click.testing import CliRunner

from tests.conftest import data_file
from tests.data.tracing.rows import CODE, ids, outcomes, row, trace, write
from tests.interfaces.cli.commands import run
from worldline import replay
from worldline.core.trace import Program
from worldline.core.trace.python_syntax import wrap_call
from worldline.data.tracing import (
    DEFAULT_LIMITS,
    TraceJob,
)
from worldline.evaluation.store import (
    Column,
    PartBuilder,
    read_stored_traces,
    read_traces,
)
from worldline.interfaces.cli import main
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.sandbox import Sandbox

# A program for every outcome.
PROGRAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "fine": ("kept", row(1)),
    "raises": ("kept", {"code": "def f():\n    return 1 // 0\n", "call": "f()"}),
    "again": ("duplicate", row(1)),
    "benchmark's": (
        "contaminated",
        {"code": "def h(x):  # other words\n    return [x,x]\n", "call": "h('x')"},
    ),
    "no call": ("unreadable", {"code": CODE}),
    "bad call": ("unreadable", {"code": CODE, "call": "f(("}),
    "half a letter": ("unreadable", {"code": CODE, "call": "f(1)", "stdin": "\ud800"}),
    "odd facet": ("unreadable", {**row(3), "facets": {"share": 0.5}}),
    "not odd": ("kept", row(3)),
    "context": (
        "contaminated",
        {"context": wrap_call("def h(x):\n    return [x, x]\n", "h('x')")},
    ),
    "huge number": (
        "kept",
        {"code": f"def f(n):\n    x = 0x{'f' * 5000}\n    return x % 7 + n\n", "call": "f(1)"},
    ),
    "broken": ("not_loaded", {"code": "def f(:\n", "call": "f()"}),
    "endless": ("step_limit", {"code": "def f():\n    while True:\n        pass\n", "call": "f()"}),
    "busy": ("time_limit", {"code": "def f(): return sum(range(10**12))\n", "call": "f()"}),
    "sleeps": ("time_limit", {"code": "import time\ndef f(): time.sleep(9)\n", "call": "f()"}),
    "large": ("memory_limit", {"code": "def f(): return len(bytes(1 << 33))\n", "call": "f()"}),
    "loud": ("output_limit", {"code": "def f(): print('x' * 5_000_000)\n", "call": "f()"}),
    "dies": ("killed", {"code": "import os\ndef f(): os._exit(3)\n", "call": "f()"}),
    "cheats": ("forbidden_call", {"code": "import os\ndef f(): os.chroot('/')\n", "call": "f()"}),
    "threads": (
        "incomplete",
        {
            "code": "import threading\ndef f():\n    t = threading.Thread(target=len, args=('',))\n"
            "    t.start(); t.join()\n",
            "call": "f()",
        },
    ),
    "address": ("non_deterministic", {"code": "def f(): return id(f)\n", "call": "f()"}),
    "order": (
        "non_deterministic",
        {"code": "def f(): return list({'a', 'b', 'c', 'd'})\n", "call": "f()"},
    ),
    "time": (
        "non_deterministic",
        {"code": "import time\ndef f(): return time.time()\n", "call": "f()"},
    ),
    "chance": (
        "non_deterministic",
        {"code": "import random\ndef f():\n    print(random.random() < 2, random.random())\n"}
        | {"call": "f()"},
    ),
    "seeded": (
        "kept",
        {"code": "import random\ndef f(): return random.Random(1).random()\n", "call": "f()"},
    ),
    "short": ("too_short", {"code": "def f(): pass\n", "call": "len('abc')"}),
}


def test_every_kind_of_program_has_its_outcome(tmp_path: Path) -> None:
    known = {"id": "b", "code": "def g(q):\n    return [q, q]\n", "call": "g(1)"}
    mine = write(tmp_path / "mine.jsonl", [known])
    rows = [{**fields, "id": name} for name, (_, fields) in PROGRAMS.items()]
    write(tmp_path / "a.jsonl", rows)
    with (tmp_path / "a.jsonl").open("a", encoding="utf-8") as file:
        file.write("{not json\n")
    words = ("--steps", 2000, "--seconds", 3, "--min-steps", 5, "--exclude", mine, "--workers", 1)
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
    assert result.exit_code == 0, result.output
    expected = {name: outcome for name, (outcome, _) in PROGRAMS.items()} | {None: "unreadable"}
    rows = outcomes(tmp_path / "s")
    assert {row["id"]: row["outcome"] for row in rows} == expected
    assert [row["number"] for row in rows] == list(range(len(expected)))
    assert ids(tmp_path / "s") == ["fine", "raises", "not odd", "huge number", "seeded"]
    details = {row["id"]: row["detail"] for row in rows}
    assert details["benchmark's"] == details["context"] == str(mine)
    assert details["order"] == "step 4"
    assert details["chance"] == "standard output"
    assert re.search(r"line 27 of a.jsonl: not JSON", details[None])
    # The counts in the report add up to the number of programs.
    lines = re.findall(r"(?m)^ +([\d,]+) ([a-z ]+)$", result.output)
    assert sum(int(number) for number, _ in lines) == len(expected)
    assert f"{len(expected)} programs in 1 shard\n" in result.output
    assert re.search(r"(?m)^\d+ s of worker time$", result.output)


@pytest.mark.data
def test_benchmark_programs_are_contaminated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = data_file("cruxeval.jsonl")
    monkeypatch.setenv("WORLDLINE_DATA", str(file.parent))
    lines = file.read_text(encoding="utf-8").splitlines()
    (tmp_path / "a.jsonl").write_text("\n".join(lines[:5]), encoding="utf-8")
    trace(tmp_path / "a.jsonl", "-o", tmp_path / "s")
    rows = outcomes(tmp_path / "s")
    assert [(row["outcome"], row["detail"]) for row in rows] == [("contaminated", "cruxeval")] * 5


def test_kept_traces_equal_those_of_a_recorder(tmp_path: Path, recorder: PythonRecorder) -> None:
    rows = [row(n, facets={"depth": n}) for n in range(25)]
    write(tmp_path / "a.jsonl", rows)
    words = ("--shard", 10, "--tokenizer", "bytes", "--codec", "delta")
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
    assert "25 of 25 results are as expected" in result.output
    stored = list(read_stored_traces(tmp_path / "s"))
    assert [each.id for each in stored] == [f"p{n}" for n in range(25)]
    for number, each in enumerate(stored):
        assert each.trace == recorder.record(
            Program(rows[number]["code"], rows[number]["call"]), limits=DEFAULT_LIMITS
        )
        assert each.facets == {"depth": number}
    # One token per byte of prompt and completion, and per special token.
    shown = CliRunner().invoke(
        main, ["record", str(_program(tmp_path)), "--call", "f(3)", "--tokenizer", "bytes"]
    )
    counted = re.search(r"delta: ([\d,]+) tokens of prompt, ([\d,]+) of trace", shown.output)
    assert counted is not None
    assert (str(stored[3].prompt_tokens), str(stored[3].completion_tokens)) == counted.groups()


def _program(folder: Path) -> Path:
    (folder / "p.py").write_text(row(3)["code"], encoding="utf-8")
    return folder / "p.py"


def test_traces_with_too_many_tokens_are_not_kept(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(n) for n in range(7)])
    words = ("-o", tmp_path / "s", "--tokenizer", "bytes")
    trace(tmp_path / "a.jsonl", *words, "--max-tokens", 800)
    rows = outcomes(tmp_path / "s")
    lengths: dict[str, list[int]] = {row["outcome"]: [] for row in rows}
    for outcome in rows:
        lengths[outcome["outcome"]].append(outcome["prompt_tokens"] + outcome["completion_tokens"])
    assert max(lengths["kept"]) <= 800 < min(lengths["too_long"])
    refused = trace(tmp_path / "a.jsonl", "-o", tmp_path / "t", "--max-tokens", 800)
    assert "give --tokenizer, too" in refused.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--steps", "9"],
            r"different settings \(limits: .*; choose a different folder with -o, or start",
        ),
        (["--once"], r"different settings \(filters: "),
        (["--address", "auto"], "--address is for --runner ray"),
        (["--codec", "chat"], "Invalid value for '--codec'"),
    ],
)
def test_different_settings_are_refused(finished: Path, words: list[str], message: str) -> None:
    result = trace(finished / "a.jsonl", "-o", finished / "s", "--shard", 5, *words)
    assert result.exit_code == 2
    assert re.search(message, result.output)
    if "--steps" in words:
        write(finished / "a.jsonl", [row(3), row(4)])
        again = trace(finished / "a.jsonl", "-o", finished / "s", *words, "--restart")
        assert again.exit_code == 0
        assert "already" not in again.output
        assert outcomes(finished / "s")[1]["outcome"] == "step_limit"


def test_folder_with_foreign_files_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1)])
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "mine.txt").write_text("mine", encoding="utf-8")
    for words in ([], ["--restart"]):
        result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
        assert result.exit_code == 2
        assert "contains 'mine.txt' and no traces.json" in result.output
    assert [path.name for path in (tmp_path / "s").iterdir()] == ["mine.txt"]
    assert "is a file" in trace(tmp_path / "a.jsonl", "-o", tmp_path / "a.jsonl").output
    assert "no programs in" in trace(write(tmp_path / "e.jsonl", []), "-o", tmp_path / "t").output


def test_job_hash_is_that_of_format_2() -> None:
    """It is part of the name of every shard, so a store could not be resumed if it changed."""
    job = TraceJob("3.11.9", "core", "0.1.0", sandbox=Sandbox(allow_reduced=False))
    settings = job.settings()
    filters = {"min_steps": 1, "max_tokens": None, "is_once": False}
    text = json.dumps({**settings, "filters": filters})
    assert job.hash == hashlib.sha256(text.encode()).hexdigest()[:16]
    assert list(settings["filters"]) == ["min_steps", "max_tokens", "skip_determinism_check"]


def test_record_refers_to_trace_for_many_programs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(1)])
    result = CliRunner().invoke(main, ["record", str(path)])
    assert result.exit_code == 2
    assert f"has many programs; use: worldline trace {path} -o STORE" in result.output


def test_large_rows_are_flushed_in_small_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worldline.evaluation.store.parquet_parts._GROUP_CHARS", 1000)
    columns = [Column("id", "text", ""), Column("value", "texts", "")]
    rows = [{"id": str(n), "value": ["x" * 400, None]} for n in range(7)]
    builder = PartBuilder(columns)
    assert builder.finish() is None
    builder = PartBuilder(columns)
    max_rows = 0
    for new_row in rows:
        builder.add(new_row)
        max_rows = max(max_rows, len(builder._rows))
    data = builder.finish()
    assert data is not None
    file = parquet.ParquetFile(io.BytesIO(data))
    assert file.read().to_pylist() == rows
    assert (max_rows, file.num_row_groups) == (2, 3)


def test_unreadable_programs_fail_with_their_lines(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{not json\n\n{"code": "x = 1"}\n', encoding="utf-8")
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--workers", 1)
    assert result.exit_code == 1
    assert "unreadable: line 1 of a.jsonl" in result.output
    assert "line 3 of a.jsonl" in result.output
    assert "worldline: no trace was kept" in result.output
    assert "next:" not in result.output


def test_stores_are_queried_with_sql(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        "".join(f"{json.dumps(fields)}\n" for fields in (row(1), row(1), {"code": "x"})),
        encoding="utf-8",
    )
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", "--workers", 1)
    assert result.exit_code == 0, result.output
    assert "unreadable: line 3 of a.jsonl" in result.output
    query = "select outcome, count(*) as n from outcomes group by all order by 1"
    answer = run("sql", tmp_path / "s", query, "--format", "csv")
    assert answer.output == "outcome,n\nduplicate,1\nkept,1\nunreadable,1\n"
    query = "select store, steps, len(event) as events from traces"
    (line,) = run("sql", tmp_path / "s", query, "--format", "jsonl").output.splitlines()
    kept = json.loads(line)
    assert kept["store"] == "s"
    assert kept["steps"] == kept["events"] > 0
    wrong = run("sql", tmp_path / "s", "select * from samples")
    assert "views `outcomes` and `traces`" in wrong.output


def test_programs_that_are_deterministic_given_their_choices_are_kept(tmp_path: Path) -> None:
    chosen = ("address", "order", "time", "chance", "seeded")
    rows = [{**PROGRAMS[name][1], "id": name} for name in chosen]
    rows.append(
        {
            "id": "both",
            "code": "import random\ndef f(): return random.random(), id(f)\n",
            "call": "f()",
        }
    )
    write(tmp_path / "a.jsonl", rows)
    words = ("--keep-non-deterministic", "--workers", 1)
    result = trace(tmp_path / "a.jsonl", "-o", tmp_path / "s", *words)
    assert result.exit_code == 0, result.output
    assert ids(tmp_path / "s") == ["time", "chance", "seeded"]
    stored = dict(read_traces(tmp_path / "s"))
    assert [choice.name for choice in stored["chance"].choices] == ["random.random"] * 2
    assert replay(stored["chance"]) == stored["chance"]
