"""`worldline generate`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from worldline.evaluation.benchmarks import load_benchmark
from worldline.interfaces.cli import main


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, list(arguments))


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Benchmarks that are downloaded are not here."""
    monkeypatch.setenv("WORLDLINE_DATA", str(tmp_path_factory.mktemp("data")))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_a_file_is_generated_and_resumed(tmp_path: Path) -> None:
    output = tmp_path / "new" / "train.jsonl"
    command = ["generate", "-o", str(output), "--count", "24", "--levels", "loops, strings"]
    first = run(*command, "--balance", "level")
    assert first.exit_code == 0, first.output
    assert f"24 of 24 programs in {output}" in first.stdout
    assert "kept, by level and kind" in first.stdout
    assert "kept, by level and steps" in first.stdout
    assert "programs of cruxeval are not excluded" in first.stderr
    (line,) = [line for line in first.stderr.splitlines() if line.startswith("{")]
    progress = json.loads(line)
    assert (progress["done"], progress["total"]) == (24, 24)
    second = run(*command)
    assert second.exit_code == 0
    assert "24 of 24 programs are already in the file" in second.stderr
    assert second.stdout == first.stdout
    other = run(*command, "--seed", "1")
    assert other.exit_code == 2
    assert "seed: 0 then, 1 now" in other.stderr
    assert "--restart" in other.stderr
    # `worldline bench` reads the file.
    benchmark = load_benchmark(str(output))
    assert (benchmark.name, len(benchmark.questions)) == ("train", 24)
    assert all(question.expected for question in benchmark.questions)


def test_excluded_programs_are_not_generated(tmp_path: Path) -> None:
    train, test = tmp_path / "train.jsonl", tmp_path / "test.jsonl"
    shared = ["--levels", "recursion", "--count", "30"]
    assert run("generate", "-o", str(train), *shared).exit_code == 0
    result = run("generate", "-o", str(test), *shared, "--exclude", str(train))
    assert result.exit_code == 0, result.output
    assert "is in train.jsonl" in result.stdout
    sources = [{json.loads(line)["code"] for line in path.open()} for path in (train, test)]
    assert sources[0].isdisjoint(sources[1])


def test_ctrl_c_says_how_to_resume(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("worldline.interfaces.cli.generate.generate_file", stop)
    command = ("generate", "-o", str(tmp_path / "a.jsonl"))
    result, anew = run(*command), run(*command, "--restart")
    assert (result.exit_code, anew.exit_code) == (130, 130)
    again = "Run the same command again"
    where = f"Interrupted: the programs so far are in {tmp_path / 'a.jsonl'}. "
    assert f"{where}{again} to resume." in result.stderr
    assert f"{where}{again} without --restart to resume." in anew.stderr


def test_a_shortage_is_reported(tmp_path: Path) -> None:
    output = tmp_path / "a.jsonl"
    result = run(
        "generate", "-o", str(output), "--count", "8", "--levels", "loops", "--max-steps", "5"
    )
    assert result.exit_code == 0, result.output
    assert "0 of 8 programs in" in result.stdout
    assert "too few programs of loops: 0 of 8 in 720 candidates" in result.stdout
    assert "too many steps" in result.stdout


def test_an_excluded_file_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "train.jsonl"
    path.write_text('{"id": "a", "code": "def f(): return 1", "call": "f()"}\n', encoding="utf-8")
    before = path.read_bytes()
    result = run("generate", "-o", str(path), "--exclude", str(path), "--restart")
    assert (result.exit_code, path.read_bytes()) == (2, before)
    assert "name another file with -o" in result.stderr


def test_the_output_must_not_be_in_an_excluded_folder(tmp_path: Path) -> None:
    row = '{"id": "a", "code": "def f(): return 1", "call": "f()"}\n'
    (tmp_path / "train.jsonl").write_text(row, encoding="utf-8")
    named = ["--exclude", str(tmp_path), "--count", "2", "--levels", "recursion"]
    result = run("generate", "-o", str(tmp_path / "test.jsonl"), *named)
    assert result.exit_code == 2
    assert f"one of the files in {tmp_path}, which --exclude reads" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["train.jsonl"]
    # Files in subfolders are not read.
    assert run("generate", "-o", str(tmp_path / "test" / "a.jsonl"), *named).exit_code == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--levels", "loop"], "there is no level 'loop'"),
        (["--balance", "colour"], "there is no facet 'colour'"),
        (["--exclude", "nowhere.jsonl"], "nowhere.jsonl"),
        (["--exclude", "cruxeval"], "cruxeval"),
    ],
)
def test_errors_are_one_line(options: list[str], message: str, tmp_path: Path) -> None:
    result = run("generate", "-o", str(tmp_path / "a.jsonl"), *options)
    assert result.exit_code == 2
    assert message in result.stderr
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []
