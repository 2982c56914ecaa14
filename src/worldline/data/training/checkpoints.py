"""Model folder: training log, checkpoint and finished model.

While a model is trained, its folder contains `training.json` (settings and progress) and
`checkpoint.pt`; at the end `training.json` and the model, as `vllm serve` loads it.
"""

import json
import pickle
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.util.files import atomic_write, foreign_files, temporary_path, write_file
from worldline.data.training.model import MODEL_FILES
from worldline.data.training.torch_import import require_torch
from worldline.data.training.trainer import HeldOutMetrics
from worldline.evaluation.store import Lock

LOG_FILE, CHECKPOINT_FILE = "training.json", "checkpoint.pt"
FORMAT = 2
# Names in logs and checkpoints of format 1, which does not state its format.
_OLD_NAMES: Mapping[str, str] = {
    "looks": "evals",
    "too_long": "dropped_too_long",
    "actions_right": "action_accuracy",
    "states_right": "state_accuracy",
    "hidden": "hidden_size",
    "layers": "num_layers",
    "heads": "num_heads",
    "longest": "max_seq_len",
    "step_tokens": "batch_tokens",
    "rate": "lr_adamw",
    "matrix_rate": "lr_muon",
    "shortest_share": "curriculum_start",
    "growing_share": "curriculum_end",
    "warm_share": "warmup_ratio",
    "pass_tokens": "microbatch_tokens",
    "theta": "rope_theta",
}


@dataclass(frozen=True, slots=True)
class EvalPoint:
    """Evaluation on the held-out examples after a step."""

    step: int
    loss: float
    held_out: HeldOutMetrics


@dataclass(frozen=True, slots=True)
class TrainingLog:
    """Settings and progress of a training.

    Attributes:
        settings: Recipe, hashes of the data and of the first weights, seed and loss weights.
        parameters: Number of the model's parameters.
        examples: Number of examples to train on.
        dropped_too_long: Number of examples that were dropped because of their length.
        dtype: Data type of the forward pass.
        threads: Number of CPU threads.
        versions: Versions of worldline, torch and transformers.
        step: Number of finished steps.
        seen: Number of examples trained on, repetitions included.
        tokens: Number of tokens trained on.
        seconds: Time of all steps, in all sessions.
        is_finished: Whether the model was saved.
        evals: Evaluations on the held-out examples.
    """

    settings: dict[str, Any]
    parameters: int
    examples: int
    dropped_too_long: int
    dtype: str
    threads: int
    versions: dict[str, str]
    step: int = 0
    seen: int = 0
    tokens: int = 0
    seconds: float = 0.0
    is_finished: bool = False
    evals: tuple[EvalPoint, ...] = ()

    def __repr__(self) -> str:
        return f"<TrainingLog: step {self.step}, {self.tokens} of {self.total_tokens} tokens>"

    @property
    def total_tokens(self) -> int:
        """Tokens to train on; the last step may add a few."""
        return int(self.settings["recipe"]["tokens"])


