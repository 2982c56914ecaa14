"""Improve a model in rounds: from its failures to training data to a better model."""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from worldline.core.errors import InputError
from worldline.core.util.files import write_file
from worldline.data.curriculum import Selection
from worldline.data.export import export_tokens
from worldline.evaluation.metrics import (
    Accuracy,
    OperationChange,
    RunComparison,
    accuracy,
    compare_operations,
    compare_runs,
)
from worldline.evaluation.runs import read_scored_samples
from worldline.evaluation.store import Lock
from worldline.interfaces.api.comparing import write_leaderboard
from worldline.interfaces.api.further_training import training_tokens
from worldline.interfaces.api.improvement_plan import (
    DEFAULT_CONCURRENCY,
    DEFAULT_ENGINE,
    ImprovementPlan,
    Round,
    open_folder,
)
from worldline.interfaces.api.improvement_stages import STAGES, chosen_programs, fix_programs
from worldline.interfaces.viewer import operation_tallies
from worldline.languages.program_recorder import ProgramRecorder

SUMMARY_FILE, PAGE_FILE = "summary.json", "rounds.html"


@dataclass(frozen=True, slots=True)
class RoundResult:
    """A model of an improvement, and what it is trained on next.

    Attributes:
        number: The number of the round.
        model: Folder of the model that the round begins with.
        run: The model's run on the held-out programs.
        accuracy: The share of held-out programs that it predicts right.
        change: Comparison with the round before; None for the first.
        operations: Change of the accuracy of each operation since the round before.
        chosen: Chosen programs by reason; empty after the last round.
        export_tokens: Tokens of the examples that were made of them.
        training_tokens: Tokens that the model was trained on, if the training follows them.
        seconds: Seconds of each stage.
    """

    number: int
    model: str
    run: str
    accuracy: Accuracy
    change: RunComparison | None
    operations: tuple[OperationChange, ...]
    chosen: dict[str, int]
    export_tokens: int
    training_tokens: int
    seconds: dict[str, float]


@dataclass(frozen=True, slots=True)
class Improvement:
    """The rounds of an improvement, in `folder`; the last has no training.

    `page` is an HTML page that shows the rounds side by side; None if the viewer is not built.
    """

    folder: str
    page: str | None
    rounds: tuple[RoundResult, ...]

    def __repr__(self) -> str:
        shares = (each.accuracy.of_all.value or 0.0 for each in self.rounds)
        return f"<Improvement {self.folder}: {' → '.join(f'{share:.1%}' for share in shares)}>"

    @property
    def model(self) -> str:
        """Folder of the last model."""
        return self.rounds[-1].model


def improve(
    model: str | Path,
    output: str | Path,
    *,
    rounds: int = 3,
    engine: str = DEFAULT_ENGINE,
    train_command: str | None = None,
    tokens: int | None = None,
    select: Selection = "curriculum",
    count: int = 1000,
    known: float = 0.2,
    pool: Sequence[str | Path] = (),
    held_out: str | Path | None = None,
    dev: str | Path | None = None,
    eval_programs: int = 200,
    exclude: Sequence[str | Path] = (),
    codec: str = "cwm",
    max_tokens: int = 2048,
    seed: int = 0,
    workers: int = 1,
    threads: int | None = None,
    lr_scale: float = 1.0,
    concurrency: int = DEFAULT_CONCURRENCY,
    on_stage: Callable[[int, str], None] = lambda number, stage: None,
) -> Improvement:
    """Improve a model in rounds of evaluation, choice of data and further training.

    Each round asks the model for the held-out and the dev programs, chooses programs by what it
    predicts wrong in the dev programs, traces and exports them, and trains the model further. At
    the end, the last model is asked for the held-out programs, too.

    If interrupted or killed, call it again to resume: finished stages are not repeated, and
    unfinished ones continue. More `rounds` continue a finished improvement.

    Args:
        model: Folder of the model to begin with, in Hugging Face's format.
        output: Folder of the rounds.
        rounds: Number of trainings.
        engine: Engine that asks a model, with `{model}` for its folder; by default in this
            process.
        train_command: Command that trains further; by default the recipe of the model. In it,
            `{export}`, `{model}`, `{out}`, `{tokens}` and `{seed}` are replaced.
        tokens: Training tokens of each round; by default those of its export.
        select: "likelihood" chooses programs by the log-probabilities of the model, which scores
            the pool in every round; "random" chooses them at random, to compare with.
        count: Programs to choose in each round.
        known: Share of them that the model already predicts right.
        pool: Files of programs to choose from; by default they are generated.
        held_out: File of programs to compare the models on; by default drawn from the pool, or
            generated.
        dev: File of programs to diagnose the models on, likewise.
        eval_programs: Size of each of these two sets if it has no file.
        exclude: Files and benchmarks whose programs are in no set, such as what the model was
            trained on before. All benchmarks are excluded already, if their data is available.
        codec: Format of predictions and training examples.
        max_tokens: Limit on the tokens of a prediction.
        seed: Seed of all random choices.
        workers: Processes that generate, trace and export.
        threads: CPU threads of the training by a recipe; by default all cores.
        lr_scale: Multiplier of the learning rates of the training, such as 0.3 for a model whose
            training is finished.
        concurrency: Requests to the model at the same time.
        on_stage: Called with the round and the name of each stage that begins.

    Returns:
        The rounds, with the change from each to the next.

    Raises:
        InputError: The model cannot be trained, or the folder has different settings.
        EngineError: The model cannot be asked.
    """
    if rounds < 1:
        raise InputError(f"rounds={rounds}: give 1 or more")
    plan = ImprovementPlan(
        model=str(model),
        engine=engine,
        train_command=train_command,
        tokens=tokens,
        select=select,
        count=count,
        known=known,
        pool=tuple(map(str, pool)),
        held_out=None if held_out is None else str(held_out),
        dev=None if dev is None else str(dev),
        eval_programs=eval_programs,
        exclude=tuple(map(str, exclude)),
        codec=codec,
        max_tokens=max_tokens,
        seed=seed,
        lr_scale=lr_scale,
    )
    plan.check()
    root = Path(output)
    lock = Lock(root)
    try:
        open_folder(root, plan)
        # The model after the last training is evaluated in a round of its own.
        all_rounds = [
            Round(number, root, plan, workers, threads, concurrency)
            for number in range(1, rounds + 2)
        ]
        fix_programs(all_rounds[0])
        for current in all_rounds:
            names = list(STAGES) if current.number <= rounds else ["evaluate"]
            _run_stages(current, names, on_stage)
        return _summarize(root, all_rounds)
    finally:
        lock.release()


