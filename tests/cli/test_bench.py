"""`worldline bench`, `report` and `sql`; runs given to `diagnose` and `show`: as a user does."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import ok, run
from tests.faulty import FaultyServer, like_vllm, running
from tests.predictions import text_of
from worldline.recorders import PythonRecorder
from worldline.runs import ask_into, read_manifest, read_run
from worldline.trace import Program

SOURCE = "def f(x):\n    y = x + 1\n    return y\n"


@pytest.fixture
def recorded(tmp_path: Path, recorder: PythonRecorder) -> Path:
    """Predictions of six programs: four right, one wrong, one cut."""
    path = tmp_path / "recorded.jsonl"
    rows: list[dict[str, Any]] = []
    for n in range(6):
        program = Program(SOURCE, f"f({n})")
        row: dict[str, Any] = {
            "id": f"s{n}",
            "code": SOURCE,
            "call": f"f({n})",
            "expected": str(n + 1),
        }
        truth = recorder.record(program)
        assert truth.is_whole, truth.ending
        row |= {"output": text_of(truth), "finish_reason": "stop", "model": "m"}
        row["facets"] = {"parity": "even" if n % 2 == 0 else "odd"}
        rows.append(row)
    rows[4]["output"] = rows[4]["output"].replace('<|arg_sep|>"5"', '<|arg_sep|>"6"')
    rows[5] |= {"output": rows[5]["output"][:200], "finish_reason": "length"}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_benchmark_is_asked_kept_and_reported(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    command = ("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    first = ok(*command)
    assert "right of all       4 of 6: 66.7% (95% interval 30.0 to 90.3)" in first.stdout
    assert "right of answered  4 of 5: 80.0%" in first.stdout
    assert "1 cut by the token budget, 0 ended without an answer" in first.stdout
    progress = json.loads(first.stderr.splitlines()[-1])
    assert (progress["done"], progress["right"], progress["cut"]) == (6, 4, 1)
    second = ok(*command)
    assert "6 of 6 are in" in second.stderr
    assert second.stdout == first.stdout == ok("report", target).stdout
    found = json.loads(ok("report", target, "--format", "json").stdout)
    assert found["accuracy"]["of_all"]["right"] == 4
    assert {(g["by"], g["group"], g["right"]) for g in found["accuracy"]["groups"]} >= {
        ("parity", "even", 2),
        ("parity", "odd", 2),
    }
    manifest = read_manifest(target)
    assert (manifest.benchmark, manifest.model, manifest.facets) == (
        "recorded", "m", {"parity": "text"},
    )  # fmt: skip


def test_the_same_command_finds_its_run_without_a_name(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ("bench", str(recorded), "--engine", f"recorded:{recorded}")
    ok(*command, "--first", "2")
    assert "2 of 6 are in runs/recorded-cwm-free-" in ok(*command).stderr
    ok(*command, "--budget", "300")
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_stopped_it_says_where_it_was_and_goes_on(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = str(tmp_path / "run")
    command = ("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)

    def interrupted(*given: Any, **named: Any) -> Iterator[dict[str, Any]]:
        yield from itertools.islice(ask_into(*given, **named), 3)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("worldline.cli.bench.ask_into", interrupted)
        stopped = run(*command)
        anew = run(*command, "--restart")
    assert stopped.exit_code == anew.exit_code == 130
    assert f"stopped: 3 of 6 are in {target}; the same command goes on" in stopped.stderr
    assert f"{target}; the same command without --restart goes on" in anew.stderr
    assert "3 of 6 are in" in ok(*command).stderr
    assert len(read_run(target)) == 6


def test_answers_of_another_engine_are_not_passed_off(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    other = ok("bench", str(recorded), "--engine", "http://127.0.0.1:9/v1", "-o", target)
    assert f"the answers of m at recorded:{recorded}" in other.stderr
    same = ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    assert "the answers of" not in same.stderr


def test_a_run_of_failures_alone_shows_no_tables(recorded: Path, tmp_path: Path) -> None:
    programs = tmp_path / "other.jsonl"
    row = {"id": "unknown", "code": SOURCE, "call": "f(77)"}
    programs.write_text(json.dumps(row) + "\n", encoding="utf-8")
    command = ("bench", str(programs), "--engine", f"recorded:{recorded}")
    found = run(*command, "-o", str(tmp_path / "run"))
    assert found.exit_code == 1
    assert "1 that failed in the infrastructure" in found.stdout
    assert "Outcomes" not in found.stdout
    assert "the first that failed:" in found.stderr
    assert "--codec chat" not in found.stderr


def test_sql_over_a_run(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    query = "select parity, verdict, count(*) as n from samples group by all order by all"
    rows = {row["sample"]: (row["verdict"], row.get("error")) for row in read_run(target)}
    assert rows == {
        **{f"s{n}": ("right", None) for n in range(4)},
        "s4": ("wrong", None),
        "s5": ("cut", None),
    }
    csv = ok("sql", target, query, "--format", "csv").stdout
    assert csv == "parity,verdict,n\neven,right,2\neven,wrong,1\nodd,cut,1\nodd,right,2\n"
    lines = ok("sql", target, target, "select count(*) as n from samples", "--format", "jsonl")
    assert json.loads(lines.stdout) == {"n": 12}
    assert "even" in ok("sql", target, query).stdout
    assert "the question's name" in ok("sql", "--columns").stdout
    assert "the query is empty" in run("sql", target, " ").stderr
    wrong = run("sql", target, "select nothing from samples")
    assert wrong.exit_code == 2
    assert "samples" in wrong.stderr


def test_all_columns_of_a_run_can_be_seen(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    query = "select * from samples where sample = 's4'"
    found = ok("sql", target, query).stdout
    (row,) = map(json.loads, ok("sql", target, query, "--format", "jsonl").stdout.splitlines())
    told = {name for name, value in row.items() if value is not None}
    assert {line.split()[0] for line in found.splitlines() if line[0] != " "} == {"row", *told}
    assert row["asked_at"] in found


def test_runs_of_one_name_are_told_apart(recorded: Path, tmp_path: Path) -> None:
    old, new = str(tmp_path / "old" / "run"), str(tmp_path / "new" / "run")
    for target in (old, new):
        ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    query = "select distinct run from samples order by run"
    both = ok("sql", old, new, query, "--format", "csv").stdout
    assert both.split() == ["run", new, old]
    assert ok("sql", old, query, "--format", "csv").stdout.split() == ["run", "run"]


def test_a_run_can_be_diagnosed_and_shown(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    from_file = json.loads(ok("diagnose", str(recorded), "--format", "json", "--summary").stdout)
    from_run = json.loads(ok("diagnose", target, "--format", "json", "--summary").stdout)
    assert from_run == from_file
    assert "6 instead of 5" in ok("show", target, "s4").stdout
    missing = run("show", target, "s9")
    assert (missing.exit_code, "no sample 's9'" in missing.stderr) == (2, True)


def test_recorded_predictions_become_a_run(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    plain = ok("diagnose", str(recorded))
    assert ok("diagnose", str(recorded), "-o", target).stdout == plain.stdout
    assert sorted(row["verdict"] for row in read_run(target)) == ["cut", *["right"] * 4, "wrong"]
    assert ok("diagnose", str(recorded), "-o", target).stdout == plain.stdout
    assert len(read_run(target)) == 6


def test_other_predictions_do_not_hide_behind_those_of_a_run(
    recorded: Path, tmp_path: Path
) -> None:
    target = str(tmp_path / "run")
    assert f"next: worldline report {target}" in ok("diagnose", str(recorded), "-o", target).stderr
    text = recorded.read_text(encoding="utf-8")
    recorded.write_text(text.replace('\\"6\\"', '\\"7\\"'), encoding="utf-8")
    refused = run("diagnose", str(recorded), "-o", target)
    assert refused.exit_code == 2
    assert "holds another prediction by the name of 's" in refused.stderr
    ok("diagnose", str(recorded), "-o", target, "--restart")
    assert {row["text"] for row in read_run(target)} == {
        json.loads(line)["output"] for line in recorded.read_text(encoding="utf-8").splitlines()
    }
    assert "name it with -o" in run("diagnose", str(recorded), "--restart").stderr


def test_a_server_that_fails_is_told_apart_from_a_model_that_does(tmp_path: Path) -> None:
    programs, target = tmp_path / "programs.jsonl", str(tmp_path / "run")
    rows = [{"id": f"s{n}", "code": SOURCE, "call": f"f({n})"} for n in range(4)]
    programs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    breaks_at: int | None = None

    asked: list[int] = []

    def fault(number: int) -> str | None:
        asked.append(number)
        return "500" if breaks_at is not None and number >= breaks_at else None

    with running(FaultyServer(fault, answer=like_vllm)) as server:
        command = ["bench", str(programs), "--engine", server.url, "--budget", "9"]
        command += ["--patience", "0.2", "--format", "json", "--in-flight", "1"]
        ok(*command, "-o", str(tmp_path / "first"), "--first", "1")
        # What it takes to find out what the server can do, and two samples more.
        breaks_at = 2 * (max(asked) + 1) + 1
        broken = run(*command, "-o", target)
        assert broken.exit_code == 1
        found = json.loads(broken.stdout)["accuracy"]
        assert (found["cut"], found["failed"], found["of_all"]["of"]) == (2, 2, 2)
        assert "the same command goes on and asks them again" in broken.stderr
        breaks_at = None
        found = json.loads(ok(*command, "-o", target).stdout)["accuracy"]
        assert (found["cut"], found["failed"], found["of_all"]["of"]) == (4, 0, 4)


def answers_messages_only(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """What a server answers that has nothing but a chat."""
    if path == "/v1/models":
        return {"data": [{"id": "chatty"}]}
    if path != "/v1/chat/completions":
        return {"_status": 404, "error": {"message": "Not Found"}}
    message = {"role": "assistant", "content": "[ANSWER]\n1\n[/ANSWER]"}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def test_a_server_that_answers_messages_only_is_met_with_a_hint(
    recorded: Path, tmp_path: Path
) -> None:
    hint = "this server answers messages and nothing else: try --codec chat"
    with running(FaultyServer(lambda _: None, answer=answers_messages_only)) as server:
        command = ("bench", str(recorded), "--engine", server.url, "--first", "1")
        failed = run(*command, "--patience", "0.2", "-o", str(tmp_path / "cwm"))
        assert failed.exit_code == 1
        assert hint in failed.stderr
        asked = ok(*command, "--codec", "chat", "-o", str(tmp_path / "chat"))
        assert "right of all       1 of 1" in asked.stdout
        assert hint not in asked.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("bench", "cruxevil"), "did you mean cruxeval"),
        (("bench", "permutation", "--set", "lengths"), "--set lengths=5"),
        (("bench", "permutation", "--set", "length=5"), "did you mean lengths"),
        (("report", "nowhere"), "nowhere is no run"),
        (("sql", "nowhere", "select 1"), "nowhere is no run"),
        (("sql", "nowhere"), "and then the query"),
        (("compare", "nowhere", "nowhere"), "nowhere is no run"),
    ],
)
def test_what_is_wrong_is_said(words: tuple[str, ...], said: str) -> None:
    extra = ("--engine", "http://127.0.0.1:9/v1") if words[0] == "bench" else ()
    result = run(*words, *extra)
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_file_is_no_run(recorded: Path) -> None:
    assert f"{recorded} is no run" in run("report", str(recorded)).stderr
    command = ("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", str(recorded))
    assert f"{recorded} is a file; name a folder" in run(*command).stderr


def test_the_benchmarks_are_listed() -> None:
    listed = ok("bench", "--list").stdout
    for name in ("cruxeval", "humaneval", "permutation", "composition"):
        assert name in listed
    assert "--set lengths=8,16,32" in listed


def test_facets_of_mixed_kinds_can_be_queried(recorded: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    for n, row in enumerate(rows):
        row["facets"] = {"mixed": "few" if n == 0 else n, "large": 10**n * 2**62, "depth": n}
    recorded.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    assert read_manifest(target).facets == {"mixed": "text", "large": "text", "depth": "int"}
    query = "select mixed, large, depth from samples order by sample limit 2"
    csv = ok("sql", target, query, "--format", "csv").stdout
    assert csv == f"mixed,large,depth\nfew,{2**62},0\n1,{10 * 2**62},1\n"


def test_half_a_pair_in_a_facet_is_refused(recorded: Path, tmp_path: Path) -> None:
    row = json.loads(recorded.read_text(encoding="utf-8").splitlines()[0])
    for facets in ({"a": "x\ud800"}, {"a\udfff": "x"}):
        recorded.write_text(json.dumps(row | {"facets": facets}) + "\n", encoding="utf-8")
        result = run("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", "x")
        assert (result.exit_code, "half of a surrogate pair" in result.stderr) == (2, True)


def test_a_file_of_ones_own_may_be_called_composition(recorded: Path, tmp_path: Path) -> None:
    mine = recorded.rename(tmp_path / "composition.jsonl")
    target = str(tmp_path / "run")
    result = ok("bench", str(mine), "--engine", f"recorded:{mine}", "-o", target)
    assert "right of all       4 of 6" in result.stdout
    assert read_manifest(target).benchmark == "composition"


def test_columns_of_one_name_are_all_in_the_json(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    query = "select 1 as n, 2 as n, 3 as n_2, 4 as n"
    lines = ok("sql", target, query, "--format", "jsonl").stdout
    assert json.loads(lines) == {"n": 1, "n_3": 2, "n_2": 3, "n_4": 4}
