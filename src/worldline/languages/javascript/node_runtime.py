"""Node.js: its executable, its version, and the tracer that it executes."""

import glob
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worldline.core.errors import RecorderError

MIN_NODE = 20
# Built from node/*.js by scripts/build-javascript.
TRACER = Path(__file__).parent / "node" / "dist" / "tracer.mjs"
# Dynamic linkers, which the kernel executes together with a program.
_LINKERS = ("/lib64/ld-linux*.so.*", "/lib/ld-linux*.so.*")
_INSTALL = f"install Node.js {MIN_NODE} or later (apt install nodejs, or https://nodejs.org)"


@dataclass(frozen=True, slots=True)
class NodeRuntime:
    """An installed Node.js.

    Attributes:
        path: Its executable, without symbolic links.
        version: Its version, such as "20.20.2".
    """

    path: str
    version: str

    @property
    def executable(self) -> tuple[str, ...]:
        """The files that have to be executed to start it."""
        linkers = (path for pattern in _LINKERS for path in sorted(glob.glob(pattern)))
        return (self.path, *linkers)


@cache
def find_node(name: str = "node") -> NodeRuntime:
    """Find Node.js, and check that it can record programs.

    Args:
        name: Its path, or its name on PATH.

    Raises:
        RecorderError: It is not installed or too old, or the tracer was not built.
    """
    path = shutil.which(name)
    if path is None:
        raise RecorderError(f"JavaScript programs need Node.js, but there is no {name}: {_INSTALL}")
    resolved = str(Path(path).resolve())
    try:
        query = subprocess.run(
            [resolved, "--version"], capture_output=True, text=True, check=True, timeout=60
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RecorderError(f"cannot start {path}: {error}; {_INSTALL}") from error
    version = query.stdout.strip().removeprefix("v")
    major = version.partition(".")[0]
    if not major.isdecimal() or int(major) < MIN_NODE:
        raise RecorderError(f"{path} is Node.js {version or 'of unknown version'}: {_INSTALL}")
    if not TRACER.exists():
        raise RecorderError(
            "worldline is installed without its JavaScript tracer: install it again with Node.js "
            "and npm on PATH (pip install --force-reinstall), or in a checkout run "
            "scripts/build-javascript"
        )
    return NodeRuntime(resolved, version)
