"""Benchmarks: questions for a model, and a rule for correct answers."""

from worldline.evaluation.benchmarks.benchmark import Benchmark, BenchmarkOptions, SkippedItem
from worldline.evaluation.benchmarks.benchmark_registry import (
    BENCHMARKS,
    BenchmarkDescription,
    describe_benchmarks,
    load_benchmark,
)
from worldline.evaluation.benchmarks.program_files import load_program_files
from worldline.evaluation.benchmarks.run_manifest import format_manifest_options, make_manifest

__all__ = [
    "BENCHMARKS",
    "Benchmark",
    "BenchmarkDescription",
    "BenchmarkOptions",
    "SkippedItem",
    "describe_benchmarks",
    "format_manifest_options",
    "load_benchmark",
    "load_program_files",
    "make_manifest",
]
