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
from worldline.data.generation.canonical_hash import (
    hash_source,
    hash_tree,
    statement_kinds,
)
from worldline.data.generation.source_symbols import symbols_in_text, symbols_in_tree
from worldline.evaluation.benchmarks import BENCHMARKS, load_benchmark
from worldline.evaluation.benchmarks.published_data import FOLDER_VARIABLE
from worldline.evaluation.benchmarks.threads import concurrent_programs

# Benchmarks without Python programs, or with those of a file that the user names.
_NOT_INDEXED = frozenset({"cruxeval-x", "humaneval-x", "paths"})
# Benchmarks whose programs are generated, not loaded from a file.
_GENERATED_BENCHMARKS = ("permutation", "composition", "chance", "hidden", "threads")
# The canonical hash, the kinds of statements and the symbols of each source.
_Hashes = Mapping[str, tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class DecontaminationIndex:
    """Programs to exclude, by the canonical hash of their source.

    `owners` maps a hash to the name of the benchmark or file that contains the program. `names`
    lists the benchmarks and files in the index. `missing` maps benchmarks that could not be
    loaded to the reason. `hash` identifies the indexed programs. `symbols` has the symbols of
    their sources, and `kinds` the kinds of their statements, with their symbols and without: a
    program with others is not in the index. If empty, every program is hashed.
    """

    owners: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    hash: str = ""
    kinds: frozenset[tuple[str, str]] = frozenset()
    symbols: frozenset[str] = frozenset()

    def owner(self, program: Program) -> str | None:
        """Name of the benchmark or file that contains a program's source; None if none does."""
        if not program.is_python:
            # Only Python sources are known to be equivalent; the benchmarks are in Python.
            return None
        symbols = None
        if program.call is not None and self._is_complete:
            symbols = symbols_in_text(program.source)
            if symbols is not None and symbols not in self.symbols:
                return None
        tree = parse_source(program.source)
        if program.call is not None and self._is_complete:
            kinds = statement_kinds(tree)
            if kinds and (symbols or "", kinds) not in self.kinds:
                return None
        name = self.owners.get(hash_tree(tree, program.source))
        if name is None and program.call is None:
            name = self.owners.get(hash_source(_source_without_entry_point(program)))
        return name

    @property
    def _is_complete(self) -> bool:
        """Whether the kinds and the symbols of all programs are known."""
        return bool(self.kinds) and ("", "") not in self.kinds


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
    all_kinds: set[tuple[str, str]] = set()
    all_symbols: set[str] = set()
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
        for source, (source_hash, kinds, symbols) in hashes.items():
            digest.update(f"{source}\0".encode("utf-8", "surrogatepass"))
            owners.setdefault(source_hash, name)
            all_kinds |= {(symbols, kinds), ("", kinds)}
            all_symbols.add(symbols)
    content = digest.hexdigest()[:16]
    return DecontaminationIndex(
        owners, tuple(names), missing, content, frozenset(all_kinds), frozenset(all_symbols)
    )


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
        cached: dict[str, tuple[str, str, str]] = json.loads(file.read_text(encoding="utf-8"))
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
    """Map each source of a benchmark or file to its hash, kinds of statements and symbols."""
    if name == "threads":
        # Only the expected results need executions.
        programs = [program for *_, program in concurrent_programs() if program is not None]
    else:
        programs = [question.program for question in load_benchmark(name).questions]
    sources = dict.fromkeys(program.source for program in programs)
    return {source: _hashes_of_source(source) for source in sources}


def _hashes_of_source(source: str) -> tuple[str, str, str]:
    tree = parse_source(source)
    kinds = statement_kinds(tree)
    # Without kinds, the hash is that of the text, or of a tree that is too deep.
    symbols = symbols_in_tree(tree) if tree is not None and kinds else ""
    return hash_tree(tree, source), kinds, symbols
