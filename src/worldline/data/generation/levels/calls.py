"""Level `calls`: two to four functions that call each other, sometimes in nested calls."""

from collections.abc import Sequence
from dataclasses import replace

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.generation.dry_run import execute_dry_run
from worldline.data.generation.function_writer import Function, write_function
from worldline.data.generation.grammar import (
    LISTS,
    LOGIC,
    NUMBERS,
    STRINGS,
    TemplateTable,
    merge,
    scale_weights,
    select_types,
)
from worldline.data.generation.identifiers import HELPERS, chance, function_name, weighted_choice
from worldline.data.generation.statement_writers import GrammarWeights

_TEMPLATES = {
    "int": merge(NUMBERS, LOGIC),
    "str": merge(STRINGS, NUMBERS),
    "ints": merge(NUMBERS, select_types(LISTS, ["ints", "int", "bool"])),
    "bool": merge(NUMBERS, LOGIC, STRINGS),
}
# Helper functions, each with its return type.
_Helpers = Sequence[tuple[Function, str]]
_STATEMENTS = ((5, "assign"), (4, "change"), (2, "if"), (1, "return"), (1, "for"))


def write_calls(rng: SeededRandom) -> Program:
    """def g(x):  …  def f(a, b):  return g(a) + g(g(b))"""
    name = function_name(rng)
    names = [each for each in rng.shuffled(HELPERS) if each != name]
    helpers: list[tuple[Function, str]] = []
    source = ""
    for helper_name in names[: weighted_choice(rng, [(4, 1), (5, 2), (2, 3)])]:
        return_type = weighted_choice(rng, [(6, "int"), (3, "str"), (2, "ints"), (2, "bool")])
        weights = _weights_for(
            return_type, helpers, statement_counts=((3, 0), (4, 1), (3, 2), (1, 3))
        )
        function = write_function(
            rng,
            replace(weights, exact_return_type=True),
            name=helper_name,
            before=source,
            used_names=names,
            calls=_call_templates(helpers),
        )
        function = _with_default(rng, function)
        source += f"{function.source}\n"
        helpers.append((function, return_type))
    weights = _weights_for(
        helpers[-1][1], helpers, statement_counts=((3, 1), (4, 2), (4, 3), (2, 4))
    )
    weights = replace(weights, statements=((6, "call"), *_STATEMENTS))
    outer = write_function(
        rng, weights, name=name, before=source, used_names=names, calls=_call_templates(helpers)
    )
    outer = _ensure_call(rng, outer, source, helpers)
    return Program(_join_called(helpers, outer), outer.call)


def _join_called(helpers: _Helpers, outer: Function) -> str:
    """Put the functions that are called, directly or not, before the outer one."""
    source = outer.source
    for function, _ in reversed(helpers):
        if f"{function.name}(" in source:
            source = f"{function.source}\n{source}"
    return source


def _weights_for(
    return_type: str, helpers: _Helpers, *, statement_counts: Sequence[tuple[int, int]]
) -> GrammarWeights:
    """Weights of a function with this return type."""
    parameter_types = {
        "int": ["int"],
        "str": ["str", "int"],
        "ints": ["ints", "int"],
        "bool": ["int", "str"],
    }
    variable_types = {
        "int": ["int"],
        "str": ["str"],
        "ints": ["ints", "int"],
        "bool": ["int", "bool"],
    }
    return GrammarWeights(
        templates=merge(
            _TEMPLATES[return_type],
            {k: scale_weights(v, 3) for k, v in _call_templates(helpers).items()},
        ),
        statements=_STATEMENTS,
        types=[(2, each) for each in variable_types[return_type]],
        parameters=[(4 - 2 * n, each) for n, each in enumerate(parameter_types[return_type])],
        returns=[(8, return_type)],
        statement_counts=statement_counts,
        accumulators=[(1, "int" if return_type == "bool" else return_type)],
        depth=1,
    )


def _call_templates(helpers: _Helpers) -> TemplateTable:
    """Templates that call the given functions, by return type."""
    calls: TemplateTable = {}
    for function, return_type in helpers:
        placeholders = [f"<{each}>" for each in function.parameter_types]
        template = f"{function.name}({', '.join(placeholders)})"
        templates = [(3, template)]
        if len(placeholders) > 1 and "=" in function.source.split("\n")[0]:
            templates.append((3, f"{function.name}({', '.join(placeholders[:-1])})"))
            last = function.parameters[-1].split("=")[0]
            templates.append(
                (1, f"{function.name}({', '.join(placeholders[:-1])}, {last}={placeholders[-1]})")
            )
        if return_type == "int":
            templates.append((1, f"{template} + <int>"))
        if return_type in function.parameter_types:
            nested = template.replace(f"<{return_type}>", template, 1)
            templates.append((1, nested))
        calls.setdefault(return_type, []).extend(templates)
    return calls


def _with_default(rng: SeededRandom, function: Function) -> Function:
    """Sometimes give the last parameter a default value."""
    if len(function.parameters) < 2 or not chance(rng, 35):
        return function
    last, value = function.parameters[-1], function.arguments[-1]
    if value[0] in "[{":
        return function
    head, _, body = function.source.partition("\n")
    head = head.removesuffix(f"{last}):") + f"{last}={value}):"
    parameters = (*function.parameters[:-1], f"{last}={value}")
    return replace(function, source=f"{head}\n{body}", parameters=parameters)


def _ensure_call(rng: SeededRandom, outer: Function, before: str, helpers: _Helpers) -> Function:
    """Add a call to a function that contains none."""
    if any(f"{function.name}(" in outer.source for function, _ in helpers):
        return outer
    function, _ = rng.pick(helpers)
    parameters = list(zip(outer.parameters, outer.parameter_types, strict=True))
    arguments = [
        next((name for name, its_type in parameters if its_type == value_type), default)
        for value_type, default in zip(function.parameter_types, function.arguments, strict=True)
    ]
    call = f"{function.name}({', '.join(arguments)})"
    # From the variant closest to the original to the simplest one.
    for source in (
        outer.source.replace("    return ", f"    return {call}, ", 1),
        f"{outer.source.split(':')[0]}:\n    return {call}\n",
        f"{outer.source.split(':')[0]}:\n    return {function.call}\n",
    ):
        try:
            is_valid = execute_dry_run(f"{before}\n{source}", outer.call, max_steps=150) is not None
        except SyntaxError:
            is_valid = False
        if is_valid:
            break
    return replace(outer, source=source)
