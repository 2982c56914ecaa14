"""Settings of runs in sentences: what the model was asked for, and what a mode means."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.evaluation.runs.samples import fill, questions
from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.evaluation.runs import Manifest, read_manifest, read_predictions
from worldline.interfaces.viewer import build_report_document
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.run_settings import (
    RunSettings,
    changed_settings_lines,
    import_note,
    method_sentences,
    mode_note,
    read_run_settings,
)
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import PredictionSettings

FREE = RunSettings("m", "free", "cwm", 400)
FORCED = replace(FREE, mode="force-actions")


def test_the_task_and_the_mode_are_named() -> None:
    task, mode = method_sentences(FORCED, has_steps=True)
    assert task.startswith("The model writes the execution of a program step by step")
    assert mode == (
        "Mode force-actions: the model was given the actual next lines and wrote only the states."
    )


def test_an_answer_has_no_mode() -> None:
    for settings, has_steps in ((replace(FREE, codec="chat"), False), (RunSettings(), False)):
        (sentence,) = method_sentences(settings, has_steps=has_steps)
        assert sentence.startswith("The model predicts the result of a call")
    # Without a codec, the predictions decide.
    (sentence,) = method_sentences(RunSettings(), has_steps=True)
    assert "step by step" in sentence


def test_a_difference_in_the_mode_is_explained() -> None:
    note = mode_note(FREE, FORCED)
    assert "free in A, force-actions in B" in note
    assert "not of another model" in note
    assert mode_note(FREE, FREE) == ""
    assert mode_note(FREE, RunSettings()) == ""
    other = mode_note(FREE, replace(FORCED, model="n"))
    assert "the difference is the effect of both" in other
    assert "not of another model" not in other


def test_settings_that_differ_are_listed() -> None:
    changed = replace(FORCED, max_tokens=800, codec=None)
    assert changed_settings_lines(FREE, changed) == [
        "mode: free in A, force-actions in B",
        "max tokens: 400 in A, 800 in B",
    ]


@pytest.fixture(scope="module")
def asked_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of two questions with a token limit."""
    folder = tmp_path_factory.mktemp("asked") / "run"
    asked = questions(2)
    known = continue_actual_trace(*(recorder.record(question.program) for question in asked))
    settings = PredictionSettings(max_tokens=400)
    fill(folder, asked, lambda: engine_of(known), recorder, settings=settings)
    return str(folder)


def test_settings_of_imported_predictions_are_those_of_their_rows(
    asked_run: str, recorder: PythonRecorder, tmp_path: Path
) -> None:
    predictions = list(read_predictions(asked_run))
    imported = make_recorded_run(tmp_path / "imported", predictions, recorder)
    assert read_manifest(imported).settings is None
    for location in (asked_run, imported):
        settings = read_run_settings(location, read_manifest(location))
        assert (settings.mode, settings.codec, settings.max_tokens) == ("free", "cwm", 400)
    report, _ = build_report_document([DiagnosedRun(imported, recorder)])
    (run,) = report["runs"]
    assert run["token_usage"]["max_tokens"] == 400
    assert run["method"][1].startswith("Mode free: ")
    assert run["import_note"] == import_note(read_manifest(imported))


def test_shares_of_imported_predictions_are_not_those_of_a_benchmark(asked_run: str) -> None:
    assert import_note(read_manifest(asked_run)) == ""
    for files, source in ((0, "imported"), (1, "imported from a file"), (2, "imported from 2 fi")):
        note = import_note(Manifest("recorded", {"files": ["a.jsonl", "b.jsonl"][:files]}))
        assert note.startswith(f"The predictions were {source}")
        assert "not necessarily of a whole benchmark" in note


def test_settings_that_are_not_the_same_in_all_rows_are_unknown(
    asked_run: str, recorder: PythonRecorder, tmp_path: Path
) -> None:
    first, second = read_predictions(asked_run)
    assert second.generation is not None
    other = replace(second, generation=replace(second.generation, max_tokens=800))
    mixed = make_recorded_run(tmp_path / "mixed", [first, other], recorder)
    settings = read_run_settings(mixed, read_manifest(mixed))
    assert (settings.mode, settings.max_tokens) == ("free", None)
