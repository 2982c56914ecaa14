"""Folder for files that can be downloaded or computed again."""

import os
from contextlib import suppress
from pathlib import Path

FOLDER_VARIABLE = "WORLDLINE_CACHE"


def cache_folder() -> Path:
    """The folder in `WORLDLINE_CACHE`, or else `worldline` in the user's cache folder.

    It may not exist yet. Without either variable: ~/.cache/worldline.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder:
        return Path(folder)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "worldline"


def remove_oldest(folder: Path, *, keep: int) -> None:
    """Remove the files that were not used for the longest time; other processes may do the same."""
    used: list[tuple[float, Path]] = []
    for file in folder.iterdir():
        with suppress(OSError):
            used.append((file.stat().st_mtime, file))
    for _, file in sorted(used)[:-keep]:
        with suppress(OSError):
            file.unlink()
