"""Files of the host that a Python interpreter needs inside the sandbox."""

import glob
import json
import os
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worldline.core.errors import RecorderError

_QUERY = """
import json, os, sys, sysconfig
variables = sysconfig.get_config_vars()
library = os.path.join(variables.get("LIBDIR") or "", variables.get("INSTSONAME") or "")
shared = [library] if variables["Py_ENABLE_SHARED"] else []
print(json.dumps({
    "executable": sys.executable,
    "suffix": variables["EXT_SUFFIX"],
    "files": [os.path.join(sys.prefix, "pyvenv.cfg"), *shared],
    "folders": [*sys.path[1:], *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib"))],
}))
"""
# Modules that access memory directly, and those that only test Python.
_MASKED = ("_ctypes*.so", "_test*.so", "_xx*.so", "xxlimited*.so")
# Folders of the dynamic linker: libraries only, no executables.
_LIBRARIES = ("/lib64", "/usr/lib64", "/usr/local/lib", "/lib/*-linux-gnu", "/usr/lib/*-linux-gnu")


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python interpreter and the files that it needs.

    Attributes:
        executable: Its path.
        extension_suffix: The suffix of C extensions that were built for it.
        binds: What to bind-mount: paths on the host and the paths in the sandbox.
        masked_files: Files below these that have to be hidden.
    """

    executable: str
    extension_suffix: str
    binds: tuple[tuple[str, str], ...]
    masked_files: tuple[str, ...]


@cache
def inspect_interpreter(
    python: str, folders: tuple[str, ...] = (), files: tuple[str, ...] = ()
) -> Interpreter:
    """Ask an interpreter for its files.

    Args:
        python: The path or name of the interpreter.
        folders: More folders to show in the sandbox.
        files: More files to show, such as the runtime of another language.

    Raises:
        RecorderError: The interpreter cannot be started, or is too old.
    """
    try:
        query = subprocess.run(
            # Ignore PYTHONPATH and the like: the sandbox does not have them either.
            [python, "-E", "-c", _QUERY],
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        reply = json.loads(query.stdout)
    except OSError as error:
        raise RecorderError(
            f"cannot start {python}: {error}; choose another interpreter with --python"
        ) from error
    except (subprocess.SubprocessError, ValueError) as error:
        raise RecorderError(
            f"{python} cannot run the recorder; it needs CPython 3.10 or later on Linux"
        ) from error
    executable = reply["executable"]
    resolved = str(Path(executable).resolve())
    shown = [path for path in (*reply["files"], *files) if Path(path).is_file()]
    shown += _outermost([p for p in (*reply["folders"], *folders) if p and Path(p).is_dir()])
    shown += [path for pattern in _LIBRARIES for path in sorted(glob.glob(pattern))]
    masked = [
        path
        for folder in dict.fromkeys(reply["folders"])
        for pattern in _MASKED
        for path in sorted(glob.glob(f"{folder}/{pattern}"))
    ]
    host_paths = {path: str(Path(path).resolve()) for path in shown}
    host_paths[resolved] = resolved
    # A link inside a bound folder is there already: a virtual environment in a project's folder.
    host_paths |= {
        link: resolved for link in _link_chain(executable) if not _is_within(link, shown)
    }
    return Interpreter(
        executable,
        reply["suffix"],
        tuple((host, inside) for inside, host in host_paths.items()),
        tuple(masked),
    )


def leave_out(paths: Iterable[str], hidden: Iterable[str]) -> tuple[list[str], list[str]]:
    """Divide folders, so that rules for what is inside them can leave out hidden paths.

    Links are left out, too: their targets may be anywhere.

    Returns:
        The paths whose content is not hidden, and the folders that were divided. Imports need the
        names in the latter. A rule that allows to list a folder also allows that below it.
    """
    hidden_paths = {Path(path).resolve() for path in hidden}
    above = {folder for path in hidden_paths for folder in path.parents}
    whole: dict[str, None] = {}
    divided: dict[str, None] = {}
    remaining = [Path(path).resolve() for path in paths]
    for path in remaining:
        if path in hidden_paths:
            if path.is_dir():
                divided[str(path)] = None
        elif path not in above:
            whole[str(path)] = None
        elif str(path) not in divided:
            divided[str(path)] = None
            remaining += [each for each in sorted(path.iterdir()) if not each.is_symlink()]
    return list(whole), list(divided)


def _link_chain(path: str) -> list[str]:
    """A path and the targets of its symbolic links, one by one.

    "env/bin/python" -> "env/bin/python", "/usr/bin/python3", "/usr/bin/python3.11"
    """
    chain = [path]
    while os.path.islink(chain[-1]):
        chain.append(os.path.normpath(Path(chain[-1]).parent / os.readlink(chain[-1])))
    return chain


def _is_within(path: str, folders: list[str]) -> bool:
    return any(Path(folder) in Path(path).parents for folder in folders)


def _outermost(folders: list[str]) -> list[str]:
    """The folders that are not inside another one of them.

    ["/usr/lib/python3.11/lib-dynload", "/usr/lib/python3.11"] -> ["/usr/lib/python3.11"]
    """
    unique = dict.fromkeys(str(Path(folder)) for folder in folders)
    return [f for f in unique if not any(Path(other) in Path(f).parents for other in unique)]
