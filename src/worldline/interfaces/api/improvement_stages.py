"""Stages of a round: evaluate, diagnose, choose, trace, export and train further."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from worldline.core.errors import InputError
from worldline.core.util.files import write_file
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.curriculum import read_pool
from worldline.data.export import ExportSettings, export_traces
from worldline.data.generation import generate_programs, load_decontamination_index
from worldline.data.generation.program_file import question_to_row
from worldline.data.tracing import LocalRunner, make_job, trace_programs
from worldline.interfaces.api.curriculum_choice import choose_curriculum
from worldline.interfaces.api.evaluating import evaluate
from worldline.interfaces.api.further_training import train_further
from worldline.interfaces.api.improvement_plan import MODEL_FIELD, Round
from worldline.models.prediction import Mode, PredictionSettings, Question, read_questions


def fix_programs(first: Round) -> None:
    """Write the held-out and the dev programs, which stay the same in all rounds.

    Raises:
        InputError: A file cannot be read, or the pool has too few programs.
    """
    plan = first.plan
    for target, source, seed in (
        (first.held_out, plan.held_out, first.seed + 100_000),
        (first.dev, plan.dev, first.seed + 200_000),
    ):
        if target.exists():
            continue
        # Neither set has a program of the other.
        exclude: list[str | Path] = [*plan.exclude]
        exclude += [each for each in (plan.held_out, plan.dev) if each is not None]
        exclude += [first.held_out] if first.held_out.exists() else []
        if source is not None:
            questions = list(read_questions(source))
        elif plan.pool:
            questions = _draw(plan.pool, exclude, plan.eval_programs, seed)
        else:
            questions = list(
                generate_programs(
                    count=plan.eval_programs, seed=seed, exclude=exclude, workers=first.workers
                )
            )
        lines = (json.dumps(question_to_row(question)) for question in questions)
        write_file(target, "".join(f"{line}\n" for line in lines).encode())


def _draw(
    pool: Sequence[str], exclude: Sequence[str | Path], count: int, seed: int
) -> list[Question]:
    """Draw programs from a pool, one for each source."""
    questions, _ = read_pool(pool, load_decontamination_index(exclude))
    by_source = {question.program.source: question for question in questions}
    drawn = SeededRandom("evaluation", seed).shuffled(list(by_source.values()))[:count]
    if len(by_source) < 3 * count:
        raise InputError(
            f"the pool has {len(by_source):,} different sources, too few to keep {count:,} for "
            "evaluation; give more with --pool, name files with --held-out and --dev, or use a "
            "smaller --eval-programs"
        )
    return drawn


def evaluate_model(current: Round) -> None:
    """Ask the model for the held-out programs."""
    _ask(current, current.held_out, "run")


def diagnose_model(current: Round) -> None:
    """Ask the model for the dev programs: their diagnoses decide what is chosen."""
    _ask(current, current.dev, "dev-run")


def _ask(current: Round, programs: Path, name: str, *, mode: Mode = "free") -> None:
    plan = current.plan
    evaluate(
        str(programs),
        plan.engine.replace(MODEL_FIELD, str(current.model)),
        output=current.folder / name,
        settings=PredictionSettings(codec=plan.codec, max_tokens=plan.max_tokens, mode=mode),
        concurrency=current.concurrency,
        # A model that writes nothing of the format is one to improve.
        max_malformed=0,
    )


def choose_data(current: Round) -> None:
    """Choose programs for the training; no set of evaluation or earlier round has them."""
    plan = current.plan
    earlier = [
        current.root / f"round-{number}" / "programs.jsonl" for number in range(1, current.number)
    ]
    exclude: list[str | Path] = [*plan.exclude, current.held_out, current.dev, *earlier]
    choose_curriculum(
        current.folder / "dev-run",
        current.folder / "programs.jsonl",
        pool=plan.pool,
        count=plan.count,
        known=plan.known,
        select=plan.select,
        scores=_score_pool(current, exclude) if plan.select == "likelihood" else None,
        seed=current.seed,
        exclude=exclude,
        # A model that is hardly trained writes no steps at all.
        require_steps=False,
        workers=current.workers,
    )


def _score_pool(current: Round, exclude: Sequence[str | Path]) -> Path:
    """Ask the model how probable the traces of the programs of the pool are."""
    pool = current.folder / "pool.jsonl"
    if not pool.exists():
        questions, _ = read_pool(current.plan.pool, load_decontamination_index(exclude))
        # Programs of different files may have the same id.
        rows = (
            question_to_row(replace(question, id=f"p{number:06}_{question.id}"))
            for number, question in enumerate(questions)
        )
        write_file(pool, "".join(f"{json.dumps(row)}\n" for row in rows).encode())
    _ask(current, pool, "pool-run", mode="score")
    return current.folder / "pool-run"


def trace_data(current: Round) -> None:
    """Trace the chosen programs."""
    job = make_job(without=[current.held_out, current.dev], isolation="group")
    trace_programs(
        current.folder / "traces",
        [current.folder / "programs.jsonl"],
        job,
        LocalRunner(current.workers),
    )


def export_data(current: Round) -> None:
    """Export the traces as training examples, with the model's tokenizer."""
    plan = current.plan
    output = current.folder / "export"
    export_traces(
        current.folder / "traces",
        output,
        ExportSettings(codec=plan.codec, tokenizer=plan.model),
        workers=current.workers,
        # Killed after the export and before it was noted.
        restart=output.exists(),
    )


STAGES: dict[str, Callable[[Round], None]] = {
    "evaluate": evaluate_model,
    "diagnose": diagnose_model,
    "choose": choose_data,
    "trace": trace_data,
    "export": export_data,
    "train": train_further,
}


def chosen_programs(current: Round) -> dict[str, int]:
    """The number of chosen programs by reason."""
    about = (current.folder / "programs.jsonl.about.json").read_text("utf-8")
    return dict(json.loads(about)["chosen"])
