"""Runners that process shards: with local processes, or on a Ray cluster."""

from worldline.data.tracing.runners.local_runner import LocalRunner
from worldline.data.tracing.runners.ray_runner import RayRunner
from worldline.data.tracing.runners.runner import Runner

__all__ = ["LocalRunner", "RayRunner", "Runner"]
