"""Exclusive lock on an open file, on every platform."""

from typing import IO, Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

# Position of the byte that is locked on Windows, where nobody else can read locked bytes.
_LOCKED_BYTE = (1 << 31) - 2


def lock_exclusively(file: IO[Any]) -> None:
    """Lock a file until it is closed, without waiting.

    Raises:
        BlockingIOError: Another process holds the lock.
        OSError: The file system has no locks.
    """
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt

    try:
        file.seek(_LOCKED_BYTE)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    except PermissionError as error:
        raise BlockingIOError(str(error)) from error
