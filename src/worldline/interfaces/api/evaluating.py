"""Evaluate a model on a benchmark, and compare two runs."""

import hashlib
import json
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.trace import Limits
from worldline.evaluation.benchmarks import (
    Benchmark,
    format_manifest_options,
    load_benchmark,
    make_manifest,
)
from worldline.evaluation.metrics import RunComparison, changed_settings, compare_runs
from worldline.evaluation.runs import (
    Manifest,
    RunWriter,
    ScoredSample,
    evaluate_into_run,
    missing_samples,
    read_predictions,
    read_scored_samples,
)
from worldline.interfaces.api.engine_handle import (
    EngineHandle,
    EngineLike,
    borrowed_engine,
    engine_concurrency,
    engine_opener,
)
from worldline.interfaces.api.run import Run
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.prediction import (
    AUTO_CODEC,
    DEFAULT_MAX_MALFORMED,
    CodecChoice,
    CostLimit,
    CostMeter,
    Mode,
    PredictionSettings,
)
from worldline.models.tokenizers import load_tokenizer


@dataclass(frozen=True, slots=True)
class EvaluationStart:
    """What an evaluation is about to do: `done` of `total` samples are in the run already.

    `stored` is the manifest that the run had before, if there was a run.
    """

    location: str
    total: int
    done: int
    manifest: Manifest
    stored: Manifest | None


def evaluate(
    benchmark: str | Benchmark,
    engine: EngineLike,
    *,
    output: str | Path | None = None,
    data: str | Path | None = None,
    options: Mapping[str, str] | None = None,
    first: int | None = None,
    repeats: int = 1,
    mode: Mode = "free",
    codec: str = AUTO_CODEC,
    settings: PredictionSettings | None = None,
    tokenizer: str | None = None,
    concurrency: int | None = None,
    limits: Limits | None = None,
    python: str | None = None,
    restart: bool = False,
    max_malformed: int = DEFAULT_MAX_MALFORMED,
    cost_limit: CostLimit | None = None,
    on_start: Callable[[EvaluationStart], None] | None = None,
    on_codec: Callable[[CodecChoice], None] | None = None,
    on_sample: Callable[[ScoredSample], None] | None = None,
) -> Run:
    """Ask a model every question of a benchmark, diagnose each answer, and store them as a run.

    If interrupted or killed, call it again to resume: samples in the run are not asked again,
    except those with an infrastructure error.

    Args:
        benchmark: `cruxeval`, `humaneval`, `permutation`, `composition`, a file or folder of
            programs, or a `Benchmark`.
        engine: The engine, or its name.
        output: The run's folder or address (`s3://…`). By default a folder in `runs` whose name
            depends on benchmark, engine and settings.
        data: The benchmark's file, or the folder that contains it.
        options: The benchmark's own options, as text.
        first: Ask only the first N questions.
        repeats: Ask each question this many times, with different seeds.
        mode: How predictions are made; ignored if `settings` is given.
        codec: The format that the model writes; ignored if `settings` is given. `auto` picks the
            best one that the model supports, or that of the run that is resumed.
        settings: All settings of the predictions.
        tokenizer: The model's tokenizer, to tokenize here instead of on the server.
        concurrency: Maximum number of concurrent requests.
        limits: Limits of the actual executions.
        python: The interpreter for the actual executions.
        restart: Delete the run and begin again.
        max_malformed: Stop after this many malformed replies in a row at the beginning, or ten
            times as many later; 0 for never.
        cost_limit: Stop when all samples of the run cost this much.
        on_start: Called once, before anything is asked.
        on_codec: Called once if the codec is `auto`, with the one that is used.
        on_sample: Called for every new sample.

    Returns:
        The run.

    Raises:
        InputError: There is nothing to ask, or the run was created with different settings.
        EngineError: The engine cannot be used in this mode.
        MalformedRepliesError: Too many replies in a row were malformed.
        CostLimitError: The samples cost as much as the limit.

    Examples:
        >>> from worldline.models.engines import ScriptedEngine
        >>> engine = lambda: ScriptedEngine(lambda prompt: "[ANSWER] [0, 1] [/ANSWER]")
        >>> run = evaluate(
        ...     "permutation", engine, codec="chat", output=f"{folder}/run", first=2
        ... )
        >>> run
        Run('.../run', permutation, 2 samples)
    """
    chosen = settings or PredictionSettings(mode=mode, codec=codec)
    loaded = (
        benchmark
        if isinstance(benchmark, Benchmark)
        else load_benchmark(benchmark, data=None if data is None else str(data), options=options)
    )
    questions = loaded.questions[:first]
    if not questions:
        raise InputError(f"{loaded.name} has no questions; give at least one program")
    limits = limits or Limits()
    name = _engine_name(engine)
    manifest = make_manifest(
        loaded, chosen, engine=name, tokenizer=tokenizer, repeats=repeats, limits=limits
    )
    location = str(output or default_location(loaded, engine, chosen, limits, tokenizer))
    cost = CostMeter(cost_limit) if cost_limit else None
    with (
        RunWriter(location, restart=restart) as writer,
        ProgramRecorder(python=python) as recorder,
        borrowed_engine(engine) as borrowed,
    ):
        stored = writer.manifest.settings if writer.manifest else None
        if chosen.codec == AUTO_CODEC and stored is not None:
            manifest = replace(manifest, settings=replace(chosen, codec=stored.codec))
            if on_codec is not None:
                on_codec(CodecChoice(stored.codec, f"used by the samples in {location}"))
        writer.expect(manifest)
        if on_start is not None:
            total = len(questions) * repeats
            done = total - len(missing_samples(writer, questions, repeats))
            on_start(EvaluationStart(location, total, done, manifest, writer.manifest))
        if cost is not None and writer.manifest is not None:
            for prediction in read_predictions(location):
                cost.add(prediction)
        samples = evaluate_into_run(
            writer,
            questions,
            engine_opener(borrowed),
            recorder,
            manifest,
            is_correct=loaded.is_correct,
            tokenizer=load_tokenizer(tokenizer) if tokenizer else None,
            concurrency=concurrency or engine_concurrency(borrowed),
            max_malformed=max_malformed,
            cost=cost,
            on_codec=on_codec,
        )
        with closing(samples):
            for sample in samples:
                if on_sample is not None:
                    on_sample(sample)
    return Run(location)


