"""CRUXEval, output prediction: the return values of 800 short functions."""

from pathlib import Path

from worldline.evaluation.benchmarks.benchmark import Benchmark
from worldline.evaluation.benchmarks.published_data import published_rows
from worldline.models.prediction import questions_from_rows


def cruxeval(data: str | Path | None = None) -> Benchmark:
    """CRUXEval-O: what 800 short Python functions return (Gu et al., 2024)."""
    return Benchmark("cruxeval", tuple(questions_from_rows(published_rows("cruxeval", data))))
