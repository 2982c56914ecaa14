"""The Rust compiler: its files and its options."""

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worldline.core.errors import RecorderError

MIN_COMPILER = (1, 70)
EDITION = "2021"
CRATE = "program"
_INSTALL = "install Rust 1.70 or later (https://rustup.rs, or apt install rustc)"
_OPTIONS = (
    *("--crate-name", CRATE, "--crate-type", "bin", "--edition", EDITION, "-A", "warnings"),
    *("--color", "never", "--cap-lints", "allow"),
    *("-C", "debuginfo=2", "-C", "opt-level=0", "-C", "overflow-checks=on"),
    *("-C", "force-frame-pointers=yes", "-C", "codegen-units=1", "-C", "incremental="),
    *("-C", "target-feature=+crt-static", "-C", "relocation-model=static"),
    # The order of a HashMap does not change from one execution to the next.
    *("-C", "link-arg=-Wl,--wrap=getrandom"),
)
# Programs that the linker driver executes.
_PROGRAMS = ("collect2", "ld")


@dataclass(frozen=True, slots=True)
class RustCompiler:
    """An installed rustc.

    Attributes:
        path: Its executable, without symbolic links and without rustup's proxy.
        version: Its version, such as "1.95.0".
        programs: The programs that it executes, the first of which is the linker driver.
        folders: The folders with libraries.
        linker: The toolchain's own linker LLD; "" if it has none.
    """

    path: str
    version: str
    programs: tuple[str, ...]
    folders: tuple[str, ...]
    linker: str = ""

    def compile_command(self, file: str) -> list[str]:
        """The command that compiles and links a file; `links` have to be in the current folder."""
        # LLD needs a fifth of the time of GNU's linker.
        own_linker = ("-C", "link-arg=-B.", "-C", "link-arg=-fuse-ld=lld") if self.linker else ()
        return [self.path, *_OPTIONS, "-C", f"linker={self.programs[0]}", *own_linker, file]

    @property
    def links(self) -> dict[str, str]:
        """Symbolic links for the linker driver, which looks for LLD by this name.

        The toolchain's `ld.lld` is a wrapper that needs /proc, which the sandbox does not have.
        """
        return {"ld.lld": self.linker} if self.linker else {}


@cache
def find_compiler(name: str = "rustc", linker: str = "cc") -> RustCompiler:
    """Find rustc, on PATH or in ~/.cargo/bin, and the files that it needs.

    Args:
        name: Its path, or its name on PATH.
        linker: The path or name of the C compiler that links programs.

    Raises:
        RecorderError: It is not installed, or too old.
    """
    cargo = Path.home() / ".cargo" / "bin"
    located = shutil.which(name) or shutil.which(name, path=str(cargo))
    if located is None:
        raise RecorderError(f"Rust programs need rustc, but there is no {name}: {_INSTALL}")
    version, sysroot = _query(located, "--version"), Path(_query(located, "--print", "sysroot"))
    numbers = re.search(r"(\d+)\.(\d+)\.\d+", version)
    if numbers is None or (int(numbers[1]), int(numbers[2])) < MIN_COMPILER:
        raise RecorderError(f"{located} is {version or 'of unknown version'}: {_INSTALL}")
    # rustup's rustc only executes that of a toolchain.
    own = sysroot / "bin" / "rustc"
    path = str((own if own.exists() else Path(located)).resolve())
    driver = shutil.which(linker)
    if driver is None:
        raise RecorderError(
            f"Rust programs need a linker, but there is no {linker}: apt install gcc libc6-dev"
        )
    driver = str(Path(driver).resolve())
    linkers = [shutil.which(_query(driver, f"-print-prog-name={each}")) for each in _PROGRAMS]
    own_linkers = sorted((sysroot / "lib" / "rustlib").glob("*/bin/**/*lld*"))
    libraries = [str(sysroot / "lib"), str(Path(_query(driver, "-print-libgcc-file-name")).parent)]
    programs = [driver, *filter(None, linkers), *map(str, own_linkers)]
    own_linker = next((str(each) for each in own_linkers if each.name == "rust-lld"), "")
    return RustCompiler(path, numbers[0], tuple(programs), tuple(libraries), own_linker)


def _query(program: str, *arguments: str) -> str:
    try:
        run = subprocess.run(
            [program, *arguments],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise RecorderError(f"cannot start {program}: {error}; {_INSTALL}") from error
    return run.stdout.strip()
