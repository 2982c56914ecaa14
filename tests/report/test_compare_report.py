"""Accuracies and comparisons as people read them: numbers with what they are of."""

import json

import pytest
from hypothesis import given

from tests.judged import judged, run_of, runs
from tests.report.printing import printed
from worldline.measures import accuracy, breakdown, compare_runs
from worldline.report import (
    accuracy_lines,
    accuracy_to_json,
    breakdown_table,
    comparison_story,
    comparison_to_json,
)
from worldline.report.compare import comparison_headline
from worldline.report.numbers import p_text, signed
from worldline.runs.judged import Judged


def test_three_numbers_of_a_run() -> None:
    lines = printed(*accuracy_lines(accuracy(run_of(*"rrrrwwcnff")))).splitlines()
    assert lines == [
        "right of all       4 of 8: 50.0% (95% interval 21.5 to 78.5)",
        "right of answered  4 of 6: 66.7% (95% interval 30.0 to 90.3)",
        "not answered       1 cut by the token budget, 1 ended without an answer",
        "outside of these   2 that failed in the infrastructure",
    ]
    repeated = printed(*accuracy_lines(accuracy(run_of("rr", "ww"))))
    assert "2 samples, asked 4 times in all" in repeated


def test_a_run_without_an_answer_has_no_percentage() -> None:
    lines = printed(*accuracy_lines(accuracy([]))).splitlines()
    assert lines[:2] == ["right of all       0 of 0", "right of answered  0 of 0"]


def test_a_table_by_difficulty() -> None:
    rows = [
        judged(f"s{n}", "right" if n < 9 else "cut", difficulty={"steps": n}) for n in range(12)
    ]
    text = printed(breakdown_table(breakdown(rows)))
    assert "8–15" in text
    row = next(line for line in text.splitlines() if "8–15" in line)
    assert row.split() == [
        *("8–15", "1/4", "25.0", "(5–70)", "1/1", "100.0", "(21–100)"),
        *("3", "·", "·"),
    ]


def test_a_group_that_looks_like_markup_is_shown_as_it_is() -> None:
    rows = [judged("a", "right", facets={"[red]x": "[/]\x1b[2J"})]
    rows.append(judged("b", "right", facets={"[red]x": "plain"}))
    text = printed(breakdown_table(breakdown(rows)))
    assert "[red]x" in text
    assert "[/]\\x1b[2J" in text


def test_the_first_line_says_what_changed() -> None:
    a, b = "w" * 41 + "r" * 18 + "r" * 400 + "w" * 337, "r" * 41 + "w" * 18 + "r" * 400 + "w" * 337
    assert comparison_headline(compare_runs(run_of(*a), run_of(*b))) == (
        "B is right on 23 more of 796 shared samples (+2.9 points, 95% interval +1.0 to +4.9; "
        "41 gained, 18 lost; McNemar's exact p = 0.004)"
    )
    assert comparison_headline(compare_runs(run_of(*b), run_of(*a))).startswith(
        "B is right on 23 fewer of 796 shared samples (-2.9 points, 95% interval -4.9 to -1.0; 18"
    )


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        ([], [], "Nothing to compare: the two runs share no sample"),
        (["f", "r"], ["r", "f"], "Nothing to compare: each of 2 shared samples failed in a run"),
        (
            ["r", "w"],
            ["r", "c"],
            "Nothing differs: A and B are right on the same 1 of 2 shared samples (95% interval "
            "of the difference -65.8 to +65.8 points)",
        ),
        (["rw", "w"], ["wr", "w"], "Nothing differs: A and B are right equally often on each of 2"),
        (["r", "w"], ["w", "r"], "B is right on as many of 2 shared samples (0.0 points"),
        (["rw", "ww"], ["wr", "rw"], "B is right more often on 2 shared samples (+25.0 points"),
        (["rw", "rr"], ["wr", "rw"], "B is right less often on 2 shared samples (-25.0 points"),
        (["rw", "rr"], ["rr", "rw"], "B is right as often on 2 shared samples (0.0 points"),
    ],
)
def test_every_kind_of_first_line(a: list[str], b: list[str], said: str) -> None:
    comparison = compare_runs(run_of(*a), run_of(*b))
    assert comparison_headline(comparison).startswith(said)
    assert printed(comparison_story(comparison)).startswith(said)


