"""Actual traces in a run: encoded in one column, so that stored samples need no execution."""

import json
from dataclasses import asdict

from worldline.analysis.diagnosis import Sample
from worldline.core.errors import InputError
from worldline.core.trace import Program, Trace, first_steps, trace_from_json, trace_to_json
from worldline.evaluation.runs.diagnose_predictions import NO_RECORDER, compared_steps

# Characters of a stored trace. Rows are in memory and in the journal until they form a part.
MAX_TRACE_CHARS = 1_000_000


def encode_trace(sample: Sample) -> str | None:
    """Encode the actual trace of a sample as JSON, without its program; `decode_trace` reads it.

    Of a long trace next to a truncated output, only the steps that are compared are stored.

    Returns:
        The JSON; None if it is too long, or if the recorder failed.
    """
    actual = sample.actual
    if actual.origin.recorder == NO_RECORDER:
        return None
    text = _to_json(actual)
    count = compared_steps(sample.prediction)
    if len(text) > MAX_TRACE_CHARS and count is not None:
        text = _to_json(first_steps(actual, count))
    return text if len(text) <= MAX_TRACE_CHARS else None


def _to_json(trace: Trace) -> str:
    data = trace_to_json(trace)
    # The row has the program, in columns of its own.
    del data["program"]
    return json.dumps(data, separators=(",", ":"))


def decode_trace(text: str, program: Program, location: str) -> Trace:
    """Decode a stored trace.

    Args:
        text: The JSON of `encode_trace`.
        program: The program of the row.
        location: Where the row is stored, for error messages.

    Raises:
        InputError: The text is not a stored trace.
    """
    try:
        return trace_from_json({**json.loads(text), "program": asdict(program)})
    except (ValueError, TypeError, InputError) as error:
        raise InputError(f"the trace of {location} cannot be read: {error}") from error
