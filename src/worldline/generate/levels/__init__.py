"""The levels of a curriculum, a file each: choices go in, a program comes out."""

from collections.abc import Callable, Mapping

from worldline.benchmarks.draws import Draws
from worldline.generate.levels.arithmetic import arithmetic
from worldline.generate.levels.branches import branches
from worldline.generate.levels.calls import calls
from worldline.generate.levels.containers import containers
from worldline.generate.levels.loops import loops
from worldline.generate.levels.permutations import permutations
from worldline.generate.levels.reassign import reassign
from worldline.generate.levels.recursion import recursion
from worldline.generate.levels.strings import strings
from worldline.trace import Program

LEVELS: Mapping[str, Callable[[Draws], Program]] = {
    "reassign": reassign,
    "arithmetic": arithmetic,
    "branches": branches,
    "loops": loops,
    "strings": strings,
    "containers": containers,
    "calls": calls,
    "recursion": recursion,
    "permutations": permutations,
}
# Without the one that has a benchmark's own form: who trains on it and then asks that benchmark
# shall have chosen to.
USUAL = tuple(level for level in LEVELS if level != "permutations")

__all__ = ["LEVELS", "USUAL"]
