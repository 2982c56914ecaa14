"""Training: the loss falls, and an interrupted training gives the same model."""

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.data.training.small_recipe import QUICK
from worldline.core.errors import InputError
from worldline.data.training import (
    Recipe,
    TrainingLog,
    TrainingStep,
    read_training_log,
    train,
    train_model,
)
from worldline.data.training.trainer import Trainer

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")


# A layer of gated DeltaNet and one of attention.
DELTANET = replace(QUICK, name="deltanet", linear_layers=1)
LONGER = replace(QUICK, hidden_size=64, tokens=60_000)


@pytest.fixture(scope="module")
def trained(
    export: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[TrainingStep]]:
    """A training that learns something: its folder, which tests do not change, and its steps."""
    folder = tmp_path_factory.mktemp("trained") / "model"
    return folder, finish(export, folder, LONGER)


@pytest.fixture(scope="module")
def whole_training(
    export: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[TrainingStep]]:
    """A training that was not interrupted: its folder, which tests do not change, and its steps."""
    folder = tmp_path_factory.mktemp("whole") / "model"
    return folder, finish(export, folder)


@pytest.fixture
def whole(whole_training: tuple[Path, list[TrainingStep]]) -> Path:
    """Folder of the model whose training was not interrupted."""
    return whole_training[0]


@pytest.fixture
def all_steps(whole_training: tuple[Path, list[TrainingStep]]) -> list[TrainingStep]:
    """Steps of the training that was not interrupted."""
    return whole_training[1]


@pytest.fixture
def model(whole: Path, tmp_path: Path) -> Path:
    """Copy of `whole`, which a test can change."""
    return Path(shutil.copytree(whole, tmp_path / "model"))


def finish(
    export: Path, output: Path, recipe: Recipe = QUICK, **options: Any
) -> list[TrainingStep]:
    return [step for _, step in train(export, output, recipe=recipe, threads=1, **options)]


def weights(folder: Path) -> dict[str, Any]:
    from safetensors.torch import load_file

    tensors: dict[str, Any] = load_file(folder / "model.safetensors")
    return tensors


