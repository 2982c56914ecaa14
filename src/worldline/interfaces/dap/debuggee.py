"""Debuggee: the executions of one program that a session replays, and its text."""

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from worldline.analysis.alignment import Alignment
from worldline.analysis.diagnosis import Sample
from worldline.analysis.replay import (
    IndexedExecution,
    Replay,
    index_prediction,
    index_trace,
    replay_both,
    replay_one,
)
from worldline.core.language import get_language
from worldline.core.trace import Program, Trace
from worldline.core.util.text import pluralize
from worldline.interfaces.dap.request_arguments import RequestError
from worldline.interfaces.report import ending_text, step_pairs
from worldline.models.codecs import Decoded

# The number of the program's text among the sources that the client asks for.
SOURCE_REFERENCE = 1


@dataclass(frozen=True, slots=True)
class Debuggee:
    """A program and its executions.

    Attributes:
        program: The program.
        replay: Its executions.
        name: The name of its text, if it has no file.
        path: The file of its text; lines after the end of the file, such as those of the call,
            are only in the text.
        stdout: What the program printed.
        summary: What is replayed, in words.
        cause: Why the prediction diverges, in words.
        is_growing: Whether a model predicts more steps, so that any line may still be executed.
    """

    program: Program
    replay: Replay
    name: str
    path: Path | None = None
    stdout: str = ""
    summary: str = ""
    cause: str = ""
    is_growing: bool = False

    def source(self, line: int | None = None) -> dict[str, Any]:
        """The source of a line: the file, or the program's own text."""
        if self.path is not None and (line is None or line <= self._file_lines):
            return {"name": self.path.name, "path": str(self.path)}
        return {"name": self.name, "sourceReference": SOURCE_REFERENCE, "origin": "program text"}

    @property
    def sources(self) -> list[dict[str, Any]]:
        """All sources."""
        text = {"name": self.name, "sourceReference": SOURCE_REFERENCE, "origin": "program text"}
        return [text] if self.path is None else [self.source(), text]

    def has_source(self, source: dict[str, Any]) -> bool:
        """Whether a client's source is the text of the program."""
        if source.get("sourceReference") == SOURCE_REFERENCE:
            return True
        path = source.get("path")
        if self.path is not None and isinstance(path, str):
            return Path(path).resolve() == self.path.resolve()
        return self.path is None and self.name in (path, source.get("name"))

    @property
    def _file_lines(self) -> int:
        return _shared_lines(self.program)


def debuggee_of_trace(trace: Trace, *, path: Path | None = None) -> Debuggee:
    """A recorded execution.

    Raises:
        RequestError: Nothing was executed.
    """
    if not trace.steps:
        detail = f": {trace.ending.detail}" if trace.ending.detail else ""
        raise RequestError(f"the program was not executed, {trace.ending.reason}{detail}")
    return Debuggee(
        trace.program,
        replay_one(index_trace(trace)),
        _text_name(trace.program, path),
        _file_of(trace.program, path),
        trace.stdout,
        _actual_text(trace),
    )


def debuggee_of_sample(sample: Sample, *, path: Path | None = None) -> Debuggee:
    """A predicted execution next to the actual one.

    Raises:
        RequestError: Neither has a step.
    """
    facts = sample.diagnosis.facts
    alignment, decoded = facts.alignment, sample.prediction.decoded
    if alignment is None or not alignment.predicted.steps:
        actual = debuggee_of_trace(sample.actual, path=path)
        output = f"the answer {sample.prediction.answer}" if sample.prediction.answer else "no step"
        note = f"predicted: {output} ({decoded.reason}); only the actual execution is replayed"
        cause = sample.diagnosis.cause
        return Debuggee(
            actual.program,
            _with_divergence(actual.replay, alignment),
            actual.name,
            actual.path,
            actual.stdout,
            f"{actual.summary}\n{note}",
            cause.sentence if cause else "",
        )
    return debuggee_of_alignment(
        alignment,
        path=path,
        cause=sample.diagnosis.cause.sentence if sample.diagnosis.cause else "",
    )


def debuggee_of_alignment(
    alignment: Alignment,
    *,
    path: Path | None = None,
    cause: str = "",
    rows: int | None = None,
    is_growing: bool = False,
    indexed: IndexedExecution | None = None,
) -> Debuggee:
    """Two executions in lock step.

    Args:
        alignment: Both executions.
        path: The program's file.
        cause: Why the prediction diverges, in words.
        rows: Only this many rows; by default all.
        is_growing: Whether a model predicts more steps.
        indexed: The actual execution, if it was indexed before.
    """
    actual, predicted = alignment.actual, alignment.predicted
    replay = replay_both(
        indexed or index_trace(actual),
        index_prediction(
            predicted, actual.program, actual=actual, matched_steps=alignment.matched_steps
        ),
        step_pairs(alignment)[:rows],
        divergence=alignment.divergence,
        matched_steps=alignment.matched_steps,
    )
    divergence = alignment.divergence
    end = "no divergence" if divergence is None else f"diverges at {divergence.summary()}"
    summary = f"{_actual_text(actual)}\n{_predicted_text(predicted, is_growing=is_growing)}"
    if not is_growing or divergence is not None:
        summary += f"\n{end}"
    return Debuggee(
        actual.program,
        replay,
        _text_name(actual.program, path),
        _file_of(actual.program, path),
        actual.stdout,
        summary,
        cause,
        is_growing,
    )


def debuggee_of_prediction(
    predicted: Decoded, program: Program, *, path: Path | None = None, is_growing: bool = False
) -> Debuggee:
    """A predicted execution alone."""
    return Debuggee(
        program,
        replay_one(index_prediction(predicted, program)),
        _text_name(program, path),
        _file_of(program, path),
        summary=_predicted_text(predicted, is_growing=is_growing),
        is_growing=is_growing,
    )


def _actual_text(trace: Trace) -> str:
    # What the program printed is shown at the end.
    return f"actual: {ending_text(replace(trace, stdout='')).plain}"


def _predicted_text(predicted: Decoded, *, is_growing: bool) -> str:
    if is_growing:
        return "predicted: the model is asked for each step when you step"
    return f"predicted: {pluralize(len(predicted.steps), 'step')}, {predicted.reason}"


def _with_divergence(replay: Replay, alignment: Alignment | None) -> Replay:
    """The replay of an actual execution whose result was predicted wrong."""
    divergence = alignment.divergence if alignment else None
    if divergence is None:
        return replay
    return Replay(replay.tracks, replay.length, divergence, min(divergence.step, replay.length - 1))


def _text_name(program: Program, path: Path | None) -> str:
    suffix = get_language(program.language).suffixes[0]
    return f"{path.stem} with its call{suffix}" if path is not None else f"program{suffix}"


def _file_of(program: Program, path: Path | None) -> Path | None:
    """The file, if the program's text begins with its lines."""
    return path if path is not None and _shared_lines(program) else None


@lru_cache(maxsize=16)
def _shared_lines(program: Program) -> int:
    """The number of lines that the file and the text share; Java has the call inside the class."""
    lines = program.syntax.source_lines(program.source)
    count = 0
    for line, other in zip(lines, program.lines, strict=False):
        if line != other:
            break
        count += 1
    return count
