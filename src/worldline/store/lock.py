"""A file that only one process writes at a time."""

import fcntl
import os
from pathlib import Path
from typing import IO

from worldline.errors import InputError


def lock_file(path: Path) -> Path:
    """The file that is there as long as another one is held.

    open.jsonl -> .open.jsonl.lock
    """
    return path.with_name(f".{path.name}.lock")


class Lock:
    """Held from its making until it is let go; a second one on the same file is refused."""

    def __init__(self, path: Path) -> None:
        name = lock_file(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = _taken(name)
            # Whoever held it may have let go, and its name with it, between our opening and taking
            # it: it then keeps nobody out.
            while not _is_named(self._file, name):
                self._file.close()
                self._file = _taken(name)
        except BlockingIOError:
            raise InputError(
                f"{path} is being written by another process; wait for it, or name another with -o"
            ) from None
        except OSError as error:
            raise InputError(f"cannot write {path}: {error}") from error

    def let_go(self) -> None:
        """Let others in."""
        # The name goes first: whoever takes the lock afterwards has it under a name of its own.
        Path(self._file.name).unlink(missing_ok=True)
        self._file.close()


def _taken(name: Path) -> IO[str]:
    file = name.open("w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise
    return file


def _is_named(file: IO[str], name: Path) -> bool:
    """Whether an open file is the one that has this name now."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(name))
    except FileNotFoundError:
        return False
