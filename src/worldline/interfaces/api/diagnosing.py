"""Diagnose predictions: find the first step at which they diverge from the actual execution."""

from collections.abc import Callable, Sequence
from contextlib import closing, nullcontext
from pathlib import Path
from typing import overload

from worldline.analysis.diagnosis import Sample
from worldline.core.errors import InputError, WorldlineError
from worldline.core.trace import Limits, Trace, printable
from worldline.evaluation.runs import (
    Attempt,
    Manifest,
    RunWriter,
    StoredPredictions,
    cause_tests,
    execute_and_diagnose,
    import_predictions,
    is_expected,
    is_run,
    read_attempts,
    read_interventions,
    read_manifest,
    read_scored_samples,
    with_tested_cause,
)
from worldline.interfaces.api.programs import ProgramLike, to_program
from worldline.interfaces.api.sources import Source, load_predictions, source_name
from worldline.languages.program_recorder import ProgramRecorder
from worldline.languages.python.recorder import Recorder, StoredTraceRecorder
from worldline.models.codecs import get_codec
from worldline.models.prediction import Finish, Prediction, make_prediction
from worldline.models.tokenizers import Tokenizer, load_tokenizer


@overload
def diagnose(
    program: Prediction,
    *,
    tokenizer: Tokenizer | None = None,
    limits: Limits | None = None,
    python: str | None = None,
) -> Sample: ...


@overload
def diagnose(
    program: ProgramLike,
    call: str,
    output: str,
    *,
    codec: str = "cwm",
    expected: str | None = None,
    finish: Finish = "unknown",
    tokenizer: Tokenizer | None = None,
    limits: Limits | None = None,
    python: str | None = None,
) -> Sample: ...


def diagnose(
    program: Prediction | ProgramLike,
    call: str | None = None,
    output: str | None = None,
    *,
    codec: str = "cwm",
    expected: str | None = None,
    finish: Finish = "unknown",
    tokenizer: Tokenizer | None = None,
    limits: Limits | None = None,
    python: str | None = None,
) -> Sample:
    """Execute a program and find the first step at which a model's output diverges from it.

    Args:
        program: A function or source text; or a `Prediction`, which needs no call and output.
        call: The call that the model was asked about.
        output: The model's text after the prompt.
        codec: The format of the output: `cwm`, `chat`, `delta`, …
        expected: The value that a benchmark expects, as text.
        finish: How the output ended, if known: `stop` or `truncated`.
        tokenizer: Counts tokens, if given.
        limits: Limits of the execution.
        python: The interpreter to use (CPython 3.10 or later).

    Returns:
        The prediction, the actual trace and the diagnosis.

    Raises:
        InputError: The call or the output is missing.
        ProgramError: The program or the call is not valid.

    Examples:
        >>> source = "def double(x):\\n    return x * 2\\n"
        >>> sample = diagnose(source, "double(4)", "[ANSWER] 6 [/ANSWER]", codec="chat")
        >>> sample.diagnosis.facts.outcome
        'diverged'
        >>> sample.diagnosis.facts.divergence.actual
        '8'
    """
    if isinstance(program, Prediction):
        prediction = program
    else:
        if call is None or output is None:
            raise InputError("diagnose takes a program, a call and the model's output")
        prediction = make_prediction(
            "prediction",
            to_program(program, call=call),
            output,
            get_codec(codec),
            finish=finish,
            expected=expected,
        )
    with ProgramRecorder(python=python) as recorder:
        return execute_and_diagnose(prediction, recorder, limits=limits, tokenizer=tokenizer)


