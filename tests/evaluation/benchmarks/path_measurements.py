"""Measurement of the paths benchmark with a scripted model that does not know rare paths."""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from tests.evaluation.runs.samples import fill
from tests.support.scripted_models import continue_actual_trace, engine_of
from worldline.data.harvest import functions_path
from worldline.evaluation.benchmarks import load_benchmark
from worldline.evaluation.metrics import PathAccuracy, measure_paths
from worldline.evaluation.runs import read_scored_samples
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import PredictionSettings, Question


def ask_all_but_rare_paths(
    programs: Path, folder: Path, *, functions: int, share: float
) -> tuple[int, PathAccuracy]:
    """Ask a model that knows the paths that at least a share of the inputs take.

    Returns:
        The number of paths that it knows, and its accuracy.
    """
    benchmark = load_benchmark("paths", data=str(programs))
    groups = groupby(benchmark.questions, key=lambda each: each.facets["function_id"])
    asked = [q for _, (_, each) in zip(range(functions), groups, strict=False) for q in each]
    frequent = set(_frequent_paths(programs, share))
    known = [q for q in asked if _path(q) in frequent]
    run, settings = folder / "run", PredictionSettings(max_tokens=100_000)
    with PythonRecorder() as recorder:
        traces = [recorder.record(question.program) for question in known]
        engine = engine_of(continue_actual_trace(*traces))
        fill(run, asked, lambda: engine, recorder, settings=settings, questions=len(asked))
    accuracy = measure_paths(read_scored_samples(run))
    assert accuracy is not None
    return len(known), accuracy


def _path(question: Question) -> tuple[str, int]:
    return str(question.facets["function_id"]), int(question.facets["execution_path"])


def _frequent_paths(programs: Path, share: float) -> Iterator[tuple[str, int]]:
    for line in functions_path(programs).read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        counts = [count for _, count in row["execution_paths"]]
        for number, count in enumerate(counts):
            if count >= share * sum(counts):
                yield f"{row['function']}_{row['hash']}", number
