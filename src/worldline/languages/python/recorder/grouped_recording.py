"""Recordings of programs that share a process, and digests that tell whether two are the same."""

import hashlib
import os

from worldline.core.errors import InputError
from worldline.languages.python.recorder.recording_protocol import (
    RawRecording,
    complete_rows,
    decode_shared_memory,
    read_rows,
)


def decode_grouped(memory: int, output: int) -> tuple[RawRecording, bytes] | None:
    """A recording and its digest; None if the program has to be executed alone.

    Args:
        memory: The memory file of the recording.
        output: The memory file of what the program printed.
    """
    recording = RawRecording()
    try:
        decode_shared_memory(memory, recording)
    except (InputError, ValueError, LookupError, TypeError):
        return None
    if recording.end is None or recording.is_tampered:
        return None
    # How much memory is left depends on the process.
    if any(b"MemoryError" in rows for rows in complete_rows(memory)):
        return None
    recording.stdout = os.pread(output, os.fstat(output).st_size, 0)
    return recording, digest_grouped(memory, output)


def digest_grouped(memory: int, output: int) -> bytes:
    """A hash of the rows and of the output: equal if and only if all of their bytes are."""
    digest = hashlib.blake2b(digest_size=16)
    for part in read_rows(memory):
        digest.update(part)
    # The rows end with a line end; the output follows a separator that no row contains.
    digest.update(b"\0" + os.pread(output, os.fstat(output).st_size, 0))
    return digest.digest()
