"""Execution and diagnosis of predictions."""

import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.analysis.alignment import MAX_SKIPPED_STEPS
from worldline.analysis.diagnosis import Sample, diagnose_prediction, diagnosis_to_json
from worldline.core.errors import RecorderError
from worldline.core.trace import Ending, Limits, Origin, Trace
from worldline.evaluation.runs.recorded_interventions import with_recorded_interventions
from worldline.languages.program_recorder import ProgramRecorder
from worldline.languages.python.recorder import Recorder
from worldline.models.prediction import Prediction, read_prediction_file
from worldline.models.tokenizers import Tokenizer

# The recorder of a trace that stands for a failure of the recorder.
NO_RECORDER = "none"
# A program that ends this way before its first step is executed again: probably the machine was
# overloaded.
_RETRIED_ENDINGS = ("time_limit", "killed")


def execute_and_diagnose(
    prediction: Prediction,
    recorder: Recorder,
    *,
    limits: Limits | None = None,
    tokenizer: Tokenizer | None = None,
    is_correct: Callable[[str], bool] | None = None,
    is_measured: bool = False,
) -> Sample:
    """Execute the program of a prediction and diagnose the prediction.

    Args:
        prediction: The prediction to diagnose.
        recorder: Executes the program.
        limits: Limits of the execution.
        tokenizer: Counts the tokens of values and of the output.
        is_correct: The benchmark's rule for correct answers. If it accepts the actual result, the
            reference is correct even if its text differs.
        is_measured: Execute the whole program even if the output is truncated, for its
            result and difficulty. By default only a little more than the predicted steps is
            executed.
    """
    limits = limits or Limits()
    n_compared = compared_steps(prediction)
    if n_compared is not None and not is_measured:
        limits = replace(limits, steps=min(limits.steps, n_compared))
    actual = _record(prediction, recorder, limits)
    if not actual.steps and actual.ending.reason in _RETRIED_ENDINGS:
        actual = _record(prediction, recorder, limits)
    if is_correct is not None and prediction.expected is not None and actual.result is not None:
        is_accepted = is_correct(actual.result)
        prediction = replace(prediction, expected=actual.result) if is_accepted else prediction
    diagnosis = diagnose_prediction(actual, prediction, tokenizer=tokenizer)
    return with_recorded_interventions(Sample(prediction, actual, diagnosis))


def compared_steps(prediction: Prediction) -> int | None:
    """How many steps of the actual execution are compared with a prediction; None for all.

    Nothing is compared after the end of a truncated output, and some of these programs run for
    millions of steps.
    """
    if not prediction.is_truncated or not prediction.decoded.shows_steps:
        return None
    n_scored = len(prediction.generation.scores) if prediction.generation else 0
    return max(len(prediction.decoded.steps), n_scored) + MAX_SKIPPED_STEPS


def _record(prediction: Prediction, recorder: Recorder, limits: Limits) -> Trace:
    try:
        return recorder.record(prediction.program, limits=limits)
    except RecorderError as error:
        # One program must not end the run; the error is stored with the sample.
        return _empty_trace(prediction, limits, error)


def _empty_trace(prediction: Prediction, limits: Limits, error: RecorderError) -> Trace:
    """A trace without steps, for a program on which the recorder failed."""
    ending = Ending("killed", f"the recorder failed: {error}")
    origin = Origin(NO_RECORDER, platform.python_version(), version("worldline"))
    return Trace(prediction.program, (), (), ending, limits, origin)


def sample_to_json(sample: Sample) -> dict[str, Any]:
    """The facts of a diagnosis, with the versions and limits that reproduce it."""
    origin, limits = sample.actual.origin, sample.actual.limits
    return {
        **diagnosis_to_json(sample.diagnosis),
        "is_repeating": sample.prediction.after.is_repeating,
        "model": sample.prediction.model,
        "program": sample.prediction.program.hash,
        "recorder": origin.recorder,
        "python": origin.python,
        "worldline": origin.worldline,
        "limits": asdict(limits),
    }


def diagnose_file(
    path: Path | str,
    *,
    python: str | None = None,
    codec: str = "cwm",
    limits: Limits | None = None,
    tokenizer: Tokenizer | None = None,
) -> Iterator[Sample]:
    """Diagnose every prediction in a file, in order.

    for sample in diagnose_file("predictions.jsonl"):
        print(sample.diagnosis.facts.outcome)

    Args:
        path: A JSONL file of predictions.
        python: The interpreter that executes the programs; by default this one.
        codec: The codec of predictions that do not name one.
        limits: Limits of each execution.
        tokenizer: Counts the tokens of values and of the outputs.
    """
    with ProgramRecorder(python=python) as recorder:
        for prediction in read_prediction_file(Path(path), codec=codec):
            yield execute_and_diagnose(prediction, recorder, limits=limits, tokenizer=tokenizer)
