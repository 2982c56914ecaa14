"""The debugger gdb: its executable, its version and the files that it needs."""

import glob
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from worldline.core.errors import RecorderError

MIN_GDB = 13
_INSTALL = "pip install 'worldline[{extra}]', or install gdb {minimum} or later (apt install gdb)"
_LINKERS = ("/lib64/ld-linux*.so.*", "/lib/ld-linux*.so.*")
# Folders of libstdc++'s printers, in Debian and Fedora.
_PRINTERS = ("/usr/share/gcc/python", "/usr/share/gcc-*/python", "/usr/local/share/gcc-*/python")
_WHEEL = "gdb_for_pwndbg"
_QUERY = (
    "python import gdb, json, sys; print(json.dumps([gdb.VERSION, "
    "[gdb.PYTHONDIR, gdb.parameter('data-directory'), *sys.path]]))"
)


@dataclass(frozen=True, slots=True)
class GdbRuntime:
    """An installed gdb.

    Attributes:
        path: Its executable.
        version: Its version, such as "18.1".
        folders: The folders that it reads.
        files: More files that it reads.
        printers: The folder of libstdc++'s printers; "" if they are not installed.
        options: Options that it needs.
        environment: Variables that it needs.
    """

    path: str
    version: str = ""
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    printers: str = ""
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict, hash=False)

    @property
    def executable(self) -> tuple[str, ...]:
        """The files that have to be executed to start it."""
        return (self.path, *(path for each in _LINKERS for path in sorted(glob.glob(each))))


@cache
def find_gdb(
    name: str | None = None, *, title: str = "C++", extra: str = "cpp", minimum: int = MIN_GDB
) -> GdbRuntime:
    """Find gdb: the one of the extra of a language, or else the one of the system.

    Args:
        name: Its path, or its name on PATH.
        title: The name of the language that needs it.
        extra: The extra that contains it.
        minimum: The version that the language needs.

    Raises:
        RecorderError: There is none that can be used.
    """
    printers = [path for each in _PRINTERS for path in sorted(glob.glob(each))]
    problems = []
    for candidate in _candidates(name):
        try:
            version, folders = _ask(candidate)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            problems.append(f"{candidate.path} cannot be used: {error}")
            continue
        if int(version.partition(".")[0]) < minimum:
            problems.append(f"{candidate.path} is gdb {version}")
            continue
        return GdbRuntime(
            candidate.path,
            version,
            (*(each for each in folders if os.path.isdir(each)), *printers[-1:]),
            candidate.files,
            printers[-1] if printers else "",
            candidate.options,
            candidate.environment,
        )
    reasons = "; ".join(problems) or f"there is no {name or 'gdb'}"
    install = _INSTALL.format(extra=extra, minimum=minimum)
    raise RecorderError(f"{title} programs need gdb, but {reasons}: {install}")


def _candidates(name: str | None) -> Iterator[GdbRuntime]:
    spec = importlib.util.find_spec(_WHEEL) if name is None else None
    if spec is not None and spec.submodule_search_locations:
        folder = Path(spec.submodule_search_locations[0])
        library = Path(sysconfig.get_config_var("LIBDIR")) / sysconfig.get_config_var("INSTSONAME")
        yield GdbRuntime(
            str(folder / "_vendor" / "bin" / "gdb"),
            files=(str(library),),
            options=(f"--data-directory={folder / '_vendor' / 'share' / 'gdb'}",),
            environment={
                "PYTHONHOME": sys.base_prefix,
                "PYTHONPATH": str(folder.parent),
                "LD_LIBRARY_PATH": str(library.parent),
            },
        )
    for each in (name,) if name is not None else ("/usr/bin/gdb", "/usr/local/bin/gdb"):
        path = shutil.which(each)
        if path is not None:
            yield GdbRuntime(str(Path(path).resolve()))


def _ask(gdb: GdbRuntime) -> tuple[str, list[str]]:
    """The version of a gdb, and the folders of its Python."""
    query = subprocess.run(
        [gdb.path, *gdb.options, "-nx", "-q", "-batch", "-ex", _QUERY],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**gdb.environment, "LC_ALL": "C.UTF-8"},
    )
    lines = query.stdout.strip().splitlines()
    if not lines:
        raise ValueError(query.stderr.strip()[-300:] or "it printed nothing")
    version, folders = json.loads(lines[-1])
    numbers = [word for word in version.split() if word[0].isdigit()] or [version]
    return numbers[-1], folders