def read_training_log(folder: Path) -> TrainingLog | None:
    """Read the log of a model's training; None if there is none.

    Raises:
        InputError: The log is damaged.
    """
    try:
        return log_from_json(json.loads((folder / LOG_FILE).read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InputError(
            f"{folder / LOG_FILE} is damaged ({error!r}); start again with --restart"
        ) from None


def log_to_json(log: TrainingLog) -> dict[str, Any]:
    """Convert a log to JSON; `log_from_json` reads it back."""
    return {"format": FORMAT, **asdict(log)}


def log_from_json(data: dict[str, Any]) -> TrainingLog:
    """Read what `log_to_json` returned, in this version or an earlier one."""
    fields = dict(data)
    if fields.pop("format", 1) == 1:
        fields = _upgrade(fields)
    evals = (
        EvalPoint(point["step"], point["loss"], HeldOutMetrics(**point["held_out"]))
        for point in fields["evals"]
    )
    settings = fields["settings"]
    # Earlier versions had only Transformers.
    settings = {**settings, "recipe": {"linear_layers": 0, **settings["recipe"]}}
    return TrainingLog(**{**fields, "settings": settings, "evals": tuple(evals)})


def _upgrade(value: Any) -> Any:
    """Rename the keys of format 1, at all levels."""
    if isinstance(value, dict):
        return {_OLD_NAMES.get(name, name): _upgrade(item) for name, item in value.items()}
    return [_upgrade(item) for item in value] if isinstance(value, list | tuple) else value


class ModelFolder:
    """Folder of one model, locked for one process. Foreign files in it are never touched."""

    def __init__(self, path: Path) -> None:
        self.path = path
        written = (LOG_FILE, CHECKPOINT_FILE)
        own_names = {*written, *(temporary_path(path / name).name for name in written)}
        self._own_files = [path / name for name in sorted(own_names | set(MODEL_FILES))]
        self._lock = Lock(path)
        try:
            path.mkdir(parents=True, exist_ok=True)
            foreign = foreign_files(path, [file.name for file in self._own_files])
        except OSError as error:
            self._lock.release()
            raise InputError(f"cannot train a model in {path}: {error}") from error
        has_log = (path / LOG_FILE).exists()
        if foreign or (not has_log and any(file.exists() for file in self._own_files)):
            self._lock.release()
            content = foreign[0] if foreign else "a model that worldline train did not create"
            raise InputError(f"{path} contains {content}; choose a new folder with -o")

    def close(self) -> None:
        """Release the folder's lock."""
        self._lock.release()

    def read_log(self, settings: dict[str, Any]) -> TrainingLog | None:
        """Read the log of a training to resume; refuse one with different settings."""
        log = read_training_log(self.path)
        for name, value in settings.items() if log else ():
            if log is not None and log.settings.get(name) != value:
                raise InputError(
                    f"{self.path} was begun with a different {name}; choose a new folder with -o, "
                    "or start again with --restart"
                )
        return log

    def clear(self) -> None:
        """Delete all files of an earlier training."""
        for path in self._own_files:
            path.unlink(missing_ok=True)

    def load_checkpoint(self) -> tuple[TrainingLog, dict[str, Any]] | None:
        """Load the log and the trainer's state of the last checkpoint; None if there is none."""
        path = self.path / CHECKPOINT_FILE
        if not path.exists():
            return None
        try:
            saved = require_torch().load(path, weights_only=True)
            # Format 1 has the key "learner".
            state = saved["trainer"] if "trainer" in saved else saved["learner"]
            return log_from_json(saved["training"]), state
        except (OSError, RuntimeError, EOFError, LookupError, pickle.UnpicklingError) as error:
            raise InputError(
                f"{path} is damaged ({error!r:.80}); start again with --restart"
            ) from None

    def save_checkpoint(self, log: TrainingLog, state: dict[str, Any]) -> None:
        """Save the log and the trainer's state, atomically."""
        path = self.path / CHECKPOINT_FILE
        try:
            with atomic_write(path) as temporary:
                require_torch().save({"trainer": state, "training": log_to_json(log)}, temporary)
        # torch raises a RuntimeError if the disk is full.
        except (OSError, RuntimeError) as error:
            raise InputError(f"cannot write {temporary_path(path)}: {error}") from error
        self.write_log(log)

    def write_log(self, log: TrainingLog) -> None:
        """Write the training log."""
        path = self.path / LOG_FILE
        try:
            write_file(path, json.dumps(log_to_json(log), indent=2).encode())
        except OSError as error:
            raise InputError(f"cannot write {temporary_path(path)}: {error}") from error

    def delete_checkpoint(self) -> None:
        """Delete the checkpoint of a finished training."""
        (self.path / CHECKPOINT_FILE).unlink(missing_ok=True)
