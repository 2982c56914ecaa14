"""An interpreter goes in; the command that starts it where it can do no harm comes out."""

import json
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from worldline.errors import SandboxError
from worldline.sandbox.control_groups import ControlGroups
from worldline.sandbox.filter import call_filter
from worldline.sandbox.interpreter import interpreter
from worldline.sandbox.policy import Room

# In the order in which they are put on; see inner/jail.py for those of each program.
Layer = Literal[
    "bubblewrap",  # the interpreter sees its own files only, no network, no other process
    "control groups",  # memory and processes of all it starts, together
    "namespaces",  # each program its own processes, mounts and IPC
    "disk",  # each program its own, in memory and small
    "limits",  # of processes, files, memory and time
    "landlock",  # files that may be read; none to be executed
    "capabilities",  # none
    "seccomp",  # few calls
]
LAYERS: tuple[Layer, ...] = get_args(Layer)
# Those without which nothing is run, unless that is asked for.
NEEDED: frozenset[Layer] = frozenset(LAYERS) - {"control groups"}
# Those that can be had where namespaces are forbidden.
REDUCED: frozenset[Layer] = frozenset({"limits", "landlock", "capabilities", "seccomp"})
# Those that are put on in C (recorders/core/jail.c); bubblewrap can do the filter instead.
_IN_C: frozenset[Layer] = frozenset({"namespaces", "disk", "landlock", "capabilities"})
# What root becomes: a user that is nobody else's.
USER = 64_317
# Where programs have their disk; the second where something that they need lies in the first.
_HOMES = ("/tmp", "/var/tmp")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class Sandbox:
    """What holds programs: its layers, and how much room each has."""

    layers: frozenset[Layer] = frozenset(LAYERS)
    is_reduced: bool = False  # whether it may do without those that cannot be had here
    room: Room = field(default_factory=Room)


def default_sandbox() -> Sandbox:
    """All layers, or those that there are, where WORLDLINE_SANDBOX is "reduced"."""
    wanted = os.environ.get("WORLDLINE_SANDBOX", "full")
    if wanted not in ("full", "reduced"):
        raise SandboxError(f"WORLDLINE_SANDBOX is {wanted!r}; it can be full or reduced")
    return Sandbox(is_reduced=wanted == "reduced")


class Launch:
    """How one interpreter is started in a sandbox, and what it has to be told."""

    def __init__(
        self, python: str, sandbox: Sandbox, *, inner: Path, folders: Sequence[str] = ()
    ) -> None:
        """`inner`: the part of the recorder that runs in it; `folders`: others that can be read."""
        self._found = interpreter(python, (str(inner), *folders))
        self._inner = str(inner)
        self._room = sandbox.room
        is_taken = any(here.startswith(f"{_HOMES[0]}/") for _, here in self._found.bound)
        self._home = _HOMES[is_taken]
        self._is_built = (inner / f"_jail{self._found.suffix}").exists()
        self._stage: str | None = None
        self._filter: int | None = None
        self._control_groups: ControlGroups | None = None
        self.layers = sandbox.layers - (frozenset() if self._is_built else _IN_C)

    def command(self, arguments: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """What to execute."""
        found = self._found
        if "bubblewrap" not in self.layers or os.geteuid() != 0:
            # They are joined by what gives root up.
            self.layers -= {"control groups"}
        if "bubblewrap" not in self.layers:
            return [found.executable, *arguments]
        if os.geteuid() != 0:
            return self._bubblewrap(found.bound, arguments, environment)
        if "control groups" in self.layers:
            self._control_groups = ControlGroups.make()
            if self._control_groups is None:
                self.layers -= {"control groups"}
        hidden = [host for host, _ in found.bound if not os.stat(host).st_mode & 0o004]
        if hidden:
            raise SandboxError(
                f"run by root, programs are held as another user, who cannot read {hidden[0]}: "
                f"chmod o+rX {hidden[0]}, or run worldline as a user of its own"
            )
        # Not where TMPDIR says, which the other user may not be let into.
        self._stage = tempfile.mkdtemp(prefix="worldline-sandbox-", dir=_HOMES[0])
        os.chmod(self._stage, 0o755)
        names = [str(number) for number in range(len(found.bound))]
        given = {
            "user": USER,
            "stage": self._stage,
            "bound": [(host, name) for (host, _), name in zip(found.bound, names, strict=True)],
            "control_groups": self._control_groups.tasks if self._control_groups else [],
        }
        places = [
            (f"{self._stage}/{name}", here)
            for (_, here), name in zip(found.bound, names, strict=True)
        ]
        launcher = str(Path(__file__).with_name("launcher.py"))
        inner = self._bubblewrap(places, arguments, environment)
        return [found.executable, "-I", "-S", launcher, json.dumps(given), *inner]

    def _bubblewrap(
        self,
        places: Sequence[tuple[str, str]],
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
        for host, here in places:
            command += ["--ro-bind", host, here]
        # Without a part in C the recorder needs ctypes itself, and can be lied to anyway.
        for path in self._found.masked if self._is_built else ():
            command += ["--ro-bind", "/dev/null", path]
        for path in _DEVICES:
            command += ["--dev-bind-try", path, path]
        for name, value in environment.items():
            command += ["--setenv", name, value]
        if "disk" in self.layers:
            command += ["--dir", self._home]
        else:
            command += ["--size", str(self._room.disk_mb << 20), "--tmpfs", self._home]
        command += ["--chdir", self._home, "--remount-ro", "/"]
        if not self._is_built and "seccomp" in self.layers:
            self._filter = os.memfd_create("filter", 0)
            # It is put on before the interpreter is executed, and holds that, too.
            os.write(self._filter, call_filter("execve", "pidfd_open"))
            os.lseek(self._filter, 0, os.SEEK_SET)
            command += ["--seccomp", str(self._filter)]
        return [*command, "--", self._found.executable, *arguments]

    @property
    def files(self) -> tuple[int, ...]:
        """Descriptors that the command has to be given, beside those of its arguments."""
        return () if self._filter is None else (self._filter,)

    @property
    def told(self) -> dict[str, Any]:
        """What the interpreter needs to know to hold each program."""
        layers = self.layers if self._is_built else self.layers - {"seccomp"}
        return {
            "layers": sorted(layers),
            "filter": call_filter().hex() if "seccomp" in layers else "",
            "readable": [*(here for _, here in self._found.bound), *_DEVICES],
            # The recorder has read its own files by then; no program needs them.
            "hidden": self._inner,
            "writable": [self._home, "/dev/null"],
            "home": self._home,
            "disk": f"size={self._room.disk_mb}m,nr_inodes={self._room.files},mode=700",
            "processes": self._room.processes,
            "descriptors": self._room.descriptors,
        }

    def close(self) -> None:
        """Remove what was made for it."""
        if self._stage is not None:
            shutil.rmtree(self._stage, ignore_errors=True)
        if self._filter is not None:
            os.close(self._filter)
            self._filter = None
        if self._control_groups is not None:
            self._control_groups.close()


def bubblewrap_path() -> str:
    """Where bubblewrap is."""
    found = shutil.which("bwrap")
    if found is None:
        raise SandboxError(
            "programs are run in a sandbox, and bubblewrap is not here: install it "
            "(apt install bubblewrap), or see `worldline sandbox check`"
        )
    return found
