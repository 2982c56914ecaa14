"""Plan of a harvest: the distinct stand-alone functions of packages, with calls of them."""

import hashlib
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from worldline.data.generation import DecontaminationIndex
from worldline.data.generation.canonical_hash import hash_source
from worldline.data.harvest.file_functions import FileFunctions, FileMap, find_functions
from worldline.data.harvest.function_slice import FunctionSlice
from worldline.data.harvest.input_execution import FunctionTask
from worldline.data.harvest.literal_calls import calls_by_function
from worldline.data.harvest.near_duplicates import NearDuplicateIndex
from worldline.data.harvest.source_packages import SourceFile, SourcePackage, read_packages

DUPLICATE = "duplicate"
NEAR_DUPLICATE = "near-duplicate"
# More calls of one function are not executed.
_MAX_CALLS = 40
# Packages whose files are searched while the functions of an earlier one are executed.
_PACKAGES_AHEAD = 2


@dataclass(frozen=True, slots=True)
class PlannedFunction:
    """A function to execute, and where it is from."""

    task: FunctionTask
    package: str
    version: str
    license: str
    path: str
    line: int
    hash: str

    def origin(self) -> dict[str, Any]:
        """Where it is from, as JSON data."""
        names = ("package", "version", "license", "path", "line", "hash")
        origin = {name: getattr(self, name) for name in names}
        return {"function": self.task.name, "kind": self.task.kind, **origin}


@dataclass(slots=True)
class PlanCounts:
    """What a plan has seen so far.

    Attributes:
        packages: Packages with Python files.
        files: Files whose functions were sliced.
        functions: Functions found, nested ones and methods included.
        left_out: Functions that are not harvested, by reason.
    """

    packages: int = 0
    files: int = 0
    functions: int = 0
    left_out: Counter[str] = field(default_factory=Counter)


class HarvestPlan:
    """Iterates over the functions to execute; `counts` says what was left out."""

    def __init__(
        self,
        paths: Sequence[str | Path],
        index: DecontaminationIndex,
        *,
        similarity: float,
        map_files: FileMap = map,
    ) -> None:
        self._paths = paths
        self._index = index
        self._map_files = map_files
        self._near_duplicates = NearDuplicateIndex(similarity)
        self._hashes: set[str] = set()
        self._ids: Counter[str] = Counter()
        self.counts = PlanCounts()

    def __iter__(self) -> Iterator[PlannedFunction]:
        waiting: deque[tuple[SourcePackage, Iterator[FileFunctions]]] = deque()
        for package in read_packages(self._paths):
            waiting.append((package, self._map_files(find_functions, package.files)))
            if len(waiting) > _PACKAGES_AHEAD:
                yield from self._plan_package(*waiting.popleft())
        for each in waiting:
            yield from self._plan_package(*each)

    def _plan_package(
        self, package: SourcePackage, file_functions: Iterator[FileFunctions]
    ) -> Iterator[PlannedFunction]:
        self.counts.packages += bool(package.files)
        files = list(zip(package.files, file_functions, strict=True))
        calls = calls_by_function(call for _, each in files for call in each.calls)
        for file, each in files:
            if file.is_test:
                continue
            if each.functions is None:
                self.counts.left_out["file cannot be parsed"] += 1
                continue
            self.counts.files += 1
            for part in each.functions:
                planned = self._plan(package, file, part, tuple(calls.get(part.name, ())))
                if planned is not None:
                    yield planned

    def _plan(
        self,
        package: SourcePackage,
        file: SourceFile,
        part: FunctionSlice,
        calls: tuple[tuple[str, str], ...],
    ) -> PlannedFunction | None:
        self.counts.functions += 1
        reason = part.reason or self._rejection(part.text)
        if reason:
            self.counts.left_out[reason] += 1
            return None
        name = f"{part.class_name}.{part.name}" if part.class_name else part.name
        id = f"{package.name}/{file.path}:{name}"
        self._ids[id] += 1
        if self._ids[id] > 1:
            # A package may be given twice, in two versions.
            id = f"{id}#{self._ids[id]}"
        task = FunctionTask(id, part.name, part.text, calls[:_MAX_CALLS], part.kind)
        digest = hashlib.sha256(part.text.encode()).hexdigest()[:16]
        origin = (package.name, package.version, package.license, file.path, part.line, digest)
        return PlannedFunction(task, *origin)

    def _rejection(self, text: str) -> str:
        source_hash = hash_source(text)
        if source_hash in self._index.owners:
            return f"is in {PurePath(self._index.owners[source_hash]).name}"
        if source_hash in self._hashes:
            return DUPLICATE
        self._hashes.add(source_hash)
        return "" if self._near_duplicates.add(text) else NEAR_DUPLICATE
