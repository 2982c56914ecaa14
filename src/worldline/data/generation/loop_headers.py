"""Random headers of `for` and `while` loops that end.

Each names the variables that the body must not change, so that the loop ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from worldline.data.generation.identifiers import chance, weighted_choice
from worldline.data.generation.program_builder import (
    ProgramBuilder,
    UnfillableError,
    constant,
    fill,
    operand,
    pick_variable,
)


@dataclass(frozen=True, slots=True)
class ForHeader:
    """Header of a `for` loop: "for i, x in enumerate(xs):" binds `i` and `x`; `xs` is read-only."""

    text: str
    bound: Mapping[str, str]
    read_only: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WhileLoop:
    """A `while` loop that ends, without the main part of its body.

    `before`: lines before the loop. `first`, `last`: the first and last lines of its body, which
    make it end. `read_only`: variables that no other line of the body may change.
    """

    header: str
    read_only: tuple[str, ...]
    before: list[str] = field(default_factory=list)
    first: list[str] = field(default_factory=list)
    last: list[str] = field(default_factory=list)


# Weight, template, and the types of the names that it binds (@a, @b).
_FOR_TEMPLATES: Sequence[tuple[int, tuple[str, tuple[str, ...]]]] = (
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


def for_header(builder: ProgramBuilder) -> ForHeader:
    """Write the header of a `for` loop over what is available."""
    for _ in range(12):
        template, value_types = weighted_choice(builder.rng, _FOR_TEMPLATES)
        try:
            text = fill(builder, template, depth=0)
        except UnfillableError:
            continue
        read_only = tuple(name for name in builder.types if _occurs(name, text))
        bound: dict[str, str] = {}
        for mark, value_type in zip(("@a", "@b"), value_types, strict=False):
            name = builder.new_name(value_type)
            bound[name] = value_type
            text = text.replace(mark, name)
        return ForHeader(text, bound, read_only)
    raise UnfillableError("for")


def _occurs(name: str, text: str) -> bool:
    words = "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
    return name in words


def while_loop(builder: ProgramBuilder) -> WhileLoop:
    """Write a `while` loop that counts, divides, removes items, or ends with `break`."""
    write = weighted_choice(
        builder.rng,
        [(4, _count_up), (4, _count_down), (2, _divide), (3, _consume), (2, _loop_until_break)],
    )
    return write(builder)


def _count_up(builder: ProgramBuilder) -> WhileLoop:
    """Count up to a limit."""
    name = builder.new_name("int")
    start, step = builder.rng.pick((0, 0, 1, 2)), builder.rng.pick((1, 1, 1, 2, 3))
    builder.declare(name, "int")
    limit = (
        operand(builder, "int", depth=0)
        if chance(builder.rng, 50)
        else str(builder.rng.between(2, 9))
    )
    if limit == name:
        limit = "5"
    sign = builder.rng.pick(("<", "<", "<="))
    return _place_step(
        builder,
        WhileLoop(f"while {name} {sign} {limit}:", (name, limit), [f"{name} = {start}"]),
        f"{name} += {step}",
    )


def _count_down(builder: ProgramBuilder) -> WhileLoop:
    """Count a variable down."""
    name = pick_variable(builder, "int", writable=True)
    step = builder.rng.pick((1, 1, 2, 3, 5))
    minimum = builder.rng.pick((0, 0, 0, 1, 3))
    return _place_step(
        builder, WhileLoop(f"while {name} > {minimum}:", (name,)), f"{name} -= {step}"
    )


def _divide(builder: ProgramBuilder) -> WhileLoop:
    """Divide a variable until it is zero."""
    name = pick_variable(builder, "int", writable=True)
    divisor = builder.rng.pick((2, 2, 3, 10))
    return _place_step(builder, WhileLoop(f"while {name} > 0:", (name,)), f"{name} //= {divisor}")


def _consume(builder: ProgramBuilder) -> WhileLoop:
    """Remove the items of a list or string, from one end."""
    value_type = builder.rng.pick(("ints", "str", "strs"))
    name = pick_variable(builder, value_type, writable=True)
    item_type = "str" if value_type != "ints" else "int"
    item = builder.new_name(item_type)
    builder.declare(item, item_type)
    header = builder.rng.pick((f"while {name}:", f"while len({name}) > {builder.rng.below(3)}:"))
    if value_type == "str":
        head, rest = builder.rng.pick(
            ((f"{name}[0]", f"{name}[1:]"), (f"{name}[-1]", f"{name}[:-1]"))
        )
        first = [f"{item} = {head}", f"{name} = {rest}"]
    else:
        first = [f"{item} = {name}.pop({builder.rng.pick(('', '0'))})"]
    return WhileLoop(header, (name,), first=first)


def _loop_until_break(builder: ProgramBuilder) -> WhileLoop:
    """Loop with `while True` until a condition breaks out."""
    name = builder.new_name("int")
    builder.declare(name, "int")
    before = [f"{name} = {constant(builder, 'int') if chance(builder.rng, 40) else 0}"]
    step, maximum = builder.rng.pick((1, 1, 2, 4)), builder.rng.between(2, 30)
    last = [f"{name} += {step}", f"if {name} > {maximum}:", "    break"]
    return WhileLoop("while True:", (name,), before, last=last)


def _place_step(builder: ProgramBuilder, loop: WhileLoop, step: str) -> WhileLoop:
    """Add the line that makes the loop end: usually last, sometimes first."""
    is_first = chance(builder.rng, 25)
    return WhileLoop(
        loop.header,
        loop.read_only,
        loop.before,
        first=[step] if is_first else [],
        last=[] if is_first else [step],
    )
