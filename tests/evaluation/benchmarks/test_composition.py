"""Composition benchmark: same shape for every data type, bounded values, actual results."""

import ast
import re
from collections import Counter, defaultdict
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.benchmarks.execution import execute
from worldline.core.errors import InputError
from worldline.evaluation.benchmarks.benchmark import Benchmark
from worldline.evaluation.benchmarks.composition import MAX_DEPTH, composition
from worldline.evaluation.benchmarks.function_chains import MAX_VALUE_CHARS
from worldline.evaluation.benchmarks.functions import TYPES, data_types
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import Question

Forms = dict[tuple[str, int, int], dict[str, Question]]


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    """The benchmark with default options."""
    return composition()


@pytest.fixture(scope="module")
def composed(benchmark: Benchmark) -> Forms:
    """The forms of each composition, by type, depth and number."""
    result: Forms = defaultdict(dict)
    for question in benchmark.questions:
        facets = question.facets
        if facets["form"] != "atom":
            key = (str(facets["data_type"]), int(facets["depth"]), number_of(question))
            result[key][str(facets["form"])] = question
    return dict(result)


def number_of(question: Question) -> int:
    """Number of a question: "string_d07_n2_nested" -> 2"""
    result = re.search(r"_n(\d+)_", question.id)
    assert result is not None
    return int(result[1])


def definitions(question: Question) -> dict[str, str]:
    """Bodies of the functions of a program, by name."""
    return dict(re.findall(r"def (\w+)\(x\):\n((?:    .*\n)+)", question.program.source))


def skeleton(question: Question) -> str:
    """Source of a program without the expressions of its functions g1, g2, …"""
    return re.sub(r"(def g\d+\(x\):\n    return ).*", r"\1…", question.program.source)


def test_every_expected_value_is_what_execution_returns(benchmark: Benchmark) -> None:
    wrong = [q.id for q in benchmark.questions if execute(q.program) != q.expected]
    assert len(benchmark.questions) > 3000
    assert wrong == []


def test_ids_and_facets(benchmark: Benchmark, composed: Forms) -> None:
    assert len({q.id for q in benchmark.questions}) == len(benchmark.questions)
    assert set(composed) == {(t, d, n) for t in TYPES for d in range(1, 21) for n in range(5)}
    assert composed["string", 7, 2]["nested"].id == "string_d07_n2_nested"
    known = {f.name: f for result in data_types().values() for f in result.functions}
    for question in benchmark.questions:
        names = str(question.facets["functions"]).split()
        assert len(names) == question.facets["depth"]
        texts = definitions(question)
        assert len(texts) == len(names) + 1
        for place, name in enumerate(names, 1):
            assert name.startswith(f"{question.facets['data_type']}_")
            assert texts[f"g{place}"] == f"    return {known[name].expression}\n"


def test_only_functions_and_argument_differ_between_types(composed: Forms) -> None:
    shapes: dict[tuple[int, str], set[str]] = defaultdict(set)
    for (_, depth, _), forms in composed.items():
        for form, question in forms.items():
            shapes[depth, form].add(skeleton(question))
    assert all(len(result) == 1 for result in shapes.values())
    assert len(shapes) == 40
    (nested,), (flat,) = shapes[3, "nested"], shapes[3, "flat"]
    start = "".join(f"def g{n}(x):\n    return …\n\n" for n in (1, 2, 3))
    assert nested == start + "def f(x):\n    return g3(g2(g1(x)))\n"
    body = "    t1 = g1(x)\n    t2 = g2(t1)\n    t3 = g3(t2)\n    return t3\n"
    assert flat == start + f"def f(x):\n{body}"


def test_nested_and_flat_forms_have_the_same_functions_and_result(composed: Forms) -> None:
    for forms in composed.values():
        nested, flat = forms["nested"], forms["flat"]
        assert nested.program.call == flat.program.call
        assert nested.expected == flat.expected
        assert {**nested.facets, "form": "flat"} == flat.facets
        ours, theirs = definitions(nested), definitions(flat)
        assert {**ours, "f": ""} == {**theirs, "f": ""}


def test_each_function_is_also_a_question_by_itself(benchmark: Benchmark) -> None:
    atoms = [q for q in benchmark.questions if q.facets["form"] == "atom"]
    counts = Counter(str(q.facets["functions"]) for q in atoms)
    # There are two booleans, and no question occurs twice.
    assert counts == {
        function.name: 2 if name == "bool" else 5
        for name, result in data_types().items()
        for function in result.functions
    }
    assert len({(q.facets["functions"], q.program.call) for q in atoms}) == len(atoms)
    assert all(q.facets["depth"] == 1 for q in atoms)
    assert all(definitions(q)["f"] == "    return g1(x)\n" for q in atoms)
    skipped = {item.id: item.text for item in benchmark.skipped}
    names = [function.name for function in data_types()["bool"].functions]
    assert skipped == dict.fromkeys(names, "3 more questions")


