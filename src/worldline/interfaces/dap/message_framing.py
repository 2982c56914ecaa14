"""Messages of the Debug Adapter Protocol: JSON with a header that has its length."""

import json
import threading
from typing import Any, BinaryIO

from worldline.core.errors import WorldlineError

_HEADER = b"content-length:"
# Longer messages are read and refused; a request is a few hundred bytes long.
_MAX_BYTES = 16_000_000
_MAX_HEADER_BYTES = 10_000


class MalformedMessageError(WorldlineError):
    """A message that is not JSON, has no length, or is not a request."""


def read_message(stream: BinaryIO) -> dict[str, Any] | None:
    """Read the next message; None at the end of the stream.

    Raises:
        MalformedMessageError: The message cannot be read. The next one can.
    """
    length = _read_length(stream)
    if length is None:
        return None
    if length > _MAX_BYTES:
        _discard(stream, length)
        raise MalformedMessageError(f"the message has more than {_MAX_BYTES:,} bytes")
    body = stream.read(length)
    if len(body) < length:
        return None
    try:
        message = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise MalformedMessageError(f"the message is not JSON: {error}") from error
    if not isinstance(message, dict):
        raise MalformedMessageError("the message is not a JSON object")
    return message


def _read_length(stream: BinaryIO) -> int | None:
    """Read a header; None at the end of the stream."""
    length: int | None = None
    is_malformed = False
    while line := stream.readline(_MAX_HEADER_BYTES):
        text = line.strip()
        if text.lower().startswith(_HEADER):
            number = text[len(_HEADER) :].strip()
            is_malformed = not number.isdigit() or len(number) > 15
            length = None if is_malformed else int(number)
        elif not text and length is not None:
            return length
        elif not text and is_malformed:
            raise MalformedMessageError("the message's header has no valid Content-Length")
        elif text and b":" not in text:
            # Not a header: skip to the next message.
            is_malformed = True
    return None


def _discard(stream: BinaryIO, length: int) -> None:
    while length > 0 and (data := stream.read(min(length, 1_000_000))):
        length -= len(data)


class MessageWriter:
    """Writer of responses and events, which are numbered in order."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._number = 0

    def send_event(self, event: str, body: dict[str, Any] | None = None) -> None:
        """Send an event."""
        self._send({"type": "event", "event": event, "body": body or {}})

    def send_response(self, request: dict[str, Any], body: dict[str, Any] | None = None) -> None:
        """Send the response to a request that was successful."""
        self._send({**_answered(request), "success": True, "body": body or {}})

    def send_error(self, request: dict[str, Any], text: str, *, is_shown: bool = False) -> None:
        """Send the response to a request that failed; `is_shown` asks the client to show it."""
        # Braces mark variables in a format.
        error = {"id": 1, "format": "{text}", "variables": {"text": text}, "showUser": is_shown}
        self._send(
            {**_answered(request), "success": False, "message": text, "body": {"error": error}}
        )

    def _send(self, message: dict[str, Any]) -> None:
        with self._lock:
            self._number += 1
            # Lone surrogates of a program's text are escaped.
            data = json.dumps({"seq": self._number, **message}).encode()
            self._stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
            self._stream.flush()


def _answered(request: dict[str, Any]) -> dict[str, Any]:
    number, command = request.get("seq"), request.get("command")
    return {
        "type": "response",
        "request_seq": number if isinstance(number, int) else 0,
        "command": command if isinstance(command, str) else "",
    }
