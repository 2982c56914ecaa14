"""The C++ compiler: its files, its options, and a header that is compiled once."""

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worldline.core.errors import RecorderError
from worldline.core.util.cache_folder import cache_folder

MIN_COMPILER = 12
STANDARD = "gnu++20"
_INSTALL = f"install g++ {MIN_COMPILER} or later (apt install g++)"
# Of the compiler itself, and of the headers that are compiled once.
_OPTIONS = (
    *(f"-std={STANDARD}", "-g", "-O0", "-ftrivial-auto-var-init=pattern", "-fno-pie", "-pthread"),
    *("-fno-stack-protector", "-fcf-protection=none", "-fno-omit-frame-pointer", "-pipe", "-w"),
)
_LINK_OPTIONS = ("-static", "-no-pie", "-fno-use-linker-plugin")
_MESSAGE_OPTIONS = ("-fdiagnostics-color=never", "-fmax-errors=5")
_HEADER = "standard_library.h"
_INCLUDE = re.compile(r"\s*#\s*include\s*<bits/stdc\+\+\.h>")
_PREAMBLE = re.compile(r"(?:\s*#\s*include\s*<[^>\n]*>[^\n]*\n|\s*//[^\n]*\n|\s*\n)*")


@dataclass(frozen=True, slots=True)
class GnuCompiler:
    """An installed g++.

    Attributes:
        path: Its executable, without symbolic links.
        version: Its version, such as "12.2.0".
        programs: The programs that it executes.
        folders: The folders with headers, libraries and programs.
    """

    path: str
    version: str
    programs: tuple[str, ...]
    folders: tuple[str, ...]

    def compile_command(self, header: Path | None, *, include_from: list[str]) -> list[str]:
        """The command that compiles the source on its input to assembly on its output.

        Args:
            header: The header that was compiled before; None to do without.
            include_from: Folders for `#include "…"`.
        """
        return [
            self.path,
            *_OPTIONS,
            *_MESSAGE_OPTIONS,
            *(("-include", str(header)) if header is not None else ()),
            *(f"-I{folder}" for folder in include_from),
            *("-x", "c++", "-", "-S", "-o", "-"),
        ]

    def link_command(self, *, wraps_main: bool) -> list[str]:
        """The command that links the assembly on its input.

        Args:
            wraps_main: Whether another function than `main` is the entry point.
        """
        wrap = ("-Wl,--wrap=main",) if wraps_main else ()
        return [self.path, *_LINK_OPTIONS, *wrap, "-pthread", "-x", "assembler", "-"]


@cache
def find_compiler(name: str = "g++") -> GnuCompiler:
    """Find g++ and the files that it needs.

    Args:
        name: Its path, or its name on PATH.

    Raises:
        RecorderError: It is not installed, or too old.
    """
    path = shutil.which(name)
    if path is None:
        raise RecorderError(f"C++ programs need g++, but there is no {name}: {_INSTALL}")
    resolved = str(Path(path).resolve())
    version = _query(resolved, "-dumpfullversion")
    major = version.partition(".")[0]
    if not major.isdecimal() or int(major) < MIN_COMPILER:
        raise RecorderError(f"{path} is g++ {version or 'of unknown version'}: {_INSTALL}")
    programs = [_query(resolved, f"-print-prog-name={each}") for each in _PROGRAMS]
    paths = [shutil.which(each) or "" for each in programs]
    if "" in paths:
        raise RecorderError(
            f"{path} needs the program {programs[paths.index('')]}, which is not installed: "
            "apt install g++ binutils"
        )
    library = str(Path(_query(resolved, "-print-libgcc-file-name")).parent)
    return GnuCompiler(resolved, version, tuple(paths), (library, *_include_folders(resolved)))


_PROGRAMS = ("cc1plus", "collect2", "as", "ld")


def _query(compiler: str, *arguments: str) -> str:
    try:
        run = subprocess.run(
            [compiler, *arguments], capture_output=True, text=True, check=True, timeout=300
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RecorderError(f"cannot start {compiler}: {error}; {_INSTALL}") from error
    return run.stdout.strip()


def _include_folders(compiler: str) -> list[str]:
    """The folders in which the compiler looks for headers."""
    run = subprocess.run(
        [compiler, "-E", "-v", "-x", "c++", os.devnull],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        env={**os.environ, "LC_ALL": "C"},
    )
    listed = run.stderr.partition("search starts here:")[2].partition("End of search list")[0]
    folders = (line.strip() for line in listed.splitlines())
    return [str(Path(folder).resolve()) for folder in folders if Path(folder).is_dir()]


def can_use_header(source: str) -> bool:
    """Whether a source includes the whole standard library before anything else.

    "#include <bits/stdc++.h>\\nint f();" -> True
    """
    match = _PREAMBLE.match(source)
    return match is not None and _INCLUDE.search(match[0]) is not None


def header_folder(compiler: GnuCompiler) -> Path:
    """The folder for the header that is compiled once; it is created if it does not exist."""
    key = hashlib.sha256(repr((compiler.path, compiler.version, _OPTIONS)).encode()).hexdigest()
    folder = cache_folder() / "cpp" / f"header-{key[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def compiled_header(compiler: GnuCompiler) -> Path:
    """The header with the whole standard library, compiled once and kept in the cache folder.

    It includes only the compiler's own files, so it is compiled outside the sandbox.

    Raises:
        RecorderError: It could not be compiled.
    """
    folder = header_folder(compiler)
    header = folder / _HEADER
    if (folder / f"{_HEADER}.gch").exists():
        return header
    header.write_text("#include <bits/stdc++.h>\n")
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        target = Path(temporary) / "header"
        _query(compiler.path, *_OPTIONS, "-x", "c++-header", str(header), "-o", str(target))
        for file in (header, target):
            file.chmod(0o644)
        target.replace(folder / f"{_HEADER}.gch")
    return header
