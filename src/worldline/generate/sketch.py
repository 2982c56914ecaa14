"""Forms with holes go in; lines of a program that is being written come out.

A form is Python with typed holes. "<int> + <n>" may become "x + 3" or "(a - b) * 2 + 3":

    <int>, <str>, …     a variable, a constant or another expression of that type
    <r.int>, <v.int>    a variable to be read; one that may be changed
    <n> <m> <i> <k>     constants: 1 to 9, 2 to 9, 0 to 3, any small one (and <j> <h> <q> <big>)
    <c> <w> <key>       a letter, a word, a key of a dict, in quotes
    <1>, <2>            what stands in the first, the second hole
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from worldline.benchmarks.draws import Draws
from worldline.generate.words import (
    LETTERS,
    chance,
    small_float,
    small_int,
    variable_name,
    weighted,
    word,
)

Forms = Mapping[str, Sequence[tuple[int, str]]]
_HOLE = re.compile(r"<(?:([rv])\.)?([a-z0-9]+)>")
_NAME = re.compile(r"\b[a-z_]\w*\b")
# What is the same whatever the variable holds, or nothing but it.
_IDLE = re.compile(
    r"(?<![-+*/%] )\b(\w+) (?:[-<>%]|//|==|!=|>=|<=|and|or|[|&]) \1\b(?![.(\[])"
    r"|(?:max|min)\((\w+), \2\)|replace\(('.*?'), \3\)|\[0:\]| [*/]/? 1\b| % 1\b"
    r"| [-+] 0(?![.\d])|\b0 \+ "
)
# Brackets that are not those of a call.
_BRACKETED = re.compile(r"(?<![\w\])])\(")
_PATIENCE = 12
_SCALARS = ("int", "str", "bool", "float")


class NoneFitsError(Exception):
    """There is no variable, or no form, for a hole."""


@dataclass(slots=True)
class Sketch:
    """What is known at a place of a function: the forms to write in, the types of its variables
    (the last one assigned comes last), which of them must stay as they are, which names are taken,
    which letters and keys occur in its values, and how other functions are called."""

    draws: Draws
    forms: Forms
    types: dict[str, str] = field(default_factory=dict)
    kept: frozenset[str] = frozenset()
    taken: set[str] = field(default_factory=set)
    letters: str = "aeiou"
    calls: Forms = field(default_factory=dict)
    keys: tuple[str, ...] = ("a", "b", "c")

    def declare(self, name: str, kind: str) -> None:
        """The variable has just been assigned."""
        self.types.pop(name, None)
        self.types[name] = kind

    def new(self, kind: str) -> str:
        """A name for a new variable."""
        return variable_name(self.draws, kind, self.taken)

    def variables(self, kind: str, *, is_changed: bool = False) -> list[str]:
        """The variables of a type."""
        found = [name for name, its in self.types.items() if its == kind]
        return [name for name in found if name not in self.kept] if is_changed else found


def pick_variable(sketch: Sketch, kind: str, *, is_changed: bool = False) -> str:
    """A variable of a type; one that was assigned lately more often."""
    found = sketch.variables(kind, is_changed=is_changed)
    if not found:
        raise NoneFitsError(kind)
    return sketch.draws.pick(found[-2:] if chance(sketch.draws, 55) else found)


def expression(sketch: Sketch, kind: str, *, depth: int = 1) -> str:
    """An expression of a type; operands of operands are expressions, to a depth.

    It is of variables, where there are any, and does not say what anybody sees (`x - x`).
    """
    for _ in range(_PATIENCE if kind in sketch.forms else 0):
        try:
            text = fill(sketch, weighted(sketch.draws, sketch.forms[kind]), depth=depth)
        except NoneFitsError:
            continue
        text = tidy(text) if _BRACKETED.search(text) else text
        if not _IDLE.search(text) and not sketch.types.keys().isdisjoint(_NAME.findall(text)):
            return text
    return operand(sketch, kind, depth=0)


def tidy(text: str) -> str:
    """Without brackets that are not needed: "(a * 2) + 1" -> "a * 2 + 1"."""
    return ast.unparse(ast.parse(text, mode="eval"))


def operand(sketch: Sketch, kind: str, *, depth: int, is_bare: bool = False) -> str:
    """A variable most often, else a constant or an expression, in brackets if not bare."""
    is_there = bool(sketch.variables(kind))
    if is_there and chance(sketch.draws, 80):
        return pick_variable(sketch, kind)
    if depth > 0 and kind in sketch.forms and (kind == "bool" or chance(sketch.draws, 60)):
        text = expression(sketch, kind, depth=depth - 1)
        return text if is_bare else f"({text})"
    if kind == "bool" and not is_there:
        raise NoneFitsError(kind)
    if is_there and kind not in _SCALARS:
        return pick_variable(sketch, kind)
    return constant(sketch, kind)


def fill(sketch: Sketch, form: str, *, depth: int, is_line: bool = False) -> str:
    """A form with its holes filled. In a whole line, holes stand alone and need no brackets."""
    found: list[str] = []

    def put(hole: re.Match[str]) -> str:
        mark, kind = hole[1], hole[2]
        if kind.isdigit():
            return found[int(kind) - 1]
        if mark:
            text = pick_variable(sketch, kind, is_changed=mark == "v")
        elif kind in _CONSTANTS:
            text = _CONSTANTS[kind](sketch)
        elif is_line and depth > 0 and chance(sketch.draws, 40):
            text = expression(sketch, kind, depth=depth - 1)
        else:
            text = operand(sketch, kind, depth=depth, is_bare=is_line)
        found.append(text)
        return text

    return _HOLE.sub(put, form)


def constant(sketch: Sketch, kind: str) -> str:
    """A constant of a type, as one writes it."""
    if kind not in _LITERALS:
        raise NoneFitsError(kind)
    return repr(_LITERALS[kind](sketch))


def key(sketch: Sketch) -> str:
    """A key, one that is there more often than not."""
    return sketch.draws.pick(sketch.keys if chance(sketch.draws, 75) else LETTERS)


def _letter(sketch: Sketch) -> str:
    return repr(sketch.draws.pick(sketch.letters if chance(sketch.draws, 75) else LETTERS))


def _some(sketch: Sketch, least: int, most: int, make: Callable[[Sketch], object]) -> list[object]:
    return [make(sketch) for _ in range(sketch.draws.between(least, most))]


_CONSTANTS: dict[str, Callable[[Sketch], str]] = {
    "n": lambda d: str(d.draws.between(1, 9)),
    "m": lambda d: str(d.draws.between(2, 9)),
    "i": lambda d: str(d.draws.between(0, 3)),
    "j": lambda d: str(d.draws.between(2, 5)),
    "k": lambda d: str(small_int(d.draws)),
    "big": lambda d: str(d.draws.between(10, 60)),
    "h": lambda d: str(d.draws.pick((2, 2, 4, 4, 5, 8, 10))),
    "q": lambda d: repr(small_float(d.draws)),
    "c": _letter,
    "w": lambda d: repr(word(d.draws)),
    "key": lambda d: repr(key(d)),
}
_LITERALS: dict[str, Callable[[Sketch], object]] = {
    "int": lambda d: small_int(d.draws),
    "float": lambda d: small_float(d.draws),
    "bool": lambda d: chance(d.draws, 50),
    "str": lambda d: word(d.draws)[: d.draws.pick((1, 2, 3, 6))],
    "ints": lambda d: _some(d, 0, 4, lambda e: small_int(e.draws)),
    "strs": lambda d: _some(d, 0, 3, lambda e: word(e.draws)[:5]),
    "dict": lambda d: {key(d): small_int(d.draws) for _ in range(d.draws.below(4))},
    "pair": lambda d: (small_int(d.draws), small_int(d.draws)),
    "set": lambda d: set(_some(d, 1, 4, lambda e: small_int(e.draws))),
}
