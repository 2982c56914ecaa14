"""Lock file that lets one process at a time write a file or folder."""

import os
from contextlib import suppress
from pathlib import Path
from typing import IO

from worldline.core.errors import InputError
from worldline.core.util.file_lock import lock_exclusively


def lock_file(path: Path) -> Path:
    """Path of the lock file, which exists while the lock is held.

    open.jsonl -> .open.jsonl.lock
    """
    return path.with_name(f".{path.name}.lock")


class Lock:
    """Exclusive lock on a path, held from construction until `release`.

    Raises:
        InputError: Another process holds the lock.
    """

    def __init__(self, path: Path) -> None:
        name = lock_file(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _open_locked(name)
            # The previous holder may have deleted the file after we opened it and before we
            # locked it. A lock on a deleted file excludes nobody, so it is opened again.
            while not _is_current(self._file, name):
                self._file.close()
                self._file = _open_locked(name)
        except BlockingIOError:
            raise InputError(
                f"{path} is being written by another process; wait for it, or name another "
                "output with -o"
            ) from None
        except OSError as error:
            raise InputError(f"cannot write {path}: {error}") from error

    def release(self) -> None:
        """Release the lock and delete its file."""
        # Delete before unlocking: the next process then locks a new file.
        with suppress(PermissionError):  # Windows does not delete open files
            Path(self._file.name).unlink(missing_ok=True)
        self._file.close()


def _open_locked(name: Path) -> IO[str]:
    file = name.open("w")
    try:
        lock_exclusively(file)
    except OSError:
        file.close()
        raise
    return file


def _is_current(file: IO[str], name: Path) -> bool:
    """Whether the open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(name))
    except FileNotFoundError:
        return False
