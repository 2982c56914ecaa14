"""Accuracies and comparisons as text: every percentage with its counts."""

import json
import re

import pytest
from hypothesis import given

from tests.interfaces.report.printing import printed
from tests.support.scored_samples import make_scored_sample, run_of, runs
from worldline.evaluation.metrics import accuracy, accuracy_by_group, compare_runs
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.interfaces.report import (
    accuracy_lines,
    accuracy_to_json,
    breakdown_table,
    comparison_story,
    comparison_to_json,
)
from worldline.interfaces.report.comparison_text import comparison_headline
from worldline.interfaces.report.number_format import p_text, signed


def test_accuracy_has_counts_and_intervals() -> None:
    lines = printed(*accuracy_lines(accuracy(run_of(*"rrrrwwcnff")))).splitlines()
    assert lines == [
        "correct of all       4 of 8: 50.0% (95% interval 21.5 to 78.5)",
        "correct of answered  4 of 6: 66.7% (95% interval 30.0 to 90.3)",
        "not answered         1 truncated by the token limit, 1 ended without an answer",
        "not counted          2 infrastructure errors",
    ]
    repeated = printed(*accuracy_lines(accuracy(run_of("rr", "ww"))))
    assert "2 samples, asked 4 times in all" in repeated


def test_a_run_without_an_answer_has_no_percentage() -> None:
    lines = printed(*accuracy_lines(accuracy([]))).splitlines()
    assert lines[:2] == ["correct of all       0 of 0", "correct of answered  0 of 0"]


def test_a_table_by_difficulty() -> None:
    rows = [
        make_scored_sample(f"s{n}", "correct" if n < 9 else "truncated", difficulty={"steps": n})
        for n in range(12)
    ]
    text = printed(breakdown_table(accuracy_by_group(rows)))
    assert "8–15" in text
    row = next(line for line in text.splitlines() if "8–15" in line)
    assert row.split() == [
        *("8–15", "1/4", "25.0", "(5–70)", "1/1", "100.0", "(21–100)"),
        *("3", "·", "·"),
    ]


def test_markup_in_group_names_is_text() -> None:
    rows = [make_scored_sample("a", "correct", facets={"[red]x": "[/]\x1b[2J"})]
    rows.append(make_scored_sample("b", "correct", facets={"[red]x": "plain"}))
    text = printed(breakdown_table(accuracy_by_group(rows)))
    assert "[red]x" in text
    assert "[/]\\x1b[2J" in text


def test_the_headline_says_what_changed() -> None:
    a, b = "w" * 41 + "r" * 18 + "r" * 400 + "w" * 337, "r" * 41 + "w" * 18 + "r" * 400 + "w" * 337
    assert comparison_headline(compare_runs(run_of(*a), run_of(*b))) == (
        "B is correct on 23 more of 796 shared samples (+2.9 points, 95% interval +1.0 to +4.9; "
        "41 gained, 18 lost; McNemar's exact p = 0.004)"
    )
    assert comparison_headline(compare_runs(run_of(*b), run_of(*a))).startswith(
        "B is correct on 23 fewer of 796 shared samples (-2.9 points, 95% interval -4.9 to -1.0; 18"
    )


@pytest.mark.parametrize(
    ("a", "b", "headline"),
    [
        ([], [], "Nothing to compare: the two runs share no sample"),
        (
            ["f", "r"],
            ["r", "f"],
            "Nothing to compare: each of 2 shared samples has an infrastructure error in a run",
        ),
        (
            ["r", "w"],
            ["r", "c"],
            "Nothing differs: A and B are correct on the same 1 of 2 shared samples (95% interval "
            "of the difference -65.8 to +65.8 points)",
        ),
        (
            ["rw", "w"],
            ["wr", "w"],
            "Nothing differs: A and B are correct equally often on each of 2",
        ),
        (["r", "w"], ["w", "r"], "B is correct on as many of 2 shared samples (0.0 points"),
        (["rw", "ww"], ["wr", "rw"], "B is correct more often on 2 shared samples (+25.0 points"),
        (["rw", "rr"], ["wr", "rw"], "B is correct less often on 2 shared samples (-25.0 points"),
        (["rw", "rr"], ["rr", "rw"], "B is correct as often on 2 shared samples (0.0 points"),
    ],
)
def test_every_kind_of_headline(a: list[str], b: list[str], headline: str) -> None:
    comparison = compare_runs(run_of(*a), run_of(*b))
    assert comparison_headline(comparison).startswith(headline)
    assert printed(comparison_story(comparison)).startswith(headline)


