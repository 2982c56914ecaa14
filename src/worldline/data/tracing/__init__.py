"""Tracing of millions of programs, on one machine or a cluster, into a store."""

from worldline.data.tracing.driver import Rank, TraceProgress, trace_programs
from worldline.data.tracing.program_inputs import ProgramInputs
from worldline.data.tracing.runners import LocalRunner, RayRunner, Runner
from worldline.data.tracing.shard_worker import OutcomeCounts, ShardWorker, run_shard
from worldline.data.tracing.sharding import Shard, make_shards
from worldline.data.tracing.trace_job import (
    DEFAULT_LIMITS,
    SHARD_PROGRAMS,
    Isolation,
    TraceFilters,
    TraceJob,
    make_job,
)

__all__ = [
    "DEFAULT_LIMITS",
    "SHARD_PROGRAMS",
    "Isolation",
    "LocalRunner",
    "OutcomeCounts",
    "ProgramInputs",
    "Rank",
    "RayRunner",
    "Runner",
    "Shard",
    "ShardWorker",
    "TraceFilters",
    "TraceJob",
    "TraceProgress",
    "make_job",
    "make_shards",
    "run_shard",
    "trace_programs",
]
