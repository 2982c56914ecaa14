"""A file that only one process writes at a time."""

import fcntl
from pathlib import Path
from typing import IO

from worldline.errors import InputError


class Lock:
    """Held from its making until it is let go; a second one on the same file is refused."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[str] = path.with_name(f".{path.name}.lock").open("w")
        except OSError as error:
            raise InputError(f"cannot write {path}: {error}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            self._file.close()
            if isinstance(error, BlockingIOError):
                raise InputError(
                    f"{path} is being written by another process; wait for it, or name another "
                    "with -o"
                ) from None
            raise InputError(f"cannot lock {path}: {error}") from error

    def let_go(self) -> None:
        """Let others in."""
        # The name goes first: whoever takes the lock afterwards has it under a name of its own.
        Path(self._file.name).unlink(missing_ok=True)
        self._file.close()
