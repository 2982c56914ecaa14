"""Command that starts an interpreter in the sandbox."""

import errno
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from worldline.core.errors import SandboxError
from worldline.languages.sandbox.confinement import ConfinementError
from worldline.languages.sandbox.control_groups import ControlGroups
from worldline.languages.sandbox.extension_files import (
    explain_missing_extension,
    installed_versions,
    version_of_suffix,
)
from worldline.languages.sandbox.interpreter_files import inspect_interpreter, leave_out
from worldline.languages.sandbox.levels import Layer, Sandbox, check_platform
from worldline.languages.sandbox.policy import OWN_ID, TOOL_SYSCALLS
from worldline.languages.sandbox.seccomp_filter import build_seccomp_filter, libseccomp_problem
from worldline.languages.sandbox.unprivileged_user import (
    USER,
    choose_user,
    find_closed_folder,
    find_unreadable,
    is_root,
    missing_capabilities,
)

# Layers that need the C extension (recorder/c/sandbox_layers.c). Without it, bubblewrap installs
# the seccomp filter.
_IN_C: frozenset[Layer] = frozenset({"namespaces", "disk", "landlock", "capabilities"})
# Mount points for the disk of programs: the second, if a needed file is inside the first.
_HOMES = ("/tmp", "/var/tmp")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
# First version of Landlock that confines signals.
_LANDLOCK_WITH_SIGNALS = 6
_LANDLOCK_PROBLEMS = {
    errno.ENOSYS: "the kernel has no Landlock: use Linux 5.13 or later",
    errno.EOPNOTSUPP: "the kernel was started without Landlock: add it to the boot option lsm=",
    errno.EPERM: "a seccomp filter forbids Landlock, which newer versions of Docker allow",
}


