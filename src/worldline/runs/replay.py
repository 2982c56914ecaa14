"""A file of recorded predictions goes in; each is executed for real and diagnosed."""

import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.align import REACH
from worldline.diagnose import Sample, diagnose, diagnosis_to_json
from worldline.errors import RecorderError
from worldline.predict import Prediction, read_recorded
from worldline.recorders import PythonRecorder, Recorder
from worldline.tokens import Tokenizer
from worldline.trace import Ending, Limits, Origin, Trace

# Where a program ends by these before its first step, it was most likely the machine.
_ONCE_MORE = ("time_limit", "killed")


def examine(
    prediction: Prediction,
    recorder: Recorder,
    *,
    limits: Limits | None = None,
    tokenizer: Tokenizer | None = None,
    is_right: Callable[[str], bool] | None = None,
    is_measured: bool = False,
) -> Sample:
    """Execute the program of a prediction and diagnose what was predicted of it.

    Where the text is cut, a little more than it covers is executed; with `is_measured` all of it,
    for what it returns and how difficult it is.

    `is_right` is what the benchmark says of an answer, where it is more lenient than the text of
    the value that it expects: a real result that it accepts is no wrong reference.
    """
    limits = limits or Limits()
    if prediction.is_cut and prediction.decoded.shows_steps and not is_measured:
        # Nothing beyond is compared; some of these programs run for millions of steps.
        scored = len(prediction.asked.scores) if prediction.asked else 0
        needed = max(len(prediction.decoded.steps), scored) + REACH
        limits = replace(limits, steps=min(limits.steps, needed))
    truth = _recorded(prediction, recorder, limits)
    if not truth.steps and truth.ending.reason in _ONCE_MORE:
        truth = _recorded(prediction, recorder, limits)
    if is_right is not None and prediction.expected is not None and truth.result is not None:
        is_accepted = is_right(truth.result)
        prediction = replace(prediction, expected=truth.result) if is_accepted else prediction
    return Sample(prediction, truth, diagnose(truth, prediction, tokenizer=tokenizer))


def _recorded(prediction: Prediction, recorder: Recorder, limits: Limits) -> Trace:
    try:
        return recorder.record(prediction.program, limits=limits)
    except RecorderError as error:
        # One program must not end the run; what is known of it is that we failed.
        return _not_recorded(prediction, limits, error)


def _not_recorded(prediction: Prediction, limits: Limits, error: RecorderError) -> Trace:
    """A trace without a step, for a program that the recorder failed on."""
    ending = Ending("killed", f"the recorder failed: {error}")
    origin = Origin("none", platform.python_version(), version("worldline"))
    return Trace(prediction.program, (), (), ending, limits, origin)


def sample_to_json(sample: Sample) -> dict[str, Any]:
    """The facets of a diagnosis, with what it takes to make it again."""
    origin, limits = sample.truth.origin, sample.truth.limits
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


def diagnose_recorded(
    path: Path | str,
    *,
    python: str | None = None,
    codec: str = "cwm",
    limits: Limits | None = None,
    tokenizer: Tokenizer | None = None,
) -> Iterator[Sample]:
    """Diagnose every prediction in a file, in its order.

    for sample in diagnose_recorded("predictions.jsonl"):
        print(sample.diagnosis.facts.outcome)
    """
    with PythonRecorder(python=python) as recorder:
        for prediction in read_recorded(Path(path), codec=codec):
            yield examine(prediction, recorder, limits=limits, tokenizer=tokenizer)
