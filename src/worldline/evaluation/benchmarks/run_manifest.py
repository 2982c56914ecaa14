"""Manifest of a run, from a benchmark and prediction settings."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from worldline.core.trace import Limits
from worldline.evaluation.benchmarks.benchmark import Benchmark
from worldline.evaluation.benchmarks.option_parser import format_option
from worldline.evaluation.runs import Manifest, redact_secrets
from worldline.models.prediction import PredictionSettings, Question


def make_manifest(
    benchmark: Benchmark,
    settings: PredictionSettings,
    *,
    engine: str = "",
    tokenizer: str | None = None,
    repeats: int = 1,
    limits: Limits | None = None,
) -> Manifest:
    """Create the manifest of a run, as far as it is known before the first request.

    evaluate_into_run(
        run, benchmark.questions, engine, recorder,
        make_manifest(benchmark, PredictionSettings()),
        is_correct=benchmark.is_correct,
    )

    Args:
        benchmark: The benchmark.
        settings: Mode, codec, sampling and token limits.
        engine: Name or URL of the engine; passwords in it are removed.
        tokenizer: Name of the tokenizer; by default the engine's.
        repeats: Samples per question.
        limits: Limits on the actual executions.
    """
    return Manifest(
        benchmark=benchmark.name,
        options=dict(benchmark.options),
        questions=len(benchmark.questions),
        questions_hash=benchmark.hash,
        facets=facet_types(benchmark.questions),
        left_out=dict(Counter(item.reason for item in benchmark.skipped)),
        repeats=repeats,
        engine=redact_secrets(engine),
        settings=settings,
        tokenizer=tokenizer,
        limits=limits or Limits(),
    )


def facet_types(questions: Sequence[Question]) -> dict[str, str]:
    """Column type of each facet: "int" if all values are 64-bit integers, else "text".

    {"depth": 3}, {"depth": 4, "form": "flat"} -> {"depth": "int", "form": "text"}
    """
    types: dict[str, str] = {}
    for question in questions:
        for name, value in question.facets.items():
            is_int = isinstance(value, int) and -(2**63) <= value < 2**63
            types[name] = "int" if is_int and types.get(name) != "text" else "text"
    return types


def format_manifest_options(manifest: Manifest) -> Manifest:
    """Format the benchmark's options in a manifest as one would type them.

    {"lengths": [1, 2, 3]} -> {"lengths": "1-3"}
    """
    options = {name: format_option(value) for name, value in manifest.options.items()}
    return replace(manifest, options=options)
