"""Every level writes programs that run, have small values and are rarely duplicates."""

import ast
import re
from functools import cache
from typing import Any

import pytest

from worldline.analysis.alignment import answers_equal
from worldline.analysis.diagnosis import value_kind
from worldline.core.trace import Program, check_call
from worldline.data.generation import DEFAULT_LEVELS, LEVELS
from worldline.data.generation.candidates import Chunk, make_candidates, write_program
from worldline.data.generation.canonical_hash import hash_program, hash_source
from worldline.data.generation.dry_run import fits
from worldline.evaluation.benchmarks import load_benchmark
from worldline.languages.python.recorder import PythonRecorder

EXPECTED_KINDS = {
    "reassign": {"int", "str", "tuple"},
    "arithmetic": {"int", "float", "bool", "tuple"},
    "branches": {"int", "str", "bool", "tuple"},
    "loops": {"int", "str", "list", "dict", "tuple"},
    "strings": {"int", "str", "bool", "list", "tuple"},
    "containers": {"int", "list", "dict", "set", "tuple"},
    "calls": {"int", "str", "bool", "list", "tuple"},
    "recursion": {"int", "str", "bool", "list", "tuple"},
    "permutations": {"tuple"},
}


def evaluate(program: Program) -> Any:
    """Evaluate a call in this process, without a recorder."""
    space: dict[str, Any] = {}
    exec(program.source, space)
    return eval(program.call or "", space)


def programs(level: str, count: int, *, seed: int = 0) -> list[Program]:
    return [written(seed, level, number) for number in range(count)]


@cache
def written(seed: int, level: str, number: int) -> Program:
    """Program of a level; the tests of this file share those of seed 0."""
    return write_program(seed, level, number)


@pytest.mark.parametrize("level", LEVELS)
def test_expected_values_are_those_of_python(level: str, recorder: PythonRecorder) -> None:
    candidates = make_candidates(Chunk(3, level, 0, 60, 300, 200), recorder)
    kept = [each.question for each in candidates if each.question is not None]
    assert len(kept) >= 55
    for question in kept:
        assert question.expected is not None
        assert answers_equal(question.expected, repr(evaluate(question.program)))
        assert question.facets["level"] == level
        assert question.facets["kind"] == value_kind(question.expected)
        assert 3 < int(question.facets["steps"]) <= 300


@pytest.mark.parametrize("level", LEVELS)
def test_programs_run_and_return_small_values(level: str) -> None:
    kinds = set()
    for program in programs(level, 200):
        value = evaluate(program)
        assert fits(value), program
        kinds.add(value_kind(repr(value)))
        check_call(program.call or "")
        tree = ast.parse(program.source)
        assert all(isinstance(node, ast.FunctionDef) for node in tree.body)
        assert "#" not in program.source
        assert re.fullmatch(r"(?:(?:    )*\S.*\n|\n(?=def ))+", program.source), program.source
    assert kinds >= EXPECTED_KINDS[level]


@pytest.mark.parametrize("level", LEVELS)
def test_duplicates_are_rare(level: str) -> None:
    made = programs(level, 500)
    assert len({hash_program(program) for program in made}) >= 475
    assert len({hash_source(program.source) for program in made}) >= 350


@pytest.mark.parametrize("level", LEVELS)
def test_seed_and_number_determine_the_program(level: str) -> None:
    assert programs(level, 30) == [write_program(0, level, number) for number in range(30)]
    assert write_program(0, level, 29) == programs(level, 30)[29]
    others = programs(level, 30, seed=1)
    assert sum(a == b for a, b in zip(programs(level, 30), others, strict=True)) <= 1


@pytest.mark.parametrize("level", DEFAULT_LEVELS)
def test_many_programs_can_be_written(level: str) -> None:
    # For a share of 0.9, the limits below are five standard deviations away.
    names = [program.call or "" for program in programs(level, 500)]
    share = sum(name.startswith("f(") for name in names) / len(names)
    assert 0.8 < share < 0.97


def test_a_random_letter_is_not_taken_for_a_placeholder() -> None:
    # It compares with "D", which is also a placeholder in a template.
    program = write_program(77, "recursion", 8044)
    assert "< 'D'" in program.text
    ast.parse(program.text)


def test_reassignments_have_a_long_tail() -> None:
    lines = [program.source.count("\n") - 2 for program in programs("reassign", 1500)]
    assert min(lines) == 1
    assert 110 <= max(lines) <= 130
    assert 0.09 < sum(length > 40 for length in lines) / len(lines) < 0.15
    assert sorted(lines)[len(lines) // 2] <= 10


def test_permutations_have_the_form_of_the_benchmark() -> None:
    """Only the order of the names and the values differs."""
    options = {"variables": "5", "lengths": "1,2,3,4", "per_length": "1"}
    benchmark = [
        question.program for question in load_benchmark("permutation", options=options).questions
    ]
    forms = {re.sub(r"\b[a-e1-5]\b", "_", f"{each.source}{each.call}") for each in benchmark}
    made = [
        re.sub(r"\b[a-e1-5]\b", "_", f"{each.source}{each.call}")
        for each in programs("permutations", 300)
    ]
    assert forms <= set(made)
    assert max(text.count("\n") - 2 for text in made) <= 32


@pytest.mark.parametrize(
    ("level", "wanted"),
    [
        ("branches", ["if ", "elif ", "else:", " and ", " or ", "not ", " else ", "return "]),
        ("loops", ["for ", "while ", "break", "continue", "+= ", "range(", "enumerate("]),
        ("strings", [".upper()", ".replace(", ".strip(", "[::-1]", ".find(", ".split(", ".join("]),
        ("containers", [".append(", ".pop(", ".insert(", ".sort(", "sum(", ".items()", ".get("]),
        ("arithmetic", [" + ", " - ", " * ", " // ", " % ", " / ", "-", " > ", " == "]),
    ],
)
def test_a_level_uses_its_constructs(level: str, wanted: list[str]) -> None:
    text = "".join(program.source for program in programs(level, 300))
    assert [part for part in wanted if part not in text] == []


def calls_of(program: Program) -> dict[str, set[str]]:
    """Map each function of a program to those of its functions that it calls."""
    tree = ast.parse(program.source)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    own = {function.name for function in functions}
    return {
        function.name: own
        & {
            node.func.id
            for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        for function in functions
    }


def reached(calls: dict[str, set[str]], name: str) -> set[str]:
    """Functions that a function calls, directly or not."""
    names: set[str] = set()
    waiting = [name]
    while waiting:
        new = calls[waiting.pop()] - names
        names |= new
        waiting += new
    return names


def test_level_calls_calls_every_function() -> None:
    for program in programs("calls", 200):
        calls = calls_of(program)
        entry = (program.call or "").split("(")[0]
        assert len(calls) >= 2
        assert reached(calls, entry) == set(calls) - {entry}, program.source


def test_level_recursion_is_recursive() -> None:
    for program in programs("recursion", 200):
        calls = calls_of(program)
        assert any(name in reached(calls, name) for name in calls), program.source
