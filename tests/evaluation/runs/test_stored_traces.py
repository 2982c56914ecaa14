"""Actual traces in runs: samples are diagnosed again without an execution."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.paths import PROGRAMS_FOLDER
from worldline.core.errors import RecorderError
from worldline.core.trace import Limits, Program, Trace, first_steps
from worldline.evaluation.runs import (
    Manifest,
    RunWriter,
    StoredPredictions,
    execute_and_diagnose,
    import_predictions,
    is_expected,
    stored_traces,
)
from worldline.interfaces.api.run import Run
from worldline.interfaces.demo import PREDICTIONS
from worldline.interfaces.demo.demo_samples import diagnose_demo
from worldline.languages.python.recorder import PythonRecorder, StoredTraceRecorder
from worldline.models.prediction import Prediction, read_prediction_file


class NoExecution:
    """Recorder that must not be used."""

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Fail the test."""
        raise AssertionError(f"{program} was executed")


def stored_demo(folder: Path, recorder: PythonRecorder) -> tuple[StoredPredictions, Manifest]:
    """Store the example predictions as a run."""
    predictions = list(read_prediction_file(PREDICTIONS))
    manifest = Manifest("recorded", questions=len(predictions), engine="recorded")
    with RunWriter(folder) as run:
        list(import_predictions(run, predictions, recorder, manifest, is_correct=is_expected))
    return StoredPredictions(folder), manifest


def test_stored_samples_are_diagnosed_as_if_executed(
    tmp_path: Path, recorder: PythonRecorder
) -> None:
    stored, manifest = stored_demo(tmp_path / "run", recorder)
    names = list(stored)
    assert len(names) == 15
    truncated = 0
    for name in names:
        prediction = stored[name]
        executed = execute_and_diagnose(prediction, recorder, limits=manifest.limits)
        replayed = execute_and_diagnose(
            prediction, stored.recorder_of(name, NoExecution()), limits=manifest.limits
        )
        assert replayed.diagnosis == executed.diagnosis
        assert replayed.actual.steps == executed.actual.steps
        assert replayed.actual.ending == executed.actual.ending
        truncated += prediction.is_truncated
    assert truncated


def test_a_run_returns_samples_without_an_execution(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored_demo(tmp_path / "run", recorder)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(PythonRecorder, "_start", lambda self: pytest.fail("executed"))
    sample = Run(tmp_path / "run")["wrong_string"]
    assert sample.diagnosis.facts.divergence is not None
    assert sample.diagnosis.facts.divergence.predicted == "'be,'"


def test_a_trace_that_is_too_long_is_executed_again(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_traces, "MAX_TRACE_CHARS", 100)
    stored, _ = stored_demo(tmp_path / "run", recorder)
    assert stored.actual_trace("wrong_string") is None
    with pytest.raises(AssertionError, match="was executed"):
        stored.recorder_of("wrong_string", NoExecution()).record(stored["wrong_string"].program)


def truncated_prediction(recorder: PythonRecorder, *, steps: int) -> Prediction:
    """An example prediction of the first steps of a long execution."""
    source = f"def f():\n    n = 0\n    while n < {steps}:\n        n += 1\n    return n\n"
    example = next(p for p in read_prediction_file(PREDICTIONS) if p.is_truncated)
    return replace(example, program=Program(source, "f()"))


def test_of_a_truncated_output_only_the_compared_steps_are_stored(
    tmp_path: Path, recorder: PythonRecorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored_traces, "MAX_TRACE_CHARS", 100_000)
    prediction = truncated_prediction(recorder, steps=20_000)
    manifest = Manifest("recorded", questions=1, engine="recorded")
    with RunWriter(tmp_path / "run") as run:
        list(import_predictions(run, [prediction], recorder, manifest, is_correct=is_expected))
    stored = StoredPredictions(tmp_path / "run")
    trace = stored.actual_trace(prediction.id)
    assert trace is not None
    assert len(trace.steps) < 2_000
    executed = execute_and_diagnose(prediction, recorder)
    replayed = execute_and_diagnose(prediction, stored.recorder_of(prediction.id, NoExecution()))
    assert replayed.diagnosis == executed.diagnosis
    # The complete execution is not stored.
    otherwise = NoExecution()
    assert stored.recorder_of(prediction.id, otherwise, steps=manifest.limits.steps) is otherwise


@pytest.mark.parametrize("name", ["loops", "recursion", "generator", "classes", "uncaught"])
def test_first_steps_are_what_a_limit_would_have_recorded(
    name: str, recorder: PythonRecorder
) -> None:
    program = Program((PROGRAMS_FOLDER / f"{name}.py").read_text())
    trace = recorder.record(program)
    assert len(trace.steps) > 2
    for count in (1, 2, len(trace.steps) - 1, len(trace.steps), len(trace.steps) + 1):
        limited = recorder.record(program, limits=Limits(steps=count))
        first = first_steps(trace, count)
        assert first.steps == limited.steps
        assert first.ending == limited.ending
        assert first.limits == limited.limits
        assert list(first.states()) == list(limited.states())


def test_the_stored_trace_of_the_demo_is_the_actual_one(recorder: PythonRecorder) -> None:
    samples = list(diagnose_demo())
    assert len(samples) == 15
    actual = recorder.record(samples[0].prediction.program)
    whole = next(s.actual for s in samples if s.actual.limits == Limits())
    assert (whole.steps, whole.scopes, whole.ending) == (
        actual.steps,
        actual.scopes,
        actual.ending,
    )


def test_a_program_without_a_stored_trace() -> None:
    with pytest.raises(RecorderError, match="no stored trace"):
        StoredTraceRecorder([]).record(Program("x = 1"))
