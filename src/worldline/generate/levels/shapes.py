"""Parts of functions that call themselves go in; the lines of the function come out."""

from dataclasses import dataclass

from worldline.benchmarks.draws import Draws
from worldline.generate.words import chance


@dataclass(frozen=True, slots=True)
class Shape:
    """A program, and its call."""

    source: str
    call: str


def make(name: str, parameters: str, lines: list[str], call: str) -> Shape:
    body = "".join(f"    {line}\n" for line in lines)
    return Shape(f"def {name}({parameters}):\n{body}", f"{name}({call})")


def ends(draws: Draws, test: str, value: str, rest: list[str]) -> list[str]:
    """The test for the end, then the rest: behind it, or under an else."""
    if chance(draws, 15):
        return [f"if {test}:", f"    return {value}", "else:", *(f"    {line}" for line in rest)]
    return [f"if {test}:", f"    return {value}", *rest]


def in_lines(draws: Draws, inner: str, whole: str) -> list[str]:
    """An expression with a call in it (…@…), in one line or in two."""
    # Python 3.12 traces a call behind `and` or `or` otherwise than others do.
    if chance(draws, 60) and not whole.endswith((" and @", " or @")):
        return [f"return {whole.replace('@', inner)}"]
    name = draws.pick(("rest", "r", "sub", "prev", "inner", "t"))
    return [f"{name} = {inner}", f"return {whole.replace('@', name)}"]
