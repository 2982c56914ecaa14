"""A draft goes in; the lines of one more statement come out, simple or with others inside."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from worldline.generate.draft import (
    Draft,
    Forms,
    NoneFitsError,
    constant,
    expression,
    fill,
    pick_variable,
)
from worldline.generate.forms import CHANGES
from worldline.generate.loops import for_header, while_parts
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


def statement(draft: Draft, palette: Palette, place: Place, *, is_needed: bool = False) -> Lines:
    """One more statement that can stand here; one that the level needs at times."""
    kinds = palette.needed if is_needed and palette.needed else palette.statements
    for _ in range(_PATIENCE):
        kind = weighted(draft.draws, kinds)
        if (kind in COMPOUND and place.depth < 1) or (kind == "assign" and place.in_block):
            kind = "change"
        before = dict(draft.types), set(draft.taken)
        try:
            return STATEMENTS[kind](draft, palette, place)
        except NoneFitsError:
            draft.types, draft.taken = before
    return ["pass"] if place.in_block else _assign(draft, palette, place)


def indented(lines: Lines) -> Lines:
    """The lines one step further in."""
    return [f"    {line}" for line in lines]


def _assign(draft: Draft, palette: Palette, place: Place) -> Lines:
    kind = weighted(draft.draws, palette.types)
    text = expression(draft, kind, depth=weighted(draft.draws, [(5, 1), (2, 0), (1, 2)]))
    name = draft.new(kind)
    draft.declare(name, kind)
    return [f"{name} = {text}"]


def _change(draft: Draft, palette: Palette, place: Place) -> Lines:
    """A new value for a variable that is there, or another item in it."""
    kind = _changeable(draft, palette)
    if kind in CHANGES and chance(draft.draws, 60 if kind in ("int", "str", "float") else 85):
        return [_changing_line(draft, kind)]
    if kind not in draft.forms:
        raise NoneFitsError(kind)
    name = pick_variable(draft, kind, is_changed=True)
    text = expression(draft, kind, depth=1)
    if text == name:
        raise NoneFitsError(kind)
    draft.declare(name, kind)
    return [f"{name} = {text}"]


def _changing_line(draft: Draft, kind: str) -> str:
    """xs.append(y), or x += y; the variable is the last that was assigned from here on."""
    for _ in range(_PATIENCE):
        line = fill(draft, weighted(draft.draws, CHANGES[kind]), depth=1, is_line=True)
        name, _, rest = line.removeprefix("del ").partition(" ")
        name = name.split(".")[0].split("[")[0]
        if rest not in (f"-= {name}", f"+= {name}", f"//= {name}"):
            break
    draft.declare(name, kind)
    return line


def _changeable(draft: Draft, palette: Palette) -> str:
    """A type of which there is a variable that may be changed; what a loop gathers, rather."""
    weights = {kind: weight for weight, kind in (*palette.returns, *palette.types)}
    found = {
        kind: weights.get(kind, 1) for name, kind in draft.types.items() if name not in draft.kept
    }
    if not found:
        raise NoneFitsError("any")
    return weighted(draft.draws, [(weight, kind) for kind, weight in found.items()])


def _swap(draft: Draft, palette: Palette, place: Place) -> Lines:
    """Two variables change places, or are given new values at once."""
    kind = weighted(draft.draws, palette.types)
    names = draft.variables(kind, is_changed=True)
    if len(names) < 2:
        raise NoneFitsError(kind)
    a, b = draft.draws.shuffled(names)[:2]
    if chance(draft.draws, 50):
        return [f"{a}, {b} = {b}, {a}"]
    if kind not in draft.forms:
        raise NoneFitsError(kind)
    return [f"{a}, {b} = {b}, {expression(draft, kind, depth=0)}"]


def _if(draft: Draft, palette: Palette, place: Place) -> Lines:
    inner = place.inside()
    lines = [f"if {expression(draft, 'bool')}:", *_body(draft, palette, inner)]
    while chance(draft.draws, 25) and len(lines) < 8:
        lines += [f"elif {expression(draft, 'bool')}:", *_body(draft, palette, inner)]
    if chance(draft.draws, 55):
        lines += ["else:", *_body(draft, palette, inner)]
    return lines


def _early(draft: Draft, palette: Palette, place: Place) -> Lines:
    """A test that may end the function."""
    return [f"if {expression(draft, 'bool')}:", f"    return {returned(draft, palette)}"]


def _for(draft: Draft, palette: Palette, place: Place) -> Lines:
    lines = _gathering(draft, palette)
    with _inside(draft):
        header = for_header(draft)
        lines.append(header.text)
        draft.kept |= {*header.bound, *header.kept}
        for name, kind in header.bound.items():
            draft.declare(name, kind)
        lines += _body(draft, palette, place.inside(is_loop=True), is_gathered=True)
    return lines


def _while(draft: Draft, palette: Palette, place: Place) -> Lines:
    lines = _gathering(draft, palette)
    with _inside(draft):
        parts = while_parts(draft)
        lines += [*parts.before, parts.text]
        draft.kept |= set(parts.kept)
        body = _body(draft, palette, Place(place.depth - 1, False, True), is_gathered=True)
        lines += indented(parts.first) + body + indented(parts.last)
    return lines


def _gathering(draft: Draft, palette: Palette) -> Lines:
    """A variable for what a loop gathers, where it needs a new one."""
    kind = weighted(draft.draws, palette.gathered)
    if draft.variables(kind, is_changed=True) and chance(draft.draws, 45):
        return []
    name = draft.new(kind)
    draft.declare(name, kind)
    empty = {"int": "0", "str": "''", "ints": "[]", "strs": "[]", "dict": "{}"}
    start = constant(draft, kind) if chance(draft.draws, 25) else empty[kind]
    return [f"{name} = {start}"]


def _body(draft: Draft, palette: Palette, place: Place, *, is_gathered: bool = False) -> Lines:
    """One to three statements; in a loop, a way to leave it or to go on at times."""
    lines: Lines = []
    with _inside(draft):
        if is_gathered:
            if place.in_loop and chance(draft.draws, 22):
                word = draft.draws.pick(("continue", "continue", "break"))
                lines += [f"if {expression(draft, 'bool')}:", f"    {word}"]
            kind = weighted(draft.draws, palette.gathered)
            kind = kind if draft.variables(kind, is_changed=True) else _changeable(draft, palette)
            if kind in CHANGES and chance(draft.draws, 75):
                lines.append(_changing_line(draft, kind))
        for _ in range(weighted(draft.draws, [(1 if lines else 0, 0), (5, 1), (2, 2)])):
            lines += statement(draft, palette, place)
        if place.in_loop and not is_gathered and chance(draft.draws, 8):
            lines.append("break")
    return indented(lines)


@contextmanager
def _inside(draft: Draft) -> Iterator[None]:
    """What is declared inside is not known behind it: it may never have been executed."""
    types, kept = frozenset(draft.types), draft.kept
    try:
        yield
    finally:
        # In the order that they have now: what was changed inside is what matters behind it.
        draft.types = {name: kind for name, kind in draft.types.items() if name in types}
        draft.kept = kept


def returned(draft: Draft, palette: Palette) -> str:
    """What a function returns: a variable, an expression, or several variables."""
    if palette.is_exact:
        kind = weighted(draft.draws, palette.returns)
        if draft.variables(kind) and chance(draft.draws, 25):
            return pick_variable(draft, kind)
        return expression(draft, kind)
    kinds = [(w, kind) for w, kind in palette.returns if draft.variables(kind)]
    kinds = kinds or [(1, kind) for kind in dict.fromkeys(draft.types.values())]
    kind = weighted(draft.draws, kinds)
    if chance(draft.draws, 55):
        # What was done last is what the function is about.
        lately = [draft.types[name] for name in list(draft.types)[-2:]]
        kind = next((each for each in reversed(lately) if each in {k for _, k in kinds}), kind)
    way = draft.draws.below(10)
    if way < 6 or kind not in draft.forms:
        return draft.variables(kind)[-1] if chance(draft.draws, 75) else pick_variable(draft, kind)
    if way < 8 or len(draft.types) < 2:
        return expression(draft, kind)
    names = draft.draws.shuffled(list(draft.types)[-4:])[: draft.draws.between(2, 3)]
    return ", ".join(names) if chance(draft.draws, 60) else f"({', '.join(names)})"


def _call(draft: Draft, palette: Palette, place: Place) -> Lines:
    """A new variable for what another function returns."""
    if not draft.calls:
        raise NoneFitsError("call")
    kind = draft.draws.pick(sorted(draft.calls))
    text = fill(draft, weighted(draft.draws, draft.calls[kind]), depth=1, is_line=True)
    name = draft.new(kind)
    draft.declare(name, kind)
    return [f"{name} = {text}"]


STATEMENTS: dict[str, Callable[[Draft, Palette, Place], Lines]] = {
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
