"""A sketch goes in; the lines of one more statement come out, simple or with others inside."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from worldline.generate.forms import CHANGES
from worldline.generate.loops import for_header, while_parts
from worldline.generate.sketch import (
    Forms,
    NoneFitsError,
    Sketch,
    constant,
    expression,
    fill,
    pick_variable,
)
from worldline.generate.words import chance, weighted

Lines = list[str]
_PATIENCE = 12


@dataclass(frozen=True, slots=True)
class Palette:
    """What a level writes in. Each choice has a weight.

    `forms`: expressions by type; `statements`: kinds of statements, see `STATEMENTS`; `types`: of
    new variables; `parameters`, `returns`: of what is given and returned; `sizes`: how many
    statements a function has; `gathered`: what a loop gathers in; `depth`: how deeply statements
    stand in others; `is_exact`: nothing but what `returns` names is returned; `needed`: one
    statement at least is of these kinds.
    """

    forms: Forms
    statements: Sequence[tuple[int, str]]
    types: Sequence[tuple[int, str]]
    parameters: Sequence[tuple[int, str]]
    returns: Sequence[tuple[int, str]]
    sizes: Sequence[tuple[int, int]]
    gathered: Sequence[tuple[int, str]] = ((1, "int"),)
    depth: int = 1
    is_exact: bool = False
    needed: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement is to stand: how much more may stand in it, in a loop or not."""

    depth: int
    in_loop: bool = False
    in_block: bool = False

    def inside(self, *, is_loop: bool = False) -> "Place":
        """A place in the body of a statement that stands here."""
        return Place(self.depth - 1, self.in_loop or is_loop, True)


def statement(sketch: Sketch, palette: Palette, place: Place, *, is_needed: bool = False) -> Lines:
    """One more statement that can stand here; one that the level needs at times."""
    kinds = palette.needed if is_needed and palette.needed else palette.statements
    for _ in range(_PATIENCE):
        kind = weighted(sketch.draws, kinds)
        if (kind in COMPOUND and place.depth < 1) or (kind == "assign" and place.in_block):
            kind = "change"
        before = dict(sketch.types), set(sketch.taken)
        try:
            return STATEMENTS[kind](sketch, palette, place)
        except NoneFitsError:
            sketch.types, sketch.taken = before
    return ["pass"] if place.in_block else _assign(sketch, palette, place)


def indented(lines: Lines) -> Lines:
    """The lines one step further in."""
    return [f"    {line}" for line in lines]


def _assign(sketch: Sketch, palette: Palette, place: Place) -> Lines:
    kind = weighted(sketch.draws, palette.types)
    text = expression(sketch, kind, depth=weighted(sketch.draws, [(5, 1), (2, 0), (1, 2)]))
    name = sketch.new(kind)
    sketch.declare(name, kind)
    return [f"{name} = {text}"]


def _change(sketch: Sketch, palette: Palette, place: Place) -> Lines:
    """A new value for a variable that is there, or another item in it."""
    kind = _changeable(sketch, palette)
    if kind in CHANGES and chance(sketch.draws, 60 if kind in ("int", "str", "float") else 85):
        return [_changing_line(sketch, kind)]
    if kind not in sketch.forms:
        raise NoneFitsError(kind)
    name = pick_variable(sketch, kind, is_changed=True)
    text = expression(sketch, kind, depth=1)
    if text == name:
        raise NoneFitsError(kind)
    sketch.declare(name, kind)
    return [f"{name} = {text}"]


def _changing_line(sketch: Sketch, kind: str) -> str:
    """xs.append(y), or x += y; the variable is the last that was assigned from here on."""
    for _ in range(_PATIENCE):
        line = fill(sketch, weighted(sketch.draws, CHANGES[kind]), depth=1, is_line=True)
        name, _, rest = line.removeprefix("del ").partition(" ")
        name = name.split(".")[0].split("[")[0]
        if rest not in (f"-= {name}", f"+= {name}", f"//= {name}"):
            break
    sketch.declare(name, kind)
    return line


def _changeable(sketch: Sketch, palette: Palette) -> str:
    """A type of which there is a variable that may be changed; what a loop gathers, rather."""
    weights = {kind: weight for weight, kind in (*palette.returns, *palette.types)}
    found = {
        kind: weights.get(kind, 1) for name, kind in sketch.types.items() if name not in sketch.kept
    }
    if not found:
        raise NoneFitsError("any")
    return weighted(sketch.draws, [(weight, kind) for kind, weight in found.items()])


def _swap(sketch: Sketch, palette: Palette, place: Place) -> Lines:
    """Two variables change places, or are given new values at once."""
    kind = weighted(sketch.draws, palette.types)
    names = sketch.variables(kind, is_changed=True)
    if len(names) < 2:
        raise NoneFitsError(kind)
    a, b = sketch.draws.shuffled(names)[:2]
    if chance(sketch.draws, 50):
        return [f"{a}, {b} = {b}, {a}"]
    if kind not in sketch.forms:
        raise NoneFitsError(kind)
    return [f"{a}, {b} = {b}, {expression(sketch, kind, depth=0)}"]


def _if(sketch: Sketch, palette: Palette, place: Place) -> Lines:
    inner = place.inside()
    lines = [f"if {expression(sketch, 'bool')}:", *_body(sketch, palette, inner)]
    while chance(sketch.draws, 25) and len(lines) < 8:
        lines += [f"elif {expression(sketch, 'bool')}:", *_body(sketch, palette, inner)]
    if chance(sketch.draws, 55):
        lines += ["else:", *_body(sketch, palette, inner)]
    return lines


