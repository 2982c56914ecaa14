"""Accuracy of a run, overall and by group."""

import pytest
from hypothesis import given

from tests.support.scored_samples import make_scored_sample, run_of, runs
from worldline.analysis.stats import share
from worldline.evaluation.metrics import accuracy, accuracy_by_group
from worldline.evaluation.metrics.binning import group_samples, power_of_two_bin
from worldline.evaluation.metrics.grouped_accuracy import consistent_values
from worldline.evaluation.runs.scored_sample import ScoredSample


def test_infrastructure_errors_are_excluded_and_truncated_samples_are_unanswered() -> None:
    result = accuracy(run_of(*"rrrrwwcnff"))
    assert (result.samples, result.asked) == (10, 10)
    assert (
        result.correct,
        result.incorrect,
        result.truncated,
        result.no_answer,
        result.infra_error,
    ) == (4, 2, 1, 1, 2)
    assert result.of_all == share(4, 8)
    assert result.of_answered == share(4, 6)


def test_repeats_are_not_independent() -> None:
    result = accuracy(run_of("rrrr", "wwww", "rrrr", "wwwf"))
    once = share(2, 4)
    assert (result.samples, result.asked) == (4, 16)
    assert (result.of_all.correct, result.of_all.of) == (8, 15)
    assert result.of_all.low == pytest.approx(once.low, abs=0.03)
    assert result.of_all.high == pytest.approx(once.high, abs=0.03)


def test_an_empty_run() -> None:
    result = accuracy([])
    assert (result.asked, result.of_all.value, result.of_answered.low) == (0, None, None)
    assert accuracy(run_of(*"ff")).of_all.of == 0
    assert accuracy_by_group([]) == ()


@given(runs())
def test_verdicts_sum_up_to_the_samples(rows: list[ScoredSample]) -> None:
    result = accuracy(rows)
    answered = result.correct + result.incorrect
    assert (
        answered + result.no_answer + result.truncated + result.infra_error
        == result.asked
        == len(rows)
    )
    assert result.of_answered.of == answered
    assert result.of_all.of == result.asked - result.infra_error
    assert result.of_all.correct == result.of_answered.correct == result.correct


@given(runs())
def test_number_groups_partition_the_run(rows: list[ScoredSample]) -> None:
    groups = accuracy_by_group(rows)
    for name in ("depth", "steps"):
        some = [group.accuracy for group in groups if group.name == name]
        assert sum(result.asked for result in some) == len(rows)
        assert sum(result.correct for result in some) == accuracy(rows).correct


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, "0"), (1, "1"), (2, "2–3"), (3, "2–3"), (4, "4–7"), (1023, "512–1023"), (-5, "below 0")],
)
def test_bins_end_at_powers_of_two(number: int, name: str) -> None:
    assert power_of_two_bin(number) == name


def test_few_numbers_form_one_group_each() -> None:
    few = {str(n): {"depth": n} for n in (9, 1, 5, 1)}
    assert group_samples(few) == {"depth": {"1": ["1"], "5": ["5"], "9": ["9"]}}
    many = group_samples({f"s{n}": {"steps": n} for n in range(20)})["steps"]
    assert list(many) == ["0", "1", "2–3", "4–7", "8–15", "16–31"]
    assert [len(samples) for samples in many.values()] == [1, 1, 2, 4, 8, 4]


def test_a_sample_is_in_the_group_of_each_of_its_words() -> None:
    values = {"a": {"kinds": "int str"}, "b": {"kinds": "str str"}, "c": {"kinds": ""}}
    assert group_samples(values, split_words=True) == {"kinds": {"str": ["a", "b"], "int": ["a"]}}
    assert group_samples({"a": {"level": "very hard"}}) == {"level": {"very hard": ["a"]}}


def test_rare_words_form_the_group_others() -> None:
    values = {f"s{n}": {"task": f"t{n % 20 if n < 38 else 0:02}"} for n in range(40)}
    groups = group_samples(values)["task"]
    assert list(groups)[:2] == ["t00", "t01"]
    assert list(groups)[-1] == "others"
    assert len(groups) == 13
    assert sum(map(len, groups.values())) == 40


def test_inconsistent_values_are_ignored() -> None:
    assert consistent_values([{"steps": 17, "calls": 2}, {"steps": 17, "calls": 3}, {}]) == {
        "steps": 17
    }


def test_groups_have_their_source() -> None:
    rows = [
        make_scored_sample("a", "correct", facets={"depth": 1}, difficulty={"kinds": "int str"}),
        make_scored_sample("b", "truncated", facets={"depth": 2}, difficulty={"kinds": "int"}),
    ]
    result = [
        (group.source, group.name, group.group, group.accuracy.correct, group.accuracy.asked)
        for group in accuracy_by_group(rows)
    ]
    assert result == [
        ("facets", "depth", "1", 1, 1),
        ("facets", "depth", "2", 0, 1),
        ("difficulty", "kinds", "int", 1, 2),
        ("difficulty", "kinds", "str", 1, 1),
    ]


def test_the_word_others_is_merged_with_the_group_others() -> None:
    words = ["others"] * 3 + [f"w{n}" for n in range(14)]
    groups = group_samples({str(n): {"topic": word} for n, word in enumerate(words)})["topic"]
    assert sorted(sample for some in groups.values() for sample in some) == sorted(
        str(n) for n in range(len(words))
    )
    assert {"0", "1", "2"} < set(groups["others"])