def compare(run_a: Run | str | Path, run_b: Run | str | Path) -> RunComparison:
    """Compare two runs on the samples that both contain.

    Args:
        run_a: The first run, or its location.
        run_b: The second run, or its location.

    Returns:
        Gained and lost samples, paired tests, and the groups in which the runs differ.

    Raises:
        InputError: One of the two is not a run.
    """
    first, second = (
        read_scored_samples(run.location if isinstance(run, Run) else run) for run in (run_a, run_b)
    )
    return compare_runs(first, second)


def setting_differences(
    run_a: Run | str | Path, run_b: Run | str | Path
) -> dict[str, tuple[Any, Any]]:
    """Return the settings in which two runs differ, with both values.

    Args:
        run_a: The first run, or its location.
        run_b: The second run, or its location.

    Raises:
        InputError: One of the two is not a run.
    """
    first, second = (
        format_manifest_options((run if isinstance(run, Run) else Run(run)).manifest)
        for run in (run_a, run_b)
    )
    return dict(changed_settings(first, second))


def default_location(
    benchmark: Benchmark,
    engine: EngineLike,
    settings: PredictionSettings,
    limits: Limits,
    tokenizer: str | None = None,
) -> str:
    """Return the default folder of a run, the same for equal benchmark, engine and settings.

    cruxeval, chat -> "runs/cruxeval-chat-free-1c9d3e"
    cruxeval, auto -> "runs/cruxeval-free-5e0a71"
    """
    model = engine.options.get("model") if isinstance(engine, EngineHandle) else None
    identity: list[Any] = [dict(benchmark.options), _engine_name(engine), model, tokenizer]
    fields = asdict(settings)
    if settings.mode != "on-demand":
        # Settings of this mode only; without them, runs of earlier versions have the same names.
        del fields["policy"], fields["threshold"]
    text = json.dumps([*identity, fields, asdict(limits)])
    digest = hashlib.sha256(text.encode()).hexdigest()[:6]
    # The codec that is chosen is not known yet, and the same command has to find the run again.
    codec = "" if settings.codec == AUTO_CODEC else f"-{settings.codec}"
    return f"runs/{benchmark.name}{codec}-{settings.mode}-{digest}"


def _engine_name(engine: EngineLike) -> str:
    if isinstance(engine, str):
        return engine
    return engine.name if isinstance(engine, EngineHandle) else "python"
