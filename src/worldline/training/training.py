"""An export goes in, a trained model comes out in a folder; stopped or killed, it goes on."""

import hashlib
import time
from collections.abc import Generator, Iterator
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.runs import usable_cores
from worldline.training.folder import Look, ModelFolder, Training
from worldline.training.loop import Learner, TrainingStep, learn
from worldline.training.material import Material, read_material
from worldline.training.model import new_model, parameters, save_model, trained_model
from worldline.training.recipe import Recipe
from worldline.training.torches import has_bfloat16, require_torch

# Seconds of training that a kill may cost.
SAVE_EVERY = 60.0
# What is gone on with.
_DONE = ("step", "seen", "tokens", "seconds", "looks")


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
    is_restarted: bool = False,
) -> Generator[tuple[Training, TrainingStep]]:
    """Train a model by a recipe on an export and save it; after every step, how it is going.

    `start` is the folder of a trained model to begin with, instead of a new one. The weights are
    those of the losses of action and state tokens. A folder that has begun is gone on with, if it
    is of the same; nothing is yielded where it is finished.
    """
    weights = {"action_weight": action_weight, "state_weight": state_weight}
    settings = {
        "recipe": asdict(recipe),
        "data": _digest(export),
        "start": None if start is None else _digest_of(start / "model.safetensors"),
        "seed": seed,
        **weights,
    }
    torch = require_torch()
    folder = ModelFolder(output)
    try:
        if is_restarted:
            folder.clear()
        begun = folder.begun(settings)
        if begun is not None and begun.is_finished:
            return
        torch.set_num_threads(threads or usable_cores())
        material = read_material(export, recipe)
        material.check_weights(action_weight, state_weight)
        dtype = torch.bfloat16 if has_bfloat16() else torch.float32
        vocabulary = export / "tokenizer"
        if start is None:
            model = new_model(recipe, vocabulary, seed=seed)
        else:
            model = trained_model(start, recipe, vocabulary)
        learner = Learner(model.to(dtype), recipe, **weights)
        first = now = _begin(folder, learner, material, settings)
        for now, progress in _steps(first, learner, material, folder, seed):
            yield now, progress
        save_model(learner.learned(), vocabulary, output)
        folder.write(replace(now, is_finished=True))
        folder.forget_checkpoint()
    finally:
        folder.close()


def _begin(
    folder: ModelFolder, learner: Learner, material: Material, settings: dict[str, Any]
) -> Training:
    """The training as far as it is; what was learned before is loaded."""
    now = Training(
        settings,
        parameters(learner.model),
        len(material.trained),
        material.too_long,
        str(learner.model.dtype).removeprefix("torch."),
        require_torch().get_num_threads(),
        {name: version(name) for name in ("worldline", "torch", "transformers")},
    )
    saved = folder.checkpoint()
    if saved is not None:
        # As it was at the checkpoint: the log may have been written behind it, or not yet.
        then, state = saved
        learner.load(state, step=then.step)
        now = replace(now, **{name: getattr(then, name) for name in _DONE})
    folder.write(now)
    return now


def _steps(
    now: Training, learner: Learner, material: Material, folder: ModelFolder, seed: int
) -> Iterator[tuple[Training, TrainingStep]]:
    """Train to the end and keep what there is from time to time, also when it is stopped."""
    saved, kept = time.monotonic(), now.step
    try:
        for progress in learn(learner, material, seed=seed, from_step=now.step):
            looks = now.looks
            if progress.held_out is not None:
                looks += (Look(progress.step, progress.loss, progress.held_out),)
            now = replace(
                now,
                step=progress.step,
                seen=now.seen + progress.examples,
                tokens=now.tokens + progress.tokens,
                seconds=now.seconds + progress.seconds,
                looks=looks,
            )
            yield now, progress
            if time.monotonic() - saved >= SAVE_EVERY:
                folder.save(now, learner.state())
                saved, kept = time.monotonic(), now.step
    finally:
        # Stopped in the middle of a step, what was learned is between two of them, and is let go.
        if learner.step_taken == now.step > kept:
            folder.save(now, learner.state())


def _digest_of(model: Path) -> str:
    """A name for exactly these weights."""
    try:
        with model.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError as error:
        raise InputError(
            f"{model.parent} holds no trained model to begin with ({error}); name the -o of a "
            "training that is finished"
        ) from error


def _digest(export: Path) -> str:
    """A name for exactly these examples and this vocabulary."""
    found = hashlib.sha256()
    vocabulary = export / "tokenizer" / "tokenizer.json"
    if (export / "data").is_dir() and not vocabulary.exists():
        raise InputError(
            f"{export} has no vocabulary of its own to train with; export again with --tokenizer "
            "bpe:1024, bytes or a tokenizer.json"
        )
    for path in [*sorted(export.glob("data/*.parquet")), vocabulary]:
        try:
            with path.open("rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise InputError(
                f"{export} is no export to train on ({error}); make one with worldline export "
                "TRACES --tokenizer bpe:1024"
            ) from error
    return found.hexdigest()[:16]
