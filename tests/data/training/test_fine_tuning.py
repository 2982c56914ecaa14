"""Fine-tuning of models that no recipe trained: LoRA, weights of tokens, added tokens, resume."""

import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.data.export.small_exports import exported, stored
from tests.interfaces.cli.commands import ok, run
from worldline.core.errors import InputError
from worldline.data.training import (
    FineTuning,
    FineTuningStep,
    fine_tune,
    read_fine_tuning_log,
    weighted_trainer,
)
from worldline.data.training.causal_model import load_causal_model
from worldline.data.training.dataset import load_dataset, microbatches
from worldline.data.training.weighted_trainer import make_trainer, split_by_length, use_one_gpu
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.codecs import CwmCodec
from worldline.models.tokenizers import TokenizerJson, train_tokenizer

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("accelerate")

QUICK = FineTuning(tokens=9000, learning_rate=1e-2, batch_tokens=600, held_out=2)
SPECIAL = list(map(str, CwmCodec.special_tokens))


def make_gpt2(folder: Path) -> Path:
    """A random GPT-2 of two layers, whose tokenizer lacks the special tokens of CWM."""
    from transformers import GPT2Config, GPT2LMHeadModel

    train_tokenizer([], folder, size=None, special_tokens=["<|begin|>", "<|end|>"])
    torch.manual_seed(0)
    GPT2LMHeadModel(
        GPT2Config(
            vocab_size=258,
            n_positions=2048,
            n_embd=32,
            n_layer=2,
            n_head=2,
            bos_token_id=256,
            eos_token_id=257,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
        )
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_gpt2(tmp_path_factory.mktemp("gpt2") / "model")


@pytest.fixture(scope="module")
def export(start: Path, tmp_path_factory: pytest.TempPathFactory, recorder: PythonRecorder) -> Path:
    folder = tmp_path_factory.mktemp("fine-tuning")
    traces = [replace(t, id=f"{t.id}_{n}") for n in range(3) for t in stored(recorder)]
    exported(folder, traces, tokenizer=str(start))
    return folder / "export"


@pytest.fixture(scope="module")
def tuned(
    start: Path, export: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, list[FineTuningStep]]:
    folder = tmp_path_factory.mktemp("tuned") / "model"
    steps: list[FineTuningStep] = []
    fine_tune(export, folder, start=start, settings=QUICK, threads=1, on_step=steps.append)
    return folder, steps


def load(folder: Path) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)


def test_the_tokenizer_of_a_model_gets_the_special_tokens(start: Path, export: Path) -> None:
    ids = TokenizerJson(export / "tokenizer" / "tokenizer.json").ids(SPECIAL)
    assert sorted(ids.values()) == list(range(258, 258 + len(SPECIAL)))
    # The tokens that it had keep their ids.
    before = json.loads((start / "tokenizer.json").read_text())["model"]["vocab"]
    after = json.loads((export / "tokenizer" / "tokenizer.json").read_text())["model"]["vocab"]
    assert before == after


def test_a_model_of_another_architecture_is_trained(
    tuned: tuple[Path, list[FineTuningStep]], export: Path
) -> None:
    folder, steps = tuned
    losses = [step.loss for step in steps if step.loss is not None]
    assert losses[0] > 4
    assert losses[-1] < losses[0] - 1
    assert [step.step for step in steps if step.loss is not None] == list(
        range(1, steps[-1].steps + 1)
    )
    assert 9000 <= steps[-1].tokens < 10500
    held_out = [step.held_out_loss for step in steps if step.held_out_loss is not None]
    assert len(held_out) >= 4
    assert held_out[-1] < held_out[0]
    model = load(folder)
    assert model.config.model_type == "gpt2"
    assert model.get_input_embeddings().num_embeddings == 258 + len(SPECIAL)
    # A server stops at the end of the old format and of the new one.
    end = TokenizerJson(folder / "tokenizer.json").ids(["<|end_of_text|>"])["<|end_of_text|>"]
    assert model.generation_config.eos_token_id == [257, end]
    assert not (folder / "checkpoints").exists()


