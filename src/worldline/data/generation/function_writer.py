"""Random functions that execute without errors, written statement by statement."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.dry_run import DryRunResult, execute_dry_run
from worldline.data.generation.identifiers import (
    LETTERS,
    argument_int,
    chance,
    function_name,
    random_letters,
    random_word,
    small_float,
    small_int,
    weighted_choice,
)
from worldline.data.generation.program_builder import ProgramBuilder, Templates
from worldline.data.generation.statement_writers import (
    GrammarWeights,
    Position,
    indent,
    return_expression,
    write_statement,
)

_MAX_ATTEMPTS = 15
# Weighted step limits: most traces are short, some are long.
_STEP_LIMITS = ((4, 25), (4, 40), (2, 60), (1, 90))


@dataclass(frozen=True, slots=True)
class Function:
    """A generated function, and arguments that it executes with."""

    name: str
    source: str
    parameters: tuple[str, ...]
    parameter_types: tuple[str, ...]
    arguments: tuple[str, ...]

    @property
    def call(self) -> str:
        """ "f(1, 'a')" """
        return f"{self.name}({', '.join(self.arguments)})"


def write_single_function(rng: SeededRandom, weights: GrammarWeights) -> Program:
    """Write a program of one function."""
    function = write_function(rng, weights, name=function_name(rng))
    return Program(function.source, function.call)


def write_function(
    rng: SeededRandom,
    weights: GrammarWeights,
    *,
    name: str,
    before: str = "",
    used_names: Sequence[str] = (),
    calls: Templates | None = None,
) -> Function:
    """Write a function that executes with its arguments.

    Args:
        rng: Source of the random choices.
        weights: What the function consists of.
        name: Name of the function.
        before: Source of the functions that it may call.
        used_names: Names that its variables must not have.
        calls: Templates that call the functions in `before`, by return type.
    """
    builder = ProgramBuilder(
        rng, weights.templates, used_names={name, "f", *used_names}, calls=calls or {}
    )
    parameters, parameter_types, arguments = _declare_parameters(builder, weights)
    header = f"def {name}({', '.join(parameters)}):"
    call = f"{name}({', '.join(arguments)})"
    max_steps = weighted_choice(rng, _STEP_LIMITS)
    lines: list[str] = []
    failures, remaining = 0, weighted_choice(rng, weights.statement_counts)
    required_at = rng.between(1, max(1, remaining))
    while remaining > 0 and failures < _MAX_ATTEMPTS:
        saved = dict(builder.types), set(builder.used_names)
        position = Position(weights.depth)
        added = write_statement(builder, weights, position, required=remaining == required_at)
        result = _dry_run(before, header, [*lines, *added, "return None"], call, max_steps)
        first = before.count("\n") + 2 + len(lines) + 1
        if result is None or not _is_accepted(rng, first, added, result, is_last=remaining == 1):
            builder.types, builder.used_names = saved
            failures += 1
            continue
        lines += added
        # After a statement that always returns, nothing more is executed.
        remaining = remaining - 1 if first + len(added) in result.lines else 0
    lines.append(_return_line(builder, weights, before, header, lines, call, max_steps))
    source = "\n".join([header, *indent(lines), ""])
    return Function(name, source, tuple(parameters), tuple(parameter_types), tuple(arguments))


def _is_accepted(
    rng: SeededRandom, first: int, added: list[str], result: DryRunResult, *, is_last: bool
) -> bool:
    """Whether to keep a statement that begins at line `first`.

    Usually its loops must be entered, at least a third of its lines executed, and only the last
    statement may always return.
    """
    executed = [first + number in result.lines for number in range(len(added) + 1)]
    loops = (n for n, line in enumerate(added) if line.startswith(("for ", "while ")))
    is_idle = not all(executed[n + 1] for n in loops)
    is_idle |= len(added) > 3 and sum(executed[:-1]) < len(added) / 3
    if is_idle and chance(rng, 85):
        return False
    return executed[-1] or is_last or chance(rng, 35)


def _dry_run(
    before: str, header: str, lines: list[str], call: str, max_steps: int
) -> DryRunResult | None:
    source = "\n".join([before, header, *indent(lines), ""])
    return execute_dry_run(source, call, max_steps=max_steps)


def _return_line(
    builder: ProgramBuilder,
    weights: GrammarWeights,
    before: str,
    header: str,
    lines: list[str],
    call: str,
    max_steps: int,
) -> str:
    for _ in range(_MAX_ATTEMPTS):
        line = f"return {return_expression(builder, weights)}"
        # The same value as an early return just before it: that condition would decide nothing.
        if lines and lines[-1].strip() == line:
            continue
        if _dry_run(before, header, [*lines, line], call, max_steps + 2) is not None:
            return line
    return f"return {list(builder.types)[-1]}"


def _declare_parameters(
    builder: ProgramBuilder, weights: GrammarWeights
) -> tuple[list[str], list[str], list[str]]:
    """Choose one to three parameters: their names, types and arguments."""
    names, value_types, arguments = [], [], []
    for _ in range(weighted_choice(builder.rng, [(4, 1), (5, 2), (2, 3)])):
        value_type = weighted_choice(builder.rng, weights.parameters)
        name = builder.new_name(value_type)
        builder.declare(name, value_type)
        names.append(name)
        value_types.append(value_type)
        arguments.append(random_argument(builder, value_type))
    return names, value_types, arguments


def random_argument(builder: ProgramBuilder, value_type: str) -> str:
    """Random argument of a type; its letters and keys become those that expressions use."""
    rng = builder.rng
    if value_type == "str":
        text = random_word(rng)
        builder.letters = text
        return repr(text)
    if value_type == "strs":
        texts = [random_word(rng)[:6] for _ in range(rng.between(1, 4))]
        builder.letters = "".join(texts)
        return repr(texts)
    if value_type == "dict":
        keys = _random_keys(rng)
        builder.keys = tuple(keys)
        return repr({key: small_int(rng) for key in keys})
    if value_type == "ints":
        return repr(_random_ints(rng))
    if value_type == "pair":
        return repr((argument_int(rng), argument_int(rng)))
    if value_type == "set":
        return repr({small_int(rng) for _ in range(rng.between(1, 4))})
    if value_type == "float":
        return repr(small_float(rng))
    if value_type == "bool":
        return repr(chance(rng, 50))
    return repr(argument_int(rng))


def _random_ints(rng: SeededRandom) -> list[int]:
    largest = rng.pick((3, 9, 9, 30, 99))
    lengths = [(1, 1), (2, 2), (4, 3), (4, 4), (3, 5), (1, 6), (1, 7)]
    return [
        -rng.between(1, 9) if chance(rng, 6) else rng.between(0, largest)
        for _ in range(weighted_choice(rng, lengths))
    ]


def _random_keys(rng: SeededRandom) -> list[str]:
    count = rng.between(1, 4)
    if chance(rng, 60):
        return rng.shuffled(LETTERS[:6] if chance(rng, 50) else LETTERS)[:count]
    return list(
        dict.fromkeys(
            random_letters(rng, 2, 4) if chance(rng, 30) else random_word(rng)[:5]
            for _ in range(count)
        )
    )
