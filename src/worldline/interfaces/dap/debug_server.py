"""Server of the Debug Adapter Protocol, over standard input and output or TCP."""

import queue
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

from worldline.core.errors import InputError
from worldline.interfaces.api.engine_handle import EngineLike
from worldline.interfaces.dap.debug_session import DebugSession
from worldline.interfaces.dap.message_framing import (
    MalformedMessageError,
    MessageWriter,
    read_message,
)

# Only programs on this machine can connect.
HOST = "127.0.0.1"
# Requests that end what is running.
_INTERRUPTS = frozenset({"pause", "disconnect", "terminate"})


def serve_streams(reader: BinaryIO, writer: BinaryIO, *, engine: EngineLike | None = None) -> None:
    """Serve one client until it disconnects.

    Requests are read in a thread, so that `pause` and `disconnect` are noticed while a model
    predicts.
    """
    messages: queue.Queue[dict[str, Any] | MalformedMessageError | None] = queue.Queue()
    interrupted = threading.Event()

    def read() -> None:
        while True:
            try:
                message = read_message(reader)
            except MalformedMessageError as error:
                messages.put(error)
                continue
            except (OSError, ValueError):
                message = None
            if message is None or message.get("command") in _INTERRUPTS:
                interrupted.set()
            messages.put(message)
            if message is None or message.get("command") == "disconnect":
                return

    output = MessageWriter(writer)
    session = DebugSession(output, engine=engine, is_interrupted=interrupted.is_set)
    threading.Thread(target=read, daemon=True).start()
    try:
        while not session.is_closed and (message := messages.get()) is not None:
            if isinstance(message, MalformedMessageError):
                output.send_error({}, str(message))
                continue
            if message.get("command") in _INTERRUPTS:
                interrupted.clear()
            session.handle(message)
    except (BrokenPipeError, ConnectionResetError):
        # The client is gone.
        pass
    finally:
        session.close()


def serve_debug_adapter(
    *,
    port: int | None = None,
    engine: EngineLike | None = None,
    on_listen: Callable[[str, int], None] | None = None,
    is_single: bool = False,
) -> None:
    """Serve the Debug Adapter Protocol, with which editors replay recordings and predictions.

    Args:
        port: Listen on this port of 127.0.0.1, 0 for a free one; each connection is a session of
            its own. Without a port, standard input and output are one session.
        engine: The engine, or its name, of sessions that name none; without one, a session
            replays what was recorded.
        on_listen: Called with the address and the port once the server listens.
        is_single: End after the first connection.

    Raises:
        InputError: The port is in use.
    """
    if port is None:
        output = sys.stdout.buffer
        # Whatever prints must not break the protocol.
        sys.stdout = sys.stderr
        # Not `sys.stdin`: the reading thread may hold its lock when the process ends.
        with open(sys.stdin.fileno(), "rb", closefd=False) as reader:
            serve_streams(reader, output, engine=engine)
        return
    try:
        listener = socket.create_server((HOST, port))
    except OSError as error:
        raise InputError(f"cannot listen on port {port}: {error}; choose another") from error
    with listener:
        if on_listen is not None:
            on_listen(HOST, listener.getsockname()[1])
        while True:
            connection, _ = listener.accept()
            thread = threading.Thread(
                target=serve_connection, args=(connection, engine), daemon=True
            )
            thread.start()
            if is_single:
                thread.join()
                return


def serve_connection(connection: socket.socket, engine: EngineLike | None = None) -> None:
    """Serve one client of a socket until it disconnects."""
    if connection.family == socket.AF_INET:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # A client that is gone leaves a message that cannot be sent.
    with (
        suppress(OSError),
        connection,
        connection.makefile("rb") as reader,
        connection.makefile("wb") as writer,
    ):
        serve_streams(reader, writer, engine=engine)
