"""Programs to ask a model about, and what right means."""

from worldline.benchmarks.benchmark import Benchmark, LeftOut, Options, expects

__all__ = ["Benchmark", "LeftOut", "Options", "expects"]
