"""What a level writes in goes in; a function that runs comes out, statement by statement."""

from collections.abc import Sequence
from dataclasses import dataclass

from worldline.benchmarks.draws import Draws
from worldline.generate.sketch import Forms, Sketch
from worldline.generate.statements import Palette, Place, indented, returned, statement
from worldline.generate.trial import Tried, try_out
from worldline.generate.words import (
    LETTERS,
    argument_int,
    chance,
    function_name,
    letters,
    small_float,
    small_int,
    weighted,
    word,
)
from worldline.trace import Program

_PATIENCE = 15
# Most traces are short, some are long.
_STEPS = ((4, 25), (4, 40), (2, 60), (1, 90))


@dataclass(frozen=True, slots=True)
class Function:
    """A function that was written, and the arguments that it was tried out with."""

    name: str
    source: str
    parameters: tuple[str, ...]
    kinds: tuple[str, ...]
    arguments: tuple[str, ...]

    @property
    def call(self) -> str:
        """ "f(1, 'a')" """
        return f"{self.name}({', '.join(self.arguments)})"


def compose(draws: Draws, palette: Palette) -> Program:
    """A program of one function."""
    function = write_function(draws, palette, name=function_name(draws))
    return Program(function.source, function.call)


def write_function(
    draws: Draws,
    palette: Palette,
    *,
    name: str,
    before: str = "",
    taken: Sequence[str] = (),
    calls: Forms | None = None,
) -> Function:
    """A function that can be called with its arguments. `before` is the source of the functions
    that it may call, by the names that are taken."""
    sketch = Sketch(draws, palette.forms, taken={name, "f", *taken}, calls=calls or {})
    parameters, kinds, arguments = _parameters(sketch, palette)
    head = f"def {name}({', '.join(parameters)}):"
    call = f"{name}({', '.join(arguments)})"
    most_steps = weighted(draws, _STEPS)
    lines: list[str] = []
    vain, left = 0, weighted(draws, palette.sizes)
    needed = draws.between(1, max(1, left))
    while left > 0 and vain < _PATIENCE:
        kept = dict(sketch.types), set(sketch.taken)
        more = statement(sketch, palette, Place(palette.depth), is_needed=left == needed)
        tried = _tried(before, head, [*lines, *more, "return None"], call, most_steps)
        first = before.count("\n") + 2 + len(lines) + 1
        if tried is None or not _is_wanted(draws, first, more, tried, is_last=left == 1):
            sketch.types, sketch.taken = kept
            vain += 1
            continue
        lines += more
        # Behind a return nothing more is executed.
        left = left - 1 if first + len(more) in tried.lines else 0
    lines.append(_last_line(sketch, palette, before, head, lines, call, most_steps))
    source = "\n".join([head, *indented(lines), ""])
    return Function(name, source, tuple(parameters), tuple(kinds), tuple(arguments))


def _is_wanted(draws: Draws, first: int, more: list[str], tried: Tried, *, is_last: bool) -> bool:
    """Whether a statement, from its first line on, is as most should be: its loop is begun, most
    of it is executed, and it does not end the function before its time."""
    executed = [first + number in tried.lines for number in range(len(more) + 1)]
    heads = (n for n, line in enumerate(more) if line.startswith(("for ", "while ")))
    is_idle = not all(executed[n + 1] for n in heads)
    is_idle |= len(more) > 3 and sum(executed[:-1]) < len(more) / 3
    if is_idle and chance(draws, 85):
        return False
    return executed[-1] or is_last or chance(draws, 35)


def _tried(before: str, head: str, lines: list[str], call: str, most_steps: int) -> Tried | None:
    source = "\n".join([before, head, *indented(lines), ""])
    return try_out(source, call, most_steps=most_steps)


def _last_line(
    sketch: Sketch,
    palette: Palette,
    before: str,
    head: str,
    lines: list[str],
    call: str,
    most_steps: int,
) -> str:
    for _ in range(_PATIENCE):
        last = f"return {returned(sketch, palette)}"
        # A test that decides nothing.
        if lines and lines[-1].strip() == last:
            continue
        if _tried(before, head, [*lines, last], call, most_steps + 2) is not None:
            return last
    return f"return {list(sketch.types)[-1]}"


def _parameters(sketch: Sketch, palette: Palette) -> tuple[list[str], list[str], list[str]]:
    names, kinds, arguments = [], [], []
    for _ in range(weighted(sketch.draws, [(4, 1), (5, 2), (2, 3)])):
        kind = weighted(sketch.draws, palette.parameters)
        name = sketch.new(kind)
        sketch.declare(name, kind)
        names.append(name)
        kinds.append(kind)
        arguments.append(argument(sketch, kind))
    return names, kinds, arguments


def argument(sketch: Sketch, kind: str) -> str:
    """A value to call a function with; its letters and keys are those that expressions use."""
    draws = sketch.draws
    if kind == "str":
        text = word(draws)
        sketch.letters = text
        return repr(text)
    if kind == "strs":
        texts = [word(draws)[:6] for _ in range(draws.between(1, 4))]
        sketch.letters = "".join(texts)
        return repr(texts)
    if kind == "dict":
        keys = _keys(draws)
        sketch.keys = tuple(keys)
        return repr({key: small_int(draws) for key in keys})
    if kind == "ints":
        return repr(_ints(draws))
    if kind == "pair":
        return repr((argument_int(draws), argument_int(draws)))
    if kind == "set":
        return repr({small_int(draws) for _ in range(draws.between(1, 4))})
    if kind == "float":
        return repr(small_float(draws))
    if kind == "bool":
        return repr(chance(draws, 50))
    return repr(argument_int(draws))


def _ints(draws: Draws) -> list[int]:
    most = draws.pick((3, 9, 9, 30, 99))
    return [
        -draws.between(1, 9) if chance(draws, 6) else draws.between(0, most)
        for _ in range(weighted(draws, [(1, 1), (2, 2), (4, 3), (4, 4), (3, 5), (1, 6), (1, 7)]))
    ]


def _keys(draws: Draws) -> list[str]:
    count = draws.between(1, 4)
    if chance(draws, 60):
        return draws.shuffled(LETTERS[:6] if chance(draws, 50) else LETTERS)[:count]
    return list(
        dict.fromkeys(
            letters(draws, 2, 4) if chance(draws, 30) else word(draws)[:5] for _ in range(count)
        )
    )
