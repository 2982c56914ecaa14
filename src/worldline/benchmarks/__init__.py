"""Programs to ask a model about, and what right means."""

from worldline.benchmarks.benchmark import Benchmark, LeftOut, Options
from worldline.benchmarks.files import from_files
from worldline.benchmarks.manifest import as_typed, make_manifest
from worldline.benchmarks.registry import (
    BENCHMARKS,
    Description,
    describe_benchmarks,
    load_benchmark,
)

__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "Description",
    "LeftOut",
    "Options",
    "as_typed",
    "describe_benchmarks",
    "from_files",
    "load_benchmark",
    "make_manifest",
]
