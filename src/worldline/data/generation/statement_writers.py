"""Random statements of a function that is being written, simple or compound."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from worldline.data.generation.grammar import UPDATES
from worldline.data.generation.identifiers import chance, weighted_choice
from worldline.data.generation.loop_headers import for_header, while_loop
from worldline.data.generation.program_builder import (
    ProgramBuilder,
    Templates,
    UnfillableError,
    constant,
    expression,
    fill,
    pick_variable,
)

Lines = list[str]
_MAX_ATTEMPTS = 12


@dataclass(frozen=True, slots=True)
class GrammarWeights:
    """Weighted choices of a level: what its programs consist of, and how often.

    `templates`: expressions, by value type. `statements`: kinds of statements, from
    `STATEMENTS`. `types`, `parameters`, `returns`: types of new variables, of parameters and of
    return values. `statement_counts`: number of statements of a function. `accumulators`: types
    of the variable that a loop accumulates in. `depth`: maximum nesting of statements.
    `exact_return_type`: return only types of `returns`. `required_statements`: at least one
    statement is of these kinds.
    """

    templates: Templates
    statements: Sequence[tuple[int, str]]
    types: Sequence[tuple[int, str]]
    parameters: Sequence[tuple[int, str]]
    returns: Sequence[tuple[int, str]]
    statement_counts: Sequence[tuple[int, int]]
    accumulators: Sequence[tuple[int, str]] = ((1, "int"),)
    depth: int = 1
    exact_return_type: bool = False
    required_statements: Sequence[tuple[int, str]] = ()


@dataclass(frozen=True, slots=True)
class Position:
    """Position of a statement: the nesting depth still available, and whether it is in a loop."""

    depth: int
    in_loop: bool = False
    in_block: bool = False

    def nested(self, *, in_loop: bool = False) -> "Position":
        """Position in the body of a statement at this position."""
        return Position(self.depth - 1, self.in_loop or in_loop, True)


def write_statement(
    builder: ProgramBuilder,
    weights: GrammarWeights,
    position: Position,
    *,
    required: bool = False,
) -> Lines:
    """Write a random statement; with `required`, of a kind that the level requires."""
    use_required = required and weights.required_statements
    kinds = weights.required_statements if use_required else weights.statements
    for _ in range(_MAX_ATTEMPTS):
        kind = weighted_choice(builder.rng, kinds)
        if (kind in COMPOUND and position.depth < 1) or (kind == "assign" and position.in_block):
            kind = "change"
        before = dict(builder.types), set(builder.used_names)
        try:
            return STATEMENTS[kind](builder, weights, position)
        except UnfillableError:
            builder.types, builder.used_names = before
    return ["pass"] if position.in_block else _assign(builder, weights, position)


def indent(lines: Lines) -> Lines:
    """Indent lines by one level."""
    return [f"    {line}" for line in lines]


def _assign(builder: ProgramBuilder, weights: GrammarWeights, position: Position) -> Lines:
    value_type = weighted_choice(builder.rng, weights.types)
    depth = weighted_choice(builder.rng, [(5, 1), (2, 0), (1, 2)])
    text = expression(builder, value_type, depth=depth)
    name = builder.new_name(value_type)
    builder.declare(name, value_type)
    return [f"{name} = {text}"]


def _update(builder: ProgramBuilder, weights: GrammarWeights, position: Position) -> Lines:
    """Assign to an existing variable, or change one of its items."""
    value_type = _pick_writable_type(builder, weights)
    percent = 60 if value_type in ("int", "str", "float") else 85
    if value_type in UPDATES and chance(builder.rng, percent):
        return [_update_line(builder, value_type)]
    if value_type not in builder.templates:
        raise UnfillableError(value_type)
    name = pick_variable(builder, value_type, writable=True)
    text = expression(builder, value_type, depth=1)
    if text == name:
        raise UnfillableError(value_type)
    builder.declare(name, value_type)
    return [f"{name} = {text}"]


def _update_line(builder: ProgramBuilder, value_type: str) -> str:
    """Write `xs.append(y)` or `x += y`; the variable becomes the last assigned one."""
    for _ in range(_MAX_ATTEMPTS):
        template = weighted_choice(builder.rng, UPDATES[value_type])
        line = fill(builder, template, depth=1, as_line=True)
        name, _, rest = line.removeprefix("del ").partition(" ")
        name = name.split(".")[0].split("[")[0]
        if rest not in (f"-= {name}", f"+= {name}", f"//= {name}"):
            break
    builder.declare(name, value_type)
    return line


def _pick_writable_type(builder: ProgramBuilder, weights: GrammarWeights) -> str:
    """Choose the type of a variable that may be changed, preferably a return type."""
    type_weights = {value_type: weight for weight, value_type in (*weights.returns, *weights.types)}
    writable = {
        value_type: type_weights.get(value_type, 1)
        for name, value_type in builder.types.items()
        if name not in builder.read_only
    }
    if not writable:
        raise UnfillableError("any")
    return weighted_choice(
        builder.rng, [(weight, value_type) for value_type, weight in writable.items()]
    )


def _swap(builder: ProgramBuilder, weights: GrammarWeights, position: Position) -> Lines:
    """Swap two variables, or assign to both at once."""
    value_type = weighted_choice(builder.rng, weights.types)
    names = builder.variables(value_type, writable=True)
    if len(names) < 2:
        raise UnfillableError(value_type)
    a, b = builder.rng.shuffled(names)[:2]
    if chance(builder.rng, 50):
        return [f"{a}, {b} = {b}, {a}"]
    if value_type not in builder.templates:
        raise UnfillableError(value_type)
    return [f"{a}, {b} = {b}, {expression(builder, value_type, depth=0)}"]


def _if(builder: ProgramBuilder, weights: GrammarWeights, position: Position) -> Lines:
    inner = position.nested()
    lines = [f"if {expression(builder, 'bool')}:", *_body(builder, weights, inner)]
    while chance(builder.rng, 25) and len(lines) < 8:
        lines += [f"elif {expression(builder, 'bool')}:", *_body(builder, weights, inner)]
    if chance(builder.rng, 55):
        lines += ["else:", *_body(builder, weights, inner)]
    return lines


def _early_return(builder: ProgramBuilder, weights: GrammarWeights, position: Position) -> Lines:
    return [
        f"if {expression(builder, 'bool')}:",
        f"    return {return_expression(builder, weights)}",
    ]


def _for(builder: ProgramBuilder, weights: GrammarWeights, position: Position) -> Lines:
    lines = _init_accumulator(builder, weights)
    with _block(builder):
        header = for_header(builder)
        lines.append(header.text)
        builder.read_only |= {*header.bound, *header.read_only}
        for name, value_type in header.bound.items():
            builder.declare(name, value_type)
        lines += _body(builder, weights, position.nested(in_loop=True), accumulate=True)
    return lines


def _while(builder: ProgramBuilder, weights: GrammarWeights, position: Position) -> Lines:
    lines = _init_accumulator(builder, weights)
    with _block(builder):
        loop = while_loop(builder)
        lines += [*loop.before, loop.header]
        builder.read_only |= set(loop.read_only)
        # Not `in_loop`: a `continue` could skip the line that makes the loop end.
        inner = Position(position.depth - 1, False, True)
        body = _body(builder, weights, inner, accumulate=True)
        lines += indent(loop.first) + body + indent(loop.last)
    return lines


def _init_accumulator(builder: ProgramBuilder, weights: GrammarWeights) -> Lines:
    """Create a variable that a loop accumulates in, unless an existing one is used."""
    value_type = weighted_choice(builder.rng, weights.accumulators)
    if builder.variables(value_type, writable=True) and chance(builder.rng, 45):
        return []
    name = builder.new_name(value_type)
    builder.declare(name, value_type)
    empty = {"int": "0", "str": "''", "ints": "[]", "strs": "[]", "dict": "{}"}
    start = constant(builder, value_type) if chance(builder.rng, 25) else empty[value_type]
    return [f"{name} = {start}"]


def _body(
    builder: ProgramBuilder,
    weights: GrammarWeights,
    position: Position,
    *,
    accumulate: bool = False,
) -> Lines:
    """Write an indented block of one to three statements.

    With `accumulate`, it is the body of a loop: it usually updates an accumulator, and may begin
    with a conditional `break` or `continue`.
    """
    lines: Lines = []
    with _block(builder):
        if accumulate:
            if position.in_loop and chance(builder.rng, 22):
                keyword = builder.rng.pick(("continue", "continue", "break"))
                lines += [f"if {expression(builder, 'bool')}:", f"    {keyword}"]
            value_type = weighted_choice(builder.rng, weights.accumulators)
            if not builder.variables(value_type, writable=True):
                value_type = _pick_writable_type(builder, weights)
            if value_type in UPDATES and chance(builder.rng, 75):
                lines.append(_update_line(builder, value_type))
        for _ in range(weighted_choice(builder.rng, [(1 if lines else 0, 0), (5, 1), (2, 2)])):
            lines += write_statement(builder, weights, position)
        if position.in_loop and not accumulate and chance(builder.rng, 8):
            lines.append("break")
    return indent(lines)


@contextmanager
def _block(builder: ProgramBuilder) -> Iterator[None]:
    """Forget the variables of a block at its end: the block may not be executed."""
    names, read_only = frozenset(builder.types), builder.read_only
    try:
        yield
    finally:
        # In their new order: what the block assigned last is used first after it.
        builder.types = {
            name: value_type for name, value_type in builder.types.items() if name in names
        }
        builder.read_only = read_only


def return_expression(builder: ProgramBuilder, weights: GrammarWeights) -> str:
    """Write a return value: a variable, an expression, or a tuple of variables."""
    if weights.exact_return_type:
        value_type = weighted_choice(builder.rng, weights.returns)
        if builder.variables(value_type) and chance(builder.rng, 25):
            return pick_variable(builder, value_type)
        return expression(builder, value_type)
    choices = [(weight, each) for weight, each in weights.returns if builder.variables(each)]
    choices = choices or [(1, each) for each in dict.fromkeys(builder.types.values())]
    value_type = weighted_choice(builder.rng, choices)
    if chance(builder.rng, 55):
        # Prefer the type of a recently assigned variable.
        recent = [builder.types[name] for name in list(builder.types)[-2:]]
        possible = {each for _, each in choices}
        value_type = next((each for each in reversed(recent) if each in possible), value_type)
    form = builder.rng.below(10)
    if form < 6 or value_type not in builder.templates:
        use_last = chance(builder.rng, 75)
        return builder.variables(value_type)[-1] if use_last else pick_variable(builder, value_type)
    if form < 8 or len(builder.types) < 2:
        return expression(builder, value_type)
    names = builder.rng.shuffled(list(builder.types)[-4:])[: builder.rng.between(2, 3)]
    return ", ".join(names) if chance(builder.rng, 60) else f"({', '.join(names)})"


def _call(builder: ProgramBuilder, weights: GrammarWeights, position: Position) -> Lines:
    """Assign the result of another function to a new variable."""
    if not builder.calls:
        raise UnfillableError("call")
    value_type = builder.rng.pick(sorted(builder.calls))
    template = weighted_choice(builder.rng, builder.calls[value_type])
    text = fill(builder, template, depth=1, as_line=True)
    name = builder.new_name(value_type)
    builder.declare(name, value_type)
    return [f"{name} = {text}"]


STATEMENTS: dict[str, Callable[[ProgramBuilder, GrammarWeights, Position], Lines]] = {
    "assign": _assign,
    "change": _update,
    "swap": _swap,
    "if": _if,
    "return": _early_return,
    "for": _for,
    "while": _while,
    "call": _call,
}
COMPOUND = frozenset({"if", "for", "while", "return"})
