"""The server as a process, over standard input and output and over TCP, and its latency."""

import json
import re
import socket
import statistics
import subprocess
import sys
import time
from pathlib import Path

from tests.support.dap_client import DapClient, in_process, write_program
from tests.support.replay_programs import NESTED
from worldline.core.trace import Limits, Program, trace_to_json
from worldline.languages.python.recorder import PythonRecorder

COMMAND = [sys.executable, "-m", "worldline", "dap"]
STEPS = 100_000
# Every second line of this program is a call.
LONG = """\
def square(n):
    return n * n

def total(n):
    s = 0
    for i in range(n):
        s += square(i)
    return s
"""


def test_standard_input_and_output(tmp_path: Path) -> None:
    program = write_program(tmp_path, NESTED)
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        client = DapClient(process.stdout, process.stdin)
        client.start(program=program, call="total([1, 2])", breakpoints=[{"line": 2}])
        assert client.stack()[0] == ("square", 2)
        client.body("disconnect")
        assert process.wait(timeout=60) == 0


def test_the_end_of_standard_input_ends_the_process() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(timeout=60) == 0


def test_tcp_serves_several_clients(tmp_path: Path) -> None:
    program = write_program(tmp_path, NESTED)
    command = [*COMMAND, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            address = process.stderr.readline().strip()
            match = re.fullmatch(r"127\.0\.0\.1:(\d+)", address)
            assert match, address
            sockets = [socket.create_connection(("127.0.0.1", int(match[1]))) for _ in range(2)]
            clients = [DapClient(each.makefile("rb"), each.makefile("wb")) for each in sockets]
            for number, client in enumerate(clients, 1):
                call = f"total([{number}])"
                client.start(program=program, call=call, breakpoints=[{"line": 3}])
            # Each client has its own position.
            clients[0].run("stepBack")
            assert [client.scopes()["Locals"] for client in clients] == [
                {"n": "1"},
                {"n": "2", "m": "4"},
            ]
            for each in sockets:
                each.close()
        finally:
            process.terminate()


def test_a_port_in_use_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = subprocess.run(
            [*COMMAND, "--port", str(port)], capture_output=True, text=True, check=False
        )
    assert done.returncode == 2
    assert f"cannot listen on port {port}" in done.stderr


def test_a_step_in_a_long_trace_is_fast(recorder: PythonRecorder, tmp_path: Path) -> None:
    limits = Limits(steps=STEPS, seconds=120)
    trace = recorder.record(Program(LONG, f"total({STEPS})"), limits=limits)
    assert len(trace.steps) == STEPS
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(trace_to_json(trace)))
    with in_process() as client:
        client.start(traceFile=str(path), stopOnEntry=True)
        (far,) = client.body("gotoTargets", source={"name": "program.py"}, line=5)["targets"]
        client.run("goto", targetId=far["id"])
        seconds: dict[str, list[float]] = {}
        client.run("continue")
        for command in ("stepBack", "stepIn") * 50:
            start = time.perf_counter()
            client.run(command)
            client.body("stackTrace", threadId=1)
            seconds.setdefault(command, []).append(time.perf_counter() - start)
    # With the stack that an editor asks for; a busy machine may take longer once.
    assert all(statistics.median(each) < 0.02 for each in seconds.values()), seconds
