"""A sketch goes in; the head of a loop comes out, with what the loop binds and must not change."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worldline.generate.sketch import NoneFitsError, Sketch, constant, fill, operand, pick_variable
from worldline.generate.words import chance, weighted


@dataclass(frozen=True, slots=True)
class ForHeader:
    """ "for i, x in enumerate(xs):" binds `i` and `x`, and `xs` must be kept."""

    text: str
    bound: Mapping[str, str]
    kept: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WhileParts:
    """A `while` that comes to an end: what stands before it, its head, what makes it go on as the
    first or the last lines of its body, and what nothing else in the body may change."""

    text: str
    kept: tuple[str, ...]
    before: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)


# A form, the types of the names it binds (<a>, <b>), and how often.
_HEADS: Sequence[tuple[int, tuple[str, tuple[str, ...]]]] = (
    (6, ("for @a in range(<n>):", ("int",))),
    (3, ("for @a in range(<i>, <m>):", ("int",))),
    (2, ("for @a in range(1, <r.int>):", ("int",))),
    (3, ("for @a in range(<r.int>):", ("int",))),
    (1, ("for @a in range(<m>, <i>, -1):", ("int",))),
    (1, ("for @a in range(<i>, <k>, <j>):", ("int",))),
    (1, ("for @a in range(0, <k>, <m>):", ("int",))),
    (6, ("for @a in <r.ints>:", ("int",))),
    (2, ("for @a in <ints>:", ("int",))),
    (6, ("for @a in <r.str>:", ("str",))),
    (1, ("for @a in <w>:", ("str",))),
    (2, ("for @a, @b in enumerate(<r.ints>):", ("int", "int"))),
    (2, ("for @a, @b in enumerate(<r.str>):", ("int", "str"))),
    (2, ("for @a in range(len(<r.ints>)):", ("int",))),
    (2, ("for @a in range(len(<r.str>)):", ("int",))),
    (3, ("for @a in <r.strs>:", ("str",))),
    (4, ("for @a, @b in <r.dict>.items():", ("str", "int"))),
    (2, ("for @a in <r.dict>:", ("str",))),
    (1, ("for @a in <r.dict>.values():", ("int",))),
    (1, ("for @a in sorted(<r.ints>):", ("int",))),
    (1, ("for @a in reversed(<r.ints>):", ("int",))),
    (1, ("for @a in <r.str>[::-1]:", ("str",))),
    (1, ("for @a in <r.str>.split(<c>):", ("str",))),
    (1, ("for @a, @b in zip(<r.ints>, <r.ints>):", ("int", "int"))),
    (1, ("for @a, @b in zip(<r.str>, <r.ints>):", ("str", "int"))),
    (2, ("for @a in (<k>, <k>, <k>):", ("int",))),
    (1, ("for @a in [<k>, <k>]:", ("int",))),
)


def for_header(sketch: Sketch) -> ForHeader:
    """The head of a `for` over what there is to run over."""
    for _ in range(12):
        form, kinds = weighted(sketch.draws, _HEADS)
        try:
            text = fill(sketch, form, depth=0)
        except NoneFitsError:
            continue
        kept = tuple(name for name in sketch.types if _occurs(name, text))
        bound: dict[str, str] = {}
        for mark, kind in zip(("@a", "@b"), kinds, strict=False):
            name = sketch.new(kind)
            bound[name] = kind
            text = text.replace(mark, name)
        return ForHeader(text, bound, kept)
    raise NoneFitsError("for")


def _occurs(name: str, text: str) -> bool:
    words = "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
    return name in words


def while_parts(sketch: Sketch) -> WhileParts:
    """A `while` in one of the ways that people count and consume."""
    way = weighted(
        sketch.draws, [(4, _up), (4, _down), (2, _halved), (3, _consumed), (2, _forever)]
    )
    return way(sketch)


def _up(sketch: Sketch) -> WhileParts:
    """Count up to a limit."""
    name = sketch.new("int")
    start, step = sketch.draws.pick((0, 0, 1, 2)), sketch.draws.pick((1, 1, 1, 2, 3))
    sketch.declare(name, "int")
    limit = (
        operand(sketch, "int", depth=0)
        if chance(sketch.draws, 50)
        else str(sketch.draws.between(2, 9))
    )
    if limit == name:
        limit = "5"
    sign = sketch.draws.pick(("<", "<", "<="))
    return _placed(
        sketch,
        WhileParts(f"while {name} {sign} {limit}:", (name, limit), [f"{name} = {start}"]),
        f"{name} += {step}",
    )


def _down(sketch: Sketch) -> WhileParts:
    """Count a variable down."""
    name = pick_variable(sketch, "int", is_changed=True)
    step = sketch.draws.pick((1, 1, 2, 3, 5))
    least = sketch.draws.pick((0, 0, 0, 1, 3))
    return _placed(sketch, WhileParts(f"while {name} > {least}:", (name,)), f"{name} -= {step}")


def _halved(sketch: Sketch) -> WhileParts:
    """Divide a variable until nothing is left of it."""
    name = pick_variable(sketch, "int", is_changed=True)
    by = sketch.draws.pick((2, 2, 3, 10))
    return _placed(sketch, WhileParts(f"while {name} > 0:", (name,)), f"{name} //= {by}")


def _consumed(sketch: Sketch) -> WhileParts:
    """Take a list or a string apart, from one of its ends."""
    kind = sketch.draws.pick(("ints", "str", "strs"))
    name = pick_variable(sketch, kind, is_changed=True)
    inner = "str" if kind != "ints" else "int"
    item = sketch.new(inner)
    sketch.declare(item, inner)
    head = sketch.draws.pick((f"while {name}:", f"while len({name}) > {sketch.draws.below(3)}:"))
    if kind == "str":
        side = sketch.draws.pick(((f"{name}[0]", f"{name}[1:]"), (f"{name}[-1]", f"{name}[:-1]")))
        first = [f"{item} = {side[0]}", f"{name} = {side[1]}"]
    else:
        first = [f"{item} = {name}.pop({sketch.draws.pick(('', '0'))})"]
    return WhileParts(head, (name,), first=first)


def _forever(sketch: Sketch) -> WhileParts:
    """Go on until a test says that it is enough."""
    name = sketch.new("int")
    sketch.declare(name, "int")
    before = [f"{name} = {constant(sketch, 'int') if chance(sketch.draws, 40) else 0}"]
    step, most = sketch.draws.pick((1, 1, 2, 4)), sketch.draws.between(2, 30)
    last = [f"{name} += {step}", f"if {name} > {most}:", "    break"]
    return WhileParts("while True:", (name,), before, last=last)


def _placed(sketch: Sketch, parts: WhileParts, step: str) -> WhileParts:
    """The line that makes a loop go on is its last more often than its first."""
    at_first = chance(sketch.draws, 25)
    return WhileParts(
        parts.text,
        parts.kept,
        parts.before,
        first=[step] if at_first else [],
        last=[] if at_first else [step],
    )
