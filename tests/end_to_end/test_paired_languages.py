"""The same problems in two languages: a scripted model with known rates, and its comparison."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

import worldline as wl
from worldline.core.errors import RecorderError
from worldline.interfaces.cli import main
from worldline.languages.javascript.node_runtime import find_node
from worldline.models.engines import ScriptedEngine

# Problems that both have, and those that are answered in each language.
SHARED = range(12)
IN_PYTHON, IN_JAVASCRIPT = {0, 1, 2, 3, 4, 5, 6}, {0, 1, 2, 3, 9}


@pytest.fixture(scope="module", autouse=True)
def node() -> None:
    try:
        find_node()
    except RecorderError as error:
        skip = pytest.fail if os.environ.get("CI") == "true" else pytest.skip
        skip(str(error))


def write_rows(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    python = [
        {"id": f"sample_{n}", "code": f"def f(x):\n    return x + {n}\n", "input": "100"}
        | {"output": str(100 + n)}
        for n in [*SHARED, 20, 21]
    ]
    code = (
        "function f(x){{\n    return x + {n};\n}}\nconst assert = require('node:assert');\n"
        "function test() {{\n  let candidate = f;\n"
        "  assert.deepEqual(candidate(100),{value});\n}}\ntest();\n"
    )
    write_rows(folder / "cruxeval.jsonl", python)
    write_rows(
        folder / "js.jsonl",
        [{"id": n, "code": code.format(n=n, value=100 + n)} for n in [*SHARED, 30]],
    )
    return folder


def make_run(folder: Path, data: Path, name: str, known: set[int]) -> str:
    def answer(prompt: str) -> str:
        number = int(re.findall(r"return x \+ (\d+)", prompt)[-1])
        return f"[ANSWER] {100 + number if number in known else -1} [/ANSWER]"

    options = {"language": "javascript"} if name == "cruxeval-x" else {}
    benchmark = wl.load_benchmark(name, data=str(data), options=options)
    run = wl.evaluate(
        benchmark, engine=lambda: ScriptedEngine(answer), codec="chat", output=folder / name
    )
    return str(run.location)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, data: Path) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("runs")
    return (
        make_run(folder, data, "cruxeval", IN_PYTHON),
        make_run(folder, data, "cruxeval-x", IN_JAVASCRIPT),
    )


def test_pairs_of_two_languages(runs: tuple[str, str]) -> None:
    result = wl.compare(*runs)
    overall = result.overall
    assert (result.languages_a, result.languages_b) == (("python",), ("javascript",))
    assert (overall.samples, result.only_a, result.only_b) == (12, 2, 1)
    assert (overall.both_correct, overall.both_incorrect) == (4, 4)
    assert (overall.lost, overall.gained) == (3, 1)
    assert overall.difference.value == pytest.approx(-2 / 12)
    # McNemar's exact test of 1 and 3: both tails of a binomial distribution of 4.
    assert overall.difference.p == pytest.approx(10 / 16)
    assert result.is_across_languages
    assert not wl.compare(runs[0], runs[0]).is_across_languages


def test_command(runs: tuple[str, str]) -> None:
    result = CliRunner().invoke(main, ["compare", *runs])
    assert result.exit_code == 0, result.output
    assert "Python in A and JavaScript in B, the same 12 problems:" in result.stdout
    for row in (
        " 4 (33.3%) correct in both",
        " 4 (33.3%) incorrect in both: the logic",
        " 3 (25.0%) correct only in Python",
        " 1 ( 8.3%) correct only in JavaScript",
    ):
        assert row in result.stdout
    assert "1 gained, 3 lost; McNemar's exact p = 0.62)" in " ".join(result.stdout.split())
    assert "First divergence" not in result.stdout
    # The programs differ by intention.
    assert "different program" not in result.stderr
    form = CliRunner().invoke(main, ["compare", *runs, "--format", "json"])
    assert json.loads(form.stdout)["languages_b"] == ["javascript"]
    same = CliRunner().invoke(main, ["compare", runs[0], runs[0]])
    assert "Python in A" not in same.stdout


def test_runs_that_cannot_be_paired(tmp_path: Path, runs: tuple[str, str]) -> None:
    programs = tmp_path / "mine.jsonl"
    write_rows(programs, [{"id": "a", "code": "def f():\n    return 1\n", "call": "f()"}])
    engine = ScriptedEngine(lambda prompt: "[ANSWER] 1 [/ANSWER]")
    other = wl.evaluate(str(programs), engine=lambda: engine, codec="chat", output=tmp_path / "run")
    result = CliRunner().invoke(main, ["compare", runs[0], str(other.location)])
    assert result.exit_code == 0, result.output
    text = " ".join(result.stdout.split())
    assert "share no sample. Samples are paired by their names, such as 'sample_" in text
    assert "'a' in B; compare runs of one benchmark, or of cruxeval and cruxeval-x" in text
