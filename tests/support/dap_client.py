"""Small client of the Debug Adapter Protocol, which checks the order of what the server sends."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from worldline.interfaces.api.engine_handle import EngineLike
from worldline.interfaces.dap.debug_server import serve_connection

# Requests after which the program runs, and stops again.
RUNNING = frozenset(
    {"continue", "reverseContinue", "next", "stepIn", "stepOut", "stepBack", "goto",
     "restartFrame", "configurationDone", "setVariable"}
)  # fmt: skip


class DapClient:
    """A client over two streams. Every message that arrives is checked."""

    def __init__(self, reader: IO[bytes], writer: IO[bytes]) -> None:
        self._reader, self._writer = reader, writer
        self._seq = 0
        self._last_seq = 0
        self._open: dict[int, str] = {}
        self._may_stop = False
        self.events: list[dict[str, Any]] = []
        self.stops: list[dict[str, Any]] = []

    def send_bytes(self, data: bytes) -> None:
        """Send bytes as they are."""
        self._writer.write(data)
        self._writer.flush()

    def send_body(self, body: bytes) -> None:
        """Send a message with its header."""
        self.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def send(self, command: str, **arguments: Any) -> int:
        """Send a request without waiting, and return its number."""
        self._seq += 1
        self._open[self._seq] = command
        request = {"seq": self._seq, "type": "request", "command": command}
        self.send_body(json.dumps({**request, "arguments": arguments}).encode())
        return self._seq

    def receive(self) -> dict[str, Any]:
        """Receive the next message, and check that it is legal here."""
        header = self._reader.readline()
        assert header.startswith(b"Content-Length: "), header
        assert self._reader.readline() == b"\r\n"
        message: dict[str, Any] = json.loads(self._reader.read(int(header.split(b":")[1])))
        self._check(message)
        return message

    def _check(self, message: dict[str, Any]) -> None:
        assert message["seq"] == self._last_seq + 1
        self._last_seq = message["seq"]
        names = [event["event"] for event in self.events]
        if message["type"] == "response":
            if message["request_seq"]:
                command = self._open.pop(message["request_seq"])
                assert message["command"] in (command, "")
                self._may_stop = self._may_stop or (message["success"] and command in RUNNING)
            if not message["success"]:
                # A sentence for the user, without a traceback.
                assert message["message"]
                assert "Traceback" not in message["message"]
                assert "internal error" not in message["message"]
            return
        name = message["event"]
        if name == "initialized":
            assert "initialized" not in names
            assert "initialize" not in self._open.values()
        if name == "stopped":
            assert self._may_stop, "stopped without a request"
            assert "terminated" not in names
            assert "launch" not in self._open.values()
            self._may_stop = False
            self.stops.append(message["body"])
        if name == "terminated":
            assert "terminated" not in names
        self.events.append(message)

    def ask(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Send a request and return its response, successful or not."""
        number = self.send(command, **arguments)
        while True:
            message = self.receive()
            if message["type"] == "response" and message["request_seq"] == number:
                return message

    def body(self, command: str, **arguments: Any) -> dict[str, Any]:
        """The body of a successful response."""
        response = self.ask(command, **arguments)
        assert response["success"], response
        body: dict[str, Any] = response["body"]
        return body

    def error(self, command: str, **arguments: Any) -> str:
        """The sentence of a response that failed."""
        response = self.ask(command, **arguments)
        assert not response["success"], response
        message: str = response["message"]
        return message

    def wait(self, event: str) -> dict[str, Any]:
        """Wait for an event, and return its body."""
        count = sum(each["event"] == event for each in self.events)
        while sum(each["event"] == event for each in self.events) == count:
            message = self.receive()
            assert message.get("success", True), message
        body: dict[str, Any] = self.events[-1]["body"]
        return body

    def run(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Send a request that moves, and return the body of the `stopped` event."""
        count = len(self.stops)
        response = self.ask(command, **{"threadId": 1, **arguments})
        assert response["success"], response
        while len(self.stops) == count:
            self.receive()
        return self.stops[-1]

    def start(
        self,
        *,
        breakpoints: list[dict[str, Any]] | None = None,
        filters: list[str] | None = None,
        **launch: Any,
    ) -> dict[str, Any]:
        """Initialize, launch, set breakpoints, and wait for the first stop."""
        self.body("initialize", adapterID="worldline", linesStartAt1=True)
        self.send("launch", **launch)
        self.wait("initialized")
        if breakpoints is not None:
            source = {"path": launch.get("program", "program.py")}
            self.body("setBreakpoints", source=source, breakpoints=breakpoints)
        if filters is not None:
            self.body("setExceptionBreakpoints", filters=filters)
        return self.run("configurationDone")

    def stack(self, thread: int = 1) -> list[tuple[str, int]]:
        """The names and lines of a thread's frames."""
        frames = self.body("stackTrace", threadId=thread)["stackFrames"]
        return [(frame["name"], frame["line"]) for frame in frames]

    def scopes(self, thread: int = 1, level: int = 0) -> dict[str, dict[str, str]]:
        """The variables of each scope of a frame."""
        frames = self.body("stackTrace", threadId=thread)["stackFrames"]
        scopes = self.body("scopes", frameId=frames[level]["id"])["scopes"]
        return {
            scope["name"]: {
                variable["name"]: variable["value"]
                for variable in self.body(
                    "variables", variablesReference=scope["variablesReference"]
                )["variables"]
            }
            for scope in scopes
        }

    def reference(self, scope: str, thread: int = 1) -> int:
        """The reference of a scope of the innermost frame."""
        frames = self.body("stackTrace", threadId=thread)["stackFrames"]
        scopes = self.body("scopes", frameId=frames[0]["id"])["scopes"]
        number: int = next(s["variablesReference"] for s in scopes if s["name"] == scope)
        return number

    def output(self, category: str = "console") -> str:
        """What the server has written."""
        return "".join(
            event["body"]["output"]
            for event in self.events
            if event["event"] == "output" and event["body"]["category"] == category
        )


@contextmanager
def in_process(engine: EngineLike | None = None) -> Iterator[DapClient]:
    """A client of a server in a thread of this process."""
    ours, theirs = socket.socketpair()
    ours.settimeout(120)
    server = threading.Thread(target=serve_connection, args=(theirs, engine))
    server.start()
    with ours, ours.makefile("rb") as answers, ours.makefile("wb") as requests:
        try:
            yield DapClient(answers, requests)
        finally:
            ours.shutdown(socket.SHUT_RDWR)
    server.join(timeout=60)
    assert not server.is_alive()


def write_program(folder: Path, text: str, name: str = "program.py") -> str:
    """Write a program file, and return its path."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)
