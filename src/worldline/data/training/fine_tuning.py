"""Fine-tuning of a causal model of transformers on an export, fully or with LoRA."""

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.util.optional_imports import optional_import
from worldline.core.util.processes import usable_cores
from worldline.data.training.attention import has_full_attention, use_matrix_attention
from worldline.data.training.causal_model import (
    copy_tokenizer,
    end_token_ids,
    hash_model,
    load_causal_model,
)
from worldline.data.training.dataset import TrainingDataset, load_dataset, sample_batches
from worldline.data.training.fine_tuning_folder import (
    CHECKPOINTS,
    FineTuningLog,
    FineTuningStep,
    open_fine_tuning,
    read_fine_tuning_log,
    write_fine_tuning_log,
)
from worldline.data.training.fine_tuning_settings import FineTuning
from worldline.data.training.model import count_parameters
from worldline.data.training.torch_import import has_bfloat16, require_torch
from worldline.data.training.train_model import hash_export
from worldline.data.training.weighted_trainer import make_trainer
from worldline.evaluation.store import Lock

TRACKERS = ("trackio", "wandb", "mlflow")


def fine_tune(
    export: Path,
    output: Path,
    *,
    start: Path,
    settings: FineTuning,
    threads: int | None = None,
    tracker: str | None = None,
    restart: bool = False,
    on_step: Callable[[FineTuningStep], None] = lambda step: None,
) -> FineTuningLog:
    """Train a model further on an export with transformers' Trainer, and save it.

    An interrupted training with the same arguments is resumed from its last checkpoint. A finished
    one is not repeated.

    Args:
        export: Folder that `worldline export` wrote, with `--tokenizer` of the model.
        output: Folder of the new model, which `vllm serve` loads.
        start: Folder of the model to start from, in Hugging Face's format.
        settings: Tokens, learning rate, LoRA and loss weights.
        threads: CPU threads; by default all cores.
        tracker: "trackio", "wandb" or "mlflow", to log the training there, too.
        restart: Delete an earlier training in the folder.
        on_step: Called after each optimizer step.

    Returns:
        The log of the training.

    Raises:
        InputError: The model or the export cannot be used, a library is missing, or the folder
            contains other files or a training with different settings.
    """
    torch = require_torch()
    _require_libraries(settings, tracker)
    torch.set_num_threads(threads or usable_cores())
    facts = {**asdict(settings), "data": hash_export(export), "start": hash_model(start)}
    lock = Lock(output)
    try:
        log = open_fine_tuning(output, facts, restart=restart)
        if log.is_finished:
            return log
        with _stored_progress(output, log, on_step) as report:
            _train(export, output, start, settings, tracker, report)
        finished = read_fine_tuning_log(output)
        assert finished is not None
        log = replace(finished, is_finished=True)
        write_fine_tuning_log(output, log)
        shutil.rmtree(output / CHECKPOINTS, ignore_errors=True)
        return log
    finally:
        lock.release()


def _train(
    export: Path,
    output: Path,
    start: Path,
    settings: FineTuning,
    tracker: str | None,
    report: Callable[[FineTuningStep], None],
) -> None:
    dataset = load_dataset(export, settings)
    dataset.check_weights(settings.action_weight, settings.state_weight)
    torch = require_torch()
    torch.manual_seed(settings.seed)
    model, added_ids = load_causal_model(start, export / "tokenizer")
    if has_bfloat16() and not torch.cuda.is_available() and has_full_attention(model):
        use_matrix_attention(model)
    trained = _with_lora(model, settings, added_ids) if settings.lora_rank else model
    batches = list(sample_batches(dataset, settings, seed=settings.seed))
    trainer = make_trainer(
        trained,
        dataset,
        batches,
        settings,
        folder=output / CHECKPOINTS,
        is_bfloat16=has_bfloat16(),
        tracker=tracker,
        report=_with_counts(report, trained, dataset, batches),
    )
    trainer.train(resume_from_checkpoint=_last_checkpoint(output / CHECKPOINTS))
    # The adapter is merged, so that the folder is a model like any other.
    saved = trained.merge_and_unload() if settings.lora_rank else model
    saved.generation_config.eos_token_id = end_token_ids(saved, export)
    try:
        saved.save_pretrained(output)
        copy_tokenizer(export / "tokenizer", start, output)
    except OSError as error:
        raise InputError(f"cannot write the model to {output}: {error}") from error


def _with_lora(model: Any, settings: FineTuning, added_ids: list[int]) -> Any:
    """Add LoRA matrices to all linear layers; embeddings of added tokens are trained, too."""
    from peft import LoraConfig, get_peft_model

    config = LoraConfig(
        r=settings.lora_rank,
        lora_alpha=2 * settings.lora_rank,
        target_modules="all-linear",
        trainable_token_indices=added_ids or None,
        task_type="CAUSAL_LM",
    )
    return get_peft_model(model, config)


def _require_libraries(settings: FineTuning, tracker: str | None) -> None:
    with optional_import("fine-tuning needs accelerate", extra="finetune"):
        import accelerate  # noqa: F401
    if settings.lora_rank:
        with optional_import("LoRA needs peft", extra="finetune"):
            import peft  # noqa: F401
    if tracker is not None and tracker not in TRACKERS:
        raise InputError(f"no tracker {tracker!r}; available: {', '.join(TRACKERS)}")
    if tracker is not None and find_spec(tracker) is None:
        raise InputError(f"--log {tracker} needs a library: pip install {tracker}")


def _last_checkpoint(folder: Path) -> str | None:
    """The last complete checkpoint; transformers writes trainer_state.json last."""
    complete = [
        each
        for each in folder.glob("checkpoint-*")
        if (each / "trainer_state.json").is_file() and each.name.rpartition("-")[2].isdecimal()
    ]
    last = max(complete, key=lambda each: int(each.name.rpartition("-")[2]), default=None)
    return None if last is None else str(last)


def _with_counts(
    report: Callable[[FineTuningStep], None],
    model: Any,
    dataset: TrainingDataset,
    batches: list[tuple[int, ...]],
) -> Callable[[int, dict[str, float]], None]:
    """Turn what transformers logs after a step into a step with its numbers of tokens."""
    trainable = sum(weight.numel() for weight in model.parameters() if weight.requires_grad)
    sizes = [sum(map(dataset.length, batch)) for batch in batches]

    def on_log(step: int, values: dict[str, float]) -> None:
        report(
            FineTuningStep(
                step=step,
                steps=len(batches),
                tokens=sum(sizes[:step]),
                parameters=count_parameters(model),
                trainable=trainable,
                examples=len(dataset.train),
                dropped_too_long=dataset.dropped_too_long,
                loss=values.get("loss"),
                held_out_loss=values.get("eval_loss"),
            )
        )

    return on_log


@contextmanager
def _stored_progress(
    output: Path, log: FineTuningLog, on_step: Callable[[FineTuningStep], None]
) -> Iterator[Callable[[FineTuningStep], None]]:
    """Store each step in the log, with the time since the log was opened."""
    started = time.monotonic()

    def report(step: FineTuningStep) -> None:
        nonlocal log
        seconds = seconds_before + time.monotonic() - started
        log = log.with_step(step, seconds)
        write_fine_tuning_log(output, log)
        on_step(step)

    seconds_before = log.seconds
    yield report
