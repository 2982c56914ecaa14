"""Programs by the million: cut into shards, traced on one machine or many, filtered, stored."""

from collections.abc import Sequence
from pathlib import Path

from worldline.codecs import STEP_CODECS
from worldline.errors import CodecError, InputError
from worldline.generate import load_excluded
from worldline.pipeline.inputs import Inputs
from worldline.pipeline.job import DEFAULT_LIMITS, SHARD_PROGRAMS, Filters, Job, name_vocabulary
from worldline.pipeline.runners import LocalRunner, RayRunner, Runner
from worldline.pipeline.shards import Shard, cut_into_shards
from worldline.pipeline.tracing import Tracing, Turn, trace_into
from worldline.pipeline.work import CONTROL, Counts, Worker, run_shard
from worldline.recorders import PythonRecorder
from worldline.tokens import load_tokenizer
from worldline.trace import Limits


def make_job(
    *,
    limits: Limits = DEFAULT_LIMITS,
    filters: Filters | None = None,
    codec: str = "cwm",
    tokenizer: str | None = None,
    without: Sequence[str | Path] = (),
    shard_programs: int = SHARD_PROGRAMS,
    python: str | None = None,
) -> Job:
    """A job with these settings, tried out: the interpreter starts, the vocabulary is there, and
    the programs of all benchmarks, and of the files in `without`, are known."""
    filters = filters or Filters()
    if codec not in STEP_CODECS:
        raise CodecError(f"no format {codec!r} that has steps; {', '.join(sorted(STEP_CODECS))}")
    if tokenizer is not None:
        load_tokenizer(tokenizer)
    elif filters.max_tokens is not None:
        raise InputError("tokens are counted only with a vocabulary: give --tokenizer, too")
    # Workers may be in another folder.
    python, tokenizer = (_absolute(path) for path in (python, tokenizer))
    with PythonRecorder(python=python) as recorder:
        # Which Python it is, it says of itself.
        origin = recorder.record(CONTROL).origin
    return Job(
        version=origin.python,
        recorder=origin.recorder,
        worldline=origin.worldline,
        limits=limits,
        filters=filters,
        codec=codec,
        tokenizer=tokenizer,
        vocabulary=name_vocabulary(tokenizer),
        excluded=load_excluded(without),
        shard_programs=shard_programs,
        python=python,
    )


def _absolute(name: str | None) -> str | None:
    """A path as it is from everywhere; what is none stays.

    "llama3" -> "llama3", "model/tokenizer.json" -> "/home/me/model/tokenizer.json"
    """
    return str(Path(name).absolute()) if name and Path(name).exists() else name


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
