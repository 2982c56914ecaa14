"""Training: the loss falls, and an interrupted training gives the same model."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.data.export.small_exports import exported, stored
from tests.data.training.training_speed import speed_of_training
from worldline.core.errors import InputError
from worldline.data.training import (
    RECIPES,
    Recipe,
    TrainingLog,
    TrainingStep,
    read_training_log,
    train,
    train_model,
)
from worldline.data.training.dataset import (
    ACTION,
    STATE,
    load_dataset,
    microbatches,
    sample_batches,
)
from worldline.data.training.model import count_parameters, create_model
from worldline.data.training.torch_import import has_bfloat16
from worldline.data.training.trainer import Trainer, lr_scale
from worldline.evaluation.store import StoredTrace
from worldline.languages.python.recorder import PythonRecorder

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

QUICK = Recipe("quick", 32, 2, 2, 2048, tokens=7000, batch_tokens=600, held_out=2)


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory, recorder: PythonRecorder) -> Path:
    folder = tmp_path_factory.mktemp("training")
    exported(folder, repeat(stored(recorder), 5), tokenizer="bpe:320")
    return folder / "export"


def repeat(traces: list[StoredTrace], times: int) -> list[StoredTrace]:
    return [replace(t, id=f"{t.id}_{n}") for n in range(times) for t in traces]


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


def test_training_reduces_the_held_out_loss(export: Path, tmp_path: Path) -> None:
    recipe = replace(QUICK, hidden_size=64, tokens=60_000)
    steps = finish(export, tmp_path / "model", recipe)
    assert steps[0].loss > 4
    assert steps[-1].held_out is not None
    assert steps[-1].held_out.loss < 1.2
    done = read_training_log(tmp_path / "model")
    assert done is not None
    assert done.is_finished
    assert done.step == len(steps)
    assert done.tokens == sum(step.tokens for step in steps) >= recipe.tokens
    assert done.seen == sum(step.examples for step in steps)
    early, late = (point.held_out.action_accuracy for point in (done.evals[0], done.evals[-1]))
    assert early is not None
    assert late is not None
    assert late > early


def test_hugging_face_loads_the_model_folder(export: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    finish(export, tmp_path / "model")
    model = AutoModelForCausalLM.from_pretrained(tmp_path / "model")
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "model")
    assert model.config.max_position_embeddings == QUICK.max_seq_len
    assert model.config.vocab_size == len(tokenizer)
    assert (model.config.bos_token_id, model.config.eos_token_id) == (
        tokenizer.convert_tokens_to_ids("<|begin_of_text|>"),
        tokenizer.convert_tokens_to_ids("<|end_of_text|>"),
    )
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert not (tmp_path / "model" / "checkpoint.pt").exists()


def test_resumed_training_gives_the_same_model(export: Path, tmp_path: Path) -> None:
    all_steps = finish(export, tmp_path / "whole")
    steps = train(export, tmp_path / "stopped", recipe=QUICK, threads=1)
    for _ in range(5):
        next(steps)
    steps.close()
    assert (tmp_path / "stopped" / "checkpoint.pt").exists()
    rest = finish(export, tmp_path / "stopped")
    assert [step.step for step in rest] == list(range(6, len(all_steps) + 1))
    assert [step.loss for step in rest] == [step.loss for step in all_steps[5:]]
    assert are_equal(weights(tmp_path / "whole"), weights(tmp_path / "stopped"))
    whole, stopped = (read_training_log(tmp_path / name) for name in ("whole", "stopped"))
    assert whole is not None
    assert stopped is not None
    assert whole.tokens == stopped.tokens
    assert whole.evals == stopped.evals


KILLED = """
import sys
from pathlib import Path
from worldline.data.training import train_model
from tests.data.training.test_train import QUICK
train_model.CHECKPOINT_SECONDS = 0.0
for log, step in train_model.train(Path(sys.argv[1]), Path(sys.argv[2]), recipe=QUICK, threads=1):
    print(step.step, flush=True)
