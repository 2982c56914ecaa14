"""What is done with every program of a job: the same for all shards, on all machines."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from worldline.codecs import STEP_CODECS
from worldline.errors import CodecError, InputError
from worldline.generate import Excluded, load_excluded
from worldline.recorders import PythonRecorder
from worldline.sandbox import Sandbox, default_sandbox
from worldline.tokens import load_tokenizer
from worldline.trace import Limits, Program

# A program that hangs costs all its time: one in a hundred at ten seconds would take most of it.
# On a busy machine the clock would leave programs out that another run keeps.
DEFAULT_LIMITS = Limits(steps=10_000, seconds=5.0, cpu_seconds=1, trace_mb=16)
SHARD_PROGRAMS = 500
# What any recorder can do.
CONTROL = Program("def f():\n    return 0\n", "f()")


@dataclass(frozen=True, slots=True)
class Filters:
    """Which traces are kept. `max_tokens` counts prompt and completion; `is_once`: programs are
    not run a second time, to see whether they do the same."""

    min_steps: int = 1
    max_tokens: int | None = None
    is_once: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """`python`: the interpreter that runs programs, by default this one, and `version` which that
    must be, on every machine. `tokenizer`: what tokens are counted with, in the format `codec`.
    `vocabulary` says which one that is, wherever it lies. `excluded`: programs of benchmarks, which
    nobody should be trained on."""

    version: str
    recorder: str
    worldline: str
    limits: Limits = DEFAULT_LIMITS
    filters: Filters = field(default_factory=Filters)
    codec: str = "cwm"
    tokenizer: str | None = None
    vocabulary: str | None = None
    excluded: Excluded = field(default_factory=Excluded)
    shard_programs: int = SHARD_PROGRAMS
    python: str | None = None
    sandbox: Sandbox = field(default_factory=default_sandbox)

    def settings(self) -> dict[str, Any]:
        """All that makes a difference to what is stored, as JSON."""
        return {
            "python": self.version,
            "recorder": self.recorder,
            "worldline": self.worldline,
            "sandbox": "reduced" if self.sandbox.is_reduced else "full",
            "limits": asdict(self.limits),
            "filters": asdict(self.filters),
            "codec": self.codec,
            "tokenizer": self.vocabulary,
            "without": list(self.excluded.names),
            "without_hash": self.excluded.hash,
            "shard_programs": self.shard_programs,
        }

    @property
    def hash(self) -> str:
        """A name for these settings."""
        return _hash(json.dumps(self.settings()).encode())


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


def name_vocabulary(tokenizer: str | None) -> str | None:
    """A name for what is in a vocabulary; those that come with a package have one.

    "llama3" -> "llama3", "model/tokenizer.json" -> "tokenizer.json 0f3a5b1c9d2e4f68"
    """
    path = Path(tokenizer or "")
    return f"{path.name} {_hash(path.read_bytes())}" if path.is_file() else tokenizer


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
