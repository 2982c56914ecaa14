"""Stratified sampling: equal shares of programs for the cells of a balance.

A cell is one combination of values of the balanced facets.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from worldline.data.generation.facets import Facets, facet_bin

# Values of the balanced facets: ("loops", "int").
Cell = tuple[str, ...]

# Candidates of each level that are inspected to learn which cells exist.
PILOT_SIZE = 400
# A cell with a smaller share of a level's pilot than this cannot be filled from that level.
_MIN_SHARE = 0.01
# Limit on the candidates of a level: this many for each wanted program, and some more.
_TRIES_PER_PROGRAM, _EXTRA_TRIES = 40, 400


@dataclass(frozen=True, slots=True)
class Plan:
    """How many programs each cell gets.

    `sources`: the levels that can fill a cell. `max_tries`: the number of candidates of a level
    after which an unfilled cell is given up.
    """

    balance: tuple[str, ...]
    quotas: Mapping[Cell, int]
    sources: Mapping[Cell, frozenset[str]]
    max_tries: int

    def cell(self, facets: Facets) -> Cell:
        """Cell of a program."""
        return cell_of(facets, self.balance)


@dataclass(frozen=True, slots=True)
class Shortage:
    """A cell with fewer programs than its quota: `found` of `wanted`, after `tries` candidates."""

    cell: Cell
    wanted: int
    filled: int
    tries: int


def cell_of(facets: Facets, balance: Sequence[str]) -> Cell:
    """{"level": "loops", "steps": 12, …}, ("level", "steps") -> ("loops", "9-16")"""
    return tuple(facet_bin(name, facets[name]) for name in balance)


def needs_pilot(balance: Sequence[str]) -> bool:
    """Whether candidates must be inspected to learn which cells exist."""
    return tuple(balance) != ("level",)


def plan_quotas(
    count: int, levels: Sequence[str], balance: Sequence[str], pilot: Iterable[Facets] = ()
) -> Plan:
    """Divide the programs among the cells as evenly as possible.

    Args:
        count: Number of programs.
        levels: Levels to generate.
        balance: Facets that form the cells.
        pilot: Facets of the first candidates of every level; see `needs_pilot`.
    """
    occurrences: Counter[tuple[Cell, str]] = Counter()
    level_sizes: Counter[str] = Counter()
    if needs_pilot(balance):
        for facets in pilot:
            occurrences[cell_of(facets, balance), str(facets["level"])] += 1
            level_sizes[str(facets["level"])] += 1
    else:
        occurrences.update(((level,), level) for level in levels)
    sources: dict[Cell, set[str]] = {}
    for (cell, level), number in occurrences.items():
        if number >= _MIN_SHARE * level_sizes[level]:
            sources.setdefault(cell, set()).add(level)
    return Plan(
        tuple(balance),
        _quotas(count, levels, balance, list(sources)),
        {cell: frozenset(cell_levels) for cell, cell_levels in sources.items()},
        _TRIES_PER_PROGRAM * -(-count // len(levels)) + _EXTRA_TRIES,
    )


def _quotas(
    count: int, levels: Sequence[str], balance: Sequence[str], cells: list[Cell]
) -> dict[Cell, int]:
    """Divide among the levels first, if they are balanced, then among the cells of each."""
    if "level" not in balance:
        return _divide(count, sorted(cells))
    level_index = list(balance).index("level")
    level_shares = _divide(count, [(level,) for level in levels])
    quotas: dict[Cell, int] = {}
    for (level,), share in level_shares.items():
        quotas |= _divide(share, sorted(cell for cell in cells if cell[level_index] == level))
    return quotas


def _divide(count: int, cells: Sequence[Cell]) -> dict[Cell, int]:
    """10 for 3 cells -> 4, 3, 3"""
    share, remainder = divmod(count, max(1, len(cells)))
    return {cell: share + (number < remainder) for number, cell in enumerate(cells)}
