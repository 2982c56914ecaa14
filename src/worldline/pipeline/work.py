"""One shard goes in; its traces and what came of its programs are stored; its counts come out.

This is all that a worker does, whoever started it.
"""

import time
from collections import Counter
from dataclasses import dataclass, field
from socket import gethostname
from typing import Any

from worldline.codecs import STEP_CODECS, Special, StepCodec
from worldline.errors import (
    CodecError,
    InputError,
    RecorderError,
    SandboxError,
    WorldlineError,
)
from worldline.pipeline.job import CONTROL, Job, name_vocabulary
from worldline.pipeline.shards import Row, Shard
from worldline.predict import Question, question_from_row
from worldline.recorders import OF_A_CPU, PythonRecorder
from worldline.store import (
    TRACE_COLUMNS,
    PartBuilder,
    StoredTrace,
    check_row,
    place_of,
    trace_to_row,
    write_shard,
)
from worldline.tokens import count_pieces, load_tokenizer
from worldline.trace import Program, Trace

# Under another one, sets of strings are in another order, and objects at other addresses.
_OTHER_SEED = 1
_TOKENS = ("prompt_tokens", "completion_tokens")


@dataclass(slots=True)
class Counts:
    """What came of some programs, of one shard or of many; `outcomes` add up to them."""

    shard: str = ""
    outcomes: Counter[str] = field(default_factory=Counter)
    steps: int = 0  # of those kept, as the next two
    tokens: int = 0
    bytes: int = 0
    expected: int = 0  # results that the input names, and how many of them came out
    agreeing: int = 0
    seconds: float = 0.0  # of the workers

    @property
    def programs(self) -> int:
        """How many there were."""
        return self.outcomes.total()

    def merge(self, other: "Counts") -> None:
        """Add others."""
        self.outcomes.update(other.outcomes)
        for name in ("steps", "tokens", "bytes", "expected", "agreeing", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def to_json(self) -> dict[str, Any]:
        """The same as plain data; `from_json` reads it back."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "outcomes": dict(self.outcomes)
        }

    @classmethod
    def from_json(cls, found: dict[str, Any]) -> "Counts":
        """Those that `to_json` has made."""
        return cls(**{**found, "outcomes": Counter(found["outcomes"])})


class Worker:
    """What one process has for all of its shards: interpreters to run programs, a vocabulary."""

    def __init__(self, job: Job, address: str) -> None:
        self.job, self.address = job, address
        self._place = place_of(address)
        recorders = [
            PythonRecorder(python=job.python, hash_seed=seed, sandbox=job.sandbox)
            for seed in ([0] if job.filters.is_once else [0, _OTHER_SEED])
        ]
        self._recorders = recorders
        self._codec: StepCodec = STEP_CODECS[job.codec]
        self._tokenizer = None if job.tokenizer is None else load_tokenizer(job.tokenizer)
        with recorders[0] as recorder:
            origin = recorder.record(CONTROL).origin
        if (origin.python, origin.recorder, origin.worldline) != (
            job.version,
            job.recorder,
            job.worldline,
        ):
            raise RecorderError(
                f"the job is for Python {job.version} ({job.recorder}) and worldline "
                f"{job.worldline}; on {gethostname()} it is {origin}: install the same on every "
                "machine"
            )
        if name_vocabulary(job.tokenizer) != job.vocabulary:
            raise InputError(
                f"{job.tokenizer} on {gethostname()} is not the vocabulary that the job was begun "
                "with"
            )

    def close(self) -> None:
        """End the interpreters."""
        for recorder in self._recorders:
            recorder.close()

    def run(self, shard: Shard) -> Counts:
        """Work through a shard and put it in place."""
        began = time.monotonic()
        counts = Counts(shard.name)
        outcomes, part = [], PartBuilder(TRACE_COLUMNS)
        for number, row in enumerate(shard.rows, shard.number):
            outcome, trace = self._examine(row)
            outcomes.append({"number": number, **outcome})
            counts.outcomes[outcome["outcome"]] += 1
            counts.expected += outcome.get("is_expected") is not None
            counts.agreeing += outcome.get("is_expected") is True
            if trace is not None:
                part.add(trace)
                counts.steps += trace["steps"]
                counts.tokens += sum(trace[name] or 0 for name in _TOKENS)
        traces = part.finish()
        counts.bytes = len(traces or b"")
        counts.seconds = time.monotonic() - began
        write_shard(self._place, shard.name, traces, outcomes, counts.to_json())
        return counts

    def _examine(self, row: Row) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """What came of a row, and its trace if that is kept."""
        try:
            return self._examined(row)
        except Exception as error:  # noqa: BLE001
            # One program must not end a job of millions. If another fails as well, it is the
            # machine, and the shard is not done.
            for recorder in self._recorders:
                recorder.record(CONTROL)
            id = (row.fields or {}).get("id")
            why = str(error) if isinstance(error, WorldlineError) else repr(error)
            return {"id": id, "outcome": "failed", "detail": why}, None

    def _examined(self, row: Row) -> tuple[dict[str, Any], dict[str, Any] | None]:
        if row.fields is None:
            return {"outcome": "unreadable", "detail": row.why}, None
        try:
            question = question_from_row(row.fields, row.place)
        except InputError as error:
            id = row.fields.get("id")
            named = id if isinstance(id, str) else None
            return {"id": named, "outcome": "unreadable", "detail": str(error)}, None
        told: dict[str, Any] = {"id": question.id, "program": question.program.hash}
        if not row.is_new:
            return {**told, "outcome": "duplicate"}, None
        whose = self.job.excluded.owner(question.program)
        if whose is not None:
            return {**told, "outcome": "contaminated", "detail": whose}, None
        try:
            stored = self._stored(question)
            told |= {"steps": len(stored.trace.steps), "is_expected": stored.is_expected}
            told |= {name: getattr(stored, name) for name in _TOKENS}
            reason, detail = self._why_not(stored)
            if reason:
                return {**told, "outcome": reason, "detail": detail}, None
            found = trace_to_row(stored)
            check_row(TRACE_COLUMNS, found)
        except (CodecError, InputError) as error:
            return {**told, "outcome": "not_storable", "detail": str(error)}, None
        return {**told, "outcome": "kept"}, found

    def _record(self, which: int, program: Program) -> Trace:
        """A trace; what the recorder fails on, or somebody else may have ended, is run again."""
        recorder = self._recorders[which]
        try:
            trace = recorder.record(program, limits=self.job.limits)
            if trace.ending.reason == "killed" or _was_waiting(trace):
                trace = recorder.record(program, limits=self.job.limits)
            return trace
        except (RecorderError, SandboxError):
            recorder.close()
            return recorder.record(program, limits=self.job.limits)

    def _stored(self, question: Question) -> StoredTrace:
        """The trace of a program, with its tokens if they are counted."""
        trace = self._record(0, question.program)
        known = (question.id, trace, question.expected, question.facets)
        if self._tokenizer is None or not trace.is_whole:
            return StoredTrace(*known)
        texts = self._codec.prompt(trace.program), self._codec.encode(trace)
        return StoredTrace(
            *known, *(count_pieces(text, Special, self._tokenizer) for text in texts)
        )

    def _why_not(self, stored: StoredTrace) -> tuple[str, str]:
        """Why a trace is not kept; nothing where it is."""
        trace, filters = stored.trace, self.job.filters
        if not trace.ending.is_complete:
            return trace.ending.reason, trace.ending.detail
        if trace.gaps or not trace.is_whole:
            return "not_whole", "; ".join(trace.gaps) or "its last steps are missing"
        if len(trace.steps) < filters.min_steps:
            return "too_short", f"fewer than {filters.min_steps:,} steps"
        tokens = sum(getattr(stored, name) or 0 for name in _TOKENS)
        if filters.max_tokens is not None and tokens > filters.max_tokens:
            return "too_long", f"more than {filters.max_tokens:,} tokens"
        return ("", "") if filters.is_once else self._why_unsteady(trace)

    def _why_unsteady(self, trace: Trace) -> tuple[str, str]:
        """Run it again, elsewhere in memory and with other hashes: where do the two part?"""
        again = self._record(1, trace.program)
        if again.ending != trace.ending or len(again.steps) != len(trace.steps):
            return "unsteady", f"{len(trace.steps)} steps, {trace.ending}; then " + (
                f"{len(again.steps)}, {again.ending}"
            )
        for number, (one, other) in enumerate(zip(trace.steps, again.steps, strict=True)):
            if one != other:
                return "unsteady", f"step {number}"
        return ("unsteady", "what it prints") if again.stdout != trace.stdout else ("", "")


def _was_waiting(trace: Trace) -> bool:
    """Whether a program was ended by the clock, before its time of a processor was over: it was
    asleep, or the machine was busy with others."""
    return trace.ending.reason == "time_limit" and not trace.ending.detail.endswith(OF_A_CPU)


_worker: Worker | None = None


def run_shard(job: Job, address: str, shard: Shard) -> Counts:
    """Work through one shard, with what this process has kept from those before."""
    global _worker
    if _worker is None or (_worker.job.hash, _worker.address) != (job.hash, address):
        if _worker is not None:
            _worker.close()
        _worker = Worker(job, address)
    return _worker.run(shard)
