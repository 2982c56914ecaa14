"""Estimate of what predictions or an evaluation will cost, before anything is asked."""

import asyncio
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from worldline.core.trace import Limits
from worldline.evaluation.benchmarks import Benchmark, load_benchmark
from worldline.evaluation.runs import PredictionFile, is_run, read_manifest, read_run
from worldline.interfaces.api.engine_handle import EngineLike, borrowed_engine, engine_opener
from worldline.interfaces.api.evaluating import default_location
from worldline.models.prediction import (
    AUTO_CODEC,
    CostEstimate,
    PredictionSettings,
    Question,
    repeat_id,
)
from worldline.models.prediction import estimate_cost as estimate_questions
from worldline.models.tokenizers import load_tokenizer


def estimate_cost(
    source: str | Benchmark | Sequence[Question],
    engine: EngineLike,
    *,
    output: str | Path | None = None,
    data: str | Path | None = None,
    options: Mapping[str, str] | None = None,
    first: int | None = None,
    repeats: int = 1,
    settings: PredictionSettings | None = None,
    tokenizer: str | None = None,
    limits: Limits | None = None,
    restart: bool = False,
) -> CostEstimate:
    """Estimate the tokens that an evaluation or a series of predictions will take.

    No completion is requested. Prompt tokens are counted with the engine's tokenizer if it can be
    asked for it, and otherwise estimated from the length of the text.

    Args:
        source: A benchmark, its name, or questions.
        engine: The engine, or its name.
        output: The run or the prediction file; what it contains is not asked again. By default,
            for a benchmark, the run that `evaluate` would write.
        data: The benchmark's file, or the folder that contains it.
        options: The benchmark's own options, as text.
        first: Only the first N questions.
        repeats: Ask each question this many times.
        settings: All settings of the predictions.
        tokenizer: The model's tokenizer, to count here instead of on the server.
        limits: Limits of the actual executions, which the default of `output` depends on.
        restart: Ignore what the run or the file contains.

    Returns:
        The numbers of samples, requests and tokens. `cost_range` turns them into USD.

    Examples:
        >>> from worldline.models.engines import ScriptedEngine
        >>> engine = lambda: ScriptedEngine(lambda prompt: "")
        >>> estimate = estimate_cost("permutation", engine, first=2)
        >>> (estimate.codec, estimate.samples, estimate.max_completion_tokens)
        ('chat-trace', 2, 8192)
    """
    settings = settings or PredictionSettings(codec=AUTO_CODEC)
    if isinstance(source, str):
        place = None if data is None else str(data)
        source = load_benchmark(source, data=place, options=options)
    if isinstance(source, Benchmark):
        output = output or default_location(source, engine, settings, limits or Limits(), tokenizer)
        questions: Sequence[Question] = source.questions
    else:
        questions = source
    done, codec = _stored(output) if output is not None and not restart else (set(), None)
    if settings.codec == AUTO_CODEC and codec is not None:
        settings = replace(settings, codec=codec)
    pending = [
        question
        for repeat in range(repeats)
        for question in questions[:first]
        if repeat_id(question.id, repeat) not in done
    ]
    with borrowed_engine(engine) as borrowed:
        work = estimate_questions(
            pending,
            engine_opener(borrowed),
            settings,
            tokenizer=load_tokenizer(tokenizer) if tokenizer else None,
        )
        # In a notebook, an event loop is running in this thread.
        results: list[CostEstimate | BaseException] = []

        def run() -> None:
            try:
                results.append(asyncio.run(work))
            # Every exception is raised again in the thread of the caller.
            except BaseException as error:  # noqa: BLE001
                results.append(error)

        thread = threading.Thread(target=run, name="worldline-estimate", daemon=True)
        thread.start()
        thread.join()
    (result,) = results
    if isinstance(result, BaseException):
        raise result
    return result


def _stored(output: str | Path) -> tuple[set[str], str | None]:
    """The names of the samples that a run or a file contains, and their codec."""
    if is_run(output):
        rows = read_run(output, columns=["sample", "repeat", "finish"])
        done = {
            repeat_id(row["sample"], row["repeat"])
            for row in rows
            if row["finish"] != "infra_error"
        }
        settings = read_manifest(output).settings
        return done, settings.codec if settings else None
    if Path(output).is_file():
        with PredictionFile(Path(output)) as file:
            return file.done, file.codec
    return set(), None
