"""Permutation benchmark: source text and actual results of the programs."""

import builtins
import keyword
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.evaluation.benchmarks.execution import execute
from worldline.core.errors import InputError
from worldline.evaluation.benchmarks.permutation import (
    LENGTHS,
    compose,
    permutation,
    variable_names,
)
from worldline.languages.python.recorder import PythonRecorder


def assignments(source: str) -> list[str]:
    """Reassignments of a program, in order, also several on a line."""
    return [part.strip() for line in source.splitlines() for part in line.split(";") if "=" in part]


def test_default_questions() -> None:
    result = permutation()
    assert result.name == "permutation"
    assert len(result.questions) == len({q.id for q in result.questions}) == 10 * len(LENGTHS)
    assert len({q.program.hash for q in result.questions}) == len(result.questions)
    for question in result.questions:
        facets = question.facets
        assert (facets["variables"], facets["reveal_every"]) == (5, 1)
        assert len(assignments(question.program.source)) == facets["length"]
        assert execute(question.program) == question.expected


@settings(max_examples=60)
@given(
    variables=st.integers(2, 40),
    length=st.integers(1, 30),
    reveal_every=st.integers(1, 33),
    seed=st.integers(-5, 10**9),
)
def test_expected_is_what_execution_returns(
    variables: int, length: int, reveal_every: int, seed: int
) -> None:
    result = permutation(
        variables=variables,
        lengths=[length],
        per_length=2,
        reveal_every=reveal_every,
        seed=seed,
    )
    assert len(result.questions) == 2
    for question in result.questions:
        assert execute(question.program) == question.expected
        lines = question.program.source.splitlines()[1:-1]
        counts = [line.count("=") for line in lines]
        assert sum(counts) == length
        assert set(counts[:-1]) <= {reveal_every}
        assert 1 <= counts[-1] <= reveal_every


def test_every_reassignment_permutes_all_variables() -> None:
    for variables in (2, 3, 5):
        for question in permutation(variables=variables, lengths=[200], per_length=2).questions:
            names = variable_names(variables)
            for each in assignments(question.program.source):
                left, right = (side.split(", ") for side in each.split(" = "))
                assert left == names
                assert sorted(right) == names
                assert right != names


def test_all_permutations_are_drawn() -> None:
    question = permutation(variables=3, lengths=[500], per_length=1).questions[0]
    assert len(set(assignments(question.program.source))) == 5


def test_recorded_result_is_the_expected_value(recorder: PythonRecorder) -> None:
    """The trace shows the state once per line."""
    for reveal_every, lines in ((1, 17), (3, 7), (16, 2), (99, 2)):
        result = permutation(lengths=[16], per_length=2, reveal_every=reveal_every)
        for question in result.questions:
            trace = recorder.record(question.program)
            assert trace.result == question.expected
            steps = [s for s in trace.steps if s.event == "line" and s.line <= lines + 1]
            assert len(steps) == lines


def test_reveal_every_changes_only_the_layout() -> None:
    plain, hidden = permutation(lengths=[7, 8]), permutation(lengths=[7, 8], reveal_every=4)
    for one, other in zip(plain.questions, hidden.questions, strict=True):
        assert (one.id, one.expected, one.program.call) == (
            other.id,
            other.expected,
            other.program.call,
        )
        assert assignments(one.program.source) == assignments(other.program.source)
        assert (one.facets["reveal_every"], other.facets["reveal_every"]) == (1, 4)
    assert plain.hash != hidden.hash


def test_question_does_not_depend_on_the_other_questions() -> None:
    few = permutation(lengths=[64, 16], per_length=2)
    many = {q.id: q for q in permutation().questions}
    assert all(many[q.id] == q for q in few.questions)


@pytest.mark.parametrize("count", [2, 5, 6, 25, 26, 27, 300])
def test_variable_names_are_unique_and_valid(count: int) -> None:
    names = variable_names(count)
    assert len(set(names)) == count
    assert not any(keyword.iskeyword(name) or hasattr(builtins, name) for name in names)
    assert "f" not in names
    (question,) = permutation(variables=count, lengths=[3], per_length=1).questions
    assert execute(question.program) == question.expected
    values = [int(each) for each in re.findall(r"\d+", question.program.call or "")]
    assert sorted(values) == list(range(1, count + 1))


def test_compose_applies_permutations_in_order() -> None:
    values = ["p", "q", "r"]
    first, second = (1, 2, 0), (1, 0, 2)
    after_first = [values[source] for source in first]
    after_both = [after_first[source] for source in second]
    assert [values[source] for source in compose(first, second)] == after_both == ["r", "q", "p"]


@pytest.mark.parametrize(
    ("options", "advice"),
    [
        ({"variables": 1}, "give variables=2 or more"),
        ({"lengths": []}, "as in lengths="),
        ({"lengths": [8, 0]}, "reassignments, 1 or more"),
        ({"lengths": [8, 8]}, "different"),
        ({"per_length": 0}, "give per_length=1 or more"),
        ({"reveal_every": 0}, "give reveal_every=1 or more"),
    ],
)
def test_invalid_arguments_are_refused(options: dict[str, int], advice: str) -> None:
    with pytest.raises(InputError, match=advice):
        permutation(**options)  # type: ignore[arg-type]


def test_options_recreate_the_same_questions() -> None:
    result = permutation(variables=4, lengths=[3, 9], per_length=2, reveal_every=2, seed=5)
    again = permutation(**result.options)  # type: ignore[arg-type]
    assert again == result
    assert permutation(lengths=[3], seed=6).hash != permutation(lengths=[3], seed=5).hash
