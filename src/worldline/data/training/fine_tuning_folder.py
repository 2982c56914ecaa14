"""Folder of a fine-tuned model: log, checkpoints and finished model."""

import json
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.util.files import write_file

LOG_FILE, CHECKPOINTS = "fine-tuning.json", "checkpoints"


@dataclass(frozen=True, slots=True)
class FineTuningStep:
    """A finished optimizer step.

    Attributes:
        step: Its number, from 1.
        steps: Number of all steps.
        tokens: Tokens trained on so far.
        parameters: Number of the model's parameters.
        trainable: Number of those that are trained.
        examples: Number of examples to train on.
        dropped_too_long: Number of examples that were dropped because of their length.
        loss: Weighted mean loss of the step's tokens, in nats; None at an evaluation.
        held_out_loss: The same of the held-out examples; None unless they were evaluated.
    """

    step: int
    steps: int
    tokens: int
    parameters: int
    trainable: int
    examples: int
    dropped_too_long: int
    loss: float | None
    held_out_loss: float | None


@dataclass(frozen=True, slots=True)
class FineTuningLog:
    """Settings and progress of a fine-tuning.

    Attributes:
        settings: Settings, and hashes of the export and of the first model.
        seconds: Time of all steps, in all sessions.
        is_finished: Whether the model was saved.
        last: The last step, with the last losses; None before the first.
        losses: Step and loss.
        held_out_losses: Step and loss on the held-out examples.
    """

    settings: dict[str, Any]
    seconds: float = 0.0
    is_finished: bool = False
    last: FineTuningStep | None = None
    losses: tuple[tuple[int, float], ...] = ()
    held_out_losses: tuple[tuple[int, float], ...] = ()

    def __repr__(self) -> str:
        step = 0 if self.last is None else self.last.step
        return f"<FineTuningLog: step {step}>"

    def with_step(self, step: FineTuningStep, seconds: float) -> "FineTuningLog":
        """The log with one more step; steps that are repeated after a resume replace earlier ones.

        step 3 after steps 1 to 5 -> steps 1 to 3
        """
        losses = tuple(each for each in self.losses if each[0] < step.step)
        held_out = tuple(each for each in self.held_out_losses if each[0] < step.step)
        if step.loss is None:
            losses = tuple(each for each in self.losses if each[0] <= step.step)
        else:
            losses += ((step.step, step.loss),)
        if step.held_out_loss is not None:
            held_out += ((step.step, step.held_out_loss),)
        return replace(self, seconds=seconds, last=step, losses=losses, held_out_losses=held_out)


def open_fine_tuning(output: Path, settings: dict[str, Any], *, restart: bool) -> FineTuningLog:
    """Open the folder of a new training or of one to resume.

    Raises:
        InputError: It contains other files or a training with different settings.
    """
    log = read_fine_tuning_log(output)
    if log is not None and restart:
        shutil.rmtree(output)
        log = None
    if log is None:
        try:
            output.mkdir(parents=True, exist_ok=True)
            foreign = sorted(each.name for each in output.iterdir())
        except OSError as error:
            raise InputError(f"cannot train a model in {output}: {error}") from error
        if foreign:
            raise InputError(f"{output} contains {foreign[0]}; choose a new folder with -o")
        log = FineTuningLog(settings)
        write_fine_tuning_log(output, log)
        return log
    for name, value in settings.items():
        if log.settings.get(name) != value:
            raise InputError(
                f"{output} was begun with a different {name}; choose a new folder with -o, or "
                "start again with --restart"
            )
    return log


def read_fine_tuning_log(folder: Path) -> FineTuningLog | None:
    """Read the log of a fine-tuning; None if there is none.

    Raises:
        InputError: The log is damaged.
    """
    try:
        data = json.loads((folder / LOG_FILE).read_text(encoding="utf-8"))
        last = data["last"]
        return FineTuningLog(
            **{
                **data,
                "last": None if last is None else FineTuningStep(**last),
                "losses": tuple(map(tuple, data["losses"])),
                "held_out_losses": tuple(map(tuple, data["held_out_losses"])),
            }
        )
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise InputError(
            f"{folder / LOG_FILE} is damaged ({error!r}); choose a new folder with -o"
        ) from None


def write_fine_tuning_log(folder: Path, log: FineTuningLog) -> None:
    """Write the log of a fine-tuning."""
    try:
        write_file(folder / LOG_FILE, json.dumps(asdict(log), indent=1).encode())
    except OSError as error:
        raise InputError(f"cannot write {folder / LOG_FILE}: {error}") from error
