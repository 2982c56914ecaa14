"""Decontamination: exclude programs that are in a benchmark or in given files.

Programs are compared by their canonical hash, so renamed variables make no difference.
"""

import ast
import hashlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from worldline.core.errors import InputError, SandboxError
from worldline.core.trace import Program, parse_source
from worldline.core.util.cache_folder import cache_folder
from worldline.core.util.files import write_file
from worldline.data.generation.canonical_hash import hash_source, statement_kinds
from worldline.evaluation.benchmarks import BENCHMARKS, load_benchmark
from worldline.evaluation.benchmarks.published_data import FOLDER_VARIABLE
from worldline.evaluation.benchmarks.threads import concurrent_programs

# Benchmarks without Python programs, or with those of a file that the user names.
_NOT_INDEXED = frozenset({"cruxeval-x", "humaneval-x", "paths"})
# Benchmarks whose programs are generated, not loaded from a file.
_GENERATED_BENCHMARKS = ("permutation", "composition", "chance", "hidden", "threads")
# The canonical hash and the kinds of statements of each source.
_Hashes = Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class DecontaminationIndex:
    """Programs to exclude, by the canonical hash of their source.

    `owners` maps a hash to the name of the benchmark or file that contains the program. `names`
    lists the benchmarks and files in the index. `missing` maps benchmarks that could not be
    loaded to the reason. `hash` identifies the indexed programs. `kinds` has the kinds of their
    statements: a program of other kinds is in none of them. If empty, every program is hashed.
    """

    owners: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    hash: str = ""
    kinds: frozenset[str] = frozenset()

    def owner(self, program: Program) -> str | None:
        """Name of the benchmark or file that contains a program's source; None if none does."""
        if not program.is_python:
            # Only Python sources are known to be equivalent; the benchmarks are in Python.
            return None
        if program.call is not None and not self._may_contain(program.source):
            return None
        name = self.owners.get(hash_source(program.source))
        if name is None and program.call is None:
            name = self.owners.get(hash_source(_source_without_entry_point(program)))
        return name

    def _may_contain(self, source: str) -> bool:
        """Whether a program of the index has the same kinds of statements, or that is not known."""
        if not self.kinds or "" in self.kinds:
            return True
        kinds = statement_kinds(source)
        return not kinds or kinds in self.kinds


def load_decontamination_index(exclude: Sequence[str | Path] = ()) -> DecontaminationIndex:
    """Index the programs of all Python benchmarks (with default options) and of more files.

    Args:
        exclude: Files to index, and benchmarks that must be available. Any other benchmark
            without data is skipped and listed in `missing`.

    Raises:
        InputError: A name in `exclude` cannot be loaded.
    """
    required = [str(name) for name in exclude]
    names: list[str] = []
    owners: dict[str, str] = {}
    missing: dict[str, str] = {}
    all_kinds: set[str] = set()
    digest = hashlib.sha256()
    benchmarks = [name for name in BENCHMARKS if name not in _NOT_INDEXED]
    for name in dict.fromkeys([*benchmarks, *required]):
        try:
            is_generated = name in _GENERATED_BENCHMARKS
            hashes = _generated_hashes(name) if is_generated else _source_hashes(name)
        except (InputError, SandboxError) as error:
            if name in required:
                raise
            # A file is missing, or a generated benchmark cannot be executed. Of the ways to give
            # the data, only this one is open to all commands.
            missing[name] = (
                f"its programs cannot be executed here: {error}"
                if isinstance(error, SandboxError)
                else f"its data was not found; set {FOLDER_VARIABLE} to the folder that contains "
                "it, or name it with --exclude to see why"
            )
            continue
        names.append(name)
        for source, (source_hash, kinds) in hashes.items():
            digest.update(f"{source}\0".encode("utf-8", "surrogatepass"))
            owners.setdefault(source_hash, name)
            all_kinds.add(kinds)
    content = digest.hexdigest()[:16]
    return DecontaminationIndex(owners, tuple(names), missing, content, frozenset(all_kinds))


def _source_without_entry_point(program: Program) -> str:
    """The source without the function in which the trace starts: benchmarks do not have it."""
    tree, lines = parse_source(program.source), program.source.splitlines()
    for node in tree.body if tree else []:
        if isinstance(node, ast.FunctionDef) and node.name == program.entry:
            return "\n".join([*lines[: node.lineno - 1], *lines[node.end_lineno :]])
    return program.source


@cache
def _generated_hashes(name: str) -> _Hashes:
    """Hashes of a generated benchmark's sources, cached on disk.

    Generating it takes seconds. The cache is valid while the code that generates it is unchanged.
    """
    folder = cache_folder()
    file = folder / f"{name}-{_code_digest()}.json"
    try:
        cached: dict[str, tuple[str, str]] = json.loads(file.read_text(encoding="utf-8"))
        return cached
    except (OSError, ValueError):
        hashes = _source_hashes(name)
    # Without a writable cache folder, it is generated again next time.
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        # The process id keeps concurrent writers apart.
        temporary = file.with_suffix(f".{os.getpid()}")
        write_file(file, json.dumps(hashes).encode(), temporary=temporary)
    return hashes


@cache
def _code_digest() -> str:
    """Digest of the code that the hashes depend on, and of the Python version."""
    digest = hashlib.sha256(sys.version.encode())
    for package in ("evaluation/benchmarks", "data/generation", "core/util"):
        for path in sorted(Path(__file__).parents[2].joinpath(package).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _source_hashes(name: str) -> _Hashes:
    """Map each source of a benchmark or file to its canonical hash and its kinds of statements."""
    if name == "threads":
        # Only the expected results need executions.
        programs = [program for *_, program in concurrent_programs() if program is not None]
    else:
        programs = [question.program for question in load_benchmark(name).questions]
    sources = dict.fromkeys(program.source for program in programs)
    return {source: (hash_source(source), statement_kinds(source)) for source in sources}
