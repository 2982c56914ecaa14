"""Selection of programs: how probable a prediction is, and which programs are chosen."""

import random
from dataclasses import replace

import pytest

from worldline.core.trace import Program
from worldline.data.curriculum import (
    OperationSkill,
    PoolProgram,
    choose_at_random,
    choose_programs,
)
from worldline.data.curriculum.curriculum_file import describe_choice
from worldline.data.curriculum.program_choice import KNOWN, TOO_HARD
from worldline.models.prediction import Question

SKILL = OperationSkill({"int +": (990, 1000), "str.replace": (500, 1000), "never": (0, 1000)})


def pool_of(*operations: dict[str, int]) -> list[PoolProgram]:
    return [
        PoolProgram(Question(f"p{number}", Program("def f(): pass", f"f({number})")), each)
        for number, each in enumerate(operations)
    ]


def test_the_accuracy_of_a_rare_operation_is_close_to_the_mean() -> None:
    assert SKILL.accuracy("int +") == pytest.approx(0.99, abs=0.005)
    assert SKILL.accuracy("str.replace") == pytest.approx(0.5, abs=0.005)
    assert SKILL.accuracy("not in the run") == SKILL.mean
    once = OperationSkill({"int +": (990, 1000), "rare": (0, 1)})
    assert 0.7 < once.accuracy("rare") < once.mean


def test_longer_programs_are_less_probable() -> None:
    assert SKILL.expected({}) == 1
    assert SKILL.expected({"str.replace": 1}) == pytest.approx(0.5, abs=0.01)
    assert SKILL.expected({"str.replace": 3}) == pytest.approx(0.125, abs=0.01)
    assert SKILL.expected({"str.replace": 1, "int +": 10}) < SKILL.expected({"str.replace": 1})


def test_the_expected_share_is_that_of_a_simulated_model() -> None:
    chance = random.Random(1)
    actual = {"a": 0.95, "b": 0.8, "c": 0.6}
    counts = {
        name: (sum(chance.random() < rate for _ in range(2000)), 2000)
        for name, rate in actual.items()
    }
    skill = OperationSkill(counts)
    programs = [{name: chance.randrange(4) for name in actual} for _ in range(3000)]
    successes = [
        all(chance.random() < actual[name] for name, n in each.items() for _ in range(n))
        for each in programs
    ]
    expected = sum(map(skill.expected, programs)) / len(programs)
    assert expected == pytest.approx(sum(successes) / len(successes), abs=0.03)


def test_neither_known_nor_impossible_programs_are_at_the_edge() -> None:
    pool = pool_of({"int +": 2}, {"str.replace": 1}, {"never": 3}, {"str.replace": 2}, {})
    choices = choose_programs(pool, SKILL, count=2, known=0)
    assert [each.program.question.id for each in choices] == ["p1", "p3"]
    assert all(TOO_HARD <= each.expected < KNOWN for each in choices)
    assert {each.reason for each in choices} == {"edge"}


def test_the_programs_nearest_to_an_edge_with_too_few_follow() -> None:
    pool = pool_of({"int +": 2}, {"str.replace": 1}, {"never": 3}, {"str.replace": 7})
    choices = choose_programs(pool, SKILL, count=3, known=0)
    reasons = {each.program.question.id: each.reason for each in choices}
    assert reasons == {"p0": "nearest", "p1": "edge", "p3": "nearest"}


def test_the_probability_of_a_scored_program_decides_instead_of_its_operations() -> None:
    hard, easy, open_ = pool_of({"never": 3}, {"int +": 2}, {"never": 3})
    scored = [
        replace(hard, probability=0.5),
        replace(easy, probability=0.001),
        replace(open_, probability=0.95),
    ]
    choices = choose_programs(scored, SKILL, count=3, known=0.34)
    assert [(each.reason, each.expected) for each in choices] == [
        ("edge", 0.5),
        ("nearest", 0.001),
        ("known", 0.95),
    ]
    assert describe_choice(scored, choices, SKILL).known == 1


def test_random_programs_do_not_depend_on_the_skill() -> None:
    pool = pool_of(*({"int +": 1} if n % 2 else {"never": 9} for n in range(40)))
    chosen, others, again = (
        [each.program.question.id for each in choose_at_random(pool, skill, count=10, seed=seed)]
        for skill, seed in ((SKILL, 0), (SKILL, 1), (OperationSkill({}), 0))
    )
    assert chosen == again != others
    assert len(set(chosen)) == 10


def test_a_share_of_known_programs_is_chosen_against_forgetting() -> None:
    pool = pool_of(*[{"int +": 1}] * 50, *[{"str.replace": 1}] * 50)
    choices = choose_programs(pool, SKILL, count=20, known=0.25)
    assert sum(each.reason == "known" for each in choices) == 5
    assert len(choices) == 20
    assert choices == choose_programs(pool, SKILL, count=20, known=0.25)
    others = choose_programs(pool, SKILL, count=20, known=0.25, seed=1)
    assert [each.program for each in others] != [each.program for each in choices]


def test_operations_that_were_chosen_often_make_room_for_others() -> None:
    skill = OperationSkill({"a": (500, 1000), "b": (550, 1000)})
    pool = pool_of(*[{"a": 1}] * 100, *[{"b": 1}] * 100)
    choices = choose_programs(pool, skill, count=40, known=0)
    of_b = sum("b" in each.program.operations for each in choices)
    # `a` alone is worth more each time, but not the fortieth time.
    assert 15 <= of_b <= 25


def test_the_description_says_what_the_choice_favours() -> None:
    pool = pool_of(*[{"int +": 1}] * 90, *[{"str.replace": 1}] * 10)
    choices = choose_programs(pool, SKILL, count=10, known=0)
    result = describe_choice(pool, choices, SKILL, excluded=3)
    first = result.operations[0]
    assert (first.name, first.correct, first.of) == ("str.replace", 500, 1000)
    assert (first.pool, first.chosen) == (0.1, 1.0)
    assert (result.pool, result.known, result.too_hard, result.excluded) == (100, 90, 0, 3)
    assert result.chosen == {"edge": 10}
    assert result.expected_chosen < result.expected_pool
