"""Functions that call themselves: over numbers, lists and strings, to a small depth."""

from collections.abc import Callable

from worldline.benchmarks.draws import Draws
from worldline.generate.levels.counting import (
    binary,
    building,
    digits,
    double,
    fold_number,
    gathering,
    gcd,
    mutual,
    power,
)
from worldline.generate.levels.shapes import Shape
from worldline.generate.levels.shortening import (
    apart,
    fold_list,
    nested,
    palindrome,
    search,
    spelled,
)
from worldline.generate.trial import try_out
from worldline.generate.words import chance, function_name, small_int, weighted
from worldline.trace import Program

_SHAPES: tuple[tuple[int, Callable[[Draws, str], Shape]], ...] = (
    (5, fold_number),
    (3, double),
    (4, fold_list),
    (2, gcd),
    (5, spelled),
    (3, building),
    (2, power),
    (2, nested),
    (4, gathering),
    (2, digits),
    (2, binary),
    (2, mutual),
    (1, palindrome),
    (1, search),
    (2, apart),
)
_PATIENCE = 20


def recursion(draws: Draws) -> Program:
    """def f(n):  if n == 0: return 1  return n * f(n - 1)"""
    name = function_name(draws)
    for _ in range(_PATIENCE):
        make = weighted(draws, _SHAPES)
        shape = _wrapped(draws, name, make) if chance(draws, 22) else make(draws, name)
        if try_out(shape.source, shape.call, most_steps=110) is not None:
            break
    return Program(shape.source, shape.call)


def _wrapped(draws: Draws, name: str, make: Callable[[Draws, str], Shape]) -> Shape:
    """The recursive function is called by another one, which does something more."""
    inner = draws.pick(("g", "rec", "go", "helper", "walk", "h"))
    if inner == name:
        inner = "inner"
    shape = make(draws, inner)
    arguments = shape.call.removeprefix(f"{inner}(").removesuffix(")")
    given = draws.pick(("a", "x", "value", "v"))
    first, *rest = arguments.split(", ") if "[" not in arguments else [arguments]
    call = f"{inner}({', '.join([given, *rest])})"
    body = weighted(
        draws,
        [
            (
                3,
                [
                    f"r = {call}",
                    f"return {draws.pick(('r', 'r, r', '[r]', f'r, {given}', '(r, 0)'))}",
                ],
            ),
            (2, [f"return {call}"]),
            (2, [f"r = {call}", f"return r if r else {small_int(draws)}"]),
            (2, [f"first = {call}", f"second = {call}", "return first == second"]),
            (1, [f"return {call} == {small_int(draws)}"]),
            (1, [f"return [{call}, {small_int(draws)}]"]),
        ],
    )
    lines = "".join(f"    {line}\n" for line in body)
    return Shape(f"{shape.source}\ndef {name}({given}):\n{lines}", f"{name}({first})")
