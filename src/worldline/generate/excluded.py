"""Names of benchmarks and files go in; the programs that must not be made again come out."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from worldline.benchmarks import BENCHMARKS, load_benchmark
from worldline.errors import InputError
from worldline.generate.normal import source_key

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


# These are always the same, and take seconds.
@cache
def _made(name: str) -> Mapping[str, str]:
    return _source_keys(name)


def _source_keys(name: str) -> Mapping[str, str]:
    """The keys of a benchmark's sources."""
    sources = dict.fromkeys(each.program.source for each in load_benchmark(name).questions)
    return {source: source_key(source) for source in sources}