def _early(sketch: Sketch, palette: Palette, place: Place) -> Lines:
    """A test that may end the function."""
    return [f"if {expression(sketch, 'bool')}:", f"    return {returned(sketch, palette)}"]


def _for(sketch: Sketch, palette: Palette, place: Place) -> Lines:
    lines = _gathering(sketch, palette)
    with _inside(sketch):
        header = for_header(sketch)
        lines.append(header.text)
        sketch.kept |= {*header.bound, *header.kept}
        for name, kind in header.bound.items():
            sketch.declare(name, kind)
        lines += _body(sketch, palette, place.inside(is_loop=True), is_gathered=True)
    return lines


def _while(sketch: Sketch, palette: Palette, place: Place) -> Lines:
    lines = _gathering(sketch, palette)
    with _inside(sketch):
        parts = while_parts(sketch)
        lines += [*parts.before, parts.text]
        sketch.kept |= set(parts.kept)
        body = _body(sketch, palette, Place(place.depth - 1, False, True), is_gathered=True)
        lines += indented(parts.first) + body + indented(parts.last)
    return lines


def _gathering(sketch: Sketch, palette: Palette) -> Lines:
    """A variable for what a loop gathers, where it needs a new one."""
    kind = weighted(sketch.draws, palette.gathered)
    if sketch.variables(kind, is_changed=True) and chance(sketch.draws, 45):
        return []
    name = sketch.new(kind)
    sketch.declare(name, kind)
    empty = {"int": "0", "str": "''", "ints": "[]", "strs": "[]", "dict": "{}"}
    start = constant(sketch, kind) if chance(sketch.draws, 25) else empty[kind]
    return [f"{name} = {start}"]


def _body(sketch: Sketch, palette: Palette, place: Place, *, is_gathered: bool = False) -> Lines:
    """One to three statements; in a loop, a way to leave it or to go on at times."""
    lines: Lines = []
    with _inside(sketch):
        if is_gathered:
            if place.in_loop and chance(sketch.draws, 22):
                word = sketch.draws.pick(("continue", "continue", "break"))
                lines += [f"if {expression(sketch, 'bool')}:", f"    {word}"]
            kind = weighted(sketch.draws, palette.gathered)
            kind = kind if sketch.variables(kind, is_changed=True) else _changeable(sketch, palette)
            if kind in CHANGES and chance(sketch.draws, 75):
                lines.append(_changing_line(sketch, kind))
        for _ in range(weighted(sketch.draws, [(1 if lines else 0, 0), (5, 1), (2, 2)])):
            lines += statement(sketch, palette, place)
        if place.in_loop and not is_gathered and chance(sketch.draws, 8):
            lines.append("break")
    return indented(lines)


@contextmanager
def _inside(sketch: Sketch) -> Iterator[None]:
    """What is declared inside is not known behind it: it may never have been executed."""
    types, kept = frozenset(sketch.types), sketch.kept
    try:
        yield
    finally:
        # In the order that they have now: what was changed inside is what matters behind it.
        sketch.types = {name: kind for name, kind in sketch.types.items() if name in types}
        sketch.kept = kept


def returned(sketch: Sketch, palette: Palette) -> str:
    """What a function returns: a variable, an expression, or several variables."""
    if palette.is_exact:
        kind = weighted(sketch.draws, palette.returns)
        if sketch.variables(kind) and chance(sketch.draws, 25):
            return pick_variable(sketch, kind)
        return expression(sketch, kind)
    kinds = [(w, kind) for w, kind in palette.returns if sketch.variables(kind)]
    kinds = kinds or [(1, kind) for kind in dict.fromkeys(sketch.types.values())]
    kind = weighted(sketch.draws, kinds)
    if chance(sketch.draws, 55):
        # What was done last is what the function is about.
        lately = [sketch.types[name] for name in list(sketch.types)[-2:]]
        kind = next((each for each in reversed(lately) if each in {k for _, k in kinds}), kind)
    way = sketch.draws.below(10)
    if way < 6 or kind not in sketch.forms:
        return (
            sketch.variables(kind)[-1] if chance(sketch.draws, 75) else pick_variable(sketch, kind)
        )
    if way < 8 or len(sketch.types) < 2:
        return expression(sketch, kind)
    names = sketch.draws.shuffled(list(sketch.types)[-4:])[: sketch.draws.between(2, 3)]
    return ", ".join(names) if chance(sketch.draws, 60) else f"({', '.join(names)})"


def _call(sketch: Sketch, palette: Palette, place: Place) -> Lines:
    """A new variable for what another function returns."""
    if not sketch.calls:
        raise NoneFitsError("call")
    kind = sketch.draws.pick(sorted(sketch.calls))
    text = fill(sketch, weighted(sketch.draws, sketch.calls[kind]), depth=1, is_line=True)
    name = sketch.new(kind)
    sketch.declare(name, kind)
    return [f"{name} = {text}"]


STATEMENTS: dict[str, Callable[[Sketch, Palette, Place], Lines]] = {
    "assign": _assign,
    "change": _change,
    "swap": _swap,
    "if": _if,
    "return": _early,
    "for": _for,
    "while": _while,
    "call": _call,
}
COMPOUND = frozenset({"if", "for", "while", "return"})
