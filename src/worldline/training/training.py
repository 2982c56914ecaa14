"""An export goes in, a trained model comes out in a folder; stopped or killed, it goes on.

While it is trained the folder holds `training.json` (what it is of, and how it went) and
`checkpoint.pt`; in the end `training.json` and the model, as `vllm serve` loads it.
"""

import hashlib
import json
import os
import shutil
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.training.loop import HeldOut, Learner, Progress, learn
from worldline.training.material import Material, read_material
from worldline.training.model import new_model, parameters, save_model
from worldline.training.recipe import Recipe
from worldline.training.torches import has_bfloat16, require_torch, usable_cores

LOG, CHECKPOINT = "training.json", "checkpoint.pt"
# Seconds of training that a kill may cost.
SAVE_EVERY = 60.0


@dataclass(frozen=True, slots=True)
class Look:
    """How a model took what was held out, behind a step."""

    step: int
    loss: float
    held_out: HeldOut


@dataclass(frozen=True, slots=True)
class Training:
    """What a model was trained with, and how it went so far. `examples` are there to be trained on,
    `seen` were so far, again or not. `seconds` is the time of its steps, of all starts together;
    `looks` are those at what was held out."""

    settings: dict[str, Any]
    parameters: int
    examples: int
    too_long: int
    dtype: str
    threads: int
    versions: dict[str, str]
    step: int = 0
    seen: int = 0
    tokens: int = 0
    seconds: float = 0.0
    is_finished: bool = False
    looks: tuple[Look, ...] = ()

    @property
    def tokens_wanted(self) -> int:
        """How many it is trained on in all, or a few more to finish the last step."""
        return int(self.settings["recipe"]["tokens"])


def train(
    export: Path,
    output: Path,
    *,
    recipe: Recipe,
    seed: int = 0,
    action_weight: float = 1.0,
    state_weight: float = 1.0,
    first: Mapping[str, str] | None = None,
    threads: int | None = None,
    is_restarted: bool = False,
) -> Generator[tuple[Training, Progress]]:
    """Train a model by a recipe on an export and save it; after every step, how it is going.

    The weights are those of the losses of action and state tokens. Examples whose facets are as in
    `first` ({"level": "reassign"}) come first, else the shorter half of them. A folder that has begun is gone
    on with, if it is of the same; nothing is yielded where it is finished.
    """
    torch = require_torch()
    settings = {
        "recipe": asdict(recipe),
        "data": _digest(export),
        "seed": seed,
        "action_weight": action_weight,
        "state_weight": state_weight,
        "first": dict(first or {}),
    }
    _refuse_other_files(output)
    begun = None if is_restarted else _begun(output, settings)
    if begun is not None and begun.is_finished:
        return
    torch.set_num_threads(threads or usable_cores())
    material = read_material(export, recipe, first=first)
    dtype = torch.bfloat16 if has_bfloat16() else torch.float32
    model = new_model(recipe, export / "tokenizer", seed=seed).to(dtype)
    learner = Learner(model, recipe, action_weight=action_weight, state_weight=state_weight)
    now = Training(
        settings,
        parameters(model),
        len(material.trained),
        material.too_long,
        str(dtype).removeprefix("torch."),
        torch.get_num_threads(),
        {name: version(name) for name in ("worldline", "torch", "transformers")},
    )
    now = _resumed(now, begun, learner, output)
    yield from _steps(now, learner, material, output, seed)
    model = model.to(torch.float32)
    with torch.no_grad():
        for weight, master in zip(model.parameters(), learner.masters, strict=True):
            weight.copy_(master)
    save_model(model, export / "tokenizer", output)
    log = read_training(output)
    assert log is not None
    _write(output, replace(log, is_finished=True))
    (output / CHECKPOINT).unlink(missing_ok=True)


def read_training(folder: Path) -> Training | None:
    """How a training went; none where none was begun."""
    try:
        return _training_from(json.loads((folder / LOG).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder / LOG} is damaged ({error!r}); begin anew with --restart"
        ) from None


def _training_from(data: dict[str, Any]) -> Training:
    looks = (
        Look(look["step"], look["loss"], HeldOut(**look["held_out"])) for look in data["looks"]
    )
    return Training(**{**data, "looks": tuple(looks)})


def _steps(
    now: Training, learner: Learner, material: Material, output: Path, seed: int
) -> Iterator[tuple[Training, Progress]]:
    """Train to the end and keep what there is from time to time, also when it is stopped."""
    saved, kept = time.monotonic(), now
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
                _save(now, learner, output)
                saved, kept = time.monotonic(), now
    finally:
        if now.step > kept.step:
            _save(now, learner, output)


def _refuse_other_files(output: Path) -> None:
    """What is begun anew is removed first; it had better be a training."""
    is_used = output.is_file() or (output.is_dir() and any(output.iterdir()))
    if is_used and not (output / LOG).exists():
        raise InputError(f"{output} holds other files; name a new folder with -o")


def _begun(output: Path, settings: dict[str, Any]) -> Training | None:
    """What was begun in a folder, if it is of these settings."""
    begun = read_training(output)
    for name, value in settings.items() if begun else ():
        if begun is not None and begun.settings.get(name) != value:
            raise InputError(
                f"{output} was begun with another {name}; name a new folder with -o, or begin anew "
                "with --restart"
            )
    return begun


def _resumed(now: Training, begun: Training | None, learner: Learner, output: Path) -> Training:
    """The training as far as it is, loaded; begun anew where there is nothing to go on from."""
    torch = require_torch()
    path = output / CHECKPOINT
    if begun is not None and path.exists():
        saved = torch.load(path, weights_only=True)
        learner.load(saved["learner"])
        # As it was at the checkpoint: the log may have been written behind it, or not yet.
        then = _training_from(saved["training"])
        done = {
            name: getattr(then, name) for name in ("step", "seen", "tokens", "seconds", "looks")
        }
        return replace(now, **done)
    if output.exists():
        shutil.rmtree(output)
    output.mkdir(parents=True)
    _write(output, now)
    return now


def _save(now: Training, learner: Learner, output: Path) -> None:
    torch = require_torch()
    fresh = output / f".{CHECKPOINT}.new"
    torch.save({"learner": learner.state(), "training": asdict(now)}, fresh)
    os.replace(fresh, output / CHECKPOINT)
    _write(output, now)


def _write(output: Path, now: Training) -> None:
    fresh = output / f".{LOG}.new"
    fresh.write_text(json.dumps(asdict(now), indent=2), encoding="utf-8")
    os.replace(fresh, output / LOG)


def _digest(export: Path) -> str:
    """A name for exactly these examples and this vocabulary."""
    found = hashlib.sha256()
    for path in [*sorted(export.glob("data/*.parquet")), export / "tokenizer" / "tokenizer.json"]:
        try:
            with path.open("rb") as file:
                found.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as error:
            raise InputError(
                f"{export} is no export to train on ({error}); make one with worldline export"
            ) from error
    return found.hexdigest()[:16]