"""


def test_killed_training_resumes_from_its_last_checkpoint(export: Path, tmp_path: Path) -> None:
    all_steps = finish(export, tmp_path / "whole")
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
    assert are_equal(weights(tmp_path / "whole"), weights(tmp_path / "killed"))


def test_training_can_start_from_a_trained_model(export: Path, tmp_path: Path) -> None:
    first = finish(export, tmp_path / "first", replace(QUICK, tokens=40_000))
    begun = weights(tmp_path / "first")
    then = finish(export, tmp_path / "then", start=tmp_path / "first")
    assert then[0].loss < 0.7 * first[0].loss
    assert are_equal(weights(tmp_path / "first"), begun)
    assert not are_equal(weights(tmp_path / "then"), begun)
    with pytest.raises(InputError, match="begun with a different start"):
        finish(export, tmp_path / "then")


def test_unsuitable_first_model_is_refused(export: Path, tmp_path: Path) -> None:
    finish(export, tmp_path / "first")
    with pytest.raises(InputError, match="has no trained model"):
        finish(export, tmp_path / "then", start=tmp_path)
    for other in (replace(QUICK, hidden_size=64), replace(QUICK, max_seq_len=4096)):
        with pytest.raises(InputError, match="not have the shape of the recipe quick"):
            finish(export, tmp_path / "then", other, start=tmp_path / "first")
    whole = (tmp_path / "first" / "model.safetensors").read_bytes()
    (tmp_path / "first" / "model.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cannot be read"):
        finish(export, tmp_path / "then", start=tmp_path / "first")
    names = tmp_path / "first" / "tokenizer.json"
    names.write_text(names.read_text().replace("<|frame_sep|>", "<|frame_set|>"))
    with pytest.raises(InputError, match=r"different tokenizer.*--tokenizer"):
        finish(export, tmp_path / "then", start=tmp_path / "first")


def test_finished_model_is_not_changed(export: Path, tmp_path: Path) -> None:
    finish(export, tmp_path / "model")
    before = (tmp_path / "model" / "model.safetensors").stat().st_mtime_ns
    assert finish(export, tmp_path / "model") == []
    assert (tmp_path / "model" / "model.safetensors").stat().st_mtime_ns == before


def test_training_with_a_different_seed_in_the_same_folder_is_refused(
    export: Path, tmp_path: Path
) -> None:
    finish(export, tmp_path / "model")
    with pytest.raises(InputError, match=r"begun with a different seed.*--restart"):
        finish(export, tmp_path / "model", seed=1)
    assert finish(export, tmp_path / "model", seed=1, restart=True)[0].step == 1


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
    export: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish(export, tmp_path / "whole")
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
    assert are_equal(weights(tmp_path / "whole"), weights(tmp_path / "model"))


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


def test_tokens_with_weight_zero_have_no_loss(export: Path) -> None:
    dataset = load_dataset(export, QUICK)

    def loss_of_unweighted_role(**options: float) -> float:
        model = create_model(QUICK, export / "tokenizer")
        trainer = Trainer(model, QUICK, **options)
        ids, roles = next(microbatches(dataset, dataset.train[:2], QUICK.microbatch_tokens))
        only = roles * (roles == (ACTION if options["state_weight"] else STATE))
        return float(trainer._loss(ids, only).detach())

    assert loss_of_unweighted_role(action_weight=0.0, state_weight=1.0) == 0
    assert loss_of_unweighted_role(action_weight=1.0, state_weight=0.0) == 0
    assert loss_of_unweighted_role(action_weight=0.5, state_weight=1.0) > 0


@pytest.mark.parametrize("name", RECIPES)
def test_first_heads_attend_one_two_and_three_tokens_back(name: str, export: Path) -> None:
    torch = pytest.importorskip("torch")
    recipe = RECIPES[name]
    model = create_model(recipe, export / "tokenizer")
    model.set_attn_implementation("eager")
    ids = torch.randint(0, model.config.vocab_size, (1, 200))
    with torch.no_grad():
        (weights,) = model(ids, output_attentions=True).attentions[0]
    for head in range(recipe.num_heads - 1):
        back = weights[head].diagonal(-(head + 1))
        assert back.mean() > 0.75, head
    # The last one is free: its attention is uniform.
    assert weights[-1].diagonal(-1).mean() < 0.2


def test_padding_does_not_change_the_loss(export: Path) -> None:
    dataset = load_dataset(export, QUICK)
    trainer = Trainer(create_model(QUICK, export / "tokenizer"), QUICK)
    chosen = dataset.train[:4]
    together = sum(
        float(trainer._loss(*batch).detach()) for batch in microbatches(dataset, chosen, 10**6)
    )
    alone = sum(float(trainer._loss(*batch).detach()) for batch in microbatches(dataset, chosen, 1))
    assert len(list(microbatches(dataset, chosen, 1))) == 4
    assert together == pytest.approx(alone, rel=1e-4)


def test_loss_equals_that_of_transformers(export: Path) -> None:
    dataset = load_dataset(export, QUICK)
    model = create_model(QUICK, export / "tokenizer")
    trainer = Trainer(model, QUICK)
    ids, roles = next(microbatches(dataset, dataset.train[:1], QUICK.microbatch_tokens))
    labels = torch.where(roles > 0, ids, -100)
    expected = float(model(input_ids=ids, labels=labels).loss.detach())
    count = int((roles[:, 1:] > 0).sum())
    assert float(trainer._loss(ids, roles).detach()) / count == pytest.approx(expected, rel=1e-4)


def test_each_epoch_contains_every_example_once(export: Path) -> None:
    dataset = load_dataset(export, QUICK)
    total = sum(map(dataset.length, dataset.train))
    recipe = replace(QUICK, batch_tokens=1, tokens=total, curriculum_end=0.0)
    taken = [example for step in sample_batches(dataset, recipe, seed=3) for example in step]
    assert sorted(taken) == sorted(dataset.train)
    assert not set(dataset.held_out) & set(taken)


def test_curriculum_starts_with_the_shortest_examples(export: Path) -> None:
    dataset = load_dataset(export, QUICK)
    sizes = list(map(dataset.length, dataset.train))
    assert sizes == sorted(sizes)
    recipe = replace(QUICK, tokens=60_000, curriculum_end=0.8, curriculum_start=0.1)
    order = list(sample_batches(dataset, recipe, seed=0))
    lengths = [max(map(dataset.length, step)) for step in order]
    tenth = len(order) // 10
    assert max(lengths[:tenth]) <= sizes[len(sizes) // 3] < max(lengths[-tenth:])
    assert max(lengths) == sizes[-1]


def test_learning_rate_warms_up_and_decays_to_five_percent() -> None:
    recipe = RECIPES["small"]
    scales = [lr_scale(recipe, done) for done in range(10_000, recipe.tokens + 10_000, 10_000)]
    top = scales.index(max(scales))
    assert scales[top] == pytest.approx(1, rel=0.01)
    assert scales[: top + 1] == sorted(scales[: top + 1])
    assert scales[top:] == sorted(scales[top:], reverse=True)
    assert scales[-1] == pytest.approx(1 / 20)


@pytest.mark.parametrize("name", list(RECIPES))
def test_recipes_are_small(name: str, export: Path) -> None:
    assert count_parameters(create_model(RECIPES[name], export / "tokenizer")) < 15_000_000


def test_bfloat16_is_detected_from_cpu_flags() -> None:
    assert has_bfloat16("flags\t\t: fpu avx512_bf16 avx2\n")
    assert has_bfloat16("Features\t: fp asimd bf16\n")
    assert not has_bfloat16("flags\t\t: fpu avx2\nmodel name: bf16 the great\n")


def test_log_is_json_with_settings_and_versions(export: Path, tmp_path: Path) -> None:
    finish(export, tmp_path / "model")
    data = json.loads((tmp_path / "model" / "training.json").read_text())
    assert data["settings"]["recipe"]["name"] == "quick"
    assert set(data["versions"]) == {"worldline", "torch", "transformers"}
    assert isinstance(read_training_log(tmp_path / "model"), TrainingLog)


def test_training_loop_has_little_overhead(export: Path) -> None:
    """At full size: `scripts/bench train`."""
    recipe = replace(QUICK, hidden_size=128, batch_tokens=2000, tokens=100_000)
    result = speed_of_training(export, recipe, steps=4, turns=3, threads=1)
    assert result.ours > result.bare / 2


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
        "recipe": {OLD_NAMES.get(name, name): value for name, value in recipe.items()}
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


def test_training_of_an_earlier_version_is_read_and_resumed(export: Path, tmp_path: Path) -> None:
    finish(export, tmp_path / "whole")
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
    assert read_training_log(tmp_path / "old") == before
    assert finish(export, tmp_path / "old")[0].step == 6
    assert are_equal(weights(tmp_path / "whole"), weights(tmp_path / "old"))
    assert json.loads(log_path.read_text(encoding="utf-8"))["format"] == 2
