"""Levels of the generated curriculum, one file each: functions that write a random program."""

from collections.abc import Callable, Mapping

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.levels.arithmetic import write_arithmetic
from worldline.data.generation.levels.branches import write_branches
from worldline.data.generation.levels.calls import write_calls
from worldline.data.generation.levels.containers import write_containers
from worldline.data.generation.levels.loops import write_loops
from worldline.data.generation.levels.permutations import write_permutations
from worldline.data.generation.levels.reassign import write_reassign
from worldline.data.generation.levels.recursion import write_recursion
from worldline.data.generation.levels.strings import write_strings

LEVELS: Mapping[str, Callable[[SeededRandom], Program]] = {
    "reassign": write_reassign,
    "arithmetic": write_arithmetic,
    "branches": write_branches,
    "loops": write_loops,
    "strings": write_strings,
    "containers": write_containers,
    "calls": write_calls,
    "recursion": write_recursion,
    "permutations": write_permutations,
}
# Without `permutations`, which has the form of a benchmark: training on it must be a choice.
DEFAULT_LEVELS = tuple(level for level in LEVELS if level != "permutations")

__all__ = ["DEFAULT_LEVELS", "LEVELS"]
