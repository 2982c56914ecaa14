"""Does the sandbox hold here? A small program for each layer goes in, plain words come out."""

from collections.abc import Iterator
from dataclasses import dataclass
from textwrap import dedent

from worldline.errors import WorldlineError
from worldline.recorders.python import PythonRecorder
from worldline.sandbox import LAYERS, NEEDED, Layer, Sandbox
from worldline.trace import Limits, Program


@dataclass(frozen=True, slots=True)
class Probe:
    """One layer: what it does, a call that says whether it does, and what to do where not."""

    does: str
    source: str
    remedy: str
    without: frozenset[Layer] = frozenset()  # layers that would stop the same


@dataclass(frozen=True, slots=True)
class Holding:
    """Whether a layer was found to hold, and if not, why and what would help."""

    layer: Layer
    does: str
    holds: bool
    is_needed: bool
    why: str = ""


PROBES: dict[Layer, Probe] = {
    "bubblewrap": Probe(
        "a program sees its interpreter's files, no others, no network and no other process",
        """
        def held():
            try:
                open("/etc/passwd")
            except OSError:
                return os.getuid() != 0 and not os.path.exists("/proc/self")
        """,
        "install bubblewrap (apt install bubblewrap); where user namespaces are forbidden, allow "
        "them (sysctl kernel.unprivileged_userns_clone=1, or AppArmor's profile for bwrap)",
    ),
    "control groups": Probe(
        "what all programs of an interpreter use of memory and processes is bounded together",
        "def held():\n    return True\n",
        "only root can have these here; without them a program's processes may each use all the "
        "memory that one may have",
    ),
    "namespaces": Probe(
        "each program has processes, mounts and IPC of its own, which end with it",
        "def held():\n    return os.getpid() == 2\n",
        "install worldline from source where there is a C compiler (pip install --no-binary)",
    ),
    "disk": Probe(
        "each program has an empty disk in memory, of 16 MB and 1,024 files",
        """
        def held():
            left = os.statvfs(".")
            return left.f_blocks * left.f_frsize == 16 << 20 and os.listdir() == []
        """,
        "as for namespaces",
    ),
    "limits": Probe(
        "processes, open files, memory and processor time of a program are bounded for good",
        """
        import resource
        def held():
            for kind in (resource.RLIMIT_NPROC, resource.RLIMIT_NOFILE, resource.RLIMIT_AS):
                most = resource.getrlimit(kind)[1]
                try:
                    resource.setrlimit(kind, (most + 1, most + 1))
                except (ValueError, OSError):
                    continue
                return False
            return True
        """,
        "the kernel refused to set them",
    ),
    "landlock": Probe(
        "of what is there, only what is named can be read, and nothing executed",
        """
        def held():
            try:
                os.listdir("/")
            except PermissionError:
                return True
        """,
        "a kernel from 5.13 on, with landlock among its security modules",
    ),
    "capabilities": Probe(
        "a program has no rights beyond its own",
        """
        def held():
            try:
                os.chroot(".")
            except PermissionError:
                return True
        """,
        "as for namespaces",
        frozenset({"seccomp"}),
    ),
    "seccomp": Probe(
        "a program can ask the kernel for little: no sockets, no tracing, no other programs",
        """
        import socket
        def held():
            try:
                socket.socket()
            except PermissionError:
                return True
        """,
        "install libseccomp (apt install libseccomp2)",
    ),
}


def check_holding(python: str | None = None) -> Iterator[Holding]:
    """Try every layer on this machine, each with a program that would notice were it not there."""
    layers: frozenset[Layer] = frozenset()
    said = ""
    try:
        with PythonRecorder(python=python, sandbox=Sandbox(is_reduced=True)) as recorder:
            layers = recorder.layers
    except WorldlineError as error:
        said = f"{error}; "
    for layer in LAYERS:
        probe = PROBES[layer]
        why = f"{said}{probe.remedy}" if layer not in layers else _tried(probe, layers, python)
        yield Holding(layer, probe.does, not why, layer in NEEDED, why)


def _tried(probe: Probe, layers: frozenset[Layer], python: str | None) -> str:
    """Why a layer does not hold; nothing where it does."""
    program = Program("import os\n" + dedent(probe.source), "held()")
    with PythonRecorder(python=python, sandbox=Sandbox(layers - probe.without)) as recorder:
        trace = recorder.record(program, limits=Limits(seconds=30))
    if trace.result == "True":
        return ""
    return f"a program got {trace.result or trace.ending}; {probe.remedy}"
