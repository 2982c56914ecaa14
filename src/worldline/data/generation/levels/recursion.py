"""Level `recursion`: recursive functions over numbers, lists and strings, of small depth."""

from collections.abc import Callable

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.dry_run import execute_dry_run
from worldline.data.generation.identifiers import chance, function_name, small_int, weighted_choice
from worldline.data.generation.levels.countdown_recursion import (
    accumulator_recursion,
    base_conversion,
    countdown_to_sequence,
    digit_recursion,
    gcd_recursion,
    mutual_recursion,
    number_recursion,
    power_recursion,
    two_calls,
)
from worldline.data.generation.levels.recursive_function import RecursiveFunction
from worldline.data.generation.levels.structural_recursion import (
    binary_search,
    divide_and_conquer,
    list_recursion,
    nested_list_recursion,
    string_recursion,
    two_ended_string_recursion,
)

_FunctionWriter = Callable[[SeededRandom, str], RecursiveFunction]

_FUNCTION_WRITERS: tuple[tuple[int, _FunctionWriter], ...] = (
    (5, number_recursion),
    (3, two_calls),
    (4, list_recursion),
    (2, gcd_recursion),
    (5, string_recursion),
    (3, countdown_to_sequence),
    (2, power_recursion),
    (2, nested_list_recursion),
    (4, accumulator_recursion),
    (2, digit_recursion),
    (2, base_conversion),
    (2, mutual_recursion),
    (1, two_ended_string_recursion),
    (1, binary_search),
    (2, divide_and_conquer),
)
_MAX_ATTEMPTS = 20


def write_recursion(rng: SeededRandom) -> Program:
    """def f(n):  if n == 0: return 1  return n * f(n - 1)"""
    name = function_name(rng)
    for _ in range(_MAX_ATTEMPTS):
        write = weighted_choice(rng, _FUNCTION_WRITERS)
        function = _write_wrapped(rng, name, write) if chance(rng, 22) else write(rng, name)
        if execute_dry_run(function.source, function.call, max_steps=110) is not None:
            break
    return Program(function.source, function.call)


def _write_wrapped(rng: SeededRandom, name: str, write: _FunctionWriter) -> RecursiveFunction:
    """Write a recursive function and a second one that calls it."""
    inner_name = rng.pick(("g", "rec", "go", "helper", "walk", "h"))
    if inner_name == name:
        inner_name = "inner"
    function = write(rng, inner_name)
    arguments = function.call.removeprefix(f"{inner_name}(").removesuffix(")")
    parameter = rng.pick(("a", "x", "value", "v"))
    first, *rest = arguments.split(", ") if "[" not in arguments else [arguments]
    call = f"{inner_name}({', '.join([parameter, *rest])})"
    body = weighted_choice(
        rng,
        [
            (
                3,
                [
                    f"r = {call}",
                    f"return {rng.pick(('r', 'r, r', '[r]', f'r, {parameter}', '(r, 0)'))}",
                ],
            ),
            (2, [f"return {call}"]),
            (2, [f"r = {call}", f"return r if r else {small_int(rng)}"]),
            (2, [f"first = {call}", f"second = {call}", "return first == second"]),
            (1, [f"return {call} == {small_int(rng)}"]),
            (1, [f"return [{call}, {small_int(rng)}]"]),
        ],
    )
    lines = "".join(f"    {line}\n" for line in body)
    return RecursiveFunction(
        f"{function.source}\ndef {name}({parameter}):\n{lines}", f"{name}({first})"
    )