def diagnose_predictions(
    sources: Sequence[Source],
    *,
    output: str | Path | None = None,
    traces: Sequence[Trace] = (),
    first: int | None = None,
    tokenizer: str | None = None,
    limits: Limits | None = None,
    python: str | None = None,
    restart: bool = False,
    on_invalid: Callable[[WorldlineError], None] | None = None,
    on_start: Callable[[int], None] | None = None,
    on_sample: Callable[[Sample], None] | None = None,
) -> list[Sample]:
    """Execute and diagnose every prediction of some files or runs.

    Args:
        sources: Files of recorded predictions, runs, or open streams of JSON lines.
        output: Also store the samples as a run at this location. Samples that it already has are
            not stored again.
        traces: Traces to compare with, such as those of `run_with_assumptions`. Programs that have
            none are executed.
        first: Diagnose only the first N predictions.
        tokenizer: Count tokens with this tokenizer: `llama3`, `bytes`, or a file.
        limits: Limits of the executions.
        python: The interpreter for the executions.
        restart: Delete the run at `output` and begin again.
        on_invalid: Called for every line that is not a prediction, which is then skipped.
        on_start: Called once, with the number of predictions.
        on_sample: Called for every diagnosed prediction.

    Returns:
        The samples. Causes that interventions on a run have confirmed or refuted are
        marked as such.

    Raises:
        InputError: There are no predictions, or a file cannot be read.

    Examples:
        >>> from worldline.interfaces.demo import PREDICTIONS
        >>> [sample.diagnosis.facts.outcome for sample in diagnose_predictions([PREDICTIONS])][:2]
        ['correct', 'diverged']
    """
    names = [source_name(source) for source in sources]
    predictions = [
        prediction
        for source in sources
        for prediction in load_predictions(source, on_invalid=on_invalid)
    ][:first]
    if not predictions:
        raise InputError(f"no predictions in {', '.join(names)}; each line must be one JSON object")
    limits = limits or Limits()
    counter = load_tokenizer(tokenizer) if tokenizer else None
    samples = []
    with (
        ProgramRecorder(python=python) as executor,
        RunWriter(str(output), restart=restart) if output else nullcontext() as writer,
    ):
        recorder = StoredTraceRecorder(traces, executor=executor)
        if on_start is not None:
            on_start(len(predictions))
        if writer is None:
            results = (
                execute_and_diagnose(prediction, recorder, limits=limits, tokenizer=counter)
                for prediction in predictions
            )
        else:
            manifest = _manifest(sources, predictions, tokenizer, limits)
            results = import_predictions(
                writer, predictions, recorder, manifest, is_correct=is_expected, tokenizer=counter
            )
        for sample in results:
            samples.append(sample)
            if on_sample is not None:
                on_sample(sample)
    for source in sources:
        samples = _mark_tested(source, samples)
    return samples


def _manifest(
    sources: Sequence[Source],
    predictions: Sequence[Prediction],
    tokenizer: str | None,
    limits: Limits,
) -> Manifest:
    """The manifest of a run of recorded predictions; those of one run keep its settings."""
    models = {prediction.model for prediction in predictions}
    source = sources[0] if len(sources) == 1 else None
    is_from_run = isinstance(source, str | Path) and is_run(source)
    return Manifest(
        benchmark="recorded",
        options={"files": [Path(source_name(source)).name for source in sources]},
        questions=len(predictions),
        model=models.pop() if len(models) == 1 else "",
        engine="recorded",
        settings=read_manifest(str(source)).settings if is_from_run else None,
        tokenizer=tokenizer,
        limits=limits,
    )


def _mark_tested(source: Source, samples: list[Sample]) -> list[Sample]:
    """Mark causes that interventions on the run have confirmed or refuted."""
    if not isinstance(source, str | Path) or not is_run(source):
        return samples
    tested = cause_tests(read_scored_samples(source), read_interventions(source))
    return [with_tested_cause(sample, tested) for sample in samples]


def diagnose_sample(
    source: str | Path,
    name: str,
    *,
    tokenizer: str | None = None,
    limits: Limits | None = None,
    python: str | None = None,
) -> Sample:
    """Diagnose one prediction of a file or a run.

    Its program is executed, unless it is in a run that contains the trace, and neither limits nor
    an interpreter are given.

    Args:
        source: A file of recorded predictions, or a run.
        name: The prediction's id.
        tokenizer: Count tokens with this tokenizer: `llama3`, `bytes`, or a file.
        limits: Limits of the execution.
        python: The interpreter for the execution.

    Returns:
        The sample.

    Raises:
        InputError: There is no such prediction, or there are several.

    Examples:
        >>> from worldline.interfaces.demo import PREDICTIONS
        >>> diagnose_sample(PREDICTIONS, "wrong_string").diagnosis.facts.divergence.predicted
        "'be,'"
    """
    predictions = load_predictions(source)
    chosen = [prediction for prediction in predictions if prediction.id == name]
    if not chosen:
        similar = [p.id for p in predictions if name in p.id] or [p.id for p in predictions]
        known = ", ".join(map(printable, similar[:8])) + (", …" if len(similar) > 8 else "")
        raise InputError(f"no sample {name!r} in {source}; available: {known}")
    if len(chosen) > 1:
        raise InputError(f"{len(chosen)} samples in {source} have the id {name!r}; ids must differ")
    counter = load_tokenizer(tokenizer) if tokenizer else None
    # It starts at its first use: with a stored trace, nothing is executed.
    with closing(ProgramRecorder(python=python)) as executor:
        recorder: Recorder = executor
        possibility = None
        if python is None and limits in (None, Limits()) and is_run(source):
            stored = StoredPredictions(source)
            recorder, possibility = stored.recorder_of(name, executor), stored.possibility(name)
            limits = read_manifest(source).limits
        sample = execute_and_diagnose(
            chosen[0], recorder, limits=limits, tokenizer=counter, known_possibility=possibility
        )
    return _mark_tested(source, [sample])[0]


def attempts_on(source: str | Path, sample: Sample) -> list[Attempt]:
    """Return the interventions that were tried on a sample; [] if the source is not a run."""
    return read_attempts(source).on(sample) if is_run(source) else []