def test_an_interrupted_fine_tuning_gives_the_same_weights(
    tuned: tuple[Path, list[FineTuningStep]], start: Path, export: Path, tmp_path: Path
) -> None:
    def interrupt(step: FineTuningStep) -> None:
        if step.step == 7 and step.loss is not None:
            raise KeyboardInterrupt

    options: dict[str, Any] = {"start": start, "threads": 1}
    settings = replace(QUICK, checkpoint_steps=3)
    with pytest.raises(KeyboardInterrupt):
        fine_tune(export, tmp_path / "m", settings=settings, on_step=interrupt, **options)
    other = replace(settings, learning_rate=1.0)
    with pytest.raises(InputError, match="begun with a different learning_rate"):
        fine_tune(export, tmp_path / "m", settings=other, **options)
    steps: list[FineTuningStep] = []
    log = fine_tune(export, tmp_path / "m", settings=settings, on_step=steps.append, **options)
    assert steps[0].step == 7
    assert [step for step, _ in log.losses] == list(range(1, steps[-1].steps + 1))
    whole, resumed = (load(folder).state_dict() for folder in (tuned[0], tmp_path / "m"))
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
    # A finished one is not repeated.
    fine_tune(export, tmp_path / "m", settings=settings, on_step=interrupt, **options)


def test_tokens_without_weight_are_not_learned(start: Path, export: Path, tmp_path: Path) -> None:
    dataset = load_dataset(export, QUICK)
    examples = dataset.train[:2]
    model = load(start)
    model.resize_token_embeddings(258 + len(SPECIAL))

    def loss(**weights: Any) -> float:
        trainer = make_trainer(
            model,
            dataset,
            [examples],
            replace(QUICK, **weights),
            folder=tmp_path / "out",
            is_bfloat16=False,
            tracker=None,
            report=lambda step, values: None,
        )
        (batch,) = trainer.get_train_dataloader()
        return float(trainer.compute_loss(model, batch).detach())

    ((ids, roles),) = microbatches(dataset, examples, 10**6)
    with torch.no_grad():
        logprobs = model(input_ids=ids).logits[:, :-1].log_softmax(-1)
    nll = -logprobs.gather(-1, ids[:, 1:, None])[..., 0]
    actions, states = (nll[roles[:, 1:] == role] for role in (1, 2))
    assert loss(state_weight=0.0) == pytest.approx(float(actions.mean()), rel=1e-4)
    assert loss(action_weight=0.0) == pytest.approx(float(states.mean()), rel=1e-4)
    both = (actions.sum() + 3 * states.sum()) / (len(actions) + 3 * len(states))
    assert loss(state_weight=3.0) == pytest.approx(float(both), rel=1e-4)


def test_lora_trains_few_parameters_and_is_merged(
    start: Path, export: Path, tmp_path: Path
) -> None:
    pytest.importorskip("peft")
    words: list[str | Path] = [
        "train",
        export,
        "--from",
        start,
        "--lora",
        "2",
        "--tokens",
        "6000",
        "--threads",
        "1",
    ]
    shown = ok(*words, "--learning-rate", "0.1", "-o", tmp_path / "m").stdout
    log = read_fine_tuning_log(tmp_path / "m")
    assert log is not None
    assert log.last is not None
    assert log.last.trainable < log.last.parameters / 2
    assert log.losses[-1][1] < log.losses[0][1]
    assert "parameters" in shown
    model, before = load(tmp_path / "m"), load(start)
    # The embeddings of known tokens stay; those of added tokens and the layers are trained.
    old = before.get_input_embeddings().weight
    assert torch.equal(model.get_input_embeddings().weight[:258], old)
    name = "transformer.h.0.attn.c_attn.weight"
    assert not torch.equal(model.state_dict()[name], before.state_dict()[name])


def test_a_killed_command_resumes(start: Path, export: Path, tmp_path: Path) -> None:
    output = tmp_path / "m"
    words: list[str | Path] = ["train", export, "--from", start, "--tokens", "40000", "-o", output]
    words += ["--batch-tokens", "300", "--threads", "1"]
    command = [sys.executable, "-m", "worldline", *map(str, words), "-q"]
    process = subprocess.Popen(command)
    while process.poll() is None and not (output / "checkpoints" / "checkpoint-50").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = read_fine_tuning_log(output)
    assert before is not None
    assert not before.is_finished
    ok(*words)
    log = read_fine_tuning_log(output)
    assert log is not None
    assert log.is_finished
    assert log.last is not None
    assert [step for step, _ in log.losses] == list(range(1, log.last.steps + 1))


