"""Choose programs for the next training from the results of a run."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from worldline.core.errors import InputError
from worldline.core.trace import Limits
from worldline.data.curriculum import (
    Curriculum,
    OperationSkill,
    PoolProgram,
    Selection,
    add_probabilities,
    choose_at_random,
    choose_programs,
    measure_programs,
    read_pool,
    write_curriculum,
)
from worldline.data.curriculum.operation_skill import skill_of
from worldline.data.generation import generate_programs, load_decontamination_index
from worldline.evaluation.runs import read_predictions
from worldline.interfaces.api.run import Run
from worldline.interfaces.viewer import operation_tallies
from worldline.languages.program_recorder import ProgramRecorder
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

# Programs that are generated for each one to choose, if no pool is given.
_GENERATED = 5


def choose_curriculum(
    run: Run | str | Path,
    output: str | Path,
    *,
    pool: Sequence[str | Path] = (),
    count: int = 1000,
    known: float = 0.2,
    select: Selection = "curriculum",
    scores: Run | str | Path | None = None,
    seed: int = 0,
    exclude: Sequence[str | Path] = (),
    require_steps: bool = True,
    workers: int = 1,
    on_program: Callable[[], None] = lambda: None,
) -> Curriculum:
    """Choose programs that exercise what the model of a run predicts wrong.

    From the correct steps of each operation in the run follows how probable it is that the model
    predicts a program right. Programs at the edge are chosen: not those that it always predicts
    right, nor those that it never does.

    Args:
        run: A run with predicted steps, or its location.
        output: The JSON lines file to write; `OUTPUT.about.json` says what was chosen and why.
        pool: Files of programs to choose from, generated or harvested. By default, five times
            `count` programs are generated.
        count: Number of programs to choose.
        known: The share of programs that the model already predicts right, against forgetting.
        select: "likelihood" takes the probability of each program from `scores`; "random" chooses
            at random, to compare with.
        scores: A run of the pool in the mode `score`, for "likelihood". Programs that it does not
            have are not chosen.
        seed: Seed of generated programs and of random choices.
        exclude: Files and benchmarks whose programs are not chosen. All benchmarks are excluded
            already, if their data is available.
        require_steps: Refuse a run without predicted steps. Otherwise, every operation of such a
            run counts as predicted right in half of the cases.
        workers: Worker processes that generate programs.
        on_program: Called after each program of the pool.

    Returns:
        What was chosen, and why.

    Raises:
        InputError: The run has no predicted steps, a file cannot be read, the pool is empty, or
            there are no scores for "likelihood".
    """
    if not 0 <= known <= 1:
        raise InputError(f"known={known} is no share; give a number from 0 to 1")
    if (select == "likelihood") != (scores is not None):
        raise InputError(
            "the selection `likelihood` needs scores, and no other uses them: run worldline bench "
            "POOL --mode score, and give the run with --select likelihood --scores RUN"
        )
    skill = read_skill(run, require_steps=require_steps)
    questions, excluded = _pool(pool, _GENERATED * count, seed, exclude, workers)

    def counted() -> Iterator[Question]:
        for question in questions:
            yield question
            on_program()

    with closing(PythonRecorder()) as recorder:
        programs = list(measure_programs(counted(), recorder, limits=Limits(steps=10_000)))
    if not programs:
        raise InputError("there is no program to choose from: none of the pool runs")
    if scores is not None:
        programs = _add_scores(programs, scores)
    if select == "random":
        choices = choose_at_random(programs, skill, count=count, seed=seed)
    else:
        choices = choose_programs(programs, skill, count=count, known=known, seed=seed)
    return write_curriculum(Path(output), programs, choices, skill, excluded=excluded)


def _add_scores(programs: Sequence[PoolProgram], run: Run | str | Path) -> list[PoolProgram]:
    """Add the probabilities of a run in the mode `score`."""
    location = _location(run)
    scored = add_probabilities(programs, read_predictions(location))
    if not scored:
        raise InputError(
            f"{location} has no scores of programs of the pool; run worldline bench POOL --mode "
            "score with the file that --pool names"
        )
    return scored


def _location(run: Run | str | Path) -> str:
    return run.location if isinstance(run, Run) else str(run)


def read_skill(run: Run | str | Path, *, require_steps: bool = True) -> OperationSkill:
    """Read how well the model of a run predicts each operation.

    Args:
        run: A run, or its location.
        require_steps: Refuse a run without predicted steps.

    Raises:
        InputError: The run has no predicted steps of Python programs.
    """
    location = _location(run)
    with closing(ProgramRecorder()) as recorder:
        skill = skill_of(operation_tallies(location, recorder))
    if require_steps and not skill.steps:
        raise InputError(
            f"{location} has no predicted steps of Python programs, which a curriculum is made "
            "from; use a codec that shows steps, such as cwm or chat-trace"
        )
    return skill


def _pool(
    paths: Sequence[str | Path],
    size: int,
    seed: int,
    exclude: Sequence[str | Path],
    workers: int,
) -> tuple[list[Question], int]:
    if paths:
        return read_pool(paths, load_decontamination_index(exclude))
    generated = generate_programs(count=size, seed=seed, exclude=exclude, workers=workers)
    return list(generated), 0
