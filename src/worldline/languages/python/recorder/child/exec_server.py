"""Server that executes programs of other languages, each in its own sandboxed process.

It speaks the protocol of the fork server (see `fork_server.py`). A request has a `command`, its
`environment`, the files that it may execute, and a `message` for it. The new process has the
program's input and output as descriptors 0 and 1, the file of the recording as 3 and the message as
4. All layers but seccomp are applied before the command is executed; the seccomp filter is
installed by a library that is loaded first (`c/exec_filter.c`), so that it can forbid `execve`.

A request of a `tool` (a compiler or a debugger) executes the command with the filter of that tool,
which allows `execve`. Its message contains the filter of programs, for those that it starts.
"""

import json
import os
import resource
import signal
import socket
from fcntl import F_DUPFD_CLOEXEC, fcntl
from typing import Any, NoReturn

from .fork_server import _receive_request, _send
from .json_lines import to_line, write_all
from .sandbox_layers import (
    apply_layers,
    fork_process,
    make_mounts_private,
    prepare_server,
    seccomp_filter,
    wait_for_exit,
)

# Descriptors of the new process are moved to here first, so that none overwrites another.
_FIRST_FD = 100
_FILTER_FD = 5
# Memory that a runtime needs for itself.
_RUNTIME_BYTES = 320 << 20


def serve(requests: int, replies: int, *, in_c: bool) -> None:
    """Execute programs until the client closes the socket.

    Args:
        requests: File descriptor of the socket to read from.
        replies: File descriptor of the socket to write to.
        in_c: Not used here: the command records the program itself.
    """
    settings: dict[str, Any] | None = None
    with socket.socket(fileno=requests) as source, socket.socket(fileno=replies) as out:
        while (received := _receive_request(source)) is not None:
            request, files = received
            if settings is None:
                settings = request
                _prepare(settings)
                continue
            try:
                pid, pidfd = fork_process(settings["layers"])
            except OSError as error:
                for file in files:
                    os.close(file)
                _send(out, ["failed", request["number"], str(error)])
                continue
            if pid == 0:
                _execute(request, files, settings)
            for file in files:
                os.close(file)
            if pidfd < 0:
                _send(out, ["started", request["number"], pid])
            else:
                _send(out, ["started", request["number"]], pidfd)
                os.close(pidfd)
            status = wait_for_exit(settings["layers"], pid)
            write_all(replies, b"\n" + to_line(["exit", request["number"], status]))


def _prepare(settings: "dict[str, Any]") -> None:
    """Prepare the server; the library with the filter has to stay visible."""
    if "namespaces" in settings["layers"]:
        make_mounts_private()
    else:
        prepare_server(settings)


def _execute(request: "dict[str, Any]", files: "list[int]", settings: "dict[str, Any]") -> NoReturn:
    """Sandbox this process and execute the command in it."""
    memory, *streams = files
    environment = dict(request["environment"])
    has_filter = "seccomp" in settings["layers"]
    message = {**request["message"], "needs_filter": has_filter}
    passed = [*streams, os.open(os.devnull, os.O_WRONLY), memory]
    tool = request.get("tool")
    if has_filter and tool is not None:
        message["filter"] = seccomp_filter(settings).hex()
    passed.append(_file_of(json.dumps(message).encode()))
    if has_filter and tool is None:
        passed.append(_file_of(seccomp_filter(settings)))
        environment |= {"LD_PRELOAD": request["library"], "WORLDLINE_FILTER_FD": str(_FILTER_FD)}
    for target, fd in enumerate([fcntl(fd, F_DUPFD_CLOEXEC, _FIRST_FD) for fd in passed]):
        os.dup2(fd, target)
    os.closerange(len(passed), _FIRST_FD + 2 * len(passed) + 16)
    try:
        own = {**settings, "executable": request["executable"]}
        if tool is None:
            own["layers"] = [layer for layer in settings["layers"] if layer != "seccomp"]
            own["readable"] = [*settings["readable"], request["library"]]
        else:
            # Python ignores these, and what it executes would, too.
            for number in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            if has_filter:
                own["filter"] = settings["tool_filters"][tool]
        apply_layers(own, request["limits"], request["path"])
        _limit_memory(request["limits"])
        os.execve(request["command"][0], request["command"], environment)
    except Exception as error:  # noqa: BLE001
        end = ["end", "recorder_failed", f"the sandbox: {error}", []]
        _write_rows(to_line(end) + to_line(["epilogue", 0, 0]))
    os._exit(1)


def _file_of(content: bytes) -> int:
    """A file in memory with this content, at its start."""
    fd = os.memfd_create("worldline", os.MFD_CLOEXEC)
    write_all(fd, content)
    os.lseek(fd, 0, os.SEEK_SET)
    return fd


def _write_rows(rows: bytes) -> None:
    """Write rows to the recording, as in `recording_protocol.py`."""
    os.pwrite(3, rows, 64)
    os.pwrite(3, len(rows).to_bytes(8, "little"), 0)


def _limit_memory(limits: "dict[str, Any]") -> None:
    """Limit the memory that is written to.

    Not the address space, of which the runtimes of many languages reserve much more than they use.
    """
    size = limits["memory_mb"] * 1_000_000 + _RUNTIME_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (size, size))
