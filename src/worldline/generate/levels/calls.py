"""Two to four functions that call one another, one in the argument of the next at times."""

from collections.abc import Sequence
from dataclasses import replace

from worldline.benchmarks.draws import Draws
from worldline.generate.compose import Function, write_function
from worldline.generate.forms import LISTS, LOGIC, NUMBERS, STRINGS, Table, heavier, only, together
from worldline.generate.statements import Palette
from worldline.generate.trial import try_out
from worldline.generate.words import HELPERS, chance, function_name, weighted
from worldline.trace import Program

_FORMS = {
    "int": together(NUMBERS, LOGIC),
    "str": together(STRINGS, NUMBERS),
    "ints": together(NUMBERS, only(LISTS, ["ints", "int", "bool"])),
    "bool": together(NUMBERS, LOGIC, STRINGS),
}
_STATEMENTS = ((5, "assign"), (4, "change"), (2, "if"), (1, "return"), (1, "for"))


def calls(draws: Draws) -> Program:
    """def g(x):  …  def f(a, b):  return g(a) + g(g(b))"""
    name = function_name(draws)
    names = [each for each in draws.shuffled(HELPERS) if each != name]
    inner: list[tuple[Function, str]] = []
    source = ""
    for helper in names[: weighted(draws, [(4, 1), (5, 2), (2, 3)])]:
        kind = weighted(draws, [(6, "int"), (3, "str"), (2, "ints"), (2, "bool")])
        palette = _palette(kind, inner, sizes=((3, 0), (4, 1), (3, 2), (1, 3)))
        function = write_function(
            draws,
            replace(palette, is_exact=True),
            name=helper,
            before=source,
            taken=names,
            calls=_call_forms(inner),
        )
        function = _with_default(draws, function)
        source += f"{function.source}\n"
        inner.append((function, kind))
    palette = _palette(inner[-1][1], inner, sizes=((3, 1), (4, 2), (4, 3), (2, 4)))
    palette = replace(palette, statements=((6, "call"), *_STATEMENTS))
    outer = write_function(
        draws, palette, name=name, before=source, taken=names, calls=_call_forms(inner)
    )
    outer = _that_calls(draws, outer, source, inner)
    return Program(_used(inner, outer), outer.call)


def _used(inner: Sequence[tuple[Function, str]], outer: Function) -> str:
    """The source of a function behind those that it, or another one that it needs, calls."""
    found = outer.source
    for function, _ in reversed(inner):
        if f"{function.name}(" in found:
            found = f"{function.source}\n{found}"
    return found


def _palette(
    kind: str, inner: Sequence[tuple[Function, str]], *, sizes: Sequence[tuple[int, int]]
) -> Palette:
    """What a function is written in that is to return a value of this type."""
    given = {"int": ["int"], "str": ["str", "int"], "ints": ["ints", "int"], "bool": ["int", "str"]}
    types = {"int": ["int"], "str": ["str"], "ints": ["ints", "int"], "bool": ["int", "bool"]}
    return Palette(
        forms=together(_FORMS[kind], {k: heavier(v, 3) for k, v in _call_forms(inner).items()}),
        statements=_STATEMENTS,
        types=[(2, each) for each in types[kind]],
        parameters=[(4 - 2 * n, each) for n, each in enumerate(given[kind])],
        returns=[(8, kind)],
        sizes=sizes,
        gathered=[(1, "int" if kind == "bool" else kind)],
        depth=1,
    )


def _call_forms(inner: Sequence[tuple[Function, str]]) -> Table:
    """The calls of functions that are there, as expressions of what they return."""
    found: Table = {}
    for function, kind in inner:
        holes = [f"<{each}>" for each in function.kinds]
        form = f"{function.name}({', '.join(holes)})"
        forms = [(3, form)]
        if len(holes) > 1 and "=" in function.source.split("\n")[0]:
            forms.append((3, f"{function.name}({', '.join(holes[:-1])})"))
            last = function.parameters[-1].split("=")[0]
            forms.append((1, f"{function.name}({', '.join(holes[:-1])}, {last}={holes[-1]})"))
        if kind == "int":
            forms.append((1, f"{form} + <int>"))
        if kind in function.kinds:
            nested = form.replace(f"<{kind}>", f"{function.name}({', '.join(holes)})", 1)
            forms.append((1, nested))
        found.setdefault(kind, []).extend(forms)
    return found


def _with_default(draws: Draws, function: Function) -> Function:
    """The same function, whose last parameter need not be given at times."""
    if len(function.parameters) < 2 or not chance(draws, 35):
        return function
    last, value = function.parameters[-1], function.arguments[-1]
    if value[0] in "[{":
        return function
    head, _, body = function.source.partition("\n")
    head = head.removesuffix(f"{last}):") + f"{last}={value}):"
    parameters = (*function.parameters[:-1], f"{last}={value}")
    return replace(function, source=f"{head}\n{body}", parameters=parameters)


def _that_calls(
    draws: Draws, outer: Function, before: str, inner: Sequence[tuple[Function, str]]
) -> Function:
    """The same function, and one more line with a call where it has come out without any."""
    if any(f"{function.name}(" in outer.source for function, _ in inner):
        return outer
    function, _ = draws.pick(inner)
    arguments = [
        next((n for n, k in zip(outer.parameters, outer.kinds, strict=True) if k == kind), value)
        for kind, value in zip(function.kinds, function.arguments, strict=True)
    ]
    call = f"{function.name}({', '.join(arguments)})"
    for source in (
        outer.source.replace("    return ", f"    return {call}, ", 1),
        f"{outer.source.split(':')[0]}:\n    return {call}\n",
        f"{outer.source.split(':')[0]}:\n    return {function.call}\n",
    ):
        try:
            is_right = try_out(f"{before}\n{source}", outer.call, most_steps=150) is not None
        except SyntaxError:
            is_right = False
        if is_right:
            break
    return replace(outer, source=source)