def _run_stages(current: Round, names: Sequence[str], on_stage: Callable[[int, str], None]) -> None:
    """Run the stages of a round that are not finished."""
    for name in names:
        if name in current.finished_stages():
            continue
        current.folder.mkdir(parents=True, exist_ok=True)
        on_stage(current.number, name)
        started = time.monotonic()
        STAGES[name](current)
        current.finish_stage(name, time.monotonic() - started)


def _summarize(root: Path, rounds: Sequence[Round]) -> Improvement:
    """Compare the rounds, and write the summary and the page."""
    before: Sequence[Round | None] = [None, *rounds[:-1]]
    results = tuple(
        _result(current, earlier) for current, earlier in zip(rounds, before, strict=True)
    )
    improvement = Improvement(str(root), _write_page(root / PAGE_FILE, rounds), results)
    write_file(root / SUMMARY_FILE, json.dumps(summary_to_json(improvement), indent=1).encode())
    return improvement


def _write_page(path: Path, rounds: Sequence[Round]) -> str | None:
    """Write the page of all rounds; in a checkout, the viewer may not be built."""
    try:
        write_leaderboard([each.folder / "run" for each in rounds], path)
    except InputError:
        return None
    return str(path)


def _result(current: Round, earlier: Round | None) -> RoundResult:
    run = current.folder / "run"
    samples = read_scored_samples(run)
    stages = current.finished_stages()
    change, operations = None, tuple[OperationChange, ...]()
    if earlier is not None:
        change = compare_runs(read_scored_samples(earlier.folder / "run"), samples)
        with closing(ProgramRecorder()) as recorder:
            before, after = (
                operation_tallies(str(each.folder / "run"), recorder) for each in (earlier, current)
            )
        operations = compare_operations(before, after)
    has_data = "export" in stages
    return RoundResult(
        number=current.number,
        model=str(current.model),
        run=str(run),
        accuracy=accuracy(samples),
        change=change,
        operations=operations,
        chosen=chosen_programs(current) if has_data else {},
        export_tokens=export_tokens(current.folder / "export") if has_data else 0,
        training_tokens=training_tokens(current) if has_data else 0,
        seconds=stages,
    )


def summary_to_json(improvement: Improvement) -> dict[str, object]:
    """Return the rounds as plain JSON data."""
    return {
        "folder": improvement.folder,
        "page": improvement.page,
        "model": improvement.model,
        "rounds": [_round_to_json(each) for each in improvement.rounds],
    }


def _round_to_json(result: RoundResult) -> dict[str, object]:
    change = None
    if result.change is not None:
        overall = result.change.overall
        change = {
            "gained": list(result.change.gained_samples),
            "lost": list(result.change.lost_samples),
            "difference": asdict(overall.difference),
        }
    return {
        "round": result.number,
        "model": result.model,
        "run": result.run,
        "accuracy": asdict(result.accuracy),
        "change": change,
        "operations": [asdict(each) for each in result.operations],
        "chosen": result.chosen,
        "export_tokens": result.export_tokens,
        "training_tokens": result.training_tokens,
        "seconds": result.seconds,
    }
