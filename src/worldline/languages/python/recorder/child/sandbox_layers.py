"""Sandbox layers of one program, applied in the child process before the program is executed.

The settings come from the parent process: `LaunchCommand.layer_settings` in
`worldline/languages/sandbox/launch_command.py`, which also defines the names of the layers.
"""

import os
import resource
import signal
from contextlib import suppress
from resource import RLIMIT_CPU, getrlimit, setrlimit
from signal import SIGKILL, SIGTERM
from sys import byteorder
from typing import Any

from .json_lines import OWN_BUILTINS

try:
    from . import _sandbox_layers as in_c
except ImportError:  # installed without a compiler, or for another version of Python
    in_c = None  # type: ignore[assignment]

__builtins__ = OWN_BUILTINS

IS_BUILT = in_c is not None
# Version of Landlock in the kernel; a negative error number, or 0, if it cannot be used.
LANDLOCK = in_c.landlock_version() if IS_BUILT else 0
# Memory in addition to the program's limit, so that the recorder can report that it was reached.
RESERVE = 64 << 20


# Process id of the program, while one without its own namespaces is executed.
running: "list[int]" = []


def prepare_server(settings: "dict[str, Any]") -> None:
    """Prepare the fork server for all programs.

    With namespaces: hide the recorder's files, which have been imported already. Without them: make
    sure that processes of programs cannot outlive the fork server.
    """
    if "namespaces" in settings["layers"]:
        in_c.make_mounts_private()
        in_c.mount_tmpfs(settings["hidden"], "size=4k,nr_inodes=1,mode=0")
    elif IS_BUILT:
        signal.signal(SIGTERM, _end_with_parent)
        in_c.adopt_orphans()
    if settings["shares_user"]:
        settings["processes"] += _count_processes()


def make_mounts_private() -> None:
    """Make later mounts of this process and its children invisible to others."""
    in_c.make_mounts_private()


def _end_with_parent(number: int, frame: object) -> None:
    for pid in running:
        _kill_group(pid)
    os._exit(0)


def _kill_group(pid: int) -> None:
    # The program may have left processes. They cannot leave its process group.
    with suppress(OSError):
        os.killpg(pid, SIGKILL)


def _count_processes() -> int:
    """Number of processes and threads of this user, as the kernel counts them for its limit.

    /proc does not show those in other containers. So search for the limit that still allows a fork.
    """
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        low, high = 0, 1 << 16
        hard_limit = getrlimit(resource.RLIMIT_NPROC)[1]
        if hard_limit != resource.RLIM_INFINITY:
            high = min(high, hard_limit)
        while low < high:
            middle = (low + high) // 2
            setrlimit(resource.RLIMIT_NPROC, (middle, hard_limit))
            if _can_fork():
                high = middle
            else:
                low = middle + 1
        os.write(writer, str(low).encode())
        os._exit(0)
    os.close(writer)
    os.waitpid(pid, 0)
    count = os.read(reader, 100)
    os.close(reader)
    return int(count)


def _can_fork() -> bool:
    try:
        pid = os.fork()
    except OSError:
        return False
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return True


def fork_process(layers: "list[str]") -> "tuple[int, int]":
    """Fork the program's process: its id and a pidfd in the parent, (0, -1) in the child.

    The pidfd is -1 where there is none: on macOS.
    """
    if "namespaces" in layers:
        return in_c.spawn()
    pid = os.fork()
    if pid == 0:
        signal.signal(SIGTERM, signal.SIG_DFL)
        os.setpgid(0, 0)
        return 0, -1
    running[:] = [pid]
    return pid, os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1


def wait_for_exit(layers: "list[str]", pid: int) -> "int | None":
    """Wait for the program's process: its wait status, or None if it was killed from outside."""
    if "namespaces" not in layers:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        _kill_group(pid)
        running.clear()
        status = os.waitpid(pid, 0)[1]
        with suppress(ChildProcessError):
            while True:  # orphans
                os.waitpid(-pid, 0)
        return status
    os.waitpid(pid, 0)
    return in_c.status()


def apply_layers(
    settings: "dict[str, Any]", limits: "dict[str, Any]", import_path: "list[str]"
) -> None:
    """Apply all layers to the calling process, irrevocably.

    The working folder is the first folder of the import path, or else the program's disk.
    """
    layers = settings["layers"]
    if "disk" in layers:
        in_c.mount_tmpfs(settings["home"], settings["disk"])
    os.chdir(import_path[0] if import_path else settings["home"])
    if "limits" in layers:
        _set_limits(settings, limits)
    if "landlock" in layers or "seccomp" in layers:
        in_c.set_no_new_privileges()
    if "landlock" in layers:
        in_c.restrict_files(
            tuple(settings["readable"]),
            tuple(settings["listable"]),
            tuple(settings["writable"]),
            settings["landlock_version"],
            tuple(settings.get("executable", ())),
        )
    if "capabilities" in layers:
        if settings["user"] is not None:
            _change_user(settings["user"])
        in_c.drop_capabilities()
    if "seccomp" in layers:
        in_c.install_seccomp_filter(seccomp_filter(settings))


def seccomp_filter(settings: "dict[str, Any]") -> bytes:
    """The seccomp filter for this process, whose id may be part of it."""
    own_id = os.getpid().to_bytes(4, byteorder)
    return bytes.fromhex(settings["filter"]).replace(bytes.fromhex(settings["own_id"]), own_id)


def _change_user(user: int) -> None:
    """Become an unprivileged user; the process is root."""
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)


def _set_limits(settings: "dict[str, Any]", limits: "dict[str, Any]") -> None:
    """Set hard limits; the fork server sets the one on memory later."""
    # The soft limit sends SIGXCPU, which names the reason; the hard limit kills.
    seconds = limits["cpu_seconds"] or int(limits["seconds"]) + 2
    setrlimit(RLIMIT_CPU, (seconds, seconds + 1))
    for name, limit in (
        ("RLIMIT_CORE", 0),
        ("RLIMIT_NPROC", settings["processes"]),
        ("RLIMIT_NOFILE", settings["descriptors"]),
        ("RLIMIT_MEMLOCK", 0),
        ("RLIMIT_MSGQUEUE", 0),
        ("RLIMIT_FSIZE", limits["output_mb"] * 1_000_000),
    ):
        # macOS does not have all of them.
        if hasattr(resource, name):
            setrlimit(getattr(resource, name), (limit, limit))
