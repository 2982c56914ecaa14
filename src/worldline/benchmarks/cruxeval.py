"""CRUXEval: 800 short functions and a call of each go in; what do the calls return?"""

from pathlib import Path

from worldline.benchmarks.benchmark import Benchmark
from worldline.benchmarks.sources import published_rows
from worldline.predict import questions_from_rows


def cruxeval(data: str | Path | None = None) -> Benchmark:
    """CRUXEval-O: what 800 short Python functions return (Gu et al., 2024)."""
    return Benchmark("cruxeval", tuple(questions_from_rows(published_rows("cruxeval", data))))
