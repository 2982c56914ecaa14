"""Shard worker: executes the programs of a shard, and stores traces and outcomes."""

import time
from collections import Counter
from dataclasses import dataclass, field
from socket import gethostname
from typing import Any

from worldline.core.errors import (
    CodecError,
    InputError,
    RecorderError,
    SandboxError,
    WorldlineError,
)
from worldline.core.trace import Program, Trace
from worldline.data.tracing.sharding import ProgramRow, Shard
from worldline.data.tracing.trace_job import SMOKE_TEST_PROGRAM, TraceJob, identify_tokenizer
from worldline.evaluation.store import (
    TRACE_COLUMNS,
    PartBuilder,
    StoredTrace,
    check_row,
    open_location,
    trace_to_row,
    write_shard,
)
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.codecs import STEP_CODECS, SpecialToken, StepCodec
from worldline.models.prediction import Question, question_from_row
from worldline.models.tokenizers import count_segment_tokens, load_tokenizer

# With a different hash seed, sets of strings have a different order, and objects have different
# addresses.
_SECOND_HASH_SEED = 1
_TOKEN_COLUMNS = ("prompt_tokens", "completion_tokens")


@dataclass(slots=True)
class OutcomeCounts:
    """Totals of one shard or of many.

    Attributes:
        shard: Name of the shard; empty for the totals of several.
        outcomes: Number of programs by outcome.
        steps: Steps of the kept traces.
        tokens: Tokens of the kept traces.
        bytes: Bytes of the kept traces.
        expected: Programs with an expected value that were executed.
        agreeing: Programs whose result is the expected value.
        seconds: Time of the workers.
    """

    shard: str = ""
    outcomes: Counter[str] = field(default_factory=Counter)
    steps: int = 0
    tokens: int = 0
    bytes: int = 0
    expected: int = 0
    agreeing: int = 0
    seconds: float = 0.0

    @property
    def programs(self) -> int:
        """Number of programs."""
        return self.outcomes.total()

    def merge(self, other: "OutcomeCounts") -> None:
        """Add other totals to these."""
        self.outcomes.update(other.outcomes)
        for name in ("steps", "tokens", "bytes", "expected", "agreeing", "seconds"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON; `from_json` reads it back."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "outcomes": dict(self.outcomes)
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "OutcomeCounts":
        """Read what `to_json` returned."""
        return cls(**{**data, "outcomes": Counter(data["outcomes"])})


class ShardWorker:
    """Recorders and tokenizer of one process, reused for all of its shards."""

    def __init__(self, job: TraceJob, address: str) -> None:
        self.job, self.address = job, address
        self._location = open_location(address)
        seeds = [0] if job.filters.skip_determinism_check else [0, _SECOND_HASH_SEED]
        self._recorders = [
            ProgramRecorder(python=job.python, hash_seed=seed, sandbox=job.sandbox)
            for seed in seeds
        ]
        self._codec: StepCodec = STEP_CODECS[job.codec]
        self._tokenizer = None if job.tokenizer is None else load_tokenizer(job.tokenizer)
        self._check_machine()

    def _check_machine(self) -> None:
        """Check that this machine has the versions and the tokenizer of the job."""
        job = self.job
        with self._recorders[0] as recorder:
            origin = recorder.record(SMOKE_TEST_PROGRAM).origin
        if (origin.python, origin.recorder, origin.worldline) != (
            job.python_version,
            job.recorder,
            job.worldline,
        ):
            raise RecorderError(
                f"the job needs Python {job.python_version} ({job.recorder}) and worldline "
                f"{job.worldline}, but {gethostname()} has {origin}: install the same versions on "
                "every machine"
            )
        if identify_tokenizer(job.tokenizer) != job.tokenizer_id:
            raise InputError(
                f"{job.tokenizer} on {gethostname()} is not the tokenizer with which the job was "
                "begun; copy the same file to every machine"
            )

    def close(self) -> None:
        """Stop the interpreters."""
        for recorder in self._recorders:
            recorder.close()

    def run(self, shard: Shard) -> OutcomeCounts:
        """Process a shard, and write it to the store."""
        started = time.monotonic()
        counts = OutcomeCounts(shard.name)
        outcomes, part = [], PartBuilder(TRACE_COLUMNS)
        for number, row in enumerate(shard.rows, shard.number):
            outcome, trace = self._process_safely(row)
            outcomes.append({"number": number, **outcome})
            counts.outcomes[outcome["outcome"]] += 1
            counts.expected += outcome.get("is_expected") is not None
            counts.agreeing += outcome.get("is_expected") is True
            if trace is not None:
                part.add(trace)
                counts.steps += trace["steps"]
                counts.tokens += sum(trace[name] or 0 for name in _TOKEN_COLUMNS)
        traces = part.finish()
        counts.bytes = len(traces or b"")
        counts.seconds = time.monotonic() - started
        write_shard(self._location, shard.name, traces, outcomes, counts.to_json())
        return counts

    def _process_safely(self, row: ProgramRow) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Process a row; an unexpected error becomes the outcome `infra_error`."""
        try:
            return self._process(row)
        except Exception as error:  # noqa: BLE001
            # One program must not end a job of millions. But if the smoke test fails, too, the
            # machine is at fault: the error is raised, and the shard is not written.
            for recorder in self._recorders:
                recorder.record(SMOKE_TEST_PROGRAM)
            id = (row.fields or {}).get("id")
            detail = str(error) if isinstance(error, WorldlineError) else repr(error)
            return {"id": id, "outcome": "infra_error", "detail": detail}, None

    def _process(self, row: ProgramRow) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Outcome of a row, and the row of its trace if it is kept."""
        if row.fields is None:
            return {"outcome": "unreadable", "detail": row.error}, None
        try:
            question = question_from_row(row.fields, row.source)
        except InputError as error:
            id = row.fields.get("id")
            text_id = id if isinstance(id, str) else None
            return {"id": text_id, "outcome": "unreadable", "detail": str(error)}, None
        outcome: dict[str, Any] = {"id": question.id, "program": question.program.hash}
        if not row.is_new:
            return {**outcome, "outcome": "duplicate"}, None
        owner = self.job.decontamination.owner(question.program)
        if owner is not None:
            return {**outcome, "outcome": "contaminated", "detail": owner}, None
        try:
            stored = self._record_question(question)
            outcome |= {"steps": len(stored.trace.steps), "is_expected": stored.is_expected}
            outcome |= {name: getattr(stored, name) for name in _TOKEN_COLUMNS}
            reason, detail = self._rejection(stored)
            if reason:
                return {**outcome, "outcome": reason, "detail": detail}, None
            trace_row = trace_to_row(stored)
            check_row(TRACE_COLUMNS, trace_row)
        except (CodecError, InputError) as error:
            return {**outcome, "outcome": "not_storable", "detail": str(error)}, None
        return {**outcome, "outcome": "kept"}, trace_row

    def _record(self, index: int, program: Program) -> Trace:
        """Record a trace; once more if the recorder failed, or may have been disturbed."""
        recorder = self._recorders[index]
        try:
            trace = recorder.record(program, limits=self.job.limits)
            if trace.ending.reason == "killed" or trace.ending.is_elapsed_time_limit:
                trace = recorder.record(program, limits=self.job.limits)
            return trace
        except (RecorderError, SandboxError):
            recorder.close()
            return recorder.record(program, limits=self.job.limits)

    def _record_question(self, question: Question) -> StoredTrace:
        """Record the trace of a program, and count its tokens if there is a tokenizer."""
        trace = self._record(0, question.program)
        arguments = (question.id, trace, question.expected, question.facets)
        if self._tokenizer is None or not trace.is_complete:
            return StoredTrace(*arguments)
        texts = self._codec.prompt(trace.program), self._codec.encode(trace)
        tokens = (count_segment_tokens(text, SpecialToken, self._tokenizer) for text in texts)
        return StoredTrace(*arguments, *tokens)

    def _rejection(self, stored: StoredTrace) -> tuple[str, str]:
        """Outcome and detail of a trace that is not kept; empty texts if it is kept."""
        trace, filters = stored.trace, self.job.filters
        if not trace.ending.is_complete:
            return trace.ending.reason, trace.ending.detail
        if trace.gaps or not trace.is_complete:
            return "incomplete", "; ".join(trace.gaps) or "its last steps are missing"
        if len(trace.steps) < filters.min_steps:
            return "too_short", f"fewer than {filters.min_steps:,} steps"
        tokens = sum(getattr(stored, name) or 0 for name in _TOKEN_COLUMNS)
        if filters.max_tokens is not None and tokens > filters.max_tokens:
            return "too_long", f"more than {filters.max_tokens:,} tokens"
        if filters.skip_determinism_check:
            return "", ""
        difference = self._second_run_difference(trace)
        return ("non_deterministic", difference) if difference else ("", "")

    def _second_run_difference(self, trace: Trace) -> str:
        """Execute the program with a different hash seed; the first difference, or ""."""
        second = self._record(1, trace.program)
        if second.ending != trace.ending or len(second.steps) != len(trace.steps):
            return (
                f"{len(trace.steps)} steps, {trace.ending}; then {len(second.steps)}, "
                f"{second.ending}"
            )
        for number, (step, second_step) in enumerate(zip(trace.steps, second.steps, strict=True)):
            if step != second_step:
                return f"step {number}"
        return "standard output" if second.stdout != trace.stdout else ""


_worker: ShardWorker | None = None


def run_shard(job: TraceJob, address: str, shard: Shard) -> OutcomeCounts:
    """Process one shard, with the worker that this process has for the job."""
    global _worker
    if _worker is None or (_worker.job.hash, _worker.address) != (job.hash, address):
        if _worker is not None:
            _worker.close()
        _worker = ShardWorker(job, address)
    return _worker.run(shard)