def test_values_stay_short_and_every_function_changes_its_value(composed: Forms) -> None:
    """Each value is valid and differs from the one before."""
    known = {f.name: f.apply for result in data_types().values() for f in result.functions}
    for (name, _, _), forms in composed.items():
        question = forms["nested"]
        value = ast.literal_eval((question.program.call or "")[2:-1])
        names = str(question.facets["functions"]).split()
        for before, after in pairwise(names):
            assert before != after
        for each in names:
            before, value = value, known[each](value)
            assert data_types()[name].is_valid(value)
            assert len(repr(value)) <= MAX_VALUE_CHARS
            assert name == "bool" or value != before
        assert repr(value) == question.expected


def test_long_chains_have_many_different_results() -> None:
    deep = composition(depths=[20], per_depth=20, atoms=0, forms=["flat"])
    for name in TYPES:
        ends = {q.expected for q in deep.questions if q.facets["data_type"] == name}
        assert len(ends) == 2 if name == "bool" else len(ends) >= 12, (name, ends)


def test_recorded_result_and_step_count_are_as_expected(
    benchmark: Benchmark, recorder: PythonRecorder
) -> None:
    """For every type: a call, a line and a return step for each function."""
    steps: dict[tuple[object, object], set[int]] = defaultdict(set)
    sample = [q for q in benchmark.questions if number_of(q) == 1]
    sample = [q for q in sample if q.facets["depth"] in (1, 4, 13)]
    for question in sample[::3]:
        trace = recorder.record(question.program)
        assert trace.result == question.expected
        steps[question.facets["depth"], question.facets["form"]].add(len(trace.steps))
    # In addition to the functions: main and f, and a line for each assignment.
    wanted = {(d, "nested"): {3 * d + 6} for d in (1, 4, 13)}
    wanted |= {(d, "flat"): {4 * d + 6} for d in (1, 4, 13)}
    assert steps == {**wanted, (1, "atom"): {9}}


def test_question_does_not_depend_on_the_other_questions(benchmark: Benchmark) -> None:
    few = composition(types=["set", "mixed"], depths=[9, 3], per_depth=2, atoms=2, forms=["flat"])
    many = {q.id: q for q in benchmark.questions}
    assert all(many[q.id] == q for q in few.questions)
    assert len(few.questions) == 2 * 2 * 2 + 2 * sum(
        len(data_types()[name].functions) for name in ("set", "mixed")
    )


@settings(max_examples=15)
@given(
    types=st.lists(st.sampled_from(TYPES), min_size=1, max_size=2, unique=True),
    depth=st.integers(1, MAX_DEPTH),
    seed=st.integers(-5, 10**9),
)
def test_expected_values_for_any_depth_and_seed(types: list[str], depth: int, seed: int) -> None:
    result = composition(types=types, depths=[depth], per_depth=2, atoms=1, seed=seed)
    atoms = sum(len(data_types()[name].functions) for name in types)
    assert len(result.questions) == 4 * len(types) + atoms
    assert all(execute(q.program) == q.expected for q in result.questions)


def test_missing_questions_are_reported_as_skipped() -> None:
    """There are 28 functions and two booleans: 56 different questions of depth 1."""
    result = composition(types=["bool"], depths=[1], per_depth=100, atoms=0, forms=["nested"])
    assert len({q.program.hash for q in result.questions}) == len(result.questions) <= 56
    (missing,) = result.skipped
    assert missing.id == "bool_d01"
    assert missing.text == f"{100 - len(result.questions)} more questions"


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"types": []}, "one or more of bool, bitwise"),
        ({"types": ["string", "words"]}, "one or more of bool, bitwise"),
        ({"types": ["string", "string"]}, "each once"),
        ({"forms": ["inline"]}, "one or more of nested, flat"),
        ({"forms": []}, "one or more of nested, flat"),
        ({"depths": []}, "from 1 to 100"),
        ({"depths": [0]}, "from 1 to 100"),
        ({"depths": [101]}, "from 1 to 100"),
        ({"depths": [3, 3]}, "give each once"),
        ({"per_depth": 0}, "give per_depth=1 or more"),
        ({"atoms": -1}, "give atoms=0 or more"),
    ],
)
def test_invalid_arguments_are_refused(options: dict[str, list[str]], advice: str) -> None:
    with pytest.raises(InputError, match=advice):
        composition(**options)  # type: ignore[arg-type]


def test_options_recreate_the_same_questions() -> None:
    result = composition(types=["dict"], depths=[2, 5], per_depth=2, atoms=1, seed=5)
    assert composition(**result.options) == result  # type: ignore[arg-type]
    assert composition(types=["dict"], depths=[2, 5], per_depth=2, atoms=1).hash != result.hash
