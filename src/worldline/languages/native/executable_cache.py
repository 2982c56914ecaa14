"""Cache of compiled programs, by the hash of their source and compiler."""

import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from worldline.core.util.cache_folder import cache_folder, remove_oldest

# Size of the cache, of which the oldest executables are removed.
_FILES = 500


@dataclass(frozen=True, slots=True)
class ExecutableCache:
    """The executables of a language in the cache folder."""

    language: str

    @property
    def _folder(self) -> Path:
        return cache_folder() / self.language / "programs"

    def find(self, key: str) -> Path | None:
        """The executable with this key; None if there is none."""
        file = self._folder / key
        try:
            os.utime(file)
        except FileNotFoundError:
            return None
        return file

    def add(self, key: str, content: bytes) -> Path:
        """Write an executable, and remove those that were not used for the longest time."""
        folder = self._folder
        folder.mkdir(parents=True, exist_ok=True)
        remove_oldest(folder, keep=_FILES)
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(content)
        return Path(file.name).replace(folder / key)


def executable_key(compiler: object, commands: list[list[str]], source: str) -> str:
    """The name of an executable in the cache: the same for the same source and compiler."""
    return hashlib.sha256(repr((compiler, commands, source)).encode()).hexdigest()
