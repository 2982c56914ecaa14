"""Settings of an improvement, and the folder of its rounds."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import CodecError, InputError, TokenizerError
from worldline.core.util.files import write_file
from worldline.data.curriculum import Selection
from worldline.models.codecs import STEP_CODECS
from worldline.models.tokenizers import TokenizerJson

SETTINGS_FILE, STAGES_FILE = "improve.json", "stages.json"
# In an engine or a command, the folder of a round's model.
MODEL_FIELD = "{model}"
DEFAULT_ENGINE = f"transformers:{MODEL_FIELD}"
# A model in this process answers the requests that arrive together in one batch.
DEFAULT_CONCURRENCY = 32


@dataclass(frozen=True, slots=True)
class ImprovementPlan:
    """Settings of all rounds; rounds with different settings are not comparable.

    Attributes:
        model: Folder of the model to begin with.
        engine: Engine that asks a model, with `{model}` for its folder.
        train_command: Command that trains further, with `{export}`, `{model}`, `{out}`, `{tokens}`
            and `{seed}`; None for `worldline train`.
        tokens: Training tokens of each round; None for those of its export.
        select: How programs are chosen.
        count: Programs to choose in each round.
        known: Share of programs that the model already predicts right.
        pool: Files of programs to choose from; none to generate them.
        held_out: File of programs to compare the models on; None to take them from the pool.
        dev: File of programs to diagnose the models on; None to take them from the pool.
        eval_programs: Size of each of these two sets if it has no file.
        exclude: Files and benchmarks whose programs are in no set.
        codec: Format of predictions and training examples.
        max_tokens: Limit on the tokens of a prediction.
        seed: Seed of all random choices.
        lr_scale: Multiplier of the learning rates of the training.
    """

    model: str
    engine: str = DEFAULT_ENGINE
    train_command: str | None = None
    tokens: int | None = None
    select: Selection = "curriculum"
    count: int = 1000
    known: float = 0.2
    pool: tuple[str, ...] = ()
    held_out: str | None = None
    dev: str | None = None
    eval_programs: int = 200
    exclude: tuple[str, ...] = ()
    codec: str = "cwm"
    max_tokens: int = 2048
    seed: int = 0
    lr_scale: float = 1.0

    def check(self) -> None:
        """Check the settings that a later stage would fail on.

        Raises:
            InputError: The engine does not depend on the model, or the model has no tokenizer or
                lacks special tokens of the codec.
            CodecError: No training examples can be written in the codec.
        """
        if self.codec not in STEP_CODECS:
            raise CodecError(
                f"no training examples can be written in the codec {self.codec!r}; use: "
                f"{', '.join(sorted(STEP_CODECS))}"
            )
        if self.select == "likelihood" and not self.pool:
            raise InputError(
                "the selection `likelihood` scores a pool of programs; name files with --pool"
            )
        if MODEL_FIELD not in self.engine and self.train_command is None:
            raise InputError(
                f"the engine {self.engine} asks the same model in every round; write {MODEL_FIELD} "
                f"for the model's folder, as in {DEFAULT_ENGINE}"
            )
        tokenizer = Path(self.model, "tokenizer.json")
        if not tokenizer.is_file():
            raise InputError(
                f"{self.model} has no tokenizer.json; give the folder of a model in Hugging Face's "
                "format"
            )
        try:
            TokenizerJson(tokenizer).ids(list(STEP_CODECS[self.codec].special_tokens))
        except TokenizerError as error:
            raise InputError(
                f"{self.model} was not trained on traces: its tokenizer lacks special tokens of "
                f"the codec {self.codec}; fine-tune it first, with worldline export --tokenizer "
                f"{self.model} and worldline train --from {self.model}"
            ) from error


@dataclass(frozen=True, slots=True)
class Round:
    """One round of an improvement.

    Attributes:
        number: Its number, from 1.
        root: Folder of the improvement.
        plan: Settings of all rounds.
        workers: Processes that generate, trace and export.
        threads: CPU threads of the training; None for all cores.
        concurrency: Requests to the model at the same time.
    """

    number: int
    root: Path
    plan: ImprovementPlan
    workers: int = 1
    threads: int | None = None
    concurrency: int = DEFAULT_CONCURRENCY

    @property
    def folder(self) -> Path:
        """Folder of the round."""
        return self.root / f"round-{self.number}"

    @property
    def model(self) -> Path:
        """Folder of the model that the round begins with."""
        if self.number == 1:
            return Path(self.plan.model)
        return self.root / f"round-{self.number - 1}" / "model"

    @property
    def seed(self) -> int:
        """Seed of the round; far from the small numbers that users choose."""
        return 1_000_000 * (self.plan.seed + 1) + self.number

    @property
    def held_out(self) -> Path:
        """Programs to compare the models on, the same in all rounds."""
        return self.root / "held-out.jsonl"

    @property
    def dev(self) -> Path:
        """Programs to diagnose the models on, the same in all rounds."""
        return self.root / "dev.jsonl"

    def finished_stages(self) -> dict[str, float]:
        """The stages that are finished, with their seconds."""
        try:
            stages: dict[str, float] = json.loads((self.folder / STAGES_FILE).read_text("utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            raise InputError(f"{self.folder / STAGES_FILE} is damaged: {error}") from None
        return stages

    def finish_stage(self, name: str, seconds: float) -> None:
        """Store that a stage is finished."""
        stages = {**self.finished_stages(), name: round(seconds, 1)}
        self.folder.mkdir(parents=True, exist_ok=True)
        write_file(self.folder / STAGES_FILE, json.dumps(stages).encode())


def open_folder(root: Path, plan: ImprovementPlan) -> None:
    """Create the folder of an improvement, or check that it has the same settings.

    Raises:
        InputError: It has different settings, contains other files or cannot be written.
    """
    path = root / SETTINGS_FILE
    # As JSON has them: lists instead of tuples.
    settings = json.loads(json.dumps(asdict(plan)))
    try:
        stored = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        _create_folder(root, path, settings)
        return
    except (OSError, ValueError) as error:
        raise InputError(f"{path} is damaged: {error}; choose a new folder with -o") from None
    if not isinstance(stored, dict):
        raise InputError(f"{path} is damaged: it is no JSON object; choose a new folder with -o")
    changes = [
        f"{name}: {stored.get(name)} then, {value} now"
        for name, value in settings.items()
        if stored.get(name) != value
    ]
    if changes:
        raise InputError(
            f"{root} was begun with different settings ({'; '.join(changes)}); choose a new folder "
            "with -o"
        )


def _create_folder(root: Path, path: Path, settings: dict[str, Any]) -> None:
    try:
        root.mkdir(parents=True, exist_ok=True)
        if any(root.iterdir()):
            raise InputError(f"{root} contains other files; choose a new folder with -o")
        write_file(path, json.dumps(settings, indent=1).encode())
    except OSError as error:
        raise InputError(f"cannot write {root}: {error}") from error
