"""The folder of a model while it is trained: how it went is written down, and read back.

It holds `training.json` (what it is of, and how it went) and `checkpoint.pt`, and in the end
`training.json` and the model, as `vllm serve` loads it.
"""

import json
import os
import pickle
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.store import Lock
from worldline.training.loop import HeldOut
from worldline.training.model import MODEL_FILES
from worldline.training.torches import require_torch

LOG, CHECKPOINT = "training.json", "checkpoint.pt"


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


def read_training(folder: Path) -> Training | None:
    """How a training went; none where none was begun."""
    try:
        return training_from(json.loads((folder / LOG).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InputError(
            f"{folder / LOG} is damaged ({error!r}); begin anew with --restart"
        ) from None


def training_from(data: dict[str, Any]) -> Training:
    """The training that was written down."""
    looks = (
        Look(look["step"], look["loss"], HeldOut(**look["held_out"])) for look in data["looks"]
    )
    return Training(**{**data, "looks": tuple(looks)})


class ModelFolder:
    """The folder of one model, which one process at a time trains. Nothing in it is touched that
    is not a training's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        ours = {_new(LOG), LOG, _new(CHECKPOINT), CHECKPOINT, *MODEL_FILES}
        self._ours = [path / name for name in sorted(ours)]
        self._lock = Lock(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            others = sorted(each.name for each in path.iterdir() if each not in self._ours)
        except OSError as error:
            self._lock.let_go()
            raise InputError(f"cannot train a model in {path}: {error}") from error
        if others or (not (path / LOG).exists() and any(each.exists() for each in self._ours)):
            self._lock.let_go()
            what = others[0] if others else "a model that was made otherwise"
            raise InputError(f"{path} holds {what}; name a new folder with -o")

    def close(self) -> None:
        """Let others in."""
        self._lock.let_go()

    def begun(self, settings: dict[str, Any]) -> Training | None:
        """What was begun here, if it is of these settings."""
        begun = read_training(self.path)
        for name, value in settings.items() if begun else ():
            if begun is not None and begun.settings.get(name) != value:
                raise InputError(
                    f"{self.path} was begun with another {name}; name a new folder with -o, or "
                    "begin anew with --restart"
                )
        return begun

    def clear(self) -> None:
        """Begin anew."""
        for path in self._ours:
            path.unlink(missing_ok=True)

    def checkpoint(self) -> tuple[Training, dict[str, Any]] | None:
        """What was saved last, if anything: the training as it was, and the learner's state."""
        path = self.path / CHECKPOINT
        if not path.exists():
            return None
        try:
            saved = require_torch().load(path, weights_only=True)
            return training_from(saved["training"]), saved["learner"]
        except (OSError, RuntimeError, EOFError, LookupError, pickle.UnpicklingError) as error:
            raise InputError(
                f"{path} is damaged ({error!r:.80}); begin anew with --restart"
            ) from None

    def save(self, training: Training, learner: dict[str, Any]) -> None:
        """Keep all that it takes to go on. A kill leaves the old or the new, never a half."""
        fresh = self.path / _new(CHECKPOINT)
        try:
            require_torch().save({"learner": learner, "training": asdict(training)}, fresh)
            os.replace(fresh, self.path / CHECKPOINT)
        # A full disk is a RuntimeError to torch.
        except (OSError, RuntimeError) as error:
            raise InputError(f"cannot write {fresh}: {error}") from error
        self.write(training)

    def write(self, training: Training) -> None:
        """Write down how it is going."""
        fresh = self.path / _new(LOG)
        try:
            fresh.write_text(json.dumps(asdict(training), indent=2), encoding="utf-8")
            os.replace(fresh, self.path / LOG)
        except OSError as error:
            raise InputError(f"cannot write {fresh}: {error}") from error

    def forget_checkpoint(self) -> None:
        """There is nothing more to go on with."""
        (self.path / CHECKPOINT).unlink(missing_ok=True)


def _new(name: str) -> str:
    return f".{name}.new"
