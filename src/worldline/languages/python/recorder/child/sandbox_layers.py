"""Sandbox layers of one program, applied in the child process before the program is executed.

The settings come from the parent process: `LaunchCommand.layer_settings` in
`worldline/languages/sandbox/launch_command.py`, which also defines the names of the layers.
"""

import os
import resource
from contextlib import suppress
from resource import RLIMIT_CPU, setrlimit
from signal import SIGKILL
from typing import Any

from .json_lines import OWN_BUILTINS

try:
    from . import _sandbox_layers as in_c
except ImportError:  # installed without a compiler, or for another version of Python
    in_c = None  # type: ignore[assignment]

__builtins__ = OWN_BUILTINS

IS_BUILT = in_c is not None
# Version of Landlock in the kernel; 0 if it cannot be used.
LANDLOCK = in_c.landlock_version() if IS_BUILT else 0
# Memory in addition to the program's limit, so that the recorder can report that it was reached.
RESERVE = 64 << 20


def hide_recorder(settings: "dict[str, Any]") -> None:
    """Hide the recorder's files from programs, once for all: they have been imported already."""
    if "namespaces" in settings["layers"]:
        in_c.make_mounts_private()
        in_c.mount_tmpfs(settings["hidden"], "size=4k,nr_inodes=1,mode=0")


def fork_process(layers: "list[str]") -> "tuple[int, int]":
    """Fork the program's process: its id and a pidfd in the parent, (0, -1) in the child.

    The pidfd is -1 where there is none: on macOS.
    """
    if "namespaces" in layers:
        return in_c.spawn()
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        return 0, -1
    return pid, os.pidfd_open(pid) if hasattr(os, "pidfd_open") else -1


def wait_for_exit(layers: "list[str]", pid: int) -> "int | None":
    """Wait for the program's process: its wait status, or None if it was killed from outside."""
    if "namespaces" not in layers:
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        # The whole process group: the program may have left processes.
        with suppress(OSError):
            os.killpg(pid, SIGKILL)
        return os.waitpid(pid, 0)[1]
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
        in_c.restrict_files(tuple(settings["readable"]), tuple(settings["writable"]))
    if "capabilities" in layers:
        in_c.drop_capabilities()
    if "seccomp" in layers:
        in_c.install_seccomp_filter(bytes.fromhex(settings["filter"]))


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