def test_errors_say_what_to_do(
    start: Path, export: Path, tmp_path: Path, tuned: tuple[Path, list[FineTuningStep]]
) -> None:
    words: list[str | Path] = ["train", export, "-o", tmp_path / "m", "--tokens", "100"]
    assert "has no model to start from" in run(*words, "--from", tmp_path).output
    assert "omit --recipe" in run(*words, "--from", start, "--recipe", "tiny").output
    assert "are for fine-tuning" in run(*words, "--lora", "4").output
    assert "pip install mlflow" in run(*words, "--from", start, "--log", "mlflow").output
    other = Path(shutil.copytree(start, tmp_path / "other"))
    table = json.loads((other / "tokenizer.json").read_text())
    table["added_tokens"][0]["content"] = "<|other|>"
    (other / "tokenizer.json").write_text(json.dumps(table))
    assert "export with --tokenizer" in run(*words, "--from", other).output
    full = tmp_path / "full"
    full.mkdir()
    (full / "notes.txt").touch()
    assert "contains notes.txt" in run(*words[:-3], full, "--from", start).output


def test_a_batch_is_split_into_passes_with_less_padding() -> None:
    lengths = (2, 3, 3, 7)
    mask = (torch.arange(7) < torch.tensor(lengths)[:, None]).long()
    ids = torch.arange(28).view(4, 7) * mask
    parts = list(split_by_length({"input_ids": ids, "attention_mask": mask}, 7))
    assert [tuple(part["input_ids"].shape) for part in parts] == [(1, 7), (2, 3), (1, 2)]
    assert all(bool(part["attention_mask"].any(0).all()) for part in parts)
    assert sum(int(part["input_ids"].sum()) for part in parts) == int(ids.sum())


def test_the_number_of_passes_does_not_change_the_training(
    start: Path,
    export: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Several passes accumulate the gradient of the whole batch, up to rounding."""
    settings = replace(QUICK, tokens=2400, learning_rate=1e-3)
    losses = {}
    for tokens in (1, 10**6):
        monkeypatch.setattr(weighted_trainer, "_CPU_PASS_TOKENS", tokens)
        folder = tmp_path / str(tokens)
        log = fine_tune(export, folder, start=start, settings=settings, threads=1)
        losses[tokens] = [loss for _, loss in log.losses]
    assert len(losses[1]) >= 3
    assert losses[1] == pytest.approx(losses[10**6], rel=0.01)


def test_one_of_several_gpus_is_used(tmp_path: Path) -> None:
    from transformers import TrainingArguments

    arguments = TrainingArguments(
        output_dir=str(tmp_path), per_device_train_batch_size=1, use_cpu=True
    )
    assert arguments.n_gpu < 2
    arguments._n_gpu = 4
    assert arguments.train_batch_size == 4
    use_one_gpu(arguments)
    assert arguments.train_batch_size == 1


def test_added_tokens_begin_as_the_words_of_their_names(start: Path, export: Path) -> None:
    model, added = load_causal_model(start, export / "tokenizer")
    assert added == list(range(258, 258 + len(SPECIAL)))
    embeddings = model.get_input_embeddings().weight
    ids = TokenizerJson(export / "tokenizer" / "tokenizer.json").ids(SPECIAL)
    # The tokenizer of this model has one token for each byte, of which "call" and "sep" are made.
    vocabulary = json.loads((start / "tokenizer.json").read_text())["model"]["vocab"]
    word = [vocabulary[letter] for letter in "callĠsep"]
    torch.testing.assert_close(embeddings[ids["<|call_sep|>"]], embeddings[word].mean(0))
    # No two begin alike, and those that the model had do not change.
    assert torch.cdist(embeddings[added], embeddings[added]).fill_diagonal_(1).min() > 1e-3
    torch.testing.assert_close(embeddings[:258], load(start).get_input_embeddings().weight)
