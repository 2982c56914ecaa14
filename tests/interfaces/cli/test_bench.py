"""`worldline bench`, `report` and `sql`; `diagnose` and `show` of runs."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support.fake_server import FaultyServer, imitate_vllm, running
from tests.support.predictions import text_of
from worldline.core.trace import Program
from worldline.evaluation.runs import ScoredSample, evaluate_into_run, read_manifest, read_run
from worldline.languages.python.recorder import PythonRecorder

SOURCE = "def f(x):\n    y = x + 1\n    return y\n"


@pytest.fixture
def recorded(tmp_path: Path, recorder: PythonRecorder) -> Path:
    """Predictions of six programs: four correct, one incorrect, one truncated."""
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
        actual = recorder.record(program)
        assert actual.is_complete, actual.ending
        row |= {"output": text_of(actual), "finish_reason": "stop", "model": "m"}
        row["facets"] = {"parity": "even" if n % 2 == 0 else "odd"}
        rows.append(row)
    rows[4]["output"] = rows[4]["output"].replace('<|arg_sep|>"5"', '<|arg_sep|>"6"')
    rows[5] |= {"output": rows[5]["output"][:200], "finish_reason": "length"}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_benchmark_is_evaluated_stored_and_reported(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    command = ("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    first = ok(*command)
    assert "correct of all       4 of 6: 66.7% (95% interval 30.0 to 90.3)" in first.stdout
    assert "correct of answered  4 of 5: 80.0%" in first.stdout
    assert "1 truncated by the token limit, 0 ended without an answer" in first.stdout
    (line,) = [line for line in first.stderr.splitlines() if line.startswith("{")]
    progress = json.loads(line)
    assert (progress["done"], progress["correct"], progress["truncated"]) == (6, 4, 1)
    second = ok(*command)
    assert "6 of 6 samples are already in" in second.stderr
    assert second.stdout == first.stdout == ok("report", target).stdout
    result = json.loads(ok("report", target, "--format", "json").stdout)
    assert result["accuracy"]["of_all"]["correct"] == 4
    assert {(g["by"], g["group"], g["correct"]) for g in result["accuracy"]["groups"]} >= {
        ("parity", "even", 2),
        ("parity", "odd", 2),
    }
    manifest = read_manifest(target)
    assert (manifest.benchmark, manifest.model, manifest.facets) == (
        "recorded", "m", {"parity": "text"},
    )  # fmt: skip


def test_the_default_run_depends_on_the_settings(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ("bench", str(recorded), "--engine", f"recorded:{recorded}")
    ok(*command, "--first", "2")
    assert "2 of 6 samples are already in runs/recorded-free-" in ok(*command).stderr
    ok(*command, "--max-tokens", "300")
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_an_interrupted_evaluation_resumes(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = str(tmp_path / "run")
    command = ("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)

    def interrupted(*arguments: Any, **options: Any) -> Iterator[ScoredSample]:
        yield from itertools.islice(evaluate_into_run(*arguments, **options), 3)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("worldline.interfaces.api.evaluating.evaluate_into_run", interrupted)
        stopped = run(*command)
        anew = run(*command, "--restart")
    assert stopped.exit_code == anew.exit_code == 130
    again = "Run the same command again"
    assert f"Interrupted: 3 of 6 samples are in {target}. {again} to resume." in stopped.stderr
    assert f"{target}. {again} without --restart to resume." in anew.stderr
    assert "3 of 6 samples are already in" in ok(*command).stderr
    assert len(read_run(target)) == 6


def test_a_finished_run_of_another_engine_is_pointed_out(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    other = ok("bench", str(recorded), "--engine", "http://127.0.0.1:9/v1", "-o", target)
    assert f"the answers of m at recorded:{recorded}" in other.stderr
    same = ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    assert "the answers of" not in same.stderr


def test_a_run_with_infrastructure_errors_only_has_no_tables(
    recorded: Path, tmp_path: Path
) -> None:
    programs = tmp_path / "other.jsonl"
    row = {"id": "unknown", "code": SOURCE, "call": "f(77)"}
    programs.write_text(json.dumps(row) + "\n", encoding="utf-8")
    command = ("bench", str(programs), "--engine", f"recorded:{recorded}")
    result = run(*command, "-o", str(tmp_path / "run"))
    assert result.exit_code == 1
    assert "1 infrastructure error" in result.stdout
    assert "Outcomes" not in result.stdout
    assert "the first infrastructure error:" in result.stderr
    assert "--codec chat" not in result.stderr


def test_sql_over_a_run(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    query = "select parity, verdict, count(*) as n from samples group by all order by all"
    rows = {row["sample"]: (row["verdict"], row.get("error")) for row in read_run(target)}
    assert rows == {
        **{f"s{n}": ("correct", None) for n in range(4)},
        "s4": ("incorrect", None),
        "s5": ("truncated", None),
    }
    csv = ok("sql", target, query, "--format", "csv").stdout
    assert (
        csv
        == "parity,verdict,n\neven,correct,2\neven,incorrect,1\nodd,correct,2\nodd,truncated,1\n"
    )
    lines = ok("sql", target, target, "select count(*) as n from samples", "--format", "jsonl")
    assert json.loads(lines.stdout) == {"n": 12}
    assert "even" in ok("sql", target, query).stdout
    assert "the question's name" in ok("sql", "--columns").stdout
    assert "the query is empty" in run("sql", target, " ").stderr
    wrong = run("sql", target, "select nothing from samples")
    assert wrong.exit_code == 2
    assert "samples" in wrong.stderr


def test_all_columns_of_a_run_can_be_printed(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    query = "select * from samples where sample = 's4'"
    result = ok("sql", target, query).stdout
    (row,) = map(json.loads, ok("sql", target, query, "--format", "jsonl").stdout.splitlines())
    named = {name for name, value in row.items() if value is not None}
    assert {line.split()[0] for line in result.splitlines() if line[:1].strip()} == {"row", *named}
    assert row["completed_at"] in result


def test_runs_with_the_same_name_are_distinguished_by_path(recorded: Path, tmp_path: Path) -> None:
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
    assert sorted(row["verdict"] for row in read_run(target)) == [
        *["correct"] * 4,
        "incorrect",
        "truncated",
    ]
    assert ok("diagnose", str(recorded), "-o", target).stdout == plain.stdout
    assert len(read_run(target)) == 6


def test_a_run_that_is_diagnosed_again_keeps_its_settings(recorded: Path, tmp_path: Path) -> None:
    """`intervene` needs them."""
    first, again = str(tmp_path / "first"), str(tmp_path / "again")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", first)
    ok("diagnose", first, "-o", again)
    settings = read_manifest(first).settings
    assert settings is not None
    assert read_manifest(again).settings == settings
    ok("diagnose", first, str(recorded), "-o", str(tmp_path / "both"), "--first", "6")
    assert read_manifest(str(tmp_path / "both")).settings is None


def test_different_predictions_with_the_same_name_are_refused(
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
    assert {row["output"] for row in read_run(target)} == {
        json.loads(line)["output"] for line in recorded.read_text(encoding="utf-8").splitlines()
    }
    assert "name it with -o" in run("diagnose", str(recorded), "--restart").stderr


def test_server_failures_do_not_count_against_the_model(tmp_path: Path) -> None:
    programs, target = tmp_path / "programs.jsonl", str(tmp_path / "run")
    rows = [{"id": f"s{n}", "code": SOURCE, "call": f"f({n})"} for n in range(4)]
    programs.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    breaks_at: int | None = None

    asked: list[int] = []

    def fault(number: int) -> str | None:
        asked.append(number)
        return "500" if breaks_at is not None and number >= breaks_at else None

    with running(FaultyServer(fault, answer=imitate_vllm)) as server:
        command = ["bench", str(programs), "--engine", server.url, "--max-tokens", "9"]
        command += ["--retry-timeout", "0.2", "--format", "json", "--concurrency", "1"]
        ok(*command, "-o", str(tmp_path / "first"), "--first", "1")
        # The requests of the capability tests, and of two samples.
        breaks_at = 2 * (max(asked) + 1) + 1
        broken = run(*command, "-o", target)
        assert broken.exit_code == 1
        result = json.loads(broken.stdout)["accuracy"]
        assert (result["truncated"], result["infra_error"], result["of_all"]["of"]) == (2, 2, 2)
        assert "Run the same command again to resume." in broken.stderr
        breaks_at = None
        result = json.loads(ok(*command, "-o", target).stdout)["accuracy"]
        assert (result["truncated"], result["infra_error"], result["of_all"]["of"]) == (4, 0, 4)


def answers_messages_only(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """The answers of a server that has nothing but a chat endpoint."""
    if path == "/v1/models":
        return {"data": [{"id": "chatty"}]}
    if path != "/v1/chat/completions":
        return {"_status": 404, "error": {"message": "Not Found"}}
    message = {"role": "assistant", "content": "[ANSWER]\n1\n[/ANSWER]"}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def test_a_chat_only_server_gets_a_hint(recorded: Path, tmp_path: Path) -> None:
    hint = "this server has a chat endpoint only: try --codec chat"
    with running(FaultyServer(lambda _: None, answer=answers_messages_only)) as server:
        command = ("bench", str(recorded), "--engine", server.url, "--first", "1")
        forced = ("--codec", "cwm", "--retry-timeout", "0.2")
        failed = run(*command, *forced, "-o", str(tmp_path / "cwm"))
        assert failed.exit_code == 1
        assert hint in failed.stderr
        # Without --codec, it is asked in what it speaks.
        asked = ok(*command, "-o", str(tmp_path / "chat"))
        assert "correct of all       1 of 1" in asked.stdout
        assert "codec chat-trace: the model answers chat messages" in asked.stderr
        assert hint not in asked.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bench", "cruxevil"), "did you mean cruxeval"),
        (("bench", "permutation", "--set", "lengths"), "--set lengths=5"),
        (("bench", "permutation", "--set", "length=5"), "did you mean lengths"),
        (("report", "nowhere"), "nowhere is not a run"),
        (("sql", "nowhere", "select 1"), "nowhere is not a run"),
        (("sql", "nowhere"), "then the query"),
        (("compare", "nowhere", "nowhere"), "nowhere is not a run"),
    ],
)
def test_wrong_arguments_are_explained(words: tuple[str, ...], message: str) -> None:
    extra = ("--engine", "http://127.0.0.1:9/v1") if words[0] == "bench" else ()
    result = run(*words, *extra)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_file_is_no_run(recorded: Path) -> None:
    assert f"{recorded} is not a run" in run("report", str(recorded)).stderr
    command = ("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", str(recorded))
    assert f"{recorded} is a file; choose a folder" in run(*command).stderr


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


def test_a_lone_surrogate_in_a_facet_is_refused(recorded: Path, tmp_path: Path) -> None:
    row = json.loads(recorded.read_text(encoding="utf-8").splitlines()[0])
    for facets in ({"a": "x\ud800"}, {"a\udfff": "x"}):
        recorded.write_text(json.dumps(row | {"facets": facets}) + "\n", encoding="utf-8")
        result = run("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", "x")
        assert (result.exit_code, "half of a surrogate pair" in result.stderr) == (2, True)


def test_a_users_file_may_be_called_composition(recorded: Path, tmp_path: Path) -> None:
    mine = recorded.rename(tmp_path / "composition.jsonl")
    target = str(tmp_path / "run")
    result = ok("bench", str(mine), "--engine", f"recorded:{mine}", "-o", target)
    assert "correct of all       4 of 6" in result.stdout
    assert read_manifest(target).benchmark == "composition"


def test_columns_with_the_same_name_are_numbered_in_json(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("bench", str(recorded), "--engine", f"recorded:{recorded}", "-o", target)
    query = "select 1 as n, 2 as n, 3 as n_2, 4 as n"
    lines = ok("sql", target, query, "--format", "jsonl").stdout
    assert json.loads(lines) == {"n": 1, "n_3": 2, "n_2": 3, "n_4": 4}


def test_a_report_by_operation(recorded: Path, tmp_path: Path) -> None:
    target = str(tmp_path / "run")
    ok("diagnose", recorded, "-o", target)
    text = ok("report", target, "--by", "operation").stdout
    # Of s5 only the steps before its end count; s4 is wrong in its last step, which returns y.
    (row,) = [line for line in text.splitlines() if line.strip().startswith("int +")]
    assert "of 5" in row
    assert "too few data for a model" in text
    result = json.loads(ok("report", target, "--by", "operation", "--format", "json").stdout)
    rates = {rate["name"]: rate["single"] for rate in result["operations"]}
    assert (rates["int +"]["correct"], rates["int +"]["of"]) == (5, 5)
    assert rates["copy"]["of"] - rates["copy"]["correct"] == 1
    options = ("--by", "operation", "--format", "json", "--tokenizer", "bytes")
    assert json.loads(ok("report", target, *options).stdout)["unit"] == "tokens of bytes"
    one = ok("report", target, "--by", "operation", "--operation", "int +").stdout
    assert "steps with int + correct" in one
    assert "copy" not in one


@pytest.mark.parametrize(
    "options",
    [("--operation", "int +"), ("--by", "operation", "-o", "x.html")],
)
def test_a_report_by_operation_is_of_one_run(recorded: Path, options: tuple[str, ...]) -> None:
    result = run("report", recorded, *options)
    assert result.exit_code != 0
    assert "--by operation prints one run" in result.output
