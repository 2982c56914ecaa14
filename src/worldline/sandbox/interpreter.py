"""An interpreter goes in; what a program needs of the host's files to run in it comes out."""

import glob
import json
import os
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worldline.errors import RecorderError

_ASK = """
import json, os, sys, sysconfig
known = sysconfig.get_config_vars()
library = os.path.join(known.get("LIBDIR") or "", known.get("INSTSONAME") or "")
shared = [library] if known["Py_ENABLE_SHARED"] else []
print(json.dumps({
    "executable": sys.executable,
    "suffix": known["EXT_SUFFIX"],
    "files": [os.path.join(sys.prefix, "pyvenv.cfg"), *shared],
    "folders": [*sys.path[1:], *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))],
}))
"""
# Modules that reach into memory, and those that were only made to test Python.
_MASKED = ("_ctypes*.so", "_test*.so", "_xx*.so", "xxlimited*.so")
# Where the loader looks; each is a folder of libraries, with nothing in it to be executed.
_LIBRARIES = ("/lib64", "/usr/lib64", "/usr/local/lib", "/lib/*-linux-gnu", "/usr/lib/*-linux-gnu")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python and its files: what is bound where, and what is taken out of it again."""

    executable: str
    suffix: str  # of the modules in C that are built for it
    bound: tuple[tuple[str, str], ...]  # from the host's path to the sandbox's
    masked: tuple[str, ...]


@cache
def interpreter(python: str, folders: tuple[str, ...] = ()) -> Interpreter:
    """What has to be there for `python`; `folders` are there, too."""
    try:
        asked = subprocess.run(
            # Without what the environment adds, which is not there in the sandbox either.
            [python, "-E", "-c", _ASK],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        found = json.loads(asked.stdout)
    except OSError as error:
        raise RecorderError(
            f"cannot start {python}: {error}; name another with --python"
        ) from error
    except (subprocess.SubprocessError, ValueError) as error:
        raise RecorderError(
            f"{python} cannot run the recorder; it needs CPython 3.10 or later on Linux"
        ) from error
    executable = found["executable"]
    real = str(Path(executable).resolve())
    seen = [path for path in found["files"] if Path(path).is_file()]
    seen += _outermost([p for p in (*found["folders"], *folders) if p and Path(p).is_dir()])
    seen += [path for pattern in _LIBRARIES for path in sorted(glob.glob(pattern))]
    masked = [
        path
        for folder in dict.fromkeys(found["folders"])
        for pattern in _MASKED
        for path in sorted(glob.glob(f"{folder}/{pattern}"))
    ]
    bound = {path: str(Path(path).resolve()) for path in seen}
    bound[real] = real
    # What lies in a folder that is there is there with it: an environment in a project's folder.
    bound |= {link: real for link in _links(executable) if not _is_within(link, seen)}
    return Interpreter(
        executable,
        found["suffix"],
        tuple((host, here) for here, host in bound.items()),
        tuple(masked),
    )


def _links(path: str) -> list[str]:
    """A path, and what it leads to, link by link.

    "env/bin/python" -> "env/bin/python", "/usr/bin/python3", "/usr/bin/python3.11"
    """
    found = [path]
    while os.path.islink(found[-1]):
        found.append(os.path.normpath(Path(found[-1]).parent / os.readlink(found[-1])))
    return found


def _is_within(path: str, folders: list[str]) -> bool:
    return any(Path(folder) in Path(path).parents for folder in folders)


def _outermost(folders: list[str]) -> list[str]:
    """Folders without those that lie in another of them.

    ["/usr/lib/python3.11/lib-dynload", "/usr/lib/python3.11"] -> ["/usr/lib/python3.11"]
    """
    kept = dict.fromkeys(str(Path(folder)) for folder in folders)
    return [f for f in kept if not any(Path(other) in Path(f).parents for other in kept)]
