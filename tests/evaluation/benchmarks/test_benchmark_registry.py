"""Benchmarks by name, with options as typed on a command line."""

import inspect
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from worldline.core.errors import InputError
from worldline.evaluation.benchmarks import benchmark_registry
from worldline.evaluation.benchmarks.benchmark import Benchmark, BenchmarkOptions
from worldline.evaluation.benchmarks.benchmark_registry import (
    BENCHMARKS,
    describe_benchmarks,
    load_benchmark,
)
from worldline.evaluation.benchmarks.option_parser import format_option, parse_option


def growing_programs(
    *,
    size: int,
    depths: list[int] = [1, 2, 3],  # noqa: B006
    kinds: Sequence[str] = ("int", "str"),
    share: float = 0.5,
    name: str = "x",
) -> Benchmark:
    """Programs that grow.

    More details.
    """
    options: BenchmarkOptions = {
        "size": size,
        "depths": list(depths),
        "kinds": list(kinds),
        "share": share,
        "name": name,
    }
    return Benchmark("grown", (), options)


@pytest.fixture
def with_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(benchmark_registry, "BENCHMARKS", {**BENCHMARKS, "grown": growing_programs})


@pytest.mark.usefixtures("with_grown")
def test_options_are_parsed_by_their_annotations() -> None:
    options = {"size": "5", "depths": "1-3,8", "kinds": "a, b", "share": "0.25", "name": "7"}
    assert load_benchmark("grown", options=options).options == {
        "size": 5,
        "depths": [1, 2, 3, 8],
        "kinds": ["a", "b"],
        "share": 0.25,
        "name": "7",
    }
    assert load_benchmark("grown", options={"size": "5"}).options["depths"] == [1, 2, 3]


@pytest.mark.usefixtures("with_grown")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sise": "5"}, "no option of grown 'sise' .did you mean size.*size, depths, kinds, share"),
        ({"size": "five"}, "grown: size=five: expected a whole number"),
        ({"size": "1.5"}, "expected a whole number"),
        ({"size": "1", "share": "half"}, "share=half: expected a number"),
        ({"size": "1", "depths": "1-x"}, "'1-x' is neither a whole number nor a range"),
        ({"size": "1", "depths": "3-1"}, "the range 3-1 is empty; write 1-3"),
        ({"size": "1", "depths": "1,,2"}, "expected values with a comma between them"),
        ({"size": "1", "depths": ""}, "expected values with a comma between them"),
        ({"size": "1", "depths": "1-9999999999"}, "more than 100,000 numbers"),
        ({"depths": "1"}, "grown needs a value for size"),
    ],
)
def test_invalid_options_are_refused(options: Mapping[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_benchmark("grown", options=options)


@pytest.mark.usefixtures("with_grown")
def test_generated_benchmark_takes_no_data() -> None:
    with pytest.raises(InputError, match="grown is generated: it takes no data"):
        load_benchmark("grown", data="folder", options={"size": "1"})


@pytest.mark.usefixtures("with_grown")
def test_descriptions_show_summary_and_default_options() -> None:
    result = {each.name: each for each in describe_benchmarks()}
    assert list(result)[:4] == ["cruxeval", "cruxeval-x", "humaneval", "humaneval-x"]
    assert result["grown"].summary == "Programs that grow."
    assert result["grown"].options == {
        "size": None,
        "depths": "1-3",
        "kinds": "int,str",
        "share": "0.5",
        "name": "x",
    }
    assert result["humaneval"].options == {"per_problem": "5"}
    assert result["cruxeval"].options == {}


def test_every_default_option_can_be_formatted_and_parsed() -> None:
    for each in describe_benchmarks():
        assert each.summary
        parameters = inspect.signature(BENCHMARKS[each.name], eval_str=True).parameters
        for name, text in each.options.items():
            assert text is not None
            typed = parse_option(text, parameters[name].annotation)
            default = parameters[name].default
            assert typed == (list(default) if isinstance(default, list | tuple) else default)


@given(st.lists(st.integers(), min_size=1) | st.integers(-5, 5).map(lambda n: [n, n + 1, n + 2]))
def test_lists_of_numbers_round_trip_as_text(numbers: list[int]) -> None:
    assert parse_option(format_option(numbers), list[int]) == numbers
    assert parse_option(format_option(tuple(numbers)), Sequence[int]) == numbers


def test_benchmark_is_loaded_with_data_and_options(tmp_path: Path) -> None:
    test = "def check(candidate):\n    assert candidate(1) == 1\n    assert candidate(2) == 2\n"
    row = {"task_id": "HumanEval/0", "prompt": "def f(x):\n", "entry_point": "f", "test": test}
    row |= {"canonical_solution": "    return x\n"}
    (tmp_path / "HumanEval.jsonl").write_text(json.dumps(row), encoding="utf-8")
    one = load_benchmark("humaneval", data=str(tmp_path), options={"per_problem": "1"})
    assert ([q.id for q in one.questions], one.options) == (["HumanEval_0_tc0"], {"per_problem": 1})
    assert len(load_benchmark("humaneval", data=str(tmp_path)).questions) == 2


def test_path_is_loaded_as_program_files(tmp_path: Path) -> None:
    path = tmp_path / "sums.py"
    path.write_text("def f(x):\n    return x\n# call: f(1)\n", encoding="utf-8")
    assert [question.id for question in load_benchmark(str(path)).questions] == ["sums_tc0"]
    assert len(load_benchmark(str(tmp_path)).questions) == 1
    with pytest.raises(InputError, match="takes no options and no data"):
        load_benchmark(str(path), data="x")
    with pytest.raises(InputError, match="takes no options and no data"):
        load_benchmark(str(path), options={"per_problem": "1"})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "humanevl",
            r"no benchmark 'humanevl' \(did you mean humaneval\?\); available: cruxeval, c",
        ),
        (
            "/no/such.jsonl",
            r"no benchmark '/no/such.jsonl'; available: .*; or give a file or a fold",
        ),
    ],
)
def test_unknown_benchmark_is_refused_with_a_hint(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_benchmark(name)
