"""Programs by the million: cut into shards, traced on one machine or many, filtered, stored."""

from worldline.pipeline.inputs import Inputs
from worldline.pipeline.job import DEFAULT_LIMITS, SHARD_PROGRAMS, Filters, Job, make_job
from worldline.pipeline.runners import LocalRunner, RayRunner, Runner
from worldline.pipeline.shards import Shard, cut_into_shards
from worldline.pipeline.tracing import Tracing, Turn, trace_into
from worldline.pipeline.work import Counts, Worker, run_shard

__all__ = [
    "DEFAULT_LIMITS",
    "SHARD_PROGRAMS",
    "Counts",
    "Filters",
    "Inputs",
    "Job",
    "LocalRunner",
    "RayRunner",
    "Runner",
    "Shard",
    "Tracing",
    "Turn",
    "Worker",
    "cut_into_shards",
    "make_job",
    "run_shard",
    "trace_into",
]
