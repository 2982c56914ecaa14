"""Document of a comparison: each quantity once, with at most one interval."""

from dataclasses import replace
from pathlib import PurePath
from typing import Any

import pytest

from tests.interfaces.viewer.small_runs import make_recorded_run
from worldline.analysis.stats import median_change
from worldline.evaluation.runs import read_scored_samples
from worldline.interfaces.demo import PREDICTIONS
from worldline.interfaces.viewer import build_report_document
from worldline.interfaces.viewer.comparison_document import median_cells
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import read_prediction_file


@pytest.fixture(scope="module")
def other_run(
    demo_run: str, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The run of the demo without its last sample, and with one prediction more often."""
    predictions = list(read_prediction_file(PREDICTIONS))[:-1]
    first = predictions[0]
    better = [
        replace(first, id=each.id) if each.program == first.program else each
        for each in predictions
    ]
    return make_recorded_run(tmp_path_factory.mktemp("other") / "run", better, recorder)


def comparison(a: str, b: str, recorder: PythonRecorder) -> dict[str, Any]:
    runs = [DiagnosedRun(location, recorder) for location in (a, b)]
    report, _ = build_report_document(runs)
    return dict(report["comparison"])


def test_the_first_quantity_is_that_of_the_tiles(
    demo_run: str, other_run: str, recorder: PythonRecorder
) -> None:
    document = comparison(demo_run, other_run, recorder)
    first = document["quantities"][0]
    assert first["name"] == f"Correct, of {document['a']['of']} shared samples"
    assert first["a"] == f"{100 * document['a']['correct'] / document['a']['of']:.1f}%"
    assert first["change"].endswith(" points")
    assert " to " in first["interval"]
    assert len({row["name"] for row in document["quantities"]}) == len(document["quantities"])
    assert any("only in A" in note for note in document["notes"])


def test_the_headline_defines_a_and_b_by_name(
    demo_run: str, other_run: str, recorder: PythonRecorder
) -> None:
    document = comparison(demo_run, other_run, recorder)
    names = [PurePath(location).name for location in (demo_run, other_run)]
    assert names[0] != names[1]
    assert f"{names[1]} (B) is correct on" in document["headline"]
    assert f" shared samples than {names[0]} (A) (" in document["headline"]
    gained = len(document["gained"])
    assert f"; {gained} gained, {len(document['lost'])} lost;" in document["headline"]
    # The page links these two numbers.
    assert gained > 0
    same = comparison(demo_run, demo_run, recorder)["headline"]
    assert same.startswith("Nothing differs: ")
    assert " (A) and " in same
    assert " (B) are correct on the same " in same


def test_groups_of_the_diagnosis_are_of_failures(
    demo_run: str, other_run: str, recorder: PythonRecorder
) -> None:
    document = comparison(demo_run, other_run, recorder)
    of_failures = {group["by"]: group["is_of_failures"] for group in document["groups"]}
    assert of_failures["outcome"]
    assert not of_failures["steps"]
    # A correct answer after a wrong execution is no failure, but it diverges.
    rows = {name: read_scored_samples(name) for name in (demo_run, other_run)}
    shared = {row.sample for row in rows[demo_run]} & {row.sample for row in rows[other_run]}
    failed = {
        row.sample
        for each in rows.values()
        for row in each
        if row.outcome == "diverged" and row.verdict != "correct" and row.sample in shared
    }
    (diverged,) = [group for group in document["groups"] if group["group"] == "diverged"]
    assert diverged["pairs"] == len(failed)
    assert "an answer that is not correct" in document["groups_note"]


def test_a_quantity_without_a_change_has_no_interval(
    demo_run: str, recorder: PythonRecorder
) -> None:
    document = comparison(demo_run, demo_run, recorder)
    (steps,) = [row for row in document["quantities"] if row["name"].startswith("Steps")]
    assert steps["change"] == "the same in all"
    assert steps["interval"] == steps["p"] == ""
    assert document["mode_note"] == ""
    assert not any("only in" in note for note in document["notes"])


def test_an_interval_of_one_value_is_left_out() -> None:
    same = median_cells(median_change([3.0] * 12), "step")
    assert same["change"] == "+3.0 steps (median where it differs)"
    assert same["interval"] == ""
    spread = median_cells(median_change([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]), "step")
    assert " to " in spread["interval"]
