"""Harvest of real code: functions that can stand alone, with inputs that run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.data.generation import load_decontamination_index
from worldline.data.harvest.function_slice import KINDS, FunctionSlice
from worldline.data.harvest.harvest_output import SIMILARITY, functions_path, harvest_file
from worldline.data.harvest.input_execution import (
    DEFAULT_SOURCES,
    INPUT_SOURCES,
    HarvestLimits,
)
from worldline.data.harvest.module_functions import slice_functions
from worldline.data.harvest.module_index import ModuleIndex, index_module
from worldline.data.harvest.source_packages import SourceFile, SourcePackage, read_packages


def harvest_programs(
    paths: Sequence[str | Path],
    output: str | Path,
    *,
    exclude: Sequence[str | Path] = (),
    sources: Sequence[str] = DEFAULT_SOURCES,
    max_steps: int = 1000,
    max_inputs: int = 8,
    similarity: float = SIMILARITY,
    workers: int = 1,
) -> dict[str, Any]:
    """Harvest functions of packages, with inputs that run, into a file of programs.

    Call it again with the same arguments to resume an interrupted harvest.

    Args:
        paths: Source trees, wheels, sdists and site-packages folders.
        output: The JSON lines file to write. `OUTPUT.functions.jsonl` has the functions and their
            branches, `OUTPUT.about.json` the settings and totals.
        exclude: Files and benchmarks whose programs are left out. All benchmarks are left out
            already, if their data is available.
        sources: Sources of inputs: "doctest", "test", "call", "constants", "annotations" and
            "symbolic" (not by default: seconds for each function, and the extra `symbolic`).
        max_steps: Leave out inputs with a longer trace.
        max_inputs: Number of inputs to keep of a function, at most.
        similarity: Leave out functions that are at least this similar to an earlier one; 1 for
            exact duplicates only.
        workers: Number of worker processes; 1 works in this process.

    Returns:
        The totals: functions found, left out by reason, and running, inputs by source, and
        branches.

    Raises:
        InputError: A source cannot be read, or the file is of a different harvest.
    """
    limits = HarvestLimits(max_steps=max_steps, max_inputs=max_inputs, sources=tuple(sources))
    return harvest_file(
        Path(output),
        paths,
        load_decontamination_index(exclude),
        limits=limits,
        similarity=similarity,
        workers=workers,
    )


__all__ = [
    "DEFAULT_SOURCES",
    "INPUT_SOURCES",
    "KINDS",
    "SIMILARITY",
    "FunctionSlice",
    "HarvestLimits",
    "ModuleIndex",
    "SourceFile",
    "SourcePackage",
    "functions_path",
    "harvest_file",
    "harvest_programs",
    "index_module",
    "read_packages",
    "slice_functions",
]