def test_a_comparison_as_text() -> None:
    a = [
        make_scored_sample(
            "gained", "incorrect", cause="copy_error", matched_steps=3, completion_tokens=1200
        ),
        make_scored_sample("truncated", "correct", matched_steps=9, completion_tokens=800),
        make_scored_sample("infra_error", "infra_error", outcome="infra_error"),
        make_scored_sample("gone", "correct"),
    ]
    b = [
        make_scored_sample("gained", "correct", matched_steps=8, completion_tokens=300),
        make_scored_sample(
            "truncated", "truncated", outcome="truncated", matched_steps=9, completion_tokens=900
        ),
        make_scored_sample("infra_error", "correct"),
    ]
    text = printed(comparison_story(compare_runs(a, b)))
    lines = text.splitlines()
    assert lines[1].startswith("A correct on 1 of 2: 50.0% (95% interval 9.5 to 90.5)")
    assert "where both answered, 1 sample:" in lines
    table = [[c.strip() for c in line.split("│")[1:-1]] for line in lines if "│" in line]
    assert ["Correct", "·", "·", "1", "1"] in table
    assert ["Incorrect", "1", "·", "·", "1"] in table
    (group,) = [line for line in lines if line.startswith(" cause: Copy error")]
    cells = ["cause: Copy error", "1", "1", "·", "+100.0", "-58.7 to +100.0", "1"]
    assert re.split(r"  +", group.strip()) == cells
    assert "p is adjusted for 3 groups (Benjamini–Hochberg): none is below 0.05." in text
    assert "of 2 samples with steps in both runs, later in B in 1 and earlier in 0" in text
    assert "Completion tokens: 2,000 in A and 1,200 in B for 2 samples, × 0.600 (95%" in text
    assert lines[-1] == (
        "Samples not compared: 1 shared but with an infrastructure error in either run, 1 only in A"
    )


def test_groups_are_left_out_if_nothing_changed() -> None:
    text = printed(comparison_story(compare_runs(run_of(*"rw"), run_of(*"rw"))))
    assert "Groups in which B gained" not in text
    assert "First divergence: no sample has steps in both runs" in text
    assert "Completion tokens: counted for no sample in both runs" in text


def test_twelve_groups_are_listed_unless_all_are_wanted() -> None:
    facets = [{"group": f"g{n}"} for n in range(20)]
    a = [make_scored_sample(f"s{n}", "incorrect", facets=facets[n]) for n in range(20)]
    b = [make_scored_sample(f"s{n}", "correct", facets=facets[n]) for n in range(20)]
    comparison = compare_runs(a, b)
    short = printed(comparison_story(comparison))
    tested = sum(change.adjusted_p is not None for change in comparison.changes)
    assert tested > 12
    assert f"Groups in which B gained or lost: 12 of {tested}, smallest p first" in short
    assert "--all-groups lists every group." in short
    # The group of all 20 is the most significant one.
    groups = [line for line in short.splitlines() if line.startswith((" group: ", " outcome: "))]
    assert len(groups) == 12
    assert groups[0].startswith(" outcome: Diverged")
    every = printed(comparison_story(comparison, all_groups=True))
    assert every.count(" group: ") + every.count(" outcome: ") == tested


def test_significant_groups_are_counted() -> None:
    text = printed(comparison_story(compare_runs(run_of(*"w" * 20), run_of(*"r" * 20))))
    assert "p is adjusted for 1 group (Benjamini–Hochberg): 1 is below 0.05." in text


@given(runs(), runs())
def test_any_comparison_becomes_text_and_json(a: list[ScoredSample], b: list[ScoredSample]) -> None:
    comparison = compare_runs(a, b)
    assert printed(comparison_story(comparison), width=60)
    data = json.loads(json.dumps(comparison_to_json(comparison), allow_nan=False))
    assert data["headline"] == comparison_headline(comparison)
    assert data["overall"]["gained"] == comparison.overall.gained
    assert sum(v["samples"] for v in data["verdicts"]) == pytest.approx(data["overall"]["samples"])
    assert len(data["changes"]) == len(comparison.changes)
    assert data["overall"]["a"]["value"] == comparison.overall.a.value


@given(runs())
def test_any_accuracy_becomes_text_and_json(rows: list[ScoredSample]) -> None:
    result, groups = accuracy(rows), accuracy_by_group(rows)
    assert printed(*accuracy_lines(result), breakdown_table(groups), width=60)
    data = json.loads(json.dumps(accuracy_to_json(result, groups), allow_nan=False))
    assert (data["correct"], data["of_all"]["of"]) == (
        result.correct,
        len(rows) - result.infra_error,
    )
    assert [(g["by"], g["group"]) for g in data["groups"]] == [(g.name, g.group) for g in groups]


def test_p_values_and_signed_numbers() -> None:
    assert [p_text(p) for p in (1.0, 0.12, 0.0496, 0.0041, 0.0004)] == [
        *("= 1", "= 0.12", "= 0.050", "= 0.004", "< 0.001"),
    ]
    assert [signed(n) for n in (2.94, -0.01, 0.0, -1234.5)] == ["+2.9", "0.0", "0.0", "-1,234.5"]
