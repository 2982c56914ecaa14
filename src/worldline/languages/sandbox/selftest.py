"""Self-test of the sandbox: one probe program for each layer."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from textwrap import dedent
from typing import Protocol

from worldline.core.errors import WorldlineError
from worldline.core.trace import Limits, Program, Trace
from worldline.languages.sandbox.levels import (
    CONTAINER_LAYERS,
    LAYERS,
    REQUIRED_LAYERS,
    Layer,
    Level,
    Sandbox,
)


class SandboxedRecorder(Protocol):
    """Recorder that executes programs in a sandbox."""

    @property
    def layers(self) -> frozenset[Layer]:
        """The layers that are in effect."""
        ...

    @property
    def missing_layers(self) -> Mapping[Layer, str]:
        """The layers that are not available, and the reasons."""
        ...

    @property
    def remedies(self) -> tuple[str, ...]:
        """Commands and options of which one allows namespaces, if they are forbidden."""
        ...

    def record(self, program: Program, *, limits: Limits | None = None) -> Trace:
        """Execute a program and return its trace."""
        ...


StartRecorder = Callable[[Sandbox], AbstractContextManager[SandboxedRecorder]]


@dataclass(frozen=True, slots=True)
class Probe:
    """Test of one layer.

    Attributes:
        does: What the layer does.
        source: Python source of `is_active()`, which returns True if the layer is in effect.
        without: Layers to switch off for the test, because they would stop the same action.
    """

    does: str
    source: str
    without: frozenset[Layer] = frozenset()


@dataclass(frozen=True, slots=True)
class LayerStatus:
    """Result of the test of one layer.

    Attributes:
        layer: The name of the layer.
        does: What it does.
        holds: Whether it is in effect on this machine.
        is_needed: Whether nothing is executed without it at the level that was asked for.
        why: If it is not in effect: why, and what to do.
        remedies: Commands and options of which one allows it, if this machine forbids it.
    """

    layer: Layer
    does: str
    holds: bool
    is_needed: bool
    why: str = ""
    remedies: tuple[str, ...] = ()


PROBES: dict[Layer, Probe] = {
    "bubblewrap": Probe(
        "a program sees only the files of its interpreter, no network and no other process",
        """
        def is_active():
            try:
                open("/etc/passwd")
            except OSError:
                return os.getuid() != 0 and not os.path.exists("/proc/self")
        """,
    ),
    "control groups": Probe(
        "limits on the memory and the processes of all programs of an interpreter together",
        "def is_active():\n    return True\n",
    ),
    "namespaces": Probe(
        "each program has its own processes, mounts and IPC, which end with it",
        "def is_active():\n    return os.getpid() == 2\n",
    ),
    "disk": Probe(
        "each program has an empty disk in memory, of 16 MB and 1,024 files",
        """
        def is_active():
            disk = os.statvfs(".")
            return disk.f_blocks * disk.f_frsize == 16 << 20 and os.listdir() == []
        """,
    ),
    "limits": Probe(
        "limits on the processes, open files, memory and CPU time of a program",
        """
        import resource
        def is_active():
            for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_AS):
                limit = resource.getrlimit(kind)[1]
                try:
                    resource.setrlimit(kind, (limit + 1, limit + 1))
                except (ValueError, OSError):
                    continue
                return False
            return True
        """,
    ),
    "landlock": Probe(
        "only allow-listed paths can be read, and nothing can be executed",
        """
        def is_active():
            try:
                os.listdir("/")
            except PermissionError:
                return True
        """,
    ),
    "capabilities": Probe(
        "a program has no privileges, and is not executed as root",
        """
        def is_active():
            try:
                os.chroot(".")
            except PermissionError:
                return os.getuid() != 0
        """,
        frozenset({"seccomp"}),
    ),
    "seccomp": Probe(
        "a program can use few system calls: no sockets, no tracing, no other executables",
        """
        import socket
        def is_active():
            try:
                socket.socket()
            except PermissionError:
                return True
        """,
    ),
}


def run_selftest(start_recorder: StartRecorder, level: Level = "full") -> Iterator[LayerStatus]:
    """Test every layer with a program that can tell whether it is in effect.

    Args:
        start_recorder: Starts a recorder of Python programs with a given sandbox.
        level: The level whose layers are needed; all that are available are tested.

    Yields:
        The status of each layer, in the order of `LAYERS`.
    """
    needed = CONTAINER_LAYERS if level == "container" else REQUIRED_LAYERS
    layers: frozenset[Layer] = frozenset()
    missing: Mapping[Layer, str] = {}
    remedies: tuple[str, ...] = ()
    problem = "it is not used on this platform"
    try:
        with start_recorder(Sandbox(allow_reduced=True)) as recorder:
            layers, missing = recorder.layers, recorder.missing_layers
            remedies = recorder.remedies if sys.platform == "linux" else ()
    except WorldlineError as error:
        problem = str(error)
    for layer in LAYERS:
        probe = PROBES[layer]
        if layer in layers:
            why = _run_probe(probe, layers, start_recorder)
        else:
            why = missing.get(layer, problem) if sys.platform == "linux" else "needs Linux"
        yield LayerStatus(
            layer,
            probe.does,
            holds=not why,
            is_needed=layer in needed,
            why=why,
            remedies=remedies if layer == "bubblewrap" else (),
        )


def _run_probe(probe: Probe, layers: frozenset[Layer], start_recorder: StartRecorder) -> str:
    """Why a layer is not in effect; "" if it is."""
    program = Program("import os\n" + dedent(probe.source), "is_active()")
    sandbox = Sandbox(layers - probe.without, allow_reduced=sys.platform != "linux")
    with start_recorder(sandbox) as recorder:
        trace = recorder.record(program, limits=Limits(seconds=30))
    if trace.result == "True":
        return ""
    return f"the test program ended with {trace.result or trace.ending}"
