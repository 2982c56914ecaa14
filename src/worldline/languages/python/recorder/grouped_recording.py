"""Recordings of programs that share a process, and digests that tell whether two are the same."""

import hashlib

from worldline.core.errors import InputError
from worldline.languages.python.recorder.recorded_columns import RecordedColumns, decode_columns
from worldline.languages.python.recorder.recording_protocol import RawRecording, decode_rows


def decode_grouped(rows: bytes, output: bytes) -> RawRecording | None:
    """A recording; None if the program has to be executed alone.

    Args:
        rows: The rows of the recording.
        output: What the program printed.
    """
    recording = RawRecording()
    try:
        decode_rows(rows, recording)
    except (InputError, ValueError, LookupError, TypeError):
        return None
    if recording.end is None or recording.is_tampered or _depends_on_memory(rows):
        return None
    recording.stdout = output
    return recording


def decode_grouped_columns(rows: bytes, output: bytes) -> tuple[RecordedColumns, bytes] | None:
    """A recording as columns, and its output; None if the program has to be executed alone."""
    recorded = None if _depends_on_memory(rows) else decode_columns(rows)
    return None if recorded is None else (recorded, output)


def digest_grouped(rows: bytes, output: bytes) -> bytes:
    """A hash of the rows and of the output: equal if and only if all of their bytes are."""
    # The rows end with a line end; the output follows a separator that no row contains.
    return hashlib.blake2b(rows + b"\0" + output, digest_size=16).digest()


def _depends_on_memory(rows: bytes) -> bool:
    """Whether a program had no memory left: how much is left depends on the process."""
    return b"MemoryError" in rows