def are_equal(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


def test_training_reduces_the_held_out_loss(trained: tuple[Path, list[TrainingStep]]) -> None:
    folder, steps = trained
    assert steps[0].loss > 4
    assert steps[-1].held_out is not None
    assert steps[-1].held_out.loss < 1.2
    done = read_training_log(folder)
    assert done is not None
    assert done.is_finished
    assert done.step == len(steps)
    assert done.tokens == sum(step.tokens for step in steps) >= LONGER.tokens
    assert done.seen == sum(step.examples for step in steps)
    early, late = (point.held_out.action_accuracy for point in (done.evals[0], done.evals[-1]))
    assert early is not None
    assert late is not None
    assert late > early


def test_hugging_face_loads_the_model_folder(whole: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained(whole)
    tokenizer = AutoTokenizer.from_pretrained(whole)
    assert model.config.max_position_embeddings == QUICK.max_seq_len
    assert model.config.vocab_size == len(tokenizer)
    assert (model.config.bos_token_id, model.config.eos_token_id) == (
        tokenizer.convert_tokens_to_ids("<|begin_of_text|>"),
        tokenizer.convert_tokens_to_ids("<|end_of_text|>"),
    )
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert not (whole / "checkpoint.pt").exists()


def test_resumed_training_gives_the_same_model(
    export: Path, tmp_path: Path, whole: Path, all_steps: list[TrainingStep]
) -> None:
    steps = train(export, tmp_path / "stopped", recipe=QUICK, threads=1)
    for _ in range(5):
        next(steps)
    steps.close()
    assert (tmp_path / "stopped" / "checkpoint.pt").exists()
    rest = finish(export, tmp_path / "stopped")
    assert [step.step for step in rest] == list(range(6, len(all_steps) + 1))
    assert [step.loss for step in rest] == [step.loss for step in all_steps[5:]]
    assert are_equal(weights(whole), weights(tmp_path / "stopped"))
    log, stopped = (read_training_log(folder) for folder in (whole, tmp_path / "stopped"))
    assert log is not None
    assert stopped is not None
    assert log.tokens == stopped.tokens
    assert log.evals == stopped.evals


KILLED = """
import sys
from pathlib import Path
from worldline.data.training import train_model
from tests.data.training.small_recipe import QUICK
train_model.CHECKPOINT_SECONDS = 0.0
for log, step in train_model.train(Path(sys.argv[1]), Path(sys.argv[2]), recipe=QUICK, threads=1):
    print(step.step, flush=True)
"""


def test_killed_training_resumes_from_its_last_checkpoint(
    export: Path, tmp_path: Path, whole: Path, all_steps: list[TrainingStep]
) -> None:
    command = [sys.executable, "-c", KILLED, str(export), str(tmp_path / "killed")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) == 6:
                os.kill(process.pid, signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL
    rest = finish(export, tmp_path / "killed")
    assert 5 <= rest[0].step <= 7
    assert rest[-1].step == len(all_steps)
    assert are_equal(weights(whole), weights(tmp_path / "killed"))


def test_hybrid_model_is_trained_further_and_predicts(export: Path, tmp_path: Path) -> None:
    from worldline.models.engines import Request, TransformersEngine

    recipe = replace(LONGER, linear_layers=1)
    steps = finish(export, tmp_path / "first", recipe)
    log = read_training_log(tmp_path / "first")
    assert log is not None
    assert log.evals[-1].held_out.loss < 0.7 * log.evals[0].held_out.loss
    then = finish(export, tmp_path / "then", replace(recipe, tokens=3000), start=tmp_path / "first")
    assert then[0].loss < 0.7 * steps[0].loss
    config = json.loads((tmp_path / "then" / "config.json").read_text())
    assert config["model_type"] == "olmo_hybrid"
    assert config["layer_types"] == ["linear_attention", "full_attention"]
    engine = TransformersEngine(str(tmp_path / "then"), device="cpu")
    begin = config["bos_token_id"]
    reply = asyncio.run(engine.generate(Request((begin,), 30)))
    assert len(set(reply.ids)) > 3
    with pytest.raises(InputError, match="not have the shape of the recipe quick"):
        finish(export, tmp_path / "other", QUICK, start=tmp_path / "first")


def test_resumed_training_of_a_hybrid_gives_the_same_model(export: Path, tmp_path: Path) -> None:
    finish(export, tmp_path / "whole", DELTANET)
    steps = train(export, tmp_path / "stopped", recipe=DELTANET, threads=1)
    for _ in range(5):
        next(steps)
    steps.close()
    finish(export, tmp_path / "stopped", DELTANET)
    assert are_equal(weights(tmp_path / "whole"), weights(tmp_path / "stopped"))


def test_training_can_start_from_a_trained_model(
    export: Path, tmp_path: Path, trained: tuple[Path, list[TrainingStep]]
) -> None:
    folder, first = trained
    begun = weights(folder)
    recipe = replace(QUICK, hidden_size=64)
    then = finish(export, tmp_path / "then", recipe, start=folder)
    assert then[0].loss < 0.7 * first[0].loss
    assert are_equal(weights(folder), begun)
    assert not are_equal(weights(tmp_path / "then"), begun)
    with pytest.raises(InputError, match="begun with a different start"):
        finish(export, tmp_path / "then", recipe)


def test_unsuitable_first_model_is_refused(export: Path, tmp_path: Path, model: Path) -> None:
    with pytest.raises(InputError, match="has no trained model"):
        finish(export, tmp_path / "then", start=tmp_path)
    for other in (replace(QUICK, hidden_size=64), replace(QUICK, max_seq_len=4096)):
        with pytest.raises(InputError, match="not have the shape of the recipe quick"):
            finish(export, tmp_path / "then", other, start=model)
    whole = (model / "model.safetensors").read_bytes()
    (model / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cannot be read"):
        finish(export, tmp_path / "then", start=model)
    names = model / "tokenizer.json"
    names.write_text(names.read_text().replace("<|frame_sep|>", "<|frame_set|>"))
    with pytest.raises(InputError, match=r"different tokenizer.*--tokenizer"):
        finish(export, tmp_path / "then", start=model)


def test_finished_model_is_not_changed(export: Path, model: Path) -> None:
    before = (model / "model.safetensors").stat().st_mtime_ns
    assert finish(export, model) == []
    assert (model / "model.safetensors").stat().st_mtime_ns == before


def test_training_with_a_different_seed_in_the_same_folder_is_refused(
    export: Path, model: Path
) -> None:
    with pytest.raises(InputError, match=r"begun with a different seed.*--restart"):
        finish(export, model, seed=1)
    assert finish(export, model, seed=1, restart=True)[0].step == 1


def test_folder_with_foreign_files_is_not_touched(export: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    for log in (None, "{}"):
        if log is not None:
            (tmp_path / "training.json").write_text(log)
        for restart in (False, True):
            with pytest.raises(InputError, match=r"contains thesis\.txt"):
                finish(export, tmp_path, restart=restart)
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_foreign_model_is_not_overwritten(export: Path, tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights of months")
    with pytest.raises(InputError, match="worldline train did not create"):
        finish(export, tmp_path, restart=True)
    assert (tmp_path / "model.safetensors").read_bytes() == b"weights of months"


def test_interruption_during_evaluation_gives_the_same_model(
    export: Path, tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def interrupted(self: Trainer, dataset: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise KeyboardInterrupt
        return evaluate(self, dataset)

    evaluate = Trainer.evaluate
    monkeypatch.setattr(Trainer, "evaluate", interrupted)
    monkeypatch.setattr(train_model, "CHECKPOINT_SECONDS", 0.0)
    with pytest.raises(KeyboardInterrupt):
        finish(export, tmp_path / "model")
    monkeypatch.setattr(Trainer, "evaluate", evaluate)
    assert finish(export, tmp_path / "model")[0].step > 1
    assert are_equal(weights(whole), weights(tmp_path / "model"))


def test_damaged_checkpoint_is_reported(export: Path, tmp_path: Path) -> None:
    steps = train(export, tmp_path / "model", recipe=QUICK, threads=1)
    next(steps)
    steps.close()
    (tmp_path / "model" / "checkpoint.pt").write_bytes(b"")
    with pytest.raises(InputError, match=r"checkpoint.pt is damaged.*--restart"):
        finish(export, tmp_path / "model")


def test_second_process_in_the_same_folder_is_refused(export: Path, tmp_path: Path) -> None:
    steps = train(export, tmp_path / "model", recipe=QUICK, threads=1)
    next(steps)
    with pytest.raises(InputError, match="another process"):
        finish(export, tmp_path / "model")
    steps.close()
    assert finish(export, tmp_path / "model")


def test_training_without_any_loss_is_refused(export: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no token has a loss"):
        finish(export, tmp_path / "model", action_weight=0.0, state_weight=0.0)


def test_missing_export_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="worldline export"):
        finish(tmp_path / "nothing", tmp_path / "model")


def test_log_is_json_with_settings_and_versions(whole: Path) -> None:
    data = json.loads((whole / "training.json").read_text())
    assert data["settings"]["recipe"]["name"] == "quick"
    assert set(data["versions"]) == {"worldline", "torch", "transformers"}
    assert isinstance(read_training_log(whole), TrainingLog)


OLD_NAMES = {
    "hidden_size": "hidden",
    "num_layers": "layers",
    "num_heads": "heads",
    "max_seq_len": "longest",
    "batch_tokens": "step_tokens",
    "lr_adamw": "rate",
    "lr_muon": "matrix_rate",
    "curriculum_start": "shortest_share",
    "curriculum_end": "growing_share",
    "warmup_ratio": "warm_share",
    "microbatch_tokens": "pass_tokens",
    "rope_theta": "theta",
}


def downgrade(log: dict[str, Any]) -> dict[str, Any]:
    """Give a training log the names of format 1, which does not state its format."""
    old = {name: value for name, value in log.items() if name != "format"}
    recipe = log["settings"]["recipe"]
    old["settings"] = log["settings"] | {
        "recipe": {
            OLD_NAMES.get(name, name): value
            for name, value in recipe.items()
            if name != "linear_layers"
        }
    }
    old["too_long"] = old.pop("dropped_too_long")
    old["looks"] = [
        {
            **point,
            "held_out": {
                "loss": point["held_out"]["loss"],
                "actions_right": point["held_out"]["action_accuracy"],
                "states_right": point["held_out"]["state_accuracy"],
            },
        }
        for point in old.pop("evals")
    ]
    return old


def without_example_accuracy(log: TrainingLog | None) -> TrainingLog:
    """A log without what earlier versions did not measure."""
    assert log is not None
    evals = (
        replace(point, held_out=replace(point.held_out, example_accuracy=None))
        for point in log.evals
    )
    return replace(log, evals=tuple(evals))


def test_training_of_an_earlier_version_is_read_and_resumed(
    export: Path, tmp_path: Path, whole: Path
) -> None:
    steps = train(export, tmp_path / "old", recipe=QUICK, threads=1)
    for _ in range(5):
        next(steps)
    steps.close()
    log_path, checkpoint_path = (tmp_path / "old" / n for n in ("training.json", "checkpoint.pt"))
    before = read_training_log(tmp_path / "old")
    log = json.loads(log_path.read_text(encoding="utf-8"))
    assert log["format"] == 2
    log_path.write_text(json.dumps(downgrade(log)), encoding="utf-8")
    checkpoint = torch.load(checkpoint_path, weights_only=True)
    old_checkpoint = {
        "learner": checkpoint["trainer"],
        "training": downgrade(checkpoint["training"]),
    }
    torch.save(old_checkpoint, checkpoint_path)
    assert read_training_log(tmp_path / "old") == without_example_accuracy(before)
    assert finish(export, tmp_path / "old")[0].step == 6
    assert are_equal(weights(whole), weights(tmp_path / "old"))
    assert json.loads(log_path.read_text(encoding="utf-8"))["format"] == 2
