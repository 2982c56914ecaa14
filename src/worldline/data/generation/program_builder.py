"""Expressions of a program that is being written, from templates with typed placeholders.

"<int> + <n>" may become "x + 3" or "(a - b) * 2 + 3":

    <int>, <str>, …     a variable, a constant or an expression of that type
    <r.int>, <v.int>    a variable that is read; one that may be changed
    <n> <m> <i> <k>     constants: 1 to 9, 2 to 9, 0 to 3, any small one (and <j> <h> <q> <big>)
    <c> <w> <key>       a letter, a word, a key of a dict, in quotes
    <1>, <2>            the text of the first, the second placeholder
"""

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.identifiers import (
    LETTERS,
    chance,
    random_word,
    small_float,
    small_int,
    variable_name,
    weighted_choice,
)

# Weighted templates by value type.
Templates = Mapping[str, Sequence[tuple[int, str]]]
_PLACEHOLDER = re.compile(r"<(?:([rv])\.)?([a-z0-9]+)>")
_NAME = re.compile(r"\b[a-z_]\w*\b")
# Expressions whose value does not depend on the variable, or is the variable itself.
_TRIVIAL = re.compile(
    r"(?<![-+*/%] )\b(\w+) (?:[-<>%]|//|==|!=|>=|<=|and|or|[|&]) \1\b(?![.(\[])"
    r"|(?:max|min)\((\w+), \2\)|replace\(('.*?'), \3\)|\[0:\]| [*/]/? 1\b| % 1\b"
    r"| [-+] 0(?![.\d])|\b0 \+ "
)
# A parenthesis that does not belong to a call.
_PARENTHESIZED = re.compile(r"(?<![\w\])])\(")
_MAX_ATTEMPTS = 12
_SCALARS = ("int", "str", "bool", "float")


class UnfillableError(Exception):
    """No variable, or no template, fits a placeholder."""


@dataclass(slots=True)
class ProgramBuilder:
    """State of a function that is being written, at the current position.

    `templates`: expressions by type. `types`: the variables and their types, the last assigned
    one last. `read_only`: variables that must not change. `used_names`: names that are not
    available. `letters`, `keys`: characters and dict keys that occur in its values. `calls`:
    templates that call other functions, by return type.
    """

    rng: SeededRandom
    templates: Templates
    types: dict[str, str] = field(default_factory=dict)
    read_only: frozenset[str] = frozenset()
    used_names: set[str] = field(default_factory=set)
    letters: str = "aeiou"
    calls: Templates = field(default_factory=dict)
    keys: tuple[str, ...] = ("a", "b", "c")

    def declare(self, name: str, value_type: str) -> None:
        """Make a variable the last assigned one."""
        self.types.pop(name, None)
        self.types[name] = value_type

    def new_name(self, value_type: str) -> str:
        """Choose a name for a new variable."""
        return variable_name(self.rng, value_type, self.used_names)

    def variables(self, value_type: str, *, writable: bool = False) -> list[str]:
        """List the variables of a type, or only those that may be changed."""
        names = [name for name, its_type in self.types.items() if its_type == value_type]
        return [name for name in names if name not in self.read_only] if writable else names


def pick_variable(builder: ProgramBuilder, value_type: str, *, writable: bool = False) -> str:
    """Choose a variable of a type, preferably a recently assigned one."""
    names = builder.variables(value_type, writable=writable)
    if not names:
        raise UnfillableError(value_type)
    return builder.rng.pick(names[-2:] if chance(builder.rng, 55) else names)


def expression(builder: ProgramBuilder, value_type: str, *, depth: int = 1) -> str:
    """Write an expression of a type, with expressions as operands up to a depth.

    It contains a variable, if there is one, and is not trivial (`x - x`).
    """
    for _ in range(_MAX_ATTEMPTS if value_type in builder.templates else 0):
        try:
            template = weighted_choice(builder.rng, builder.templates[value_type])
            text = fill(builder, template, depth=depth)
        except UnfillableError:
            continue
        text = remove_parentheses(text) if _PARENTHESIZED.search(text) else text
        if not _TRIVIAL.search(text) and not builder.types.keys().isdisjoint(_NAME.findall(text)):
            return text
    return operand(builder, value_type, depth=0)


