"""User id of programs that root executes: one that no other user has."""

import os
import secrets
from collections.abc import Iterable
from pathlib import Path

# User id in bubblewrap, whose user namespace separates interpreters.
USER = 64_317
# Without a user namespace, each interpreter has another one of these: the kernel limits the number
# of processes of each user. They are ids that systemd gives to services for a while.
_FIRST, _LAST = 61_184, 65_519
# Capabilities to change the user and to end the programs of another user.
_NEEDED = {"CAP_KILL": 5, "CAP_SETGID": 6, "CAP_SETUID": 7}


def is_root() -> bool:
    """Whether this process is root's; False where there are no user ids."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def choose_user() -> int:
    """A user id that probably no other interpreter has."""
    return _FIRST + secrets.randbelow(_LAST - _FIRST + 1)


def missing_capabilities() -> list[str]:
    """The capabilities that this process, of root, lacks to execute programs as another user."""
    status = Path("/proc/self/status").read_text()
    effective = int(status.partition("CapEff:")[2].split()[0], 16)
    return [name for name, bit in _NEEDED.items() if not effective >> bit & 1]


def find_unreadable(paths: Iterable[str]) -> str | None:
    """The first path that other users cannot read."""
    return next((path for path in paths if not os.stat(path).st_mode & 0o004), None)


def find_closed_folder(paths: Iterable[str]) -> str | None:
    """The first folder above these paths that other users cannot enter."""
    folders = {str(folder) for path in paths for folder in Path(path).resolve().parents}
    return next((path for path in sorted(folders) if not os.stat(path).st_mode & 0o001), None)