def test_the_story() -> None:
    a = [
        judged("gained", "wrong", cause="miscopied", matched_steps=3, written_tokens=1200),
        judged("cut", "right", matched_steps=9, written_tokens=800),
        judged("failed", "failed", outcome="error"),
        judged("gone", "right"),
    ]
    b = [
        judged("gained", "right", matched_steps=8, written_tokens=300),
        judged("cut", "cut", outcome="truncated", matched_steps=9, written_tokens=900),
        judged("failed", "right"),
    ]
    text = printed(comparison_story(compare_runs(a, b)))
    lines = text.splitlines()
    assert lines[1].startswith("A right on 1 of 2: 50.0% (95% interval 9.5 to 90.5)")
    assert "where both answered, 1 sample:" in lines
    table = [[c.strip() for c in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert ["right", "·", "·", "1", "1"] in table
    assert ["wrong", "1", "·", "·", "1"] in table
    place = table.index(["cause", *[""] * 6])
    assert table[place + 1] == ["miscopied", "1", "1", "·", "+100.0", "-58.7 to +100.0", "1"]
    assert "p is adjusted for 3 groups (Benjamini and Hochberg): none is below 0.05." in text
    assert "of 2 samples with steps in both runs, B goes further in 1 and less far in 0" in text
    assert "Tokens written: 2,000 in A and 1,200 in B for 2 samples, × 0.600 (95% interval" in text
    assert lines[-1] == (
        "Left out, samples: 1 shared but failed in the infrastructure in either run, 1 only in A"
    )


def test_nothing_that_differs_is_not_searched_for() -> None:
    text = printed(comparison_story(compare_runs(run_of(*"rw"), run_of(*"rw"))))
    assert "Where B gained" not in text
    assert "First divergence: no sample has steps in both runs" in text
    assert "Tokens written: counted for no sample in both runs" in text


def test_clear_groups_are_counted() -> None:
    text = printed(comparison_story(compare_runs(run_of(*"w" * 20), run_of(*"r" * 20))))
    assert "p is adjusted for 1 group (Benjamini and Hochberg): 1 is below 0.05." in text


@given(runs(), runs())
def test_any_comparison_can_be_told_and_written(a: list[Judged], b: list[Judged]) -> None:
    comparison = compare_runs(a, b)
    assert printed(comparison_story(comparison), width=60)
    told = json.loads(json.dumps(comparison_to_json(comparison), allow_nan=False))
    assert told["headline"] == comparison_headline(comparison)
    assert told["overall"]["gained"] == comparison.overall.gained
    assert sum(v["samples"] for v in told["verdicts"]) == pytest.approx(told["overall"]["samples"])
    assert len(told["changes"]) == len(comparison.changes)
    assert told["overall"]["a"]["value"] == comparison.overall.a.value


@given(runs())
def test_any_accuracy_can_be_told_and_written(rows: list[Judged]) -> None:
    found, groups = accuracy(rows), breakdown(rows)
    assert printed(*accuracy_lines(found), breakdown_table(groups), width=60)
    told = json.loads(json.dumps(accuracy_to_json(found, groups), allow_nan=False))
    assert (told["right"], told["of_all"]["of"]) == (found.right, len(rows) - found.failed)
    assert [(g["by"], g["group"]) for g in told["groups"]] == [(g.name, g.group) for g in groups]


def test_numbers_in_words() -> None:
    assert [p_text(p) for p in (1.0, 0.12, 0.0496, 0.0041, 0.0004)] == [
        *("= 1", "= 0.12", "= 0.050", "= 0.004", "< 0.001"),
    ]
    assert [signed(n) for n in (2.94, -0.01, 0.0, -1234.5)] == ["+2.9", "0.0", "0.0", "-1,234.5"]
