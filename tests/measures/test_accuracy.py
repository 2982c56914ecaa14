"""The three numbers of a run, in all and by difficulty."""

import pytest
from hypothesis import given

from tests.judged import judged, run_of, runs
from worldline.measures import accuracy, breakdown
from worldline.measures.breakdown import agreed
from worldline.measures.groups import bin_of, group_samples
from worldline.runs.judged import Judged
from worldline.stats import share


def test_failed_is_outside_and_cut_is_not_answered() -> None:
    found = accuracy(run_of(*"rrrrwwcnff"))
    assert (found.samples, found.asked) == (10, 10)
    assert (found.right, found.wrong, found.cut, found.no_answer, found.failed) == (4, 2, 1, 1, 2)
    assert found.of_all == share(4, 8)
    assert found.of_answered == share(4, 6)


def test_repeats_of_a_sample_are_alike() -> None:
    found = accuracy(run_of("rrrr", "wwww", "rrrr", "wwwf"))
    once = share(2, 4)
    assert (found.samples, found.asked) == (4, 16)
    assert (found.of_all.right, found.of_all.of) == (8, 15)
    assert found.of_all.low == pytest.approx(once.low, abs=0.03)
    assert found.of_all.high == pytest.approx(once.high, abs=0.03)


def test_nothing_at_all() -> None:
    found = accuracy([])
    assert (found.asked, found.of_all.value, found.of_answered.low) == (0, None, None)
    assert accuracy(run_of(*"ff")).of_all.of == 0
    assert breakdown([]) == ()


@given(runs())
def test_the_verdicts_are_all_there_are(rows: list[Judged]) -> None:
    found = accuracy(rows)
    answered = found.right + found.wrong
    assert answered + found.no_answer + found.cut + found.failed == found.asked == len(rows)
    assert found.of_answered.of == answered
    assert found.of_all.of == found.asked - found.failed
    assert found.of_all.right == found.of_answered.right == found.right


@given(runs())
def test_groups_by_numbers_share_out_the_run(rows: list[Judged]) -> None:
    groups = breakdown(rows)
    for name in ("depth", "steps"):
        some = [group.accuracy for group in groups if group.name == name]
        assert sum(found.asked for found in some) == len(rows)
        assert sum(found.right for found in some) == accuracy(rows).right


@pytest.mark.parametrize(
    ("number", "name"),
    [(0, "0"), (1, "1"), (2, "2–3"), (3, "2–3"), (4, "4–7"), (1023, "512–1023"), (-5, "below 0")],
)
def test_bins_end_at_powers_of_two(number: int, name: str) -> None:
    assert bin_of(number) == name


def test_few_numbers_are_groups_of_their_own() -> None:
    few = {str(n): {"depth": n} for n in (9, 1, 5, 1)}
    assert group_samples(few) == {"depth": {"1": ["1"], "5": ["5"], "9": ["9"]}}
    many = group_samples({f"s{n}": {"steps": n} for n in range(20)})["steps"]
    assert list(many) == ["0", "1", "2–3", "4–7", "8–15", "16–31"]
    assert [len(samples) for samples in many.values()] == [1, 1, 2, 4, 8, 4]


def test_a_list_of_words_is_in_the_group_of_each() -> None:
    values = {"a": {"kinds": "int str"}, "b": {"kinds": "str str"}, "c": {"kinds": ""}}
    assert group_samples(values, is_listed=True) == {"kinds": {"str": ["a", "b"], "int": ["a"]}}
    assert group_samples({"a": {"level": "very hard"}}) == {"level": {"very hard": ["a"]}}


def test_many_words_leave_others() -> None:
    values = {f"s{n}": {"task": f"t{n % 20 if n < 38 else 0:02}"} for n in range(40)}
    groups = group_samples(values)["task"]
    assert list(groups)[:2] == ["t00", "t01"]
    assert list(groups)[-1] == "others"
    assert len(groups) == 13
    assert sum(map(len, groups.values())) == 40


def test_what_rows_of_a_sample_disagree_on_is_not_known() -> None:
    assert agreed([{"steps": 17, "calls": 2}, {"steps": 17, "calls": 3}, {}]) == {"steps": 17}


def test_a_breakdown_says_whose_word_it_is() -> None:
    rows = [
        judged("a", "right", facets={"depth": 1}, difficulty={"kinds": "int str"}),
        judged("b", "cut", facets={"depth": 2}, difficulty={"kinds": "int"}),
    ]
    found = [
        (group.source, group.name, group.group, group.accuracy.right, group.accuracy.asked)
        for group in breakdown(rows)
    ]
    assert found == [
        ("facets", "depth", "1", 1, 1),
        ("facets", "depth", "2", 0, 1),
        ("difficulty", "kinds", "int", 1, 2),
        ("difficulty", "kinds", "str", 1, 1),
    ]


def test_a_word_that_is_others_is_not_lost_among_the_others() -> None:
    words = ["others"] * 3 + [f"w{n}" for n in range(14)]
    groups = group_samples({str(n): {"topic": word} for n, word in enumerate(words)})["topic"]
    assert sorted(sample for some in groups.values() for sample in some) == sorted(
        str(n) for n in range(len(words))
    )
    assert {"0", "1", "2"} < set(groups["others"])
