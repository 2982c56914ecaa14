"""Further training of a round's model: by its recipe, fine-tuning, or the user's command."""

import shlex
import subprocess
from dataclasses import replace
from pathlib import Path

from worldline.core.errors import InputError
from worldline.core.util.file_lock import lock_exclusively
from worldline.data.export import export_tokens
from worldline.data.training import (
    FineTuning,
    Recipe,
    fine_tune,
    read_training_log,
    train,
)
from worldline.interfaces.api.improvement_plan import Round

LOG_FILE = "train.log"
_LOG_TAIL = 2000


def train_further(current: Round) -> None:
    """Train the model of a round on its export, or resume an interrupted training.

    Raises:
        InputError: The model cannot be trained, or the command fails or leaves no model.
    """
    if current.plan.train_command is not None:
        _run_command(current, current.plan.train_command)
        return
    # The first model's: later ones were trained at scaled rates.
    log = read_training_log(Path(current.plan.model))
    if log is None:
        fine_tune(
            current.folder / "export",
            current.folder / "model",
            start=current.model,
            settings=FineTuning(training_tokens(current), seed=current.seed).scale_rate(
                current.plan.lr_scale
            ),
            threads=current.threads,
        )
    else:
        _train_recipe(current, Recipe(**log.settings["recipe"]))


def training_tokens(current: Round) -> int:
    """Tokens to train on: those of the plan, or those of the round's export."""
    return current.plan.tokens or export_tokens(current.folder / "export")


def _train_recipe(current: Round, recipe: Recipe) -> None:
    recipe = replace(recipe, tokens=training_tokens(current)).scale_rates(current.plan.lr_scale)
    for _ in train(
        current.folder / "export",
        current.folder / "model",
        recipe=recipe,
        start=current.model,
        seed=current.seed,
        threads=current.threads,
    ):
        pass


def _run_command(current: Round, command: str) -> None:
    """Run the user's command, whose output goes to a log next to the model."""
    fields = {
        "export": str(current.folder / "export"),
        "model": str(current.model),
        "out": str(current.folder / "model"),
        "tokens": str(training_tokens(current)),
        "seed": str(current.seed),
    }
    words = [_fill(word, fields) for word in shlex.split(command)]
    log = current.folder / LOG_FILE
    try:
        with log.open("ab") as output:
            # The command holds the lock, too: if this process is killed, it still runs.
            lock_exclusively(output)
            result = subprocess.run(
                words,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=[output.fileno()],
                check=False,
            )
    except BlockingIOError:
        raise InputError(
            f"the training command of an earlier call still writes {log}; wait for it"
        ) from None
    except OSError as error:
        raise InputError(f"the training command cannot be started: {error}") from error
    if result.returncode:
        raise InputError(
            f"the training command failed with exit code {result.returncode}: {_last_line(log)}; "
            f"see {log}"
        )
    if not (current.folder / "model").exists():
        raise InputError(
            f"the training command wrote no {current.folder / 'model'}; it must write {{out}}"
        )


def _fill(word: str, fields: dict[str, str]) -> str:
    """Replace the fields of a word of a command; other braces stay.

    "--lr={seed}" -> "--lr=1"
    """
    for name, value in fields.items():
        word = word.replace(f"{{{name}}}", value)
    return word


def _last_line(log: Path) -> str:
    lines = log.read_bytes()[-_LOG_TAIL:].decode("utf-8", "replace").split("\n")
    return next((line for line in reversed(lines) if line.strip()), "it wrote nothing")
