"""Execution and diagnosis of predictions."""

import platform
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from worldline.analysis.alignment import MAX_SKIPPED_STEPS, first_divergence
from worldline.analysis.choices import (
    Possibility,
    PossibilityOutcome,
    expected_answers,
    find_possibility,
    find_schedule_possibility,
    results_from_text,
)
from worldline.analysis.diagnosis import Sample, diagnose_prediction, diagnosis_to_json
from worldline.core.errors import RecorderError
from worldline.core.trace import Ending, Limits, Origin, Trace, starts_threads
from worldline.evaluation.runs.recorded_interventions import with_recorded_interventions
from worldline.evaluation.runs.verdict import is_expected
from worldline.languages.program_recorder import ProgramRecorder
from worldline.languages.python.recorder import Recorder, StoredTraceRecorder
from worldline.models.prediction import Prediction, Question, read_prediction_file
from worldline.models.tokenizers import Tokenizer

# The outcome and the reason of a possibility that was stored.
KnownPossibility = tuple[PossibilityOutcome, str]
_FREE_ORDER = (
    "the prediction may have only the steps of the main thread, and the order of the other threads "
    "was not varied for that"
)

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
    known_possibility: KnownPossibility | None = None,
) -> Sample:
    """Execute the program of a prediction and diagnose the prediction.

    A program with choices, such as random numbers, is executed with those that give the prediction
    if there are any; otherwise the prediction diverges at the first step that no choices explain.

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
        known_possibility: Whether the prediction is possible, if that was stored with the trace.
    """
    limits = limits or Limits()
    n_compared = compared_steps(prediction)
    if n_compared is not None and not is_measured:
        limits = replace(limits, steps=min(limits.steps, n_compared))
    actual = _record(prediction, recorder, limits)
    if not actual.steps and actual.ending.reason in _RETRIED_ENDINGS:
        actual = _record(prediction, recorder, limits)
    possibility = _find_possibility(actual, prediction, recorder, limits)
    is_stored = isinstance(recorder, StoredTraceRecorder)
    if possibility is None and known_possibility is not None and is_stored:
        possibility = Possibility(known_possibility[0], actual, reason=known_possibility[1])
    actual = actual if possibility is None else possibility.trace
    if is_correct is None and expected_answers(prediction.expected):
        question = Question(prediction.id, prediction.program, prediction.expected)
        is_correct = partial(is_expected, question)
    if actual.result is None and expected_answers(prediction.expected):
        # This execution raises an exception; others do not.
        prediction = replace(prediction, expected=None)
    if is_correct is not None and prediction.expected is not None and actual.result is not None:
        is_accepted = is_correct(actual.result)
        prediction = replace(prediction, expected=actual.result) if is_accepted else prediction
    diagnosis = diagnose_prediction(actual, prediction, tokenizer=tokenizer)
    if possibility is not None:
        note = f"{possibility.outcome}: {possibility.reason or 'with the choices of the trace'}"
        facts = replace(diagnosis.facts, note=diagnosis.facts.note or note)
        diagnosis = replace(diagnosis, facts=facts)
    return with_recorded_interventions(Sample(prediction, actual, diagnosis, possibility))


def _find_possibility(
    actual: Trace, prediction: Prediction, recorder: Recorder, limits: Limits
) -> Possibility | None:
    """Whether a prediction is possible; None if the program has no choices, or is not executed."""
    is_threaded = actual.program.is_python and (
        starts_threads(actual) or prediction.decoded.names_threads
    )
    if not (actual.choices or is_threaded):
        return None
    if not prediction.text.strip() or prediction.finish == "infra_error":
        return None
    executor: Any = recorder
    if isinstance(recorder, StoredTraceRecorder):
        executor = recorder.executor_of(prediction.program)
    if not hasattr(executor, "record_choosing"):
        return None
    try:
        if is_threaded:
            return _find_possible_threads(actual, prediction, executor, limits)
        return find_possibility(prediction, executor, limits=limits)
    except RecorderError as error:
        # The trace that was recorded first is compared; it is only one of the possible ones.
        return Possibility("undecided", actual, reason=f"the search for executions failed: {error}")


def _find_possible_threads(
    actual: Trace, prediction: Prediction, executor: Any, limits: Limits
) -> Possibility | None:
    """Whether some schedule of a program's threads gives the prediction.

    A prediction that does not name threads may have the steps of all of them, or only of the main
    thread: what agrees for more steps is compared. It is impossible only before the first choice,
    because the steps of the main thread are not compared for every order of the others.
    """
    decoded = prediction.decoded
    if not decoded.shows_steps:
        if prediction.answer is None:
            return None
        return find_schedule_possibility(prediction, executor, limits=limits)
    if decoded.names_threads:
        return find_possibility(prediction, executor, has_threads=True, limits=limits)
    main: Possibility | None = None
    if actual.choices and not actual.has_threads:
        main = find_possibility(prediction, executor, has_threads=False, limits=limits)
        if main.outcome == "possible":
            return main
    elif not actual.has_threads:
        _, matched, divergence = first_divergence(actual, decoded)
        if divergence is None:
            return None
        main = Possibility("undecided", actual, matched, divergence.summary())
    every = find_possibility(prediction, executor, has_threads=True, limits=limits)
    if every.outcome == "possible" or (every.outcome == "impossible" and _is_determined(every)):
        return every
    closest = main if main is not None and (main.step or 0) >= (every.step or 0) else every
    reason = f"{closest.reason}; {_FREE_ORDER}"
    return replace(closest, outcome="undecided", reason=reason)


def _is_determined(possibility: Possibility) -> bool:
    """Whether the execution has neither choices nor other threads before the divergence."""
    trace, step = possibility.trace, possibility.step or 0
    is_alone = all(each.thread == 0 for each in trace.steps[:step])
    return is_alone and all(each.step is not None and each.step >= step for each in trace.choices)


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
    """Execute a program; with its threads if it may be in a deadlock.

    Without the scheduler of threads, a deadlock lasts until the time limit.
    """
    program = prediction.program
    has_set = bool(results_from_text(prediction.expected)) and not prediction.decoded.shows_steps
    record_threads: Callable[..., Trace] | None = None
    if program.is_python:
        record_threads = getattr(recorder, "record_scheduled", None)
    try:
        if record_threads is not None and has_set:
            return record_threads(program, limits=limits)
        trace = recorder.record(program, limits=limits)
        is_at_limit = trace.ending.is_elapsed_time_limit and "thread" in program.text.lower()
        if record_threads is not None and is_at_limit:
            scheduled = record_threads(program, limits=limits)
            has_ended = scheduled.ending.is_complete and starts_threads(scheduled)
            trace = scheduled if has_ended else trace
    except RecorderError as error:
        # One program must not end the run; the error is stored with the sample.
        return _empty_trace(prediction, limits, error)
    return trace


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
