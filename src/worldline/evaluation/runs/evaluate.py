"""Evaluation into a run: predict or import, execute, diagnose, grade and store samples."""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from worldline.analysis.diagnosis import Sample
from worldline.analysis.trust import row_trust
from worldline.core.errors import InputError, WorldlineError
from worldline.evaluation.runs.diagnose_predictions import execute_and_diagnose
from worldline.evaluation.runs.manifest import Manifest, with_capabilities
from worldline.evaluation.runs.run_reader import read_run
from worldline.evaluation.runs.run_writer import RunWriter
from worldline.evaluation.runs.sample_rows import row_to_scored_sample, sample_to_row
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.languages.python.recorder import Recorder
from worldline.models.engines import Engine
from worldline.models.prediction import (
    DEFAULT_CONCURRENCY,
    CodecChoice,
    CostMeter,
    Prediction,
    PredictionSettings,
    Predictor,
    Question,
    check_unique_ids,
    predict_questions,
    repeat_id,
)
from worldline.models.tokenizers import Tokenizer


def evaluate_into_run(
    run: RunWriter,
    questions: Sequence[Question],
    engine: Callable[[], Engine],
    recorder: Recorder,
    manifest: Manifest,
    *,
    is_correct: Callable[[Question, str], bool],
    tokenizer: Tokenizer | None = None,
    concurrency: int = DEFAULT_CONCURRENCY,
    max_malformed: int = 0,
    cost: CostMeter | None = None,
    on_codec: Callable[[CodecChoice], None] | None = None,
) -> Generator[ScoredSample]:
    """Predict the samples that a run does not contain yet.

    If it ends early, the samples so far are in the run, and the next call predicts the rest.

    Args:
        run: The run to add samples to.
        questions: The questions of the benchmark.
        engine: Opens the engine.
        recorder: Executes the programs.
        manifest: The description of the run, with its settings and limits. If they leave the codec
            open, the run's manifest gets the one that is chosen.
        is_correct: The benchmark's rule for correct answers.
        tokenizer: The model's tokenizer.
        concurrency: Requests sent at the same time.
        max_malformed: Stop after this many malformed replies in a row; 0 for never.
        cost: Adds up the costs, and stops at its limit.
        on_codec: Called with the codec, if it was chosen here.

    Yields:
        Every new sample, as soon as it is stored.

    Raises:
        InputError: The run was created with different settings or questions.
        MalformedRepliesError: Too many replies in a row were malformed.
        CostLimitError: The samples cost as much as the limit.
    """
    run.expect(manifest)
    settings = manifest.settings or PredictionSettings()
    pending = missing_samples(run, questions, manifest.repeats)
    if not pending:
        return

    def begin(predictor: Predictor) -> None:
        resolved = replace(manifest, settings=predictor.settings)
        run.begin(with_capabilities(resolved, predictor.engine.name, predictor.capabilities))
        if predictor.codec_choice is not None and on_codec is not None:
            on_codec(predictor.codec_choice)

    pending_by_id = {
        repeat_id(question.id, repeat): (question, repeat) for question, repeat in pending
    }
    predictions = predict_questions(
        pending,
        engine,
        recorder,
        settings=settings,
        limits=manifest.limits,
        tokenizer=tokenizer,
        concurrency=concurrency,
        max_malformed=max_malformed,
        cost=cost,
        on_ready=begin,
        row_trust=row_trust(settings.policy),
    )
    with closing(predictions):
        for prediction in predictions:
            question, repeat = pending_by_id[prediction.id]
            sample = _diagnose(prediction, question, recorder, manifest, is_correct, tokenizer)
            row = sample_to_row(question, repeat, sample, is_correct, tokenizer=tokenizer)
            run.add(row)
            yield row_to_scored_sample(row)


def missing_samples(
    run: RunWriter, questions: Sequence[Question], repeats: int
) -> list[tuple[Question, int]]:
    """The samples that a run does not contain: questions with the numbers of their repeats."""
    samples = check_unique_ids(
        (question, repeat) for repeat in range(repeats) for question in questions
    )
    return [(question, repeat) for question, repeat in samples if not run.has(question, repeat)]


def import_predictions(
    run: RunWriter,
    predictions: Sequence[Prediction],
    recorder: Recorder,
    manifest: Manifest,
    *,
    is_correct: Callable[[Question, str], bool],
    tokenizer: Tokenizer | None = None,
) -> Generator[Sample]:
    """Execute, diagnose and grade recorded predictions, and add them to a run.

    Args:
        run: The run to add samples to; the samples that it contains are kept.
        predictions: The recorded predictions.
        recorder: Executes the programs.
        manifest: The description of the run, with its limits.
        is_correct: The benchmark's rule for correct answers.
        tokenizer: The model's tokenizer.

    Yields:
        A sample for every prediction, also for those that the run contains already.

    Raises:
        InputError: The run contains a different output of the same name, or two predictions have
            the same name.
    """
    _check_unique_names(predictions)
    run.begin(manifest)
    stored_outputs = {
        (row["sample"], row["repeat"]): row["output"]
        for row in read_run(run.location.address, columns=["output"])
    }
    for prediction in predictions:
        repeat = prediction.generation.repeat if prediction.generation else 0
        id = prediction.id.removesuffix(f"#{repeat}") if repeat else prediction.id
        question = Question(id, prediction.program, prediction.expected)
        is_stored = run.has(question, repeat)
        if is_stored and stored_outputs.get((id, repeat), prediction.text) != prediction.text:
            raise InputError(
                f"{run.location.address} holds another prediction by the name of "
                f"{prediction.id!r}; choose a different run with -o, or start over with --restart"
            )
        sample = _diagnose(prediction, question, recorder, manifest, is_correct, tokenizer)
        if not is_stored:
            run.add(sample_to_row(question, repeat, sample, is_correct, tokenizer=tokenizer))
        yield sample


def _diagnose(
    prediction: Prediction,
    question: Question,
    recorder: Recorder,
    manifest: Manifest,
    is_correct: Callable[[Question, str], bool],
    tokenizer: Tokenizer | None,
) -> Sample:
    """Diagnose a sample of a run; its program is executed to its end even if truncated.

    An error of worldline itself is stored as the sample's infrastructure error: it must not end a
    run of hours, and a resumed run repeats the sample.
    """
    diagnose = partial(
        execute_and_diagnose,
        recorder=recorder,
        limits=manifest.limits,
        tokenizer=tokenizer,
        is_correct=partial(is_correct, question),
        is_measured=True,
    )
    try:
        return diagnose(prediction)
    except WorldlineError:
        raise
    except Exception as error:  # noqa: BLE001
        message = (
            f"the diagnosis failed: {error!r}; this is an error of worldline, please report it"
        )
        return diagnose(replace(prediction, finish="infra_error", error=message))


def _check_unique_names(predictions: Sequence[Prediction]) -> None:
    """Raise an error if two predictions have the same name: only one could be stored."""
    known: set[str] = set()
    for prediction in predictions:
        if prediction.finish == "infra_error":
            # The next prediction of this name may be its retry.
            continue
        if prediction.id in known:
            raise InputError(
                f"two predictions are named {prediction.id!r}; give them different names "
                f"({prediction.id}_0, {prediction.id}_1), or put them into two files, each for a "
                "run of its own"
            )
        known.add(prediction.id)
