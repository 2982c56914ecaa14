"""Generator of random, executed programs for training and evaluation."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from worldline.data.generation.candidates import translate_question
from worldline.data.generation.decontamination import (
    DecontaminationIndex,
    load_decontamination_index,
)
from worldline.data.generation.facets import FACETS, facet_bin
from worldline.data.generation.generator import (
    GENERATED_LANGUAGES,
    Decision,
    GenerationRequest,
    Progress,
    select_candidates,
)
from worldline.data.generation.levels import DEFAULT_LEVELS, LEVELS
from worldline.data.generation.program_file import about_path, generate_file
from worldline.data.generation.stratification import Shortage
from worldline.models.prediction import Question


def generate_programs(
    *,
    count: int,
    seed: int = 0,
    levels: Sequence[str] = DEFAULT_LEVELS,
    balance: Sequence[str] = ("level",),
    exclude: Sequence[str | Path] = (),
    max_steps: int = 300,
    max_value_chars: int = 200,
    workers: int = 1,
    language: str = "python",
) -> Iterator[Question]:
    """Generate random programs, each with a call, its return value and its facets.

    count=3, levels=["loops"] -> questions loops_0_000000, loops_0_000001, …

    Every program is executed. No two programs have the same canonical hash, and none is in a
    benchmark. The same arguments give the same programs on every Python version and with any
    number of workers.

    Args:
        count: Number of programs.
        seed: Seed of all random choices.
        levels: Names from `LEVELS`.
        balance: Facets to balance by. Each combination of their values, a cell, gets an equal
            share of the programs.
        exclude: Files and benchmarks whose programs are not generated. All benchmarks are
            excluded already, if their data is available.
        max_steps: Reject programs with a longer trace.
        max_value_chars: Reject programs with a longer value.
        workers: Number of worker processes; 1 works in this process.
        language: "python" or "javascript". The programs are the same, and so are their results.

    Yields:
        Questions, fewer than `count` if a cell cannot be filled.

    Raises:
        InputError: A level or facet does not exist, or a name in `exclude` cannot be loaded.
    """
    request = GenerationRequest(
        count, seed, tuple(levels), tuple(balance), max_steps, max_value_chars, language
    )
    index = load_decontamination_index(exclude)
    for decision in select_candidates(request, index, workers=workers):
        if decision.question is not None:
            yield translate_question(decision.question, language)


__all__ = [
    "DEFAULT_LEVELS",
    "FACETS",
    "GENERATED_LANGUAGES",
    "LEVELS",
    "Decision",
    "DecontaminationIndex",
    "GenerationRequest",
    "Progress",
    "Shortage",
    "about_path",
    "facet_bin",
    "generate_file",
    "generate_programs",
    "load_decontamination_index",
    "select_candidates",
]
