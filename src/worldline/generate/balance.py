"""Candidates go in; cells, so many programs for each, and what there is of them come out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldline.generate.facets import Facets, bin_of

# What is balanced, by its values: ("loops", "int").
Cell = tuple[str, ...]

# So many candidates of each level show which cells there are.
PILOT = 400
# A cell that has fewer of the pilot's candidates than this share, of a level, cannot be filled.
_RAREST = 0.01
# A level is given up after so many candidates for each program that is wanted of it, and some.
_TRIES, _MORE_TRIES = 40, 400


@dataclass(frozen=True, slots=True)
class Plan:
    """How many programs each cell is to have, which levels they come from, and how many
    candidates of a level are looked at before what is missing is given up."""

    balance: tuple[str, ...]
    quotas: Mapping[Cell, int]
    sources: Mapping[Cell, frozenset[str]]
    most_tries: int

    def cell(self, facets: Facets) -> Cell:
        """The cell of a program."""
        return cell_of(facets, self.balance)


@dataclass(frozen=True, slots=True)
class Shortage:
    """A cell that has fewer programs than it was to have, after so many candidates."""

    cell: Cell
    wanted: int
    found: int
    tries: int


def cell_of(facets: Facets, balance: Sequence[str]) -> Cell:
    """{"level": "loops", "steps": 12, …}, ("level", "steps") -> ("loops", "9-16")"""
    return tuple(bin_of(name, facets[name]) for name in balance)


def needs_pilot(balance: Sequence[str]) -> bool:
    """Whether candidates have to be looked at to know which cells there are."""
    return tuple(balance) != ("level",)


def plan(
    count: int, levels: Sequence[str], balance: Sequence[str], pilot: Iterable[Facets] = ()
) -> Plan:
    """Share out the programs among the cells that there are, as evenly as can be."""
    seen: Counter[tuple[Cell, str]] = Counter()
    sizes: Counter[str] = Counter()
    if needs_pilot(balance):
        for facets in pilot:
            seen[cell_of(facets, balance), str(facets["level"])] += 1
            sizes[str(facets["level"])] += 1
    else:
        seen.update(((level,), level) for level in levels)
    sources: dict[Cell, set[str]] = {}
    for (cell, level), number in seen.items():
        if number >= _RAREST * sizes[level]:
            sources.setdefault(cell, set()).add(level)
    quotas = _quotas(count, levels, balance, list(sources))
    return Plan(
        tuple(balance),
        quotas,
        {cell: frozenset(found) for cell, found in sources.items()},
        _TRIES * -(-count // len(levels)) + _MORE_TRIES,
    )


def _quotas(
    count: int, levels: Sequence[str], balance: Sequence[str], cells: list[Cell]
) -> dict[Cell, int]:
    """Each level has its share, if levels are balanced, and each of its cells a share of that."""
    if "level" not in balance:
        return _shared(count, sorted(cells))
    at = list(balance).index("level")
    shares = _shared(count, [(level,) for level in levels])
    found: dict[Cell, int] = {}
    for (level,), share in shares.items():
        found |= _shared(share, sorted(cell for cell in cells if cell[at] == level))
    return found


def _shared(count: int, cells: Sequence[Cell]) -> dict[Cell, int]:
    """10 for 3 cells -> 4, 3, 3"""
    each, more = divmod(count, max(1, len(cells)))
    return {cell: each + (number < more) for number, cell in enumerate(cells)}
