"""Layers of the sandbox, and the levels that consist of them."""

import os
import sys
from dataclasses import dataclass, field
from typing import Literal, get_args

from worldline.core.errors import SandboxError
from worldline.languages.sandbox.policy import ResourceLimits

# In the order in which they are applied. The first two are applied by the launch command, the
# others to each program by recorder/child/sandbox_layers.py.
Layer = Literal[
    "bubblewrap",  # the interpreter sees only its own files, no network and no other process
    "control groups",  # limits on memory and processes of all its programs together
    "namespaces",  # own processes, mounts and IPC for each program
    "disk",  # a small disk in memory for each program
    "limits",  # of processes, files, memory and time
    "landlock",  # allow-list of files to read and write; none can be executed
    "capabilities",  # none, and not the user root
    "seccomp",  # allow-list of system calls
]
LAYERS: tuple[Layer, ...] = get_args(Layer)
# Layers of the level `full`.
REQUIRED_LAYERS: frozenset[Layer] = frozenset(LAYERS) - {"control groups"}
# Layers of the level `container`: those that need no namespaces.
CONTAINER_LAYERS: frozenset[Layer] = frozenset({"limits", "landlock", "capabilities", "seccomp"})

Level = Literal[
    "full",  # all required layers, or nothing is executed
    "container",  # the layers that need no namespaces, or nothing is executed
    "reduced",  # the available layers
]
LEVELS: tuple[Level, ...] = get_args(Level)


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

    @classmethod
    def of_level(cls, level: Level) -> "Sandbox":
        """The sandbox of a level."""
        if level == "container":
            return cls(CONTAINER_LAYERS)
        return cls(allow_reduced=level == "reduced")

    @property
    def level(self) -> Level:
        """The name of its level."""
        if self.allow_reduced:
            return "reduced"
        return "container" if self.layers == CONTAINER_LAYERS else "full"


def default_sandbox() -> Sandbox:
    """The sandbox of the level that WORLDLINE_SANDBOX names, or else of `full`.

    Raises:
        SandboxError: WORLDLINE_SANDBOX names no level.
    """
    name = os.environ.get("WORLDLINE_SANDBOX", "full")
    for level in LEVELS:
        if level == name:
            return Sandbox.of_level(level)
    raise SandboxError(f"WORLDLINE_SANDBOX is {name!r}; it can be full, container or reduced")


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
