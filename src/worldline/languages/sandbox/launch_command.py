"""Command that starts an interpreter in the sandbox."""

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from worldline.core.errors import SandboxError
from worldline.languages.sandbox.control_groups import ControlGroups
from worldline.languages.sandbox.extension_files import (
    explain_missing_extension,
    installed_versions,
    version_of_suffix,
)
from worldline.languages.sandbox.interpreter_files import inspect_interpreter
from worldline.languages.sandbox.policy import ResourceLimits
from worldline.languages.sandbox.seccomp_filter import build_seccomp_filter, has_libseccomp

# In the order in which they are applied. The first two are applied by the launch command, the
# others to each program by recorder/child/sandbox_layers.py.
Layer = Literal[
    "bubblewrap",  # the interpreter sees only its own files, no network and no other process
    "control groups",  # limits on memory and processes of all its programs together
    "namespaces",  # own processes, mounts and IPC for each program
    "disk",  # a small disk in memory for each program
    "limits",  # of processes, files, memory and time
    "landlock",  # allow-list of files to read and write; none can be executed
    "capabilities",  # none
    "seccomp",  # allow-list of system calls
]
LAYERS: tuple[Layer, ...] = get_args(Layer)
# Without these layers nothing is executed, unless the user allows a reduced sandbox.
REQUIRED_LAYERS: frozenset[Layer] = frozenset(LAYERS) - {"control groups"}
# Layers that work on machines that forbid namespaces.
REDUCED_LAYERS: frozenset[Layer] = frozenset({"limits", "landlock", "capabilities", "seccomp"})
# Layers that need the C extension (recorder/c/sandbox_layers.c). Without it, bubblewrap installs
# the seccomp filter.
_IN_C: frozenset[Layer] = frozenset({"namespaces", "disk", "landlock", "capabilities"})
# User id of sandboxed programs when worldline is run by root; no other user has it.
USER = 64_317
# Mount points for the disk of programs: the second, if a needed file is inside the first.
_HOMES = ("/tmp", "/var/tmp")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Configuration of the sandbox.

    Attributes:
        layers: The layers to use.
        allow_reduced: Whether to continue without layers that this machine does not have.
        resource_limits: Limits of each program, in addition to `Limits` of the recording.
    """

    layers: frozenset[Layer] = frozenset(LAYERS)
    allow_reduced: bool = False
    resource_limits: ResourceLimits = field(default_factory=ResourceLimits)


def default_sandbox() -> Sandbox:
    """All layers; those that are available, if WORLDLINE_SANDBOX is "reduced".

    Raises:
        SandboxError: WORLDLINE_SANDBOX has another value.
    """
    mode = os.environ.get("WORLDLINE_SANDBOX", "full")
    if mode not in ("full", "reduced"):
        raise SandboxError(f"WORLDLINE_SANDBOX is {mode!r}; it can be full or reduced")
    return Sandbox(allow_reduced=mode == "reduced")


def check_platform(sandbox: Sandbox) -> None:
    """Refuse to execute programs where there is no sandbox, unless a reduced one is allowed.

    Raises:
        SandboxError: This is not Linux; the message says what can be done instead.
    """
    # Not compared directly: type checkers would skip what is for other platforms.
    platform = str(sys.platform)
    if platform == "win32":
        raise SandboxError(
            "programs are not executed on Windows: install worldline in WSL (wsl --install); "
            "stored runs can be read here (worldline report, show, view, compare, sql)"
        )
    if platform != "linux" and not sandbox.allow_reduced:
        raise SandboxError(
            "the sandbox needs Linux, so programs are not executed here; if you trust them, "
            "`worldline --sandbox reduced …` executes them with limits on time and files alone"
        )


class LaunchCommand:
    """Command line that starts one interpreter in the sandbox, and the resources it uses.

    Attributes:
        layers: The layers that are in effect; fewer than requested if some are not available.
    """

    def __init__(
        self, python: str, sandbox: Sandbox, *, child: Path, folders: Sequence[str] = ()
    ) -> None:
        """Inspect the interpreter.

        Args:
            python: The interpreter to start.
            sandbox: The layers and limits.
            child: The folder with the recorder's modules for the child process.
            folders: More folders that programs can read.

        Raises:
            SandboxError: Programs cannot be executed on this platform.
        """
        check_platform(sandbox)
        self._interpreter = inspect_interpreter(python, (str(child), *folders))
        self._child = str(child)
        self._resource_limits = sandbox.resource_limits
        is_used = any(path.startswith(f"{_HOMES[0]}/") for _, path in self._interpreter.binds)
        self._home = _HOMES[is_used]
        extension = f"_sandbox_layers{self._interpreter.extension_suffix}"
        self._has_extension = (child / extension).exists()
        self._is_extension_needed = bool(sandbox.layers & _IN_C) and not sandbox.allow_reduced
        self._staging_folder: str | None = None
        self._filter_fd: int | None = None
        self._control_groups: ControlGroups | None = None
        self.layers = sandbox.layers - (frozenset() if self._has_extension else _IN_C)
        if not has_libseccomp():
            self.layers -= {"seccomp"}

    def build(self, arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """Build the command line that starts the interpreter with these arguments.

        Raises:
            SandboxError: The sandbox needs something that is not installed.
        """
        interpreter = self._interpreter
        if "bubblewrap" not in self.layers or os.geteuid() != 0:
            # Only drop_root.py, which root runs, joins control groups.
            self.layers -= {"control groups"}
        if "bubblewrap" not in self.layers:
            return [interpreter.executable, *arguments]
        # Before anything else is said to be missing.
        bubblewrap_path()
        if self._is_extension_needed and not self._has_extension:
            version = version_of_suffix(interpreter.extension_suffix)
            installed = installed_versions(Path(self._child))
            raise SandboxError(
                explain_missing_extension(interpreter.executable, version, installed)
            )
        if os.geteuid() != 0:
            return self._bubblewrap(interpreter.binds, arguments, environment)
        if "control groups" in self.layers:
            self._control_groups = ControlGroups.create()
            if self._control_groups is None:
                self.layers -= {"control groups"}
        return self._drop_root(arguments, environment)

    def _drop_root(self, arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """The command for root: change to an unprivileged user, then start bubblewrap."""
        binds = self._interpreter.binds
        unreadable = [host for host, _ in binds if not os.stat(host).st_mode & 0o004]
        if unreadable:
            raise SandboxError(
                "started by root, worldline executes programs as an unprivileged user, who cannot "
                f"read {unreadable[0]}: "
                f"chmod o+rX {unreadable[0]}, or run worldline as another user"
            )
        self._staging_folder = _make_staging_folder()
        os.chmod(self._staging_folder, 0o755)
        names = [str(number) for number in range(len(binds))]
        settings = {
            "user": USER,
            "staging_folder": self._staging_folder,
            "binds": [(host, name) for (host, _), name in zip(binds, names, strict=True)],
            "control_groups": self._control_groups.task_files if self._control_groups else [],
        }
        staged = [
            (f"{self._staging_folder}/{name}", inside)
            for (_, inside), name in zip(binds, names, strict=True)
        ]
        script = str(Path(__file__).with_name("drop_root.py"))
        command = self._bubblewrap(staged, arguments, environment)
        return [self._interpreter.executable, "-I", "-S", script, json.dumps(settings), *command]

    def _bubblewrap(
        self,
        binds: Sequence[tuple[str, str]],
        arguments: Sequence[str],
        environment: Mapping[str, str],
    ) -> list[str]:
        command = [
            bubblewrap_path(),
            *("--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"),
            *("--hostname", "sandbox", "--die-with-parent", "--new-session", "--clearenv"),
            *("--cap-drop", "ALL"),
        ]
        if "namespaces" in self.layers:
            command += ["--cap-add", "CAP_SYS_ADMIN"]
        for host, inside in binds:
            command += ["--ro-bind", host, inside]
        # Without the C extension, the recorder itself needs ctypes. A program can tamper with a
        # recorder in Python anyway.
        for path in self._interpreter.masked_files if self._has_extension else ():
            command += ["--ro-bind", "/dev/null", path]
        for path in _DEVICES:
            command += ["--dev-bind-try", path, path]
        for name, value in environment.items():
            command += ["--setenv", name, value]
        if "disk" in self.layers:
            command += ["--dir", self._home]
        else:
            size = str(self._resource_limits.disk_mb << 20)
            command += ["--size", size, "--tmpfs", self._home]
        command += ["--chdir", self._home, "--remount-ro", "/"]
        if not self._has_extension and "seccomp" in self.layers:
            self._filter_fd = os.memfd_create("filter", 0)
            # The filter applies from before the interpreter is executed, so it has to allow that.
            os.write(self._filter_fd, build_seccomp_filter("execve", "pidfd_open"))
            os.lseek(self._filter_fd, 0, os.SEEK_SET)
            command += ["--seccomp", str(self._filter_fd)]
        return [*command, "--", self._interpreter.executable, *arguments]

    @property
    def pass_fds(self) -> tuple[int, ...]:
        """File descriptors that the command has to inherit, besides those in its arguments."""
        return () if self._filter_fd is None else (self._filter_fd,)

    @property
    def layer_settings(self) -> dict[str, Any]:
        """Settings of the layers that the interpreter applies to each program."""
        layers = self.layers if self._has_extension else self.layers - {"seccomp"}
        limits = self._resource_limits
        return {
            "layers": sorted(layers),
            "filter": build_seccomp_filter().hex() if "seccomp" in layers else "",
            "readable": [*(inside for _, inside in self._interpreter.binds), *_DEVICES],
            # The recorder has imported its own files by then; no program needs them.
            "hidden": self._child,
            "writable": [self._home, "/dev/null"],
            "home": self._home,
            "disk": f"size={limits.disk_mb}m,nr_inodes={limits.files},mode=700",
            "processes": limits.processes,
            "descriptors": limits.descriptors,
        }

    def remove_staging_folder(self) -> None:
        """Remove the staging folder; the interpreter has started and no longer needs it.

        Its content is mounted only for the interpreter: here the folder is empty.
        """
        if self._staging_folder is not None:
            with suppress(OSError):
                os.rmdir(self._staging_folder)
            self._staging_folder = None

    def close(self) -> None:
        """Release the resources: staging folder, filter and control groups."""
        self.remove_staging_folder()
        if self._filter_fd is not None:
            os.close(self._filter_fd)
            self._filter_fd = None
        if self._control_groups is not None:
            self._control_groups.close()


def _make_staging_folder() -> str:
    """Create the staging folder in TMPDIR, or else in the first usable folder.

    The unprivileged user has to reach it: TMPDIR may be inside a folder that only root can enter.

    Raises:
        SandboxError: No folder can be written.
    """
    problems = []
    for parent in dict.fromkeys((tempfile.gettempdir(), *_HOMES, "/dev/shm")):
        if not _is_reachable(parent):
            problems.append(f"{parent} cannot be entered by other users")
            continue
        try:
            return tempfile.mkdtemp(prefix="worldline-sandbox-", dir=parent)
        except OSError as error:
            problems.append(f"{parent}: {error.strerror}")
    raise SandboxError(
        f"the sandbox needs a writable folder ({'; '.join(problems)}): name another in TMPDIR"
    )


def _is_reachable(folder: str) -> bool:
    """Whether every user can enter a folder."""
    path = Path(folder).resolve()
    try:
        return all(each.stat().st_mode & 0o001 for each in (path, *path.parents))
    except OSError:
        return False


def bubblewrap_path() -> str:
    """The path of bubblewrap.

    Raises:
        SandboxError: It is not installed.
    """
    path = shutil.which("bwrap")
    if path is None:
        raise SandboxError(
            "the sandbox needs bubblewrap, which is not installed: install it "
            "(apt install bubblewrap), or see `worldline sandbox check`"
        )
    return path
