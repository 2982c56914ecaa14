"""What is done with every program of a job: the same for all shards, on all machines."""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from worldline.generate import Excluded
from worldline.sandbox import Sandbox, default_sandbox
from worldline.trace import Limits

# A program that hangs costs all its time: one in a hundred at ten seconds would take most of it.
# On a busy machine the clock would leave programs out that another run keeps.
DEFAULT_LIMITS = Limits(steps=10_000, seconds=5.0, cpu_seconds=1, trace_mb=16)
SHARD_PROGRAMS = 500


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


def name_vocabulary(tokenizer: str | None) -> str | None:
    """A name for what is in a vocabulary; those that come with a package have one.

    "llama3" -> "llama3", "model/tokenizer.json" -> "tokenizer.json 0f3a5b1c9d2e4f68"
    """
    path = Path(tokenizer or "")
    return f"{path.name} {_hash(path.read_bytes())}" if path.is_file() else tokenizer


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
