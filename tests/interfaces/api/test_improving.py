"""Rounds of evaluation, choice of data and training, with a scripted stand-in for the training."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.cli.commands import ok, run
from tests.support import stand_in_trainer
from tests.support.stand_in_trainer import METHODS, make_model, source_of
from worldline.core.errors import CodecError, InputError
from worldline.data.training import RECIPES
from worldline.interfaces.api.further_training import train_further
from worldline.interfaces.api.improvement_plan import ImprovementPlan, Round, open_folder
from worldline.interfaces.api.improving import Improvement, improve
from worldline.models.prediction import read_questions
from worldline.models.tokenizers import train_tokenizer


@dataclass(frozen=True)
class Setting:
    """A model that knows one method, programs of four, and the command that trains it."""

    model: Path
    pool: Path
    held_out: Path
    dev: Path
    train_command: str

    def options(self) -> dict[str, Any]:
        return {
            "engine": "recorded:{model}/predictions.jsonl",
            "train_command": self.train_command,
            "pool": [self.pool],
            "held_out": self.held_out,
            "dev": self.dev,
            "count": 8,
        }

    def words(self, output: Path, *more: str) -> list[str]:
        words = ["improve", str(self.model), "-o", str(output)]
        for name, value in self.options().items():
            for each in value if isinstance(value, list) else [value]:
                words += [f"--{name.replace('_', '-')}", str(each)]
        return [*words, "--rounds", "2", "--workers", "1", *more]


def write_programs(path: Path, numbers: Sequence[int], methods: Sequence[str] = METHODS) -> Path:
    rows = [
        {"id": f"{name}{n}", "code": source_of(name, n), "call": f"f(' aB{n} ')"}
        for name in methods
        for n in numbers
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return path


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> Setting:
    folder = tmp_path_factory.mktemp("improve")
    held_out = write_programs(folder / "held-out.jsonl", range(3))
    dev = write_programs(folder / "dev.jsonl", range(10, 13))
    # Harmless repeats of the evaluation sets, which must not be trained on.
    pool = write_programs(folder / "pool.jsonl", [0, 1, 10, *range(20, 26)])
    make_model(folder / "model", ["upper"], [held_out, dev])
    words = [sys.executable, stand_in_trainer.__file__, "{export}", "{model}", "{out}"]
    command = " ".join([*map(str, words), str(held_out), str(dev)])
    return Setting(folder / "model", pool, held_out, dev, command)


@pytest.fixture(scope="module")
def improved(setting: Setting, tmp_path_factory: pytest.TempPathFactory) -> Improvement:
    output = tmp_path_factory.mktemp("improved") / "rounds"
    return improve(setting.model, output, rounds=1, **setting.options())


def test_the_model_learns_what_it_predicted_wrong(improved: Improvement) -> None:
    first, last = improved.rounds
    assert (first.accuracy.correct, first.accuracy.asked) == (3, 12)
    assert last.accuracy.correct > 3
    assert last.change is not None
    assert (last.change.overall.gained, last.change.overall.lost) == (
        last.accuracy.correct - 3,
        0,
    )
    assert first.chosen["edge"] > 0
    assert sum(first.chosen.values()) == 8
    assert first.training_tokens == first.export_tokens > 0
    assert last.chosen == {}
    assert improved.model.endswith("round-1/model")


def test_no_program_of_an_evaluation_is_chosen(improved: Improvement, setting: Setting) -> None:
    chosen = read_questions(Path(improved.folder, "round-1", "programs.jsonl"))
    sources = {question.program.source for question in chosen}
    assert len(sources) == 8
    for path in (setting.held_out, setting.dev):
        assert not sources & {question.program.source for question in read_questions(path)}


def test_the_summary_has_all_rounds(improved: Improvement) -> None:
    summary = json.loads(Path(improved.folder, "summary.json").read_text())
    assert [each["round"] for each in summary["rounds"]] == [1, 2]
    assert summary["rounds"][1]["change"]["lost"] == []
    assert set(summary["rounds"][0]["seconds"]) == {
        "evaluate",
        "diagnose",
        "choose",
        "trace",
        "export",
        "train",
    }


def test_a_later_round_is_added_and_earlier_ones_are_not_repeated(
    improved: Improvement, setting: Setting
) -> None:
    root = Path(improved.folder)
    before = {path: path.stat().st_mtime_ns for path in root.glob("round-1/*")}
    again = improve(setting.model, root, rounds=2, **setting.options())
    assert [each.number for each in again.rounds] == [1, 2, 3]
    assert {path: path.stat().st_mtime_ns for path in root.glob("round-1/*")} == before
    first, second = (
        {q.program.source for q in read_questions(root / f"round-{number}" / "programs.jsonl")}
        for number in (1, 2)
    )
    assert not first & second
    assert again.rounds[2].accuracy.correct >= again.rounds[1].accuracy.correct
    with pytest.raises(InputError, match=r"different settings .count: 8 then, 9 now"):
        improve(setting.model, root, rounds=2, **setting.options() | {"count": 9})


@pytest.mark.parametrize("text", ["null", "[]", "{", "\ufffd"])
def test_damaged_settings_are_an_input_error(text: str, tmp_path: Path) -> None:
    (tmp_path / "improve.json").write_text(text)
    with pytest.raises(InputError, match=r"improve\.json is damaged: .*choose a new folder"):
        open_folder(tmp_path, ImprovementPlan("model"))


def test_a_killed_command_resumes(setting: Setting, tmp_path: Path) -> None:
    output, wait = tmp_path / "rounds", tmp_path / "wait"
    wait.touch()
    command = [sys.executable, "-m", "worldline", *setting.words(output, "--select", "random")]
    process = subprocess.Popen(command, env={**os.environ, "STAND_IN_WAIT": str(wait)})
    log = output / "round-1" / "train.log"
    while process.poll() is None and not (log.exists() and log.stat().st_size):
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    stages = output / "round-1" / "stages.json"
    assert list(json.loads(stages.read_text())) == [
        "evaluate",
        "diagnose",
        "choose",
        "trace",
        "export",
    ]
    # The training command still runs, and a second one would write the same model.
    refused = run(*setting.words(output, "--select", "random"))
    assert "still writes" in refused.output
    before = {path: path.stat().st_mtime_ns for path in (output / "round-1" / "run").rglob("*")}
    wait.unlink()
    while "still writes" in (result := run(*setting.words(output, "--select", "random"))).output:
        time.sleep(0.2)
    assert result.exit_code == 0, result.output
    assert log.read_text().count("training on") == 2
    assert {p: p.stat().st_mtime_ns for p in (output / "round-1" / "run").rglob("*")} == before
    assert "round-2/model" in result.output
    shown = ok(*setting.words(output, "--select", "random", "--format", "json", "-q")).stdout
    assert [each["round"] for each in json.loads(shown)["rounds"]] == [1, 2, 3]
    assert json.loads(shown)["rounds"][0]["chosen"] == {"random": 8}


def test_a_training_command_that_fails_says_why(tmp_path: Path) -> None:
    def train(command: str) -> None:
        plan = ImprovementPlan("model", train_command=command, tokens=5, seed=1)
        current = Round(1, tmp_path, plan)
        current.folder.mkdir(exist_ok=True)
        train_further(current)

    with pytest.raises(InputError, match=r"exit code 3: out of memory; see .*train.log"):
        train("sh -c 'echo out of memory; exit 3'")
    with pytest.raises(InputError, match=r"wrote no .*round-1/model"):
        train("true")
    with pytest.raises(InputError, match="cannot be started"):
        train("/no/such/program {out}")
    train("sh -c 'mkdir {out} && echo {tokens} {seed} {{other}} {model}'")
    assert (tmp_path / "round-1" / "train.log").read_text().endswith("5 2000001 {{other}} model\n")


def test_settings_that_cannot_work_are_refused_at_once(setting: Setting, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="asks the same model in every round"):
        improve(setting.model, tmp_path / "a", engine="http://127.0.0.1:1/v1")
    with pytest.raises(InputError, match=r"no tokenizer.json"):
        improve(tmp_path, tmp_path / "a")
    plain = tmp_path / "plain"
    plain.mkdir()
    train_tokenizer((), plain, size=None, special_tokens=["<s>", "</s>"])
    with pytest.raises(InputError, match="lacks special tokens of the codec cwm; fine-tune it"):
        improve(plain, tmp_path / "a")
    with pytest.raises(InputError, match="`likelihood` scores a pool"):
        improve(setting.model, tmp_path / "a", select="likelihood")
    with pytest.raises(CodecError, match="chat"):
        improve(setting.model, tmp_path / "a", codec="chat")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "notes.txt").touch()
    with pytest.raises(InputError, match="contains other files"):
        improve(setting.model, tmp_path / "full")
    with pytest.raises(InputError, match="too few to keep 20 for evaluation"):
        improve(
            setting.model,
            tmp_path / "small",
            engine="recorded:{model}/predictions.jsonl",
            pool=[setting.pool],
            eval_programs=20,
        )


def test_the_recipe_of_a_model_trains_it_further(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    export, model = tmp_path / "export", tmp_path / "model"
    programs = write_programs(tmp_path / "programs.jsonl", range(12), ["upper", "lower"])
    held_out = write_programs(tmp_path / "held-out.jsonl", range(30, 32), ["upper"])
    pool = write_programs(tmp_path / "pool.jsonl", range(50, 70), ["upper", "lower"])
    ok("trace", programs, "-o", tmp_path / "traces", "--workers", "1", "--once")
    ok("export", tmp_path / "traces", "--tokenizer", "bytes", "-o", export, "--workers", "1")
    small: list[str | Path] = ["--tokens", "4000", "--threads", "1"]
    ok("train", export, "--recipe", "tiny", "-o", model, *small, "--lr-scale", "2")
    small += ["--lr-scale", "0.5"]
    words: list[str | Path] = [
        "improve",
        model,
        "-o",
        tmp_path / "rounds",
        "--rounds",
        "2",
        "--pool",
        pool,
        *small,
    ]
    words += ["--held-out", held_out, "--dev", held_out, "--count", "12", "--workers", "1"]
    shown = ok(*words, "--max-tokens", "40", "--format", "json", "-q").stdout
    first, *_, last = json.loads(shown)["rounds"]
    assert first["training_tokens"] == 4000
    assert last["accuracy"]["infra_error"] == 0
    # Of each round, those of the first model's recipe: no round scales the rates of another.
    for number in (1, 2):
        path = tmp_path / "rounds" / f"round-{number}" / "model" / "training.json"
        log = json.loads(path.read_text())
        assert log["is_finished"]
        assert log["settings"]["start"] is not None
        assert log["settings"]["recipe"]["lr_muon"] == RECIPES["tiny"].lr_muon
    # The same model, trained on the programs that its own log-probabilities choose.
    words[3] = tmp_path / "by-likelihood"
    ok(*words, "--max-tokens", "400", "--rounds", "1", "--select", "likelihood", "-q")
    about = tmp_path / "by-likelihood" / "round-1" / "programs.jsonl.about.json"
    chosen = json.loads(about.read_text())
    assert chosen["pool"] == 40
    assert chosen["expected_pool"] < 1e-6
    assert sum(chosen["chosen"].values()) == 12
