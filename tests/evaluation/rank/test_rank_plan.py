"""Tests as calls with values, plans, outputs and the choice of inputs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.evaluation.rank.sample_problems import square_problem
from worldline.core.errors import InputError
from worldline.evaluation.rank import (
    choose_inputs,
    make_plan,
    output_key,
    parse_test,
    with_inputs,
)


@pytest.mark.parametrize(
    ("test", "call", "expected"),
    [
        ("assert f(1, x=2) == 3, 'why'", "f(1, x=2)", 3),
        ("assert f( [1,2] )==[2]", "f([1, 2])", [2]),
        ("assert f('a') is True", "f('a')", True),
        ("assert not f(1)", "f(1)", False),
        ("assert f(1)", "f(1)", True),
        ("assert 5 == f(1)", "f(1)", 5),
    ],
)
def test_a_test_states_the_value_of_a_call(test: str, call: str, expected: object) -> None:
    asserted = parse_test(test, "f")
    assert asserted is not None
    assert (asserted.call, asserted.expected) == (call, expected)


@pytest.mark.parametrize(
    "test",
    [
        "assert f(1) == f(2)",
        "assert f(x) == 1",
        "assert g(1) == 1",
        "assert f(1) > 2",
        "assert f(1) == 2; assert f(2) == 3",
        "x = f(1)",
        "assert ____ == f(1)",
        "assert (",
        "assert True",
    ],
)
def test_a_test_without_a_value_is_not_used(test: str) -> None:
    assert parse_test(test, "f") is None


def test_a_plan_for_executions_keeps_all_tests() -> None:
    problem = square_problem(tests=("assert f(1) == 1", "assert f(1) > 0", "assert f(1) == 1"))
    plan = make_plan(problem)
    assert [(test.text, test.weight) for test in plan.tests] == [
        ("assert f(1) == 1", 2),
        ("assert f(1) > 0", 1),
    ]
    assert plan.inputs == ()


def test_a_plan_for_predictions_keeps_tests_that_state_a_value() -> None:
    problem = square_problem(tests=("assert f(1) == 1", "assert f(1) > 0", "assert f(2) == 4"))
    plan = make_plan(problem, needs_calls=True)
    assert [test.text for test in plan.tests] == ["assert f(1) == 1", "assert f(2) == 4"]
    assert plan.inputs == ("f(1)", "f(2)")
    assert plan.skipped_tests == 1
    assert [test.text for test in with_inputs(plan, ["f(2)"]).tests] == ["assert f(2) == 4"]


def test_without_tests_outputs_are_compared() -> None:
    plan = make_plan(square_problem(tests=(), inputs=("f( 1 )", "f(1)", "f(2)")))
    assert (plan.consensus, plan.tests, plan.inputs) == ("outputs", (), ("f(1)", "f(2)"))


def test_the_inputs_of_tests_serve_the_comparison_of_outputs() -> None:
    plan = make_plan(square_problem(inputs=("f(5)",)), consensus="outputs")
    assert plan.inputs == ("f(5)", "f(3)", "f(-2)", "f(0)")


def test_calls_need_the_name_of_the_function() -> None:
    with pytest.raises(InputError, match="add `function`"):
        make_plan(square_problem(function=None), needs_calls=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("{'b': 1.0, 'a': True}", "{'a': 1, 'b': 1}"),
        ("{3, 1, 2}", "{1, 2, 3}"),
        ("[1,2]", "[1, 2]"),
        ("<f at 0x7f01>", "<f at 0x5500>"),
        ("-0.0", "0"),
    ],
)
def test_equal_outputs_have_the_same_key(one: str, other: str) -> None:
    assert output_key(one) == output_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("[1]", "(1,)"), ("'1'", "1"), ("1.5", "1"), ("{1}", "[1]"), ("nan", "'nan'")],
)
def test_different_outputs_have_different_keys(one: str, other: str) -> None:
    assert output_key(one) != output_key(other)


literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner, inner)
        | st.dictionaries(st.integers() | st.text(max_size=2), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(one=literals, other=literals)
def test_keys_are_the_same_exactly_for_equal_literals(one: object, other: object) -> None:
    if "inf" not in repr((one, other)):
        assert (output_key(repr(one)) == output_key(repr(other))) == (one == other)


def test_the_input_that_splits_most_is_chosen_first() -> None:
    outputs: dict[str, list[str | None]] = {
        "f(0)": ["0", "0", "0", "0"],
        "f(1)": ["1", "1", "1", "2"],
        "f(2)": ["4", "4", "5", "6"],
        "f(3)": ["9", "8", "9", "9"],
    }
    chosen = choose_inputs(outputs, 3)
    assert [each.call for each in chosen] == ["f(2)", "f(3)"]
    assert (chosen[0].before, chosen[0].after, chosen[0].pairs) == ((4,), (2, 1, 1), 5)
    assert (chosen[1].before, chosen[1].after, chosen[1].pairs) == ((2, 1, 1), (1, 1, 1, 1), 1)
    assert chosen[0].reason == (
        "it splits 4 candidates in 1 group into 3 groups of 2, 1, 1: 5 new pairs differ"
    )
    assert choose_inputs(outputs, 1) == chosen[:1]


def test_among_equal_inputs_values_count_more_than_exceptions() -> None:
    outputs: dict[str, list[str | None]] = {"f(1)": [None, "1"], "f(100)": ["3", "1"]}
    assert [each.call for each in choose_inputs(outputs, 1)] == ["f(100)"]


def test_nothing_is_chosen_if_nothing_differs() -> None:
    assert choose_inputs({"f(1)": ["1", "1"]}, 3) == ()
    assert choose_inputs({}, 3) == ()


@given(
    rows=st.integers(1, 6).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from(["0", "1", None]), min_size=n, max_size=n), max_size=5
        )
    )
)
def test_enough_chosen_inputs_distinguish_what_all_inputs_do(rows: list[list[str | None]]) -> None:
    outputs = {f"f({number})": row for number, row in enumerate(rows)}
    chosen = choose_inputs(outputs, len(rows))
    n = len(rows[0]) if rows else 0
    by_all = {tuple(row[i] for row in rows) for i in range(n)}
    by_chosen = {tuple(outputs[each.call][i] for each in chosen) for i in range(n)}
    assert len(by_all) == len(by_chosen)
    # Each choice distinguishes at least as many new pairs as any later one.
    assert [c.pairs for c in chosen] == sorted((c.pairs for c in chosen), reverse=True)
