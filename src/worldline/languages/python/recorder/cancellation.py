"""Cancellation of one recording, from another thread."""

import socket
import threading
from contextlib import suppress


class Cancellation:
    """Cancels the recording that it was given to; `cancel` may be called from any thread.

    cancellation = Cancellation()
    threading.Timer(1, cancellation.cancel).start()
    trace = recorder.record(program, cancellation=cancellation)
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        # The recording waits for replies with `select`, which a byte on this socket wakes up.
        self._reader, self._writer = socket.socketpair()

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._event.is_set()

    def fileno(self) -> int:
        """The file descriptor that becomes readable when the recording is cancelled."""
        return self._reader.fileno()

    def cancel(self) -> None:
        """Kill the program, or do not start it; a recording that has ended is not affected."""
        self._event.set()
        with suppress(OSError):
            self._writer.send(b"\0")

    def close(self) -> None:
        """Close the sockets; the recording must have ended."""
        self._reader.close()
        self._writer.close()
