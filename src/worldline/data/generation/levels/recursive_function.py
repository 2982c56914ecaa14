"""Building blocks of recursive functions."""

from dataclasses import dataclass

from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.identifiers import chance


@dataclass(frozen=True, slots=True)
class RecursiveFunction:
    """Source of a recursive function, and a call of it."""

    source: str
    call: str


def make_function(name: str, parameters: str, lines: list[str], argument: str) -> RecursiveFunction:
    """Assemble a function from its lines."""
    body = "".join(f"    {line}\n" for line in lines)
    return RecursiveFunction(f"def {name}({parameters}):\n{body}", f"{name}({argument})")


def with_base_case(rng: SeededRandom, condition: str, value: str, rest: list[str]) -> list[str]:
    """Write the base case, then the other lines after it or in an `else`."""
    if chance(rng, 15):
        return [
            f"if {condition}:",
            f"    return {value}",
            "else:",
            *(f"    {line}" for line in rest),
        ]
    return [f"if {condition}:", f"    return {value}", *rest]


def return_lines(rng: SeededRandom, call: str, template: str) -> list[str]:
    """Write the return of a template with the recursive call for "@", in one line or in two."""
    # In two lines after `and` and `or`, because Python 3.12 traces such a call differently.
    if chance(rng, 60) and not template.endswith((" and @", " or @")):
        return [f"return {template.replace('@', call)}"]
    name = rng.pick(("rest", "r", "sub", "prev", "child", "t"))
    return [f"{name} = {call}", f"return {template.replace('@', name)}"]
