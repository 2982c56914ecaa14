"""Attacks in JavaScript on the sandbox: none may succeed."""

import http.server
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from worldline.core.trace import Limits, Program, Trace
from worldline.languages.javascript.node_recorder import NodeRecorder

LIMITS = Limits(seconds=5, memory_mb=256, output_mb=1, steps=20_000)


def attack(recorder: NodeRecorder, body: str, *, limits: Limits = LIMITS) -> Trace:
    """Record the body of a function; it returns "ESCAPED" if the attack has succeeded."""
    source = f"function attack() {{\n{body}\n}}\n"
    return recorder.record(Program(source, "attack()", language="javascript"), limits=limits)


def try_to(action: str) -> str:
    """The body of an attack that returns the code of the error that stopped it."""
    return (
        f"  try {{ {action} }} catch (error) {{ return error.code ?? error.name; }}\n"
        "  return 'ESCAPED';"
    )


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server on this machine."""
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()


@pytest.mark.parametrize(
    ("action", "errors"),
    [
        ("require('fs').readFileSync('/etc/passwd')", {"'ENOENT'", "'EACCES'"}),
        ("require('fs').readdirSync('/')", {"'EACCES'"}),
        ("require('fs').readFileSync('/proc/self/environ')", {"'ENOENT'", "'EACCES'"}),
        ("require('fs').writeFileSync('/usr/x', '')", {"'EROFS'", "'EACCES'"}),
        ("process.setuid(0)", {"'EPERM'"}),
        ("process.kill(1, 9)", {"'ESRCH'", "'EPERM'"}),
        ("process.dlopen({exports: {}}, '/lib/none.so')", {"'ERR_DLOPEN_FAILED'"}),
    ],
)
def test_files_and_privileges_are_out_of_reach(
    recorder: NodeRecorder, action: str, errors: set[str]
) -> None:
    trace = attack(recorder, try_to(action))
    assert trace.result in errors, trace.ending


def test_a_secret_of_the_host_cannot_be_read(recorder: NodeRecorder, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    trace = attack(recorder, try_to(f"require('fs').readFileSync({str(secret)!r})"))
    assert trace.result in ("'ENOENT'", "'EACCES'")


@pytest.mark.parametrize(
    "command",
    [
        "execFileSync('/bin/ls')",
        "execFileSync(process.execPath, ['-e', '1'])",
        "execFileSync('/lib64/ld-linux-x86-64.so.2', [process.execPath])",
        "fork('/tmp/x.js')",
    ],
)
def test_no_process_can_be_started(recorder: NodeRecorder, command: str) -> None:
    body = try_to(
        f"const child = require('child_process').{command};"
        "if (child.pid === undefined) throw {code: 'not started'};"
    )
    trace = attack(recorder, body)
    assert trace.result in ("'EPERM'", "'EACCES'", "'ENOENT'", "'not started'"), trace.ending


def test_there_is_no_network(recorder: NodeRecorder, port: int) -> None:
    body = f"""
  const socket = require('net').connect({port}, '127.0.0.1');
  socket.on('connect', () => console.log('ESCAPED'));
  socket.on('error', error => console.log(error.code));
  return 1;"""
    trace = attack(recorder, body)
    assert trace.stdout.strip() in ("EPERM", "EACCES", "ENETUNREACH"), trace.stdout


# On a busy machine, the limit on time can be the first that is reached.
@pytest.mark.parametrize(
    ("body", "reasons"),
    [
        ("  for (;;);", {"step_limit", "time_limit"}),
        ("  while (true) { }", {"step_limit", "time_limit"}),
        ("  /(a+)+$/.test('a'.repeat(40) + 'b');", {"time_limit"}),
        (
            "  const a = []; for (;;) a.push(new Array(100000).fill(1.5));",
            {"memory_limit", "time_limit"},
        ),
        ("  return 'x'.repeat(2 ** 28).split('').length;", {"memory_limit", "time_limit"}),
        ("  while (true) console.log('x'.repeat(10000));", {"output_limit", "time_limit"}),
        ("  const f = () => f(); f();", {"raised", "step_limit"}),
        ("  process.abort();", {"exited"}),
        ("  process.exit(3);", {"exited"}),
        ("  process.kill(process.pid, 'SIGKILL');", {"killed"}),
    ],
)
def test_bombs_end_at_a_limit(recorder: NodeRecorder, body: str, reasons: set[str]) -> None:
    trace = attack(recorder, body)
    assert trace.ending.reason in reasons, trace.ending
    assert len(trace.stdout) <= LIMITS.output_mb * 1_000_000
    # The recorder is still usable.
    assert attack(recorder, "  return 1;").result == "1"


def test_buffers_outside_of_the_heap_count_as_memory(recorder: NodeRecorder) -> None:
    body = (
        "  const a = []; for (let i = 0; i < 2000; i++) a.push(Buffer.alloc(1 << 20, 1));\n"
        "  return 'ESCAPED';"
    )
    # Slow on a busy machine.
    trace = attack(recorder, body, limits=replace(LIMITS, seconds=60))
    assert trace.ending.reason in ("memory_limit", "raised"), trace.ending
    assert trace.result is None


def test_a_bomb_of_workers_ends(recorder: NodeRecorder) -> None:
    body = """
  const {Worker} = require('worker_threads');
  const all = [];
  for (let i = 0; i < 500; i++) all.push(new Worker('for (;;);', {eval: true}));
  return 'ESCAPED';"""
    trace = attack(recorder, body)
    # The limit on processes stops it, or the memory; the process ends in any case.
    assert trace.result is None or trace.ending.reason != "finished", trace.ending
    assert attack(recorder, "  return 1;").result == "1"


FORGE = """
  const fs = require('fs');
  const head = Buffer.alloc(8);
  fs.readSync(3, head, 0, 8, 0);
  const length = Number(head.readBigUInt64LE());
  const rows = ROWS;
  fs.writeSync(3, rows, 64 + length);
  head.writeBigUInt64LE(BigInt(length + rows.length));
  fs.writeSync(3, head, 0, 8, 0);
  process.kill(process.pid, 'SIGKILL');"""


@pytest.mark.parametrize(
    "rows",
    [
        """'no JSON\\n'""",
        """'["return",1,99,"7"]\\n'""",
        """'["return",15,0,"7"]\\n["end","finished","",[]]\\n["epilogue",13,2]\\n'""",
        """'["return",15,0,"7"]\\n["end","finished","",[]]\\n["epilogue",13,2,""]\\n'""",
    ],
)
def test_a_false_end_of_the_recording_is_noticed(recorder: NodeRecorder, rows: str) -> None:
    trace = attack(recorder, FORGE.replace("ROWS", rows))
    assert not trace.is_complete
    assert trace.ending.reason in ("tampered", "killed")
    assert trace.result is None