def remove_parentheses(text: str) -> str:
    """Remove redundant parentheses: "(a * 2) + 1" -> "a * 2 + 1"."""
    return ast.unparse(ast.parse(text, mode="eval"))


def operand(builder: ProgramBuilder, value_type: str, *, depth: int, bare: bool = False) -> str:
    """Write an operand: usually a variable, else a constant or an expression.

    An expression is parenthesized unless `bare`.
    """
    has_variable = bool(builder.variables(value_type))
    if has_variable and chance(builder.rng, 80):
        return pick_variable(builder, value_type)
    if (
        depth > 0
        and value_type in builder.templates
        and (value_type == "bool" or chance(builder.rng, 60))
    ):
        text = expression(builder, value_type, depth=depth - 1)
        return text if bare else f"({text})"
    if value_type == "bool" and not has_variable:
        raise UnfillableError(value_type)
    if has_variable and value_type not in _SCALARS:
        return pick_variable(builder, value_type)
    return constant(builder, value_type)


def fill(builder: ProgramBuilder, template: str, *, depth: int, as_line: bool = False) -> str:
    """Fill the placeholders of a template.

    With `as_line`, the template is a whole line: its placeholders need no parentheses.
    """
    texts: list[str] = []

    def replace(placeholder: re.Match[str]) -> str:
        mode, name = placeholder[1], placeholder[2]
        if name.isdigit():
            return texts[int(name) - 1]
        if mode:
            text = pick_variable(builder, name, writable=mode == "v")
        elif name in _CONSTANTS:
            text = _CONSTANTS[name](builder)
        elif as_line and depth > 0 and chance(builder.rng, 40):
            text = expression(builder, name, depth=depth - 1)
        else:
            text = operand(builder, name, depth=depth, bare=as_line)
        texts.append(text)
        return text

    return _PLACEHOLDER.sub(replace, template)


def constant(builder: ProgramBuilder, value_type: str) -> str:
    """Write a literal of a type."""
    if value_type not in _LITERALS:
        raise UnfillableError(value_type)
    return repr(_LITERALS[value_type](builder))


def pick_key(builder: ProgramBuilder) -> str:
    """Choose a dict key, usually one that exists."""
    return builder.rng.pick(builder.keys if chance(builder.rng, 75) else LETTERS)


def _letter(builder: ProgramBuilder) -> str:
    return repr(builder.rng.pick(builder.letters if chance(builder.rng, 75) else LETTERS))


def _list_of(
    builder: ProgramBuilder,
    min_items: int,
    max_items: int,
    make_item: Callable[[ProgramBuilder], object],
) -> list[object]:
    return [make_item(builder) for _ in range(builder.rng.between(min_items, max_items))]


_CONSTANTS: dict[str, Callable[[ProgramBuilder], str]] = {
    "n": lambda b: str(b.rng.between(1, 9)),
    "m": lambda b: str(b.rng.between(2, 9)),
    "i": lambda b: str(b.rng.between(0, 3)),
    "j": lambda b: str(b.rng.between(2, 5)),
    "k": lambda b: str(small_int(b.rng)),
    "big": lambda b: str(b.rng.between(10, 60)),
    "h": lambda b: str(b.rng.pick((2, 2, 4, 4, 5, 8, 10))),
    "q": lambda b: repr(small_float(b.rng)),
    "c": _letter,
    "w": lambda b: repr(random_word(b.rng)),
    "key": lambda b: repr(pick_key(b)),
}
_LITERALS: dict[str, Callable[[ProgramBuilder], object]] = {
    "int": lambda b: small_int(b.rng),
    "float": lambda b: small_float(b.rng),
    "bool": lambda b: chance(b.rng, 50),
    "str": lambda b: random_word(b.rng)[: b.rng.pick((1, 2, 3, 6))],
    "ints": lambda b: _list_of(b, 0, 4, lambda each: small_int(each.rng)),
    "strs": lambda b: _list_of(b, 0, 3, lambda each: random_word(each.rng)[:5]),
    "dict": lambda b: {pick_key(b): small_int(b.rng) for _ in range(b.rng.below(4))},
    "pair": lambda b: (small_int(b.rng), small_int(b.rng)),
    "set": lambda b: set(_list_of(b, 1, 4, lambda each: small_int(each.rng))),
}
