"""Random chains of functions, applied one after the other to an argument."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.benchmarks.functions import CatalogFunction, DataType

# Limit on the length of a value: a longer one would test copying instead of the functions.
MAX_VALUE_CHARS = 60
# Other arguments for which a chain is computed, too: it must not map all of them to one value.
_OTHER_ARGUMENTS = 15
# Maximum length of the chain that draws the argument of a single function, so that it is like
# the arguments within chains.
_MAX_PREFIX = 5
# Number of draws without a new chain after which there are no more.
_MAX_VAIN_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Chain:
    """An argument, the functions applied to it in order, and the result."""

    argument: Any
    functions: tuple[CatalogFunction, ...]
    result: Any


def draw_chains(data_type: DataType, depth: int, count: int, rng: SeededRandom) -> list[Chain]:
    """Draw `count` different chains of `depth` functions; fewer if there are not as many."""
    return _draw_different(lambda: _draw_chain(data_type, depth, rng), count)


def draw_atoms(
    data_type: DataType, function: CatalogFunction, count: int, rng: SeededRandom
) -> list[Chain]:
    """Draw `count` different arguments of one function; fewer if there are not as many."""
    return _draw_different(lambda: _draw_atom(data_type, function, rng), count)


def _draw_different(draw: Callable[[], Chain | None], count: int) -> list[Chain]:
    chains: dict[str, Chain] = {}
    vain_draws = 0
    while len(chains) < count and vain_draws < _MAX_VAIN_DRAWS:
        chain = draw()
        before = len(chains)
        if chain is not None:
            names = " ".join(function.name for function in chain.functions)
            chains.setdefault(f"{names} {chain.argument!r}", chain)
        vain_draws = vain_draws + 1 if len(chains) == before else 0
    return list(chains.values())


def _draw_chain(data_type: DataType, depth: int, rng: SeededRandom) -> Chain | None:
    """Draw a chain function by function; None if no function can be applied to the last value.

    A function is rejected if the value becomes too long, too large or empty, if it does not
    change, or if all other arguments get the same value.
    """
    argument = value = data_type.draw_argument(rng)
    others = [data_type.draw_argument(rng) for _ in range(_OTHER_ARGUMENTS)]
    others = [other for other in others if type(other) is type(value)]
    functions: list[CatalogFunction] = []
    for _ in range(depth):
        for function in rng.shuffled(data_type.functions):
            if functions and function is functions[-1]:
                continue
            after = _apply(data_type, function, value)
            if after is None:
                continue
            others_after = [function.apply(other) for other in others]
            if any(other != after and data_type.is_valid(other) for other in others_after):
                break
        else:
            return None
        functions.append(function)
        value = after
        others = [other for other in others_after if data_type.is_valid(other)]
    return Chain(argument, tuple(functions), value)


def _draw_atom(data_type: DataType, function: CatalogFunction, rng: SeededRandom) -> Chain | None:
    prefix = _draw_chain(data_type, rng.below(_MAX_PREFIX + 1), rng)
    if prefix is None:
        return None
    result = _apply(data_type, function, prefix.result)
    return None if result is None else Chain(prefix.result, (function,), result)


def _apply(data_type: DataType, function: CatalogFunction, value: Any) -> Any | None:
    """Apply a function to a value; None if it may not follow this value in a chain."""
    if type(value) is not function.argument_type:
        return None
    after = function.apply(value)
    if not data_type.is_valid(after) or len(repr(after)) > MAX_VALUE_CHARS:
        return None
    return None if after == value and not data_type.may_return_argument else after
