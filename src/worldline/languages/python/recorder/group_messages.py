"""Messages of a group: the recordings and outputs that its process sends, in order.

See `child/program_group.py` for their format.
"""

import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

_HEAD_BYTES = 9
_READ_BYTES = 1 << 18


class GroupResults(NamedTuple, Generic[T]):
    """What is known about the first programs of a group.

    `recorded` has None for a program that has to be executed alone. `ended_itself`: the process
    ended because the last of these programs has exceeded a limit.
    """

    recorded: list[T | None]
    ended_itself: bool


class GroupReceiver(Generic[T]):
    """Receiver of the messages of one process.

    They are read when the process has sent many: to wait for each would take longer than most
    programs.
    """

    def __init__(
        self, read: Callable[[bytes, bytes], T | None], *, messages: int, message_bytes: int
    ) -> None:
        """Open the sockets.

        Args:
            read: Called with the rows of a recording, and with what the program has printed.
            messages: The number of messages; what follows them is ignored.
            message_bytes: The most bytes of a message. After a longer one, which no tracer sends,
                nothing is read.
        """
        self._read = read
        self._messages, self._message_bytes = messages, message_bytes
        self._received = bytearray()
        self._recorded: list[T | None] = []
        self._ended_itself = False
        # Not a pipe, which the process could open in /proc, to read it.
        self._socket, self.remote = socket.socketpair()
        self._socket.setblocking(False)

    def receive(self) -> None:
        """Read the messages that have been sent until now."""
        with suppress(BlockingIOError, ConnectionError):
            while (
                len(self._received) <= self._message_bytes and len(self._recorded) < self._messages
            ):
                part = self._socket.recv(_READ_BYTES)
                if not part:
                    break
                self._received += part
                self._take_messages()

    def _take_messages(self) -> None:
        received, start = self._received, 0
        while len(received) >= start + _HEAD_BYTES and len(self._recorded) < self._messages:
            rows_end = start + _HEAD_BYTES + int.from_bytes(received[start : start + 4], "little")
            end = rows_end + int.from_bytes(received[start + 4 : start + 8], "little")
            if len(received) < end:
                break
            self._ended_itself = received[start + 8] != 0
            rows = bytes(received[start + _HEAD_BYTES : rows_end])
            self._recorded.append(self._read(rows, bytes(received[rows_end:end])) if rows else None)
            start = end
        del received[:start]

    def results(self) -> GroupResults[T]:
        """What was received."""
        return GroupResults(self._recorded, self._ended_itself)

    def close(self) -> None:
        """Close the sockets."""
        self._socket.close()
        self.remote.close()
