"""Source packages: the Python files of source trees, wheels, sdists and site-packages."""

import csv
import tarfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import Message
from email.parser import Parser
from pathlib import Path, PurePosixPath

from worldline.core.errors import InputError
from worldline.data.harvest.package_license import UNKNOWN, find_license

# Larger files are data, or were written by a program.
MAX_FILE_BYTES = 1_000_000
_SKIPPED_FOLDERS = frozenset({"__pycache__", "node_modules", "site-packages"})
_TEST_NAMES = frozenset({"test", "tests", "testing", "conftest.py"})


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A Python file of a package; its path is relative to the package's root."""

    path: str
    text: str

    @property
    def is_test(self) -> bool:
        """Whether it has tests: its calls are used, but its functions are not harvested."""
        path = PurePosixPath(self.path)
        return (
            bool(_TEST_NAMES & set(path.parts))
            or path.name.startswith("test_")
            or path.name.endswith("_test.py")
        )


@dataclass(frozen=True, slots=True)
class SourcePackage:
    """A package: its name, version, licence and Python files."""

    name: str
    version: str
    license: str
    files: tuple[SourceFile, ...]


def read_packages(paths: Sequence[str | Path]) -> Iterator[SourcePackage]:
    """Read the packages of wheels, sdists, source trees and site-packages folders.

    A folder with `*.dist-info` folders has a package for each of them. A folder of archives has
    one for each archive. Any other folder is a source tree, and one package.

    Raises:
        InputError: There is no such file, or it is not a package.
    """
    for path in map(Path, paths):
        if path.is_dir():
            yield from _read_folder(path)
        elif path.suffix == ".whl":
            yield _read_wheel(path)
        elif path.name.endswith((".tar.gz", ".tgz")):
            yield _read_sdist(path)
        elif path.suffix == ".py" and path.exists():
            yield SourcePackage(path.stem, "", UNKNOWN, tuple(_tree_files(path.parent, [path])))
        elif not path.exists():
            raise InputError(f"there is no file or folder {path}")
        else:
            raise InputError(
                f"{path} is not a package; give a folder, a wheel (.whl), an sdist (.tar.gz) or a "
                "Python file"
            )


def _read_folder(folder: Path) -> Iterator[SourcePackage]:
    installed = sorted(folder.glob("*.dist-info"))
    archives = sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])
    if installed:
        yield from (_read_installed(folder, each) for each in installed)
    elif archives:
        yield from read_packages(archives)
    else:
        metadata = folder / "PKG-INFO"
        fields = _parse_metadata(metadata.read_bytes()) if metadata.is_file() else Message()
        files = sorted(folder.rglob("*.py"))
        name = fields.get("Name") or folder.resolve().name
        yield _make_package(fields, name, tuple(_tree_files(folder, files)))


def _read_installed(folder: Path, info: Path) -> SourcePackage:
    record = info / "RECORD"
    names: list[str] = []
    if record.is_file():
        with record.open(encoding="utf-8", newline="") as file:
            names = [row[0] for row in csv.reader(file) if row and row[0].endswith(".py")]
    metadata = info / "METADATA"
    fields = _parse_metadata(metadata.read_bytes()) if metadata.is_file() else Message()
    files = [folder / name for name in sorted(names) if not name.startswith(("..", "/"))]
    name = fields.get("Name") or info.name.partition("-")[0]
    return _make_package(fields, name, tuple(_tree_files(folder, files)))


def _make_package(fields: Message, name: str, files: tuple[SourceFile, ...]) -> SourcePackage:
    return SourcePackage(name, fields.get("Version") or "", find_license(fields), files)


def _tree_files(root: Path, files: Sequence[Path]) -> Iterator[SourceFile]:
    for file in files:
        path = file.relative_to(root)
        hidden = any(part.startswith(".") for part in path.parts)
        if hidden or _SKIPPED_FOLDERS & set(path.parts[:-1]):
            continue
        try:
            data = file.read_bytes()
        except OSError:
            continue
        yield from _decode(path.as_posix(), data)


def _decode(path: str, data: bytes) -> Iterator[SourceFile]:
    """The file, if it is of a plausible size and in UTF-8."""
    if len(data) > MAX_FILE_BYTES or b"\0" in data:
        return
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return
    # Line numbers of syntax trees count these three only.
    yield SourceFile(path, text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " "))


def _parse_metadata(data: bytes) -> Message:
    return Parser().parsestr(data.decode("utf-8", "replace"), headersonly=True)


def _read_wheel(path: Path) -> SourcePackage:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = {
                each.filename: each
                for each in archive.infolist()
                if each.file_size <= MAX_FILE_BYTES
            }
            metadata = [name for name in infos if name.endswith(".dist-info/METADATA")]
            fields = _parse_metadata(archive.read(metadata[0])) if metadata else Message()
            files = [
                file
                for name in sorted(infos)
                if name.endswith(".py")
                for file in _decode(name, archive.read(name))
            ]
    except (OSError, zipfile.BadZipFile) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    return _make_package(fields, fields.get("Name") or path.stem, tuple(files))


def _read_sdist(path: Path) -> SourcePackage:
    data: dict[str, bytes] = {}
    try:
        with tarfile.open(path) as archive:
            for member in archive:
                # The first folder has the name and the version of the package.
                name = member.name.partition("/")[2]
                is_wanted = name.endswith(".py") or name == "PKG-INFO"
                file = archive.extractfile(member) if is_wanted and member.isfile() else None
                if file is not None and member.size <= MAX_FILE_BYTES:
                    data[name] = file.read()
    except (OSError, tarfile.TarError, EOFError) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    fields = _parse_metadata(data.pop("PKG-INFO", b""))
    files = [file for name in sorted(data) for file in _decode(name, data[name])]
    return _make_package(
        fields, fields.get("Name") or path.name.removesuffix(".tar.gz"), tuple(files)
    )
