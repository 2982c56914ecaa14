"""The catalogue of functions: different ones, total, pure, and bounded."""

import ast
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any

import pytest

from worldline.benchmarks.chains import LONGEST, draw_chains
from worldline.benchmarks.draws import Draws
from worldline.benchmarks.functions import TYPES, DataType, data_types
from worldline.benchmarks.functions.catalogue import check_catalogue
from worldline.errors import InputError

# What would open a frame of its own, on some Pythons, and make programs of a depth unlike.
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
    """Values that functions are given: arguments, and what chains make of them."""
    draws = Draws("test", data_type.name)
    arguments = [data_type.argument(draws) for _ in range(300)]
    chains = [
        chain
        for depth in (1, 2, 3, 5, 8, 13)
        for chain in draw_chains(data_type, depth, 100, draws)
    ]
    return arguments + [chain.result for chain in chains]


def test_the_types_and_how_many_functions_they_have() -> None:
    assert (*PYTHON_TYPES, "mixed") == TYPES
    counts = {name: len(found.functions) for name, found in data_types().items()}
    assert all(count >= 20 for count in counts.values()), counts
    names = Counter(f.name for found in data_types().values() for f in found.functions)
    assert set(names.values()) == {1}


def test_names_and_texts(data_type: DataType) -> None:
    for function in data_type.functions:
        assert function.name.startswith(f"{data_type.name}_")
        assert " " not in function.name
        tree = ast.parse(function.expression, mode="eval")
        assert not any(isinstance(node, FRAMES) for node in ast.walk(tree)), function
        assert "\n" not in function.expression
        assert "x" in {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def test_the_text_is_the_function(data_type: DataType) -> None:
    values = values_of(data_type)
    for function in data_type.functions:
        fresh = eval(f"lambda x: {function.expression}", {})
        for value in values:
            if type(value) is function.takes:
                assert repr(fresh(value)) == repr(function.apply(value))


def test_functions_raise_nothing_change_nothing_and_are_not_constant(data_type: DataType) -> None:
    """On all values that fit; arguments do."""
    values = values_of(data_type)
    assert all(data_type.fits(value) for value in values)
    assert max(len(repr(value)) for value in values) <= LONGEST
    for function in data_type.functions:
        taken = [value for value in values if type(value) is function.takes]
        kept = deepcopy(taken)
        results = {repr(function.apply(value)) for value in taken}
        assert len(results) > 1, function
        assert taken == kept


def test_types_stay_or_change(data_type: DataType) -> None:
    """Every type is mapped to itself; `mixed` always goes on to another one, and to all."""
    changes = Counter[tuple[type, type]]()
    for value in values_of(data_type):
        for function in data_type.functions:
            if type(value) is function.takes:
                changes[type(value), type(function.apply(value))] += 1
    if data_type.name == "mixed":
        seven = {int, float, str, list, tuple, dict, set}
        assert {before for before, _ in changes} == {after for _, after in changes} == seven
        assert all(before is not after for before, after in changes)
    else:
        own = PYTHON_TYPES[data_type.name]
        assert set(changes) == {(own, own)}


def test_functions_do_different_things(data_type: DataType) -> None:
    """For each pair there is a value that tells them apart, but for `bool`, where there are only
    two functions to be told apart, and both are there."""
    values = values_of(data_type)
    pictures = {
        function.name: [
            repr(function.apply(value)) for value in values if type(value) is function.takes
        ]
        for function in data_type.functions
    }
    takes = {function.name: function.takes for function in data_type.functions}
    if data_type.name == "bool":
        assert len({tuple(picture) for picture in pictures.values()}) == 2
        return
    for one, other in combinations(pictures, 2):
        assert takes[one] is not takes[other] or pictures[one] != pictures[other], (one, other)


def test_sets_are_written_in_one_order() -> None:
    """Whatever made them: the reason for their being so small."""
    for value in values_of(data_types()["set"]):
        assert repr(value) == f"{{{', '.join(map(str, sorted(value)))}}}"


def test_floats_are_exact() -> None:
    for value in values_of(data_types()["float"]):
        whole, part = divmod(abs(value), 1)
        assert (
            repr(abs(value)) == f"{int(whole)}{ {0: '.0', 1: '.25', 2: '.5', 3: '.75'}[part * 4] }"
        )


def test_a_name_or_a_text_that_is_there_twice_is_refused() -> None:
    found = data_types()["list"]
    first, second = found.functions[:2]
    for twice in (replace(second, name=first.name), replace(second, expression=first.expression)):
        with pytest.raises(InputError, match="2 times; change or drop"):
            check_catalogue([replace(found, functions=(first, twice))])
    check_catalogue([found])
