"""The layers that hold one program, in the order in which they are put on."""

import os
from contextlib import suppress
from resource import (
    RLIMIT_CORE,
    RLIMIT_CPU,
    RLIMIT_FSIZE,
    RLIMIT_MEMLOCK,
    RLIMIT_MSGQUEUE,
    RLIMIT_NOFILE,
    RLIMIT_NPROC,
    setrlimit,
)
from signal import SIGKILL
from typing import Any

from .wire import OWN_BUILTINS

try:
    from . import _jail
except ImportError:  # installed without a compiler, or for another version of Python
    _jail = None  # type: ignore[assignment]

__builtins__ = OWN_BUILTINS

IS_BUILT = _jail is not None
# Of the kernel; 0 where there is none that could be used.
LANDLOCK = _jail.landlock_version() if IS_BUILT else 0
# Kept from the program's memory, so that the recorder can say that none was left.
RESERVE = 64 << 20


def prepare(told: "dict[str, Any]") -> None:
    """What is done once, for all: the recorder has read its own files, and no program will."""
    if "namespaces" in told["layers"]:
        _jail.keep_mounts()
        _jail.mount(told["hidden"], "size=4k,nr_inodes=1,mode=0")


def start_process(layers: "list[str]") -> "tuple[int, int]":
    """Fork: the process that stands for the program and a pidfd for it; (0, -1) in the new one."""
    if "namespaces" in layers:
        return _jail.spawn()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        return 0, -1
    return pid, os.pidfd_open(pid)


def wait_status(layers: "list[str]", pid: int) -> "int | None":
    """Wait for the program's process: its wait status; none where it was ended from outside."""
    if "namespaces" not in layers:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        # The whole group, always: a program may have left processes behind.
        with suppress(OSError):
            os.killpg(pid, SIGKILL)
        return os.waitpid(pid, 0)[1]
    os.waitpid(pid, 0)
    return _jail.status()


def hold(told: "dict[str, Any]", limits: "dict[str, Any]", path: "list[str]") -> None:
    """Leave the calling process nothing but its own memory, a small disk and a few calls.

    It is in the first folder of its `path` then, or where its disk is.
    """
    layers = told["layers"]
    if "disk" in layers:
        _jail.mount(told["home"], told["disk"])
    os.chdir(path[0] if path else told["home"])
    if "limits" in layers:
        _set_limits(told, limits)
    if "landlock" in layers or "seccomp" in layers:
        _jail.keep_privileges_down()
    if "landlock" in layers:
        _jail.restrict_files(tuple(told["readable"]), tuple(told["writable"]))
    if "capabilities" in layers:
        _jail.drop_capabilities()
    if "seccomp" in layers:
        _jail.filter_calls(bytes.fromhex(told["filter"]))


def _set_limits(told: "dict[str, Any]", limits: "dict[str, Any]") -> None:
    """Limits that the program cannot raise again; that of memory is the recorder's."""
    # The first is a signal that says what it was, the second ends whoever does not listen.
    seconds = limits["cpu_seconds"] or int(limits["seconds"]) + 2
    setrlimit(RLIMIT_CPU, (seconds, seconds + 1))
    for kind, most in (
        (RLIMIT_CORE, 0),
        (RLIMIT_NPROC, told["processes"]),
        (RLIMIT_NOFILE, told["descriptors"]),
        (RLIMIT_MEMLOCK, 0),
        (RLIMIT_MSGQUEUE, 0),
        (RLIMIT_FSIZE, limits["output_mb"] * 1_000_000),
    ):
        setrlimit(kind, (most, most))
