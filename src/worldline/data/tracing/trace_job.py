"""Settings of a tracing job, the same for all shards on all machines."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from worldline.core.errors import CodecError, InputError
from worldline.core.trace import Limits, Program
from worldline.data.generation import DecontaminationIndex, load_decontamination_index
from worldline.languages.python.recorder import PythonRecorder
from worldline.languages.sandbox import Sandbox, default_sandbox
from worldline.models.codecs import STEP_CODECS
from worldline.models.tokenizers import load_tokenizer

# An endless program costs its whole time limit: with ten seconds, one in a hundred would take most
# of the time of a job. The limit on CPU time does not depend on how busy the machine is.
DEFAULT_LIMITS = Limits(steps=10_000, seconds=5.0, cpu_seconds=1, trace_mb=16)
SHARD_PROGRAMS = 500
Isolation = Literal["process", "group"]
# A program that every recorder can execute.
SMOKE_TEST_PROGRAM = Program("def f():\n    return 0\n", "f()")
# Names of filters in stores of format 2, and in the hash of a job: it is part of the name of
# every shard, so it must not change.
OLD_FILTERS: Mapping[str, str] = {"is_once": "skip_determinism_check"}


@dataclass(frozen=True, slots=True)
class TraceFilters:
    """Conditions for keeping a trace.

    `max_tokens` limits prompt and completion together. With `skip_determinism_check`, programs
    are not executed a second time to compare the traces. With `keep_non_deterministic`, a program
    that is deterministic once its choices are given is kept, with its choices.
    """

    min_steps: int = 1
    max_tokens: int | None = None
    skip_determinism_check: bool = False
    keep_non_deterministic: bool = False


@dataclass(frozen=True, slots=True)
class TraceJob:
    """Settings of a tracing job.

    Attributes:
        python_version: Version of the interpreter, which every machine must have.
        recorder: Name of the recorder, which every machine must have.
        worldline: Version of Worldline, which every machine must have.
        limits: Limits on each execution.
        filters: Conditions for keeping a trace.
        codec: Codec with which tokens are counted.
        tokenizer: Name or path of the tokenizer with which tokens are counted; None to not count.
        tokenizer_id: Identity of the tokenizer, independent of its path.
        decontamination: Programs of benchmarks, which are excluded.
        shard_programs: Programs per shard.
        python: Interpreter that executes the programs; by default this one.
        sandbox: Sandbox in which they are executed.
        isolation: Whether each program has a process of its own, or shares one with others if its
            code cannot change what they see. The traces are the same.
    """

    python_version: str
    recorder: str
    worldline: str
    limits: Limits = DEFAULT_LIMITS
    filters: TraceFilters = field(default_factory=TraceFilters)
    codec: str = "cwm"
    tokenizer: str | None = None
    tokenizer_id: str | None = None
    decontamination: DecontaminationIndex = field(default_factory=DecontaminationIndex)
    shard_programs: int = SHARD_PROGRAMS
    python: str | None = None
    sandbox: Sandbox = field(default_factory=default_sandbox)
    isolation: Isolation = "process"

    def __repr__(self) -> str:
        return f"<TraceJob {self.hash}: Python {self.python_version}, {self.recorder}>"

    def settings(self) -> dict[str, Any]:
        """Settings on which the stored traces depend, as JSON."""
        return {
            "python": self.python_version,
            "recorder": self.recorder,
            "worldline": self.worldline,
            "sandbox": self.sandbox.level,
            "limits": asdict(self.limits),
            "filters": _filter_settings(self.filters),
            "codec": self.codec,
            "tokenizer": self.tokenizer_id,
            "without": list(self.decontamination.names),
            "without_hash": self.decontamination.hash,
            "shard_programs": self.shard_programs,
        }

    @property
    def hash(self) -> str:
        """Hash of the settings; part of the name of every shard."""
        old_names = {new: old for old, new in OLD_FILTERS.items()}
        settings = self.settings()
        settings["filters"] = {
            old_names.get(name, name): value for name, value in settings["filters"].items()
        }
        return _hash(json.dumps(settings).encode())


def _filter_settings(filters: TraceFilters) -> dict[str, Any]:
    """Settings of the filters; those of earlier versions, unless a newer one is used."""
    settings = asdict(filters)
    if not filters.keep_non_deterministic:
        del settings["keep_non_deterministic"]
    return settings


def upgrade_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Rename the settings that a store of format 2 contains."""
    filters = settings["filters"]
    renamed = {OLD_FILTERS.get(name, name): value for name, value in filters.items()}
    return {**settings, "filters": renamed}


def make_job(
    *,
    limits: Limits = DEFAULT_LIMITS,
    filters: TraceFilters | None = None,
    codec: str = "cwm",
    tokenizer: str | None = None,
    without: Sequence[str | Path] = (),
    shard_programs: int = SHARD_PROGRAMS,
    python: str | None = None,
    isolation: Isolation = "process",
) -> TraceJob:
    """Create a job, and check that its interpreter and tokenizer work.

    Args:
        limits: Limits on each execution.
        filters: Conditions for keeping a trace.
        codec: Codec with which tokens are counted.
        tokenizer: Name or path of a tokenizer, to count tokens.
        without: Program files or names of benchmarks to exclude, in addition to all benchmarks.
        shard_programs: Programs per shard.
        python: Interpreter that executes the programs; by default this one.
        isolation: Whether each program has a process of its own.

    Raises:
        CodecError: The codec is unknown or has no steps.
        InputError: Tokens are limited without a tokenizer, or a file cannot be read; or programs
            share processes and are executed only once.
    """
    filters = filters or TraceFilters()
    if isolation == "group" and filters.skip_determinism_check:
        raise InputError(
            "--isolation group compares two executions in different processes; omit --once"
        )
    if codec not in STEP_CODECS:
        raise CodecError(
            f"no codec {codec!r} that writes steps; available: {', '.join(sorted(STEP_CODECS))}"
        )
    if tokenizer is not None:
        load_tokenizer(tokenizer)
    elif filters.max_tokens is not None:
        raise InputError("a limit on tokens needs a tokenizer: give --tokenizer, too")
    # Workers may have a different working directory.
    python, tokenizer = (_absolute(path) for path in (python, tokenizer))
    with PythonRecorder(python=python) as recorder:
        # The interpreter reports its own version.
        origin = recorder.record(SMOKE_TEST_PROGRAM).origin
    return TraceJob(
        python_version=origin.python,
        recorder=origin.recorder,
        worldline=origin.worldline,
        limits=limits,
        filters=filters,
        codec=codec,
        tokenizer=tokenizer,
        tokenizer_id=identify_tokenizer(tokenizer),
        decontamination=load_decontamination_index(without),
        shard_programs=shard_programs,
        python=python,
        isolation=isolation,
    )


def _absolute(name: str | None) -> str | None:
    """Make a path absolute; a name that is not a path stays.

    "llama3" -> "llama3", "model/tokenizer.json" -> "/home/me/model/tokenizer.json"
    """
    return str(Path(name).absolute()) if name and Path(name).exists() else name


def identify_tokenizer(tokenizer: str | None) -> str | None:
    """Identity of a tokenizer: a hash of its file, or the name of one that comes with a package.

    "llama3" -> "llama3", "model/tokenizer.json" -> "tokenizer.json 0f3a5b1c9d2e4f68"
    """
    path = Path(tokenizer or "")
    return f"{path.name} {_hash(path.read_bytes())}" if path.is_file() else tokenizer


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
