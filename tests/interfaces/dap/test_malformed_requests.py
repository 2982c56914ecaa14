"""Malformed and untimely requests: an error response, and the server continues."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.dap_client import in_process, write_program

INITIALIZE = {"seq": 1, "type": "request", "command": "initialize", "arguments": {}}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"{", "is not JSON"),
        (b"", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"[1]", "not a JSON object"),
        (b"{}", "not a request"),
        (b'{"type": "request"}', "not a request"),
        (b'{"type": "request", "command": 3, "seq": 1}', "not a request"),
        (b'{"type": "event", "event": "stopped", "seq": 1}', "not a request"),
        (b'{"type": "request", "command": "threads", "arguments": [], "seq": 1}', "initialize"),
    ],
)
def test_a_malformed_body(body: bytes, reason: str) -> None:
    with in_process() as client:
        client._open[1] = "threads"
        client.send_body(body)
        response = client.receive()
        assert not response["success"]
        assert reason in response["message"]
        client._open.clear()
        assert client.body("initialize")["supportsStepBack"]


@pytest.mark.parametrize(
    "header",
    [
        b"Content-Length: x\r\n\r\n",
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: 99999999999999999999999\r\n\r\n",
        b"hello\r\n\r\n",
    ],
)
def test_a_malformed_header(header: bytes) -> None:
    with in_process() as client:
        client.send_bytes(header)
        response = client.receive()
        assert "Content-Length" in response["message"]
        assert client.body("initialize")["supportsStepBack"]


def test_a_message_that_is_too_long() -> None:
    with in_process() as client:
        client.send_bytes(b"Content-Length: 16000001\r\n\r\n" + b" " * 16_000_001)
        assert "more than" in client.receive()["message"]
        assert client.body("initialize")["supportsStepBack"]


def test_other_headers_are_accepted() -> None:
    body = json.dumps(INITIALIZE).encode()
    with in_process() as client:
        client._open[1] = "initialize"
        client.send_bytes(
            b"content-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
        )
        assert client.receive()["success"]


def test_requests_before_their_time(tmp_path: Path) -> None:
    program = write_program(tmp_path, "def f():\n    return 1\n")
    with in_process() as client:
        assert "must be initialize" in client.error("threads")
        client.body("initialize")
        assert "sent before" in client.error("initialize")
        assert "nothing is launched" in client.error("stackTrace", threadId=1)
        assert "nothing is launched" in client.error("continue", threadId=1)
        assert "nothing is launched" in client.error("configurationDone")
        assert client.body("threads") == {"threads": []}
        early = client.body("setBreakpoints", source={"path": program}, breakpoints=[{"line": 2}])
        assert not early["breakpoints"][0]["verified"]
        assert "use launch" in client.error("attach")
        client.send("launch", program=program, call="f()")
        client.wait("initialized")
        assert "configurationDone first" in client.error("next", threadId=1)
        assert "launched already" in client.error("launch", program=program, call="f()")
        client.run("configurationDone")
        assert "nothing is launched" in client.error("configurationDone")


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("stackTrace", {}, "threadId is missing"),
    ("stackTrace", {"threadId": "1"}, "threadId must be a whole number"),
    ("stackTrace", {"threadId": True}, "threadId must be a whole number"),
    ("stackTrace", {"threadId": 9}, "there is no thread 9; there are 1 (actual)"),
    ("scopes", {"frameId": 99}, "there is no frame 99"),
    ("scopes", {"frameId": -1}, "there is no frame -1"),
    ("variables", {"variablesReference": 99}, "there are no variables 99"),
    ("variables", {"variablesReference": 0}, "there are no variables 0"),
    ("next", {}, "threadId is missing"),
    ("stepBack", {"threadId": 1, "granularity": 3}, "granularity must be a text"),
    ("restartFrame", {"frameId": 1000}, "there is no frame"),
    ("goto", {"threadId": 1, "targetId": 0}, "there is no target"),
    ("gotoTargets", {"source": "x", "line": 1}, "source must be an object"),
    ("setBreakpoints", {"source": {}, "breakpoints": 1}, "breakpoints must be a list"),
    ("setBreakpoints", {"source": {}, "breakpoints": [1]}, "must be a list of objects"),
    ("setBreakpoints", {"source": {}, "breakpoints": [{}]}, "line is missing"),
    ("setFunctionBreakpoints", {"breakpoints": [{}]}, "name is missing"),
    ("setExceptionBreakpoints", {"filters": [{}]}, "there is no filter"),
    ("evaluate", {}, "expression is missing"),
    ("evaluate", {"expression": "x", "frameId": 77}, "there is no frame 77"),
    ("setVariable", {"variablesReference": 1}, "name is missing"),
    ("source", {}, "there is no source None"),
    ("frobnicate", {}, "the request frobnicate is not supported"),
    ("pause", {"threadId": 3}, "there is no thread 3"),
]


def test_wrong_arguments_are_answered_in_a_sentence(tmp_path: Path) -> None:
    with in_process() as client:
        client.start(program=write_program(tmp_path, "def f():\n    return 1\n"), call="f()")
        for command, arguments, reason in WRONG:
            assert reason in client.error(command, **arguments), (command, arguments)
        # The session is still usable.
        assert client.run("stepBack")["reason"] == "step"


def test_random_arguments_never_end_the_server(tmp_path: Path) -> None:
    values: list[Any] = [None, -1, 0, 1, 2**70, 1.5, "", "x", True, [], [None], {}, {"line": "x"}]
    names = [
        "threadId", "frameId", "variablesReference", "expression", "source", "breakpoints",
        "filters", "line", "targetId", "name", "value", "levels", "startFrame", "count", "start",
    ]  # fmt: skip
    commands = [
        "stackTrace", "scopes", "variables", "evaluate", "setBreakpoints", "gotoTargets", "goto",
        "setFunctionBreakpoints", "setDataBreakpoints", "dataBreakpointInfo", "setVariable",
        "setExceptionBreakpoints", "source", "restartFrame", "exceptionInfo", "loadedSources",
    ]  # fmt: skip
    with in_process() as client:
        client.start(program=write_program(tmp_path, "def f():\n    return 1\n"), call="f()")
        for command in commands:
            for name in names:
                for value in values:
                    # `client.ask` fails on an internal error.
                    client.ask(command, **{"threadId": 1, name: value})
        assert client.body("threads")["threads"]


def test_the_position_changes_what_numbers_mean(tmp_path: Path) -> None:
    with in_process() as client:
        program = write_program(tmp_path, "def f():\n    a = 1\n    return a\n")
        client.start(program=program, call="f()", breakpoints=[{"line": 3}])
        reference = client.reference("Locals")
        client.run("stepBack")
        assert "at this position" in client.error("variables", variablesReference=reference)


def test_disconnect_in_the_middle(tmp_path: Path) -> None:
    with in_process() as client:
        client.start(program=write_program(tmp_path, "def f():\n    return 1\n"), call="f()")
        client.send("stepBack", threadId=1)
        client.send("stepIn", threadId=1)
        assert client.ask("disconnect")["success"]


def test_a_client_that_vanishes(tmp_path: Path) -> None:
    with in_process() as client:
        client.start(program=write_program(tmp_path, "def f():\n    return 1\n"), call="f()")
        client.send("stepBack", threadId=1)
    # `in_process` waits for the end of the server.


def test_terminate(tmp_path: Path) -> None:
    with in_process() as client:
        client.start(program=write_program(tmp_path, "def f():\n    return 1\n"), call="f()")
        client.body("terminate")
        client.wait("terminated")
        assert client.body("disconnect") == {}
