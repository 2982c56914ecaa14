"""Curriculum: programs that exercise what a model predicts wrong, from the results of a run."""

from worldline.data.curriculum.curriculum_file import Curriculum, read_pool, write_curriculum
from worldline.data.curriculum.operation_skill import OperationSkill
from worldline.data.curriculum.pool_programs import (
    PoolProgram,
    add_probabilities,
    measure_programs,
)
from worldline.data.curriculum.program_choice import (
    SELECTIONS,
    ChosenProgram,
    Selection,
    choose_at_random,
    choose_programs,
)

__all__ = [
    "SELECTIONS",
    "ChosenProgram",
    "Curriculum",
    "OperationSkill",
    "PoolProgram",
    "Selection",
    "add_probabilities",
    "choose_at_random",
    "choose_programs",
    "measure_programs",
    "read_pool",
    "write_curriculum",
]
