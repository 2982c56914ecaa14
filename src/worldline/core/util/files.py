"""Atomic writes of files and folders, and the check for foreign files in a folder."""

import os
import shutil
import tempfile
from collections.abc import Container, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def temporary_path(path: Path) -> Path:
    """The path at which a file is written before it is renamed; a killed process may leave it.

    "runs/open.jsonl" -> "runs/.open.jsonl.new"
    """
    return path.with_name(f".{path.name}.new")


@contextmanager
def atomic_write(
    path: Path, *, temporary: Path | None = None, fsync: bool = False
) -> Iterator[Path]:
    """Yield a temporary path to write to, then rename it to `path`.

    A process that is killed at any moment leaves the old file or the new one, never a part of it.
    If the body raises, the temporary file is removed.

    Args:
        path: The file to create or replace.
        temporary: Where to write first, on the same file system; `temporary_path(path)` by default.
        fsync: Flush the data to disk before the rename, so that a power failure does not leave
            an empty file of that name.

    Raises:
        OSError: The file cannot be written or renamed.
    """
    temporary = temporary or temporary_path(path)
    try:
        yield temporary
        if fsync:
            with temporary.open("rb") as file:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        # On a full disk, an incomplete file would only take space.
        with suppress(OSError):
            temporary.unlink()
        raise


def write_file(path: Path, data: bytes, *, temporary: Path | None = None) -> None:
    """Write a complete file atomically: see `atomic_write`."""
    with atomic_write(path, temporary=temporary) as new:
        new.write_bytes(data)


@contextmanager
def atomic_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder to write into, then rename it to `path`.

    An existing folder of that name is replaced. If the body raises, the temporary folder is
    removed and `path` stays as it was.

    Raises:
        OSError: The folder cannot be written or renamed.
    """
    parent = path.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(dir=parent, prefix=f".{path.name}-"))
    try:
        yield folder
        folder.chmod(0o755)
        _replace_folder(folder, path)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _replace_folder(folder: Path, path: Path) -> None:
    """Replace the folder at `path`; if the rename fails, it is restored."""
    if not path.exists():
        folder.rename(path)
        return
    old = folder.with_name(f"{folder.name}-old")
    path.rename(old)
    try:
        folder.rename(path)
    except BaseException:
        old.rename(path)
        raise
    shutil.rmtree(old)


def foreign_files(folder: Path, own: Container[str]) -> list[str]:
    """The names in a folder that are not among `own`, sorted.

    Raises:
        OSError: The folder cannot be listed.
    """
    return sorted(path.name for path in folder.iterdir() if path.name not in own)
