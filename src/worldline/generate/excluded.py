"""Names of benchmarks and files go in; the programs that must not be made again come out."""

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

from worldline.benchmarks import BENCHMARKS, load_benchmark
from worldline.errors import InputError
from worldline.generate.normal import source_key
from worldline.trace import Program, parse_source

_MADE = ("permutation", "composition")


@dataclass(frozen=True, slots=True)
class Excluded:
    """Programs that must not be made again: whose they are, by their normal form.

    `missing`: benchmarks that could not be loaded, and why. `hash`: the same for the same ones.
    """

    keys: Mapping[str, str] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    hash: str = ""

    def owner(self, program: Program) -> str | None:
        """Whose program it is, if it is one of these, whatever is called."""
        found = self.keys.get(source_key(program.source))
        if found is None and program.context is not None:
            found = self.keys.get(source_key(_without_entry(program)))
        return found


def load_excluded(without: Sequence[str | Path] = ()) -> Excluded:
    """The programs of all benchmarks, with their default options, and of the files that are named.

    A benchmark whose data is not here is in `missing`, unless it is named: that is an error.
    """
    named = [str(name) for name in without]
    names: list[str] = []
    keys: dict[str, str] = {}
    missing: dict[str, str] = {}
    digest = hashlib.sha256()
    for name in dict.fromkeys([*BENCHMARKS, *named]):
        try:
            found = _made(name) if name in _MADE else _source_keys(name)
        except InputError as error:
            if name in named:
                raise
            missing[name] = str(error)
            continue
        names.append(name)
        for source, key in found.items():
            digest.update(f"{source}\0".encode("utf-8", "surrogatepass"))
            keys.setdefault(key, name)
    return Excluded(keys, tuple(names), missing, digest.hexdigest()[:16])


def _without_entry(program: Program) -> str:
    """The text without the function where the trace starts, which is none of the benchmark's."""
    tree, lines = parse_source(program.source), program.source.splitlines()
    for node in tree.body if tree else []:
        if isinstance(node, ast.FunctionDef) and node.name == program.entry:
            return "\n".join([*lines[: node.lineno - 1], *lines[node.end_lineno :]])
    return program.source


@cache
def _made(name: str) -> Mapping[str, str]:
    """The keys of a benchmark that is made, not loaded: always the same, and they take seconds. So
    they are kept, for as long as what they are made by stays the same."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "worldline"
    file = folder / f"{name}-{_code_digest()}.json"
    try:
        known: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
        return known
    except (OSError, ValueError):
        found = _source_keys(name)
    # Where it cannot be kept, it is made again next time.
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        begun = file.with_suffix(f".{os.getpid()}")
        begun.write_text(json.dumps(found), encoding="utf-8")
        begun.replace(file)
    return found


@cache
def _code_digest() -> str:
    """A name for the code of these packages, on this Python, whose syntax trees keys are of."""
    digest = hashlib.sha256(sys.version.encode())
    for package in ("benchmarks", "generate"):
        for path in sorted(Path(__file__).parents[1].joinpath(package).rglob("*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _source_keys(name: str) -> Mapping[str, str]:
    """The keys of a benchmark's sources."""
    sources = dict.fromkeys(each.program.source for each in load_benchmark(name).questions)
    return {source: source_key(source) for source in sources}