class LaunchCommand:
    """Command line that starts one interpreter in the sandbox, and the resources it uses.

    Attributes:
        layers: The layers that are in effect; fewer than requested if some are not available.
        missing: The requested layers that are not available, and the reasons.
    """

    def __init__(
        self,
        python: str,
        sandbox: Sandbox,
        *,
        child: Path,
        folders: Sequence[str] = (),
        files: Sequence[str] = (),
    ) -> None:
        """Inspect the interpreter.

        Args:
            python: The interpreter to start.
            sandbox: The layers and limits.
            child: The folder with the recorder's modules for the child process.
            folders: More folders that programs can read.
            files: More files that programs can read.

        Raises:
            SandboxError: Programs cannot be executed on this platform.
        """
        check_platform(sandbox)
        self._interpreter = inspect_interpreter(python, (str(child), *folders), tuple(files))
        self._child = str(child)
        self._resource_limits = sandbox.resource_limits
        is_used = any(path.startswith(f"{_HOMES[0]}/") for _, path in self._interpreter.binds)
        self._home = _HOMES[is_used]
        extension = f"_sandbox_layers{self._interpreter.extension_suffix}"
        self._has_extension = (child / extension).exists()
        self._staging_folder: str | None = None
        self._filter_fd: int | None = None
        self._control_groups: ControlGroups | None = None
        self._user: int | None = None
        self._landlock_version = 0
        self.layers = sandbox.layers
        self.missing: dict[Layer, str] = {}
        if not self._has_extension:
            version = version_of_suffix(self._interpreter.extension_suffix)
            installed = installed_versions(child)
            reason = explain_missing_extension(self._interpreter.executable, version, installed)
            self.leave_out(_IN_C, reason)
        if problem := libseccomp_problem():
            self.leave_out({"seccomp"}, problem)

    def leave_out(self, layers: Iterable[Layer], reason: str) -> None:
        """Continue without some layers."""
        for layer in self.layers.intersection(layers):
            self.missing[layer] = reason
        self.layers -= set(layers)

    def set_landlock_version(self, version: int) -> None:
        """Set the version of Landlock that the interpreter has found; below 1 if there is none."""
        self._landlock_version = version
        if version < 1:
            unknown = "the kernel has no Landlock that can be used"
            self.leave_out({"landlock"}, _LANDLOCK_PROBLEMS.get(-version, unknown))

    def build(self, arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """Build the command line that starts the interpreter with these arguments.

        Raises:
            SandboxError: The sandbox needs something that is not installed.
        """
        interpreter = self._interpreter
        runs_as_root = is_root()
        # Only drop_root.py, which root runs, joins control groups.
        if not runs_as_root:
            self.leave_out({"control groups"}, "only root can create control groups")
        if "bubblewrap" not in self.layers:
            self.leave_out({"control groups"}, "they are used together with bubblewrap")
            if runs_as_root and "capabilities" in self.layers:
                self._prepare_user()
            return [interpreter.executable, *arguments]
        # Before anything else is said to be missing.
        bubblewrap_path()
        if not runs_as_root:
            return self._bubblewrap(interpreter.binds, arguments, environment)
        if "control groups" in self.layers:
            try:
                self._control_groups = ControlGroups.create()
            except OSError as error:
                reason = f"cannot create control groups: {error.strerror}: {error.filename}"
                self.leave_out({"control groups"}, reason)
        return self._drop_root(arguments, environment)

    def _prepare_user(self) -> None:
        """Choose the user id of programs; leave out `capabilities` if there can be none."""
        paths = [host for host, _ in self._interpreter.binds]
        if missing_capabilities():
            reason = _no_capabilities_message()
        elif folder := find_closed_folder(paths):
            reason = (
                "root executes programs as another user, who cannot enter "
                f"{folder}: chmod o+x {folder}, or run worldline as another user"
            )
        elif path := find_unreadable(paths):
            reason = _unreadable_message(path)
        else:
            self._user = choose_user()
            return
        self.leave_out({"capabilities"}, reason)

    def _drop_root(self, arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """The command for root: change to an unprivileged user, then start bubblewrap."""
        binds = self._interpreter.binds
        paths = [host for host, _ in binds]
        if missing_capabilities():
            raise SandboxError(_no_capabilities_message())
        if path := find_unreadable(paths):
            raise SandboxError(_unreadable_message(path))
        settings: dict[str, Any] = {
            "user": USER,
            "staging_folder": None,
            "binds": [],
            "control_groups": self._control_groups.task_files if self._control_groups else [],
        }
        if find_closed_folder(paths):
            self._staging_folder = _make_staging_folder()
            os.chmod(self._staging_folder, 0o755)
            settings["staging_folder"] = self._staging_folder
            settings["binds"] = [(host, str(number)) for number, host in enumerate(paths)]
            binds = tuple(
                (f"{self._staging_folder}/{number}", inside)
                for number, (_, inside) in enumerate(binds)
            )
        script = str(Path(__file__).with_name("drop_root.py"))
        command = self._bubblewrap(binds, arguments, environment)
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
        in_bubblewrap = "bubblewrap" in layers
        readable = [inside for _, inside in self._interpreter.binds]
        listable: list[str] = []
        home = self._home
        if not in_bubblewrap and "landlock" in layers:
            # There is no disk for programs: they start in a folder that they cannot write to.
            home = "/"
            hidden = (self._child, *self._interpreter.masked_files)
            readable, listable = leave_out(readable, hidden)
        are_signals_confined = (
            in_bubblewrap
            or self._user is not None
            or ("landlock" in layers and self._landlock_version >= _LANDLOCK_WITH_SIGNALS)
        )
        rules, tool_rules = b"", {}
        if "seccomp" in layers:
            build = partial(
                build_seccomp_filter,
                in_bubblewrap=in_bubblewrap,
                are_signals_confined=are_signals_confined,
            )
            rules = build()
            tool_rules = {tool: build(*extra).hex() for tool, extra in TOOL_SYSCALLS.items()}
        return {
            "layers": sorted(layers),
            "filter": rules.hex(),
            "tool_filters": tool_rules,
            "own_id": OWN_ID.to_bytes(4, sys.byteorder).hex(),
            "readable": [*readable, *_DEVICES],
            "listable": listable,
            # The recorder has imported its own files by then; no program needs them.
            "hidden": self._child,
            "writable": [home, "/dev/null"] if in_bubblewrap else ["/dev/null"],
            "landlock_version": self._landlock_version,
            "home": home,
            "disk": f"size={limits.disk_mb}m,nr_inodes={limits.files},mode=700",
            "user": self._user,
            # Then the limit on processes is one on all processes of the user.
            "shares_user": str(sys.platform) == "linux"
            and not in_bubblewrap
            and self._user is None
            and "limits" in layers,
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
    parents = [*_HOMES, "/dev/shm"]
    with suppress(FileNotFoundError):  # no folder for temporary files
        parents.insert(0, tempfile.gettempdir())
    for parent in dict.fromkeys(parents):
        if not os.path.isdir(parent):
            continue
        if find_closed_folder([f"{parent}/new"]):
            problems.append(f"{parent} cannot be entered by other users")
            continue
        try:
            return tempfile.mkdtemp(prefix="worldline-sandbox-", dir=parent)
        except OSError as error:
            problems.append(f"{parent}: {error.strerror}")
    raise SandboxError(
        f"the sandbox needs a writable folder ({'; '.join(problems)}): name another in TMPDIR"
    )


def _no_capabilities_message() -> str:
    return (
        "root executes programs as another user, which it cannot without "
        f"{', '.join(missing_capabilities())}: run worldline as another user "
        "(docker run --user 1000:1000, or runAsUser: 1000 in Kubernetes)"
    )


def _unreadable_message(path: str) -> str:
    return (
        "started by root, worldline executes programs as an unprivileged user, who cannot "
        f"read {path}: chmod o+rX {path}, or run worldline as another user"
    )


def bubblewrap_path() -> str:
    """The path of bubblewrap.

    Raises:
        ConfinementError: It is not installed.
    """
    path = shutil.which("bwrap")
    if path is None:
        raise ConfinementError("bubblewrap is not installed", ("apt install bubblewrap",))
    return path
