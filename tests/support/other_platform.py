"""Imitation of another machine: run Python code as if on macOS, Windows or a bare Linux.

    python -m tests.support.other_platform [--execute] PLATFORM CODE [ARGUMENT...]

Everything that the platform lacks is removed before CODE runs: modules, functions and programs.
Starting a process is an error, unless there is `--execute`.

PLATFORM is

- `linux`: Linux without libseccomp, bubblewrap and the C extensions
- `darwin`: macOS
- `win32`: Windows
"""

import ctypes.util
import importlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

# Imported before the platform changes: they choose their own parts by it.
_BEFOREHAND = (
    *("asyncio", "click", "concurrent.futures.process", "ctypes", "duckdb", "http.server"),
    *("mcp.server.mcpserver", "uvicorn"),
    *("multiprocessing.connection", "multiprocessing.popen_spawn_posix", "platform", "pyarrow"),
    *(
        "pyarrow.fs",
        "pyarrow.parquet",
        "resource",
        "rich.console",
        "select",
        "signal",
        "socket",
        "tempfile",
    ),
    *("urllib.request", "webbrowser", "zoneinfo"),
)
_MISSING_MODULES = {
    # pyseccomp is there, and does not find libseccomp.
    "linux": (),
    "darwin": ("pyseccomp",),
    "win32": ("pyseccomp", "fcntl", "grp", "posix", "pwd", "resource", "termios"),
}
_LINUX_ONLY = (
    *("os.memfd_create", "os.pidfd_open", "os.sched_getaffinity", "os.unshare", "os.setns"),
    *("signal.pidfd_send_signal", "os.MFD_CLOEXEC", "os.MFD_ALLOW_SEALING"),
    *("resource.RLIMIT_MSGQUEUE", "resource.RLIMIT_OFILE"),
)
_UNIX_ONLY = (
    *("os.fork", "os.geteuid", "os.getuid", "os.killpg", "os.pread", "os.pwrite", "os.statvfs"),
    *("os.register_at_fork", "os.setsid", "os.uname", "os.wait4", "select.poll"),
    *("signal.SIGKILL", "signal.SIGSYS", "signal.SIGUSR2", "signal.SIGXCPU", "signal.SIGXFSZ"),
    *("socket.recv_fds", "socket.send_fds", "socket.AF_UNIX"),
)
_MISSING_NAMES = {"linux": (), "darwin": _LINUX_ONLY, "win32": (*_LINUX_ONLY, *_UNIX_ONLY)}


def imitate(platform: str, *, is_execution_allowed: bool = False) -> None:
    """Change this process, so that it looks like one on another platform."""
    for name in _BEFOREHAND:
        importlib.import_module(name)
    sys.platform = platform
    for name in _MISSING_MODULES[platform]:
        # Python then says that there is no such module.
        sys.modules[name] = None  # type: ignore[assignment]
    for path in _MISSING_NAMES[platform]:
        module, _, name = path.rpartition(".")
        _remove(sys.modules[module], name)
    os.environ["PATH"] = os.devnull
    ctypes.util.find_library = lambda name: None
    _hide_extensions()
    if is_execution_allowed:
        _imitate_in_child(platform)
    else:
        sys.addaudithook(_refuse_execution)


def _remove(module: ModuleType, name: str) -> None:
    if hasattr(module, name):
        delattr(module, name)


def _imitate_in_child(platform: str) -> None:
    """Change the interpreter that executes programs, too."""
    from worldline.languages.python.recorder import fork_server_client

    names = _MISSING_NAMES[platform]
    modules = sorted({"sys", *(path.rpartition(".")[0] for path in names)})
    lines = [
        f"import {', '.join(modules)}",
        f"sys.platform = {platform!r}",
        "sys.modules.update({'child._tracer': None, 'child._sandbox_layers': None})",
        *(
            f"vars({module}).pop({name!r}, None)"
            for module, _, name in (path.rpartition(".") for path in names)
        ),
    ]
    fork_server_client._START_SCRIPT = "; ".join((*lines, fork_server_client._START_SCRIPT))


def _refuse_execution(event: str, arguments: tuple[Any, ...]) -> None:
    if event in ("subprocess.Popen", "os.fork", "os.posix_spawn", "os.exec", "os.system"):
        raise AssertionError(f"a process was started: {event} {arguments}")


def _hide_extensions() -> None:
    """Let no C extension of the recorder be found."""
    exists: Callable[..., bool] = Path.exists

    def hidden_exists(self: Path, *arguments: Any, **options: Any) -> bool:
        is_hidden = self.name.startswith(("_sandbox_layers.", "_tracer."))
        return not is_hidden and exists(self, *arguments, **options)

    Path.exists = hidden_exists  # type: ignore[method-assign]


def main() -> None:
    """Imitate the platform of the command line, and execute its code."""
    is_execution_allowed = sys.argv[1] == "--execute"
    platform, code, *arguments = sys.argv[1 + is_execution_allowed :]
    imitate(platform, is_execution_allowed=is_execution_allowed)
    sys.argv = ["worldline", *arguments]
    exec(compile(code, "<code>", "exec"), {"__name__": "<code>"})


if __name__ == "__main__":
    main()
