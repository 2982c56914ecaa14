"""Shard worker: executes the programs of a shard, and stores traces and outcomes."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
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
from worldline.core.trace import Program, Trace, TraceColumns, difference
from worldline.core.util.garbage_collection import paused_garbage_collection
from worldline.data.tracing.parsed_row import ParsedRow, parse_row
from worldline.data.tracing.sharding import ProgramRow, Shard
from worldline.data.tracing.trace_job import SMOKE_TEST_PROGRAM, TraceJob, identify_tokenizer
from worldline.evaluation.store import (
    TRACE_COLUMNS,
    PartBuilder,
    StoredColumns,
    StoredTrace,
    check_row,
    open_location,
    trace_to_row,
    write_shard,
)
from worldline.languages.program_recorder import ProgramRecorder
from worldline.models.codecs import STEP_CODECS, SpecialToken, StepCodec
from worldline.models.prediction import Question
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
        # Traces of the shard's programs that shared a process.
        self._grouped: Mapping[Program, Trace | TraceColumns] = {}
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
        # The rows of a shard stay alive until it is written.
        with paused_garbage_collection():
            return self._run(shard)

    def _run(self, shard: Shard) -> OutcomeCounts:
        started = time.monotonic()
        counts = OutcomeCounts(shard.name)
        outcomes, part = [], PartBuilder(TRACE_COLUMNS)
        parsed = [self._parse_safely(row) for row in shard.rows]
        if self.job.isolation == "group":
            self._grouped = self._record_groups(parsed)
        for number, (row, each) in enumerate(zip(shard.rows, parsed, strict=True), shard.number):
            outcome, trace = self._process_safely(row, each)
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

    def _record_groups(self, parsed: Sequence[ParsedRow]) -> Mapping[Program, Trace | TraceColumns]:
        """Execute the programs of a shard in groups, twice; traces that are the same both times."""
        questions = [each.question for each in parsed if each.question and not each.outcome]
        programs = list(dict.fromkeys(question.program for question in questions))
        first, second = self._recorders
        traces: Sequence[Trace | TraceColumns | None]
        try:
            if self._tokenizer is None:
                traces = first.record_group_columns(programs, limits=self.job.limits, repeat=second)
            else:
                # The codec needs the steps.
                traces = first.record_group(programs, limits=self.job.limits, repeat=second)
        except (RecorderError, SandboxError):
            # Alone, each program says what is wrong.
            return {}
        return {trace.program: trace for trace in traces if trace is not None}

    def _parse_safely(self, row: ProgramRow) -> ParsedRow:
        """Parse a row; an unexpected error becomes the outcome `infra_error`."""
        try:
            return parse_row(row, self.job.decontamination)
        except Exception as error:  # noqa: BLE001
            return ParsedRow(None, self._infra_error(row, error))

    def _process_safely(
        self, row: ProgramRow, parsed: ParsedRow
    ) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Process a row; an unexpected error becomes the outcome `infra_error`."""
        try:
            return self._process(parsed)
        except Exception as error:  # noqa: BLE001
            return self._infra_error(row, error), None

    def _infra_error(self, row: ProgramRow, error: Exception) -> dict[str, Any]:
        """The outcome of a row with an unexpected error."""
        # One program must not end a job of millions. But if the smoke test fails, too, the
        # machine is at fault: the error is raised, and the shard is not written.
        for recorder in self._recorders:
            recorder.record(SMOKE_TEST_PROGRAM)
        id = (row.fields or {}).get("id")
        detail = str(error) if isinstance(error, WorldlineError) else repr(error)
        return {"id": id, "outcome": "infra_error", "detail": detail}

    def _process(self, parsed: ParsedRow) -> tuple[dict[str, Any], dict[str, Any] | None]:
        """Outcome of a row, and the row of its trace if it is kept."""
        question = parsed.question
        if question is None:
            return parsed.outcome, None
        outcome: dict[str, Any] = {"id": question.id, "program": question.program.hash}
        if parsed.outcome:
            return {**outcome, **parsed.outcome}, None
        try:
            stored = self._record_question(question)
            outcome |= {"steps": stored.trace.n_steps, "is_expected": stored.is_expected}
            outcome["isolation"] = "group" if question.program in self._grouped else "process"
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

    def _replay(self, trace: Trace) -> Trace:
        """Execute a program again with its choices, but other addresses and another hash seed."""
        recorder = self._recorders[1]
        return recorder.record_choosing(trace.program, trace.choices, limits=self.job.limits)[0]

    def _record_question(self, question: Question) -> StoredTrace | StoredColumns:
        """Record the trace of a program, and count its tokens if there is a tokenizer."""
        trace = self._grouped.get(question.program) or self._record(0, question.program)
        if isinstance(trace, TraceColumns):
            return StoredColumns(question.id, trace, question.expected, question.facets)
        arguments = (question.id, trace, question.expected, question.facets)
        if self._tokenizer is None or not trace.is_complete:
            return StoredTrace(*arguments)
        texts = self._codec.prompt(trace.program), self._codec.encode(trace)
        tokens = (count_segment_tokens(text, SpecialToken, self._tokenizer) for text in texts)
        return StoredTrace(*arguments, *tokens)

    def _rejection(self, stored: StoredTrace | StoredColumns) -> tuple[str, str]:
        """Outcome and detail of a trace that is not kept; empty texts if it is kept."""
        trace, filters = stored.trace, self.job.filters
        if not trace.ending.is_complete:
            return trace.ending.reason, trace.ending.detail
        if trace.gaps or not trace.is_complete:
            return "incomplete", "; ".join(trace.gaps) or "its last steps are missing"
        if trace.n_steps < filters.min_steps:
            return "too_short", f"fewer than {filters.min_steps:,} steps"
        tokens = sum(getattr(stored, name) or 0 for name in _TOKEN_COLUMNS)
        if filters.max_tokens is not None and tokens > filters.max_tokens:
            return "too_long", f"more than {filters.max_tokens:,} tokens"
        if filters.skip_determinism_check or trace.program in self._grouped:
            return "", ""
        assert isinstance(trace, Trace)
        detail = difference(trace, self._record(1, trace.program))
        if detail and filters.keep_non_deterministic and trace.choices:
            detail = difference(trace, self._replay(trace))
        return ("non_deterministic", detail) if detail else ("", "")


_worker: ShardWorker | None = None


def run_shard(job: TraceJob, address: str, shard: Shard) -> OutcomeCounts:
    """Process one shard, with the worker that this process has for the job."""
    global _worker
    wanted = job.hash, job.isolation, address
    if _worker is None or (_worker.job.hash, _worker.job.isolation, _worker.address) != wanted:
        if _worker is not None:
            _worker.close()
        _worker = ShardWorker(job, address)
    return _worker.run(shard)
