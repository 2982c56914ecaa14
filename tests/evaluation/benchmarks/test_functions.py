"""Catalogue of functions: different, total, pure and bounded."""

import ast
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from worldline.core.errors import InputError
from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.benchmarks.function_chains import MAX_VALUE_CHARS, draw_chains
from worldline.evaluation.benchmarks.functions import TYPES, DataType, data_types
from worldline.evaluation.benchmarks.functions.catalogue import check_catalogue

# Expressions that have their own frame on some versions of Python, and so more steps.
FRAMES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
PYTHON_TYPES = {
    "bool": bool,
    "bitwise": int,
    "integer": int,
    "float": float,
    "character": str,
    "string": str,
    "list": list,
    "set": set,
    "dict": dict,
    "tuple": tuple,
}


@pytest.fixture(scope="module", params=TYPES)
def data_type(request: pytest.FixtureRequest) -> DataType:
    return data_types()[request.param]


@cache
def values_of(data_type: DataType) -> list[Any]:
    """Arguments of functions: first values, and results of chains."""
    rng = SeededRandom("test", data_type.name)
    arguments = [data_type.draw_argument(rng) for _ in range(300)]
    chains = [
        chain for depth in (1, 2, 3, 5, 8, 13) for chain in draw_chains(data_type, depth, 100, rng)
    ]
    return arguments + [chain.result for chain in chains]


def test_each_type_has_at_least_twenty_functions() -> None:
    assert (*PYTHON_TYPES, "mixed") == TYPES
    counts = {name: len(result.functions) for name, result in data_types().items()}
    assert all(count >= 20 for count in counts.values()), counts
    names = Counter(f.name for result in data_types().values() for f in result.functions)
    assert set(names.values()) == {1}


def test_function_names_and_expressions_are_well_formed(data_type: DataType) -> None:
    for function in data_type.functions:
        assert function.name.startswith(f"{data_type.name}_")
        assert " " not in function.name
        tree = ast.parse(function.expression, mode="eval")
        assert not any(isinstance(node, FRAMES) for node in ast.walk(tree)), function
        assert "\n" not in function.expression
        assert "x" in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def test_expression_computes_what_the_function_returns(data_type: DataType) -> None:
    values = values_of(data_type)
    for function in data_type.functions:
        fresh = eval(f"lambda x: {function.expression}", {})
        for value in values:
            if type(value) is function.argument_type:
                assert repr(fresh(value)) == repr(function.apply(value))


def test_functions_are_total_pure_and_not_constant(data_type: DataType) -> None:
    """On all valid values; arguments are valid."""
    values = values_of(data_type)
    assert all(data_type.is_valid(value) for value in values)
    assert max(len(repr(value)) for value in values) <= MAX_VALUE_CHARS
    for function in data_type.functions:
        taken = [value for value in values if type(value) is function.argument_type]
        kept = deepcopy(taken)
        results = {repr(function.apply(value)) for value in taken}
        assert len(results) > 1, function
        assert taken == kept


def test_functions_keep_their_type_except_in_mixed(data_type: DataType) -> None:
    """A function of `mixed` always changes the type, and all types occur."""
    changes = Counter[tuple[type, type]]()
    for value in values_of(data_type):
        for function in data_type.functions:
            if type(value) is function.argument_type:
                changes[type(value), type(function.apply(value))] += 1
    if data_type.name == "mixed":
        seven = {int, float, str, list, tuple, dict, set}
        assert {before for before, _ in changes} == {after for _, after in changes} == seven
        assert all(before is not after for before, after in changes)
    else:
        own = PYTHON_TYPES[data_type.name]
        assert set(changes) == {(own, own)}


def test_no_two_functions_are_equivalent(data_type: DataType) -> None:
    """For each pair there is a value with different results, except for `bool`.

    There are only two non-constant functions of a boolean, and both occur.
    """
    values = values_of(data_type)
    results = {
        function.name: [
            repr(function.apply(value)) for value in values if type(value) is function.argument_type
        ]
        for function in data_type.functions
    }
    argument_type = {function.name: function.argument_type for function in data_type.functions}
    if data_type.name == "bool":
        assert len({tuple(row) for row in results.values()}) == 2
        return
    for one, other in combinations(results, 2):
        assert argument_type[one] is not argument_type[other] or results[one] != results[other], (
            one,
            other,
        )


def test_text_of_a_set_is_sorted() -> None:
    """However they were built: that is why they contain only small integers."""
    for value in values_of(data_types()["set"]):
        assert repr(value) == f"{{{', '.join(map(str, sorted(value)))}}}"


def test_floats_are_exact_multiples_of_a_quarter() -> None:
    for value in values_of(data_types()["float"]):
        whole, part = divmod(abs(value), 1)
        assert (
            repr(abs(value)) == f"{int(whole)}{ {0: '.0', 1: '.25', 2: '.5', 3: '.75'}[part * 4] }"
        )


def test_duplicate_name_or_expression_is_refused() -> None:
    result = data_types()["list"]
    first, second = result.functions[:2]
    for twice in (replace(second, name=first.name), replace(second, expression=first.expression)):
        with pytest.raises(InputError, match="2 times; change or drop"):
            check_catalogue([replace(result, functions=(first, twice))])
    check_catalogue([result])
