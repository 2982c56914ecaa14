"""Training of a model in a folder, with checkpoints to resume from."""

import hashlib
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.util.processes import usable_cores
from worldline.data.training.attention import use_matrix_attention
from worldline.data.training.checkpoints import EvalPoint, ModelFolder, TrainingLog
from worldline.data.training.dataset import TrainingDataset, load_dataset
from worldline.data.training.model import (
    count_parameters,
    create_model,
    load_trained_model,
    save_model,
)
from worldline.data.training.recipe import Recipe
from worldline.data.training.torch_import import has_bfloat16, require_torch
from worldline.data.training.trainer import Trainer, TrainingStep, run_steps

# Seconds between two checkpoints.
CHECKPOINT_SECONDS = 60.0
# Progress that is restored from a checkpoint.
_PROGRESS_FIELDS = ("step", "seen", "tokens", "seconds", "evals")


def train(
    export: Path,
    output: Path,
    *,
    recipe: Recipe,
    start: Path | None = None,
    seed: int = 0,
    action_weight: float = 1.0,
    state_weight: float = 1.0,
    threads: int | None = None,
    restart: bool = False,
) -> Generator[tuple[TrainingLog, TrainingStep]]:
    """Train a model on an export, and save it.

    An interrupted training with the same arguments is resumed. If it is finished, nothing is
    yielded.

    Args:
        export: Folder that `worldline export` wrote.
        output: Folder of the model.
        recipe: Model shape and training schedule.
        start: Folder of a trained model to start from, instead of random weights.
        seed: Seed of the initial weights and the order of the examples.
        action_weight: Weight of the loss of action tokens.
        state_weight: Weight of the loss of state tokens.
        threads: Number of CPU threads; by default all cores.
        restart: Delete an earlier training in the folder.

    Yields:
        The log so far and the step, after every step.

    Raises:
        InputError: The export or the first model cannot be used, or the folder contains other
            files or a training with different settings.
    """
    weights = {"action_weight": action_weight, "state_weight": state_weight}
    settings = {
        "recipe": asdict(recipe),
        "data": hash_export(export),
        "start": None if start is None else _hash_weights(start / "model.safetensors"),
        "seed": seed,
        **weights,
    }
    torch = require_torch()
    folder = ModelFolder(output)
    try:
        if restart:
            folder.clear()
        previous = folder.read_log(settings)
        if previous is not None and previous.is_finished:
            return
        torch.set_num_threads(threads or usable_cores())
        dataset = load_dataset(export, recipe)
        dataset.check_weights(action_weight, state_weight)
        dtype = torch.bfloat16 if has_bfloat16() else torch.float32
        tokenizer = export / "tokenizer"
        if start is None:
            model = create_model(recipe, tokenizer, seed=seed)
        else:
            model = load_trained_model(start, recipe, tokenizer)
        if dtype == torch.bfloat16:
            use_matrix_attention(model)
        trainer = Trainer(model.to(dtype), recipe, **weights)
        first = log = _resume(folder, trainer, dataset, settings)
        for log, step in _train_steps(first, trainer, dataset, folder, seed):
            yield log, step
        save_model(trainer.export_model(), tokenizer, output)
        folder.write_log(replace(log, is_finished=True))
        folder.delete_checkpoint()
    finally:
        folder.close()


def _resume(
    folder: ModelFolder, trainer: Trainer, dataset: TrainingDataset, settings: dict[str, Any]
) -> TrainingLog:
    """Load the checkpoint, if there is one, and return the log up to it."""
    log = TrainingLog(
        settings,
        count_parameters(trainer.model),
        len(dataset.train),
        dataset.dropped_too_long,
        str(trainer.model.dtype).removeprefix("torch."),
        require_torch().get_num_threads(),
        {name: version(name) for name in ("worldline", "torch", "transformers")},
    )
    checkpoint = folder.load_checkpoint()
    if checkpoint is not None:
        # The log of the checkpoint: the one in the folder may be older or newer.
        saved_log, state = checkpoint
        trainer.load_state_dict(state, step=saved_log.step)
        log = replace(log, **{name: getattr(saved_log, name) for name in _PROGRESS_FIELDS})
    folder.write_log(log)
    return log


def _train_steps(
    log: TrainingLog, trainer: Trainer, dataset: TrainingDataset, folder: ModelFolder, seed: int
) -> Iterator[tuple[TrainingLog, TrainingStep]]:
    """Train to the end, and save checkpoints from time to time and when interrupted."""
    saved_at, saved_step = time.monotonic(), log.step
    try:
        for step in run_steps(trainer, dataset, seed=seed, from_step=log.step):
            evals = log.evals
            if step.held_out is not None:
                evals += (EvalPoint(step.step, step.loss, step.held_out),)
            log = replace(
                log,
                step=step.step,
                seen=log.seen + step.examples,
                tokens=log.tokens + step.tokens,
                seconds=log.seconds + step.seconds,
                evals=evals,
            )
            yield log, step
            if time.monotonic() - saved_at >= CHECKPOINT_SECONDS:
                folder.save_checkpoint(log, trainer.state_dict())
                saved_at, saved_step = time.monotonic(), log.step
    finally:
        # If interrupted within a step, the weights are of no step, and are not saved.
        if trainer.last_step == log.step > saved_step:
            folder.save_checkpoint(log, trainer.state_dict())


def _hash_weights(model: Path) -> str:
    """Hash of a model's weights."""
    try:
        with model.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError as error:
        raise InputError(
            f"{model.parent} has no trained model to start from ({error}); give --from the "
            "folder of a finished worldline train"
        ) from error


def hash_export(export: Path) -> str:
    """Hash of the examples and the tokenizer of an export."""
    digest = hashlib.sha256()
    tokenizer = export / "tokenizer" / "tokenizer.json"
    if (export / "data").is_dir() and not tokenizer.exists():
        raise InputError(
            f"{export} has no tokenizer of its own to train with; export again with --tokenizer "
            "bpe:1024, bytes or a tokenizer.json"
        )
    for path in [*sorted(export.glob("data/*.parquet")), tokenizer]:
        try:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise InputError(
                f"{export} is not an export to train on ({error}); create one with worldline "
                "export TRACES --tokenizer bpe:1024"
            ) from error
    return digest.hexdigest()[:16]
