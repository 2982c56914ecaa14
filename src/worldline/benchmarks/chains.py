"""A data type goes in; functions to apply one after the other to an argument come out."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from worldline.benchmarks.draws import Draws
from worldline.benchmarks.functions import DataType, Function

# A longer value would test copying, and not what the functions do.
LONGEST = 60
# Other arguments that go through the same functions, to see whether these still tell them apart.
_OTHERS = 15
# Values inside chains are what functions are given there: so they are when asked about alone.
_STEPS_BEFORE = 5
# So many vain attempts in a row mean that there is nothing more to find.
_PATIENCE = 200


@dataclass(frozen=True, slots=True)
class Chain:
    """An argument, the functions that are applied to it, the first one first, and the result."""

    argument: Any
    functions: tuple[Function, ...]
    result: Any


def draw_chains(data_type: DataType, depth: int, count: int, draws: Draws) -> list[Chain]:
    """Different chains of so many functions; fewer where no more are found."""
    return _different(lambda: _draw_chain(data_type, depth, draws), count)


def draw_atoms(data_type: DataType, function: Function, count: int, draws: Draws) -> list[Chain]:
    """One function with different arguments; fewer where no more are found."""
    return _different(lambda: _draw_atom(data_type, function, draws), count)


def _different(draw: Callable[[], Chain | None], count: int) -> list[Chain]:
    found: dict[str, Chain] = {}
    vain = 0
    while len(found) < count and vain < _PATIENCE:
        chain = draw()
        before = len(found)
        if chain is not None:
            names = " ".join(each.name for each in chain.functions)
            found.setdefault(f"{names} {chain.argument!r}", chain)
        vain = vain + 1 if len(found) == before else 0
    return list(found.values())


def _draw_chain(data_type: DataType, depth: int, draws: Draws) -> Chain | None:
    """A chain; none where it has come to a value from which no function leads on.

    It is drawn function by function. One that makes the value too long or too large, empty or
    no other than before, or that brings all arguments to the same value, is drawn again.
    """
    argument = value = data_type.argument(draws)
    others = [data_type.argument(draws) for _ in range(_OTHERS)]
    others = [each for each in others if type(each) is type(value)]
    functions: list[Function] = []
    for _ in range(depth):
        for function in draws.shuffled(data_type.functions):
            if functions and function is functions[-1]:
                continue
            after = _applied(data_type, function, value)
            if after is None:
                continue
            others_after = [function.apply(each) for each in others]
            if any(each != after and data_type.fits(each) for each in others_after):
                break
        else:
            return None
        functions.append(function)
        value = after
        others = [each for each in others_after if data_type.fits(each)]
    return Chain(argument, tuple(functions), value)


def _draw_atom(data_type: DataType, function: Function, draws: Draws) -> Chain | None:
    before = _draw_chain(data_type, draws.below(_STEPS_BEFORE + 1), draws)
    if before is None:
        return None
    result = _applied(data_type, function, before.result)
    return None if result is None else Chain(before.result, (function,), result)


def _applied(data_type: DataType, function: Function, value: Any) -> Any | None:
    """What a function makes of a value; none where it does not belong behind it."""
    if type(value) is not function.takes:
        return None
    after = function.apply(value)
    if not data_type.fits(after) or len(repr(after)) > LONGEST:
        return None
    return None if after == value and not data_type.may_keep else after
