"""Where a run is kept: a folder, or an address in a remote store (s3://…, gs://…)."""

import hashlib
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.store.columns import require_arrow

UNFINISHED = ".unfinished"


@dataclass(frozen=True, slots=True)
class Place:
    """A folder somewhere. Files appear in it whole or not at all."""

    address: str
    filesystem: Any
    path: str
    is_remote: bool

    @property
    def name(self) -> str:
        """The last part of its path."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def journal(self) -> Path:
        """Where rows are kept until they are a part: on this machine, always, since remote stores
        cannot append."""
        if not self.is_remote:
            return Path(self.path, "open.jsonl")
        state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
        digest = hashlib.sha256(self.address.encode()).hexdigest()[:16]
        return state / "worldline" / "open" / f"{self.name}-{digest}.jsonl"

    def read(self, name: str) -> bytes | None:
        """What is in a file; none where there is no such file."""
        try:
            with self.filesystem.open_input_stream(f"{self.path}/{name}") as stream:
                found: bytes = stream.read()
                return found
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InputError(f"cannot read {name} in {self.address}: {error}") from error

    def write(self, name: str, data: bytes, *, is_shared: bool = False) -> None:
        """Put a file in place; `is_shared`: others may be writing the same one."""
        path = f"{self.path}/{name}"
        # A remote store shows a file when it is whole; here it is moved to its name when it is.
        own = f"{path}.{secrets.token_hex(8)}" if is_shared else path
        begun = path if self.is_remote else half_written(own)
        try:
            if not self.is_remote:
                Path(path).parent.mkdir(parents=True, exist_ok=True)
            with self.filesystem.open_output_stream(begun) as stream:
                stream.write(data)
            if begun != path:
                # Or a machine that dies may leave the name, and nothing in the file.
                with open(begun, "rb") as file:
                    os.fsync(file.fileno())
                os.replace(begun, path)
        except OSError as error:
            if begun != path:
                # On a full disk, half a file is in everybody's way.
                Path(begun).unlink(missing_ok=True)
            raise InputError(f"cannot write {name} in {self.address}: {error}") from error

    def files(self, folder: str, suffix: str) -> list[str]:
        """The paths of the files in a folder of it, in the order of their names."""
        return sorted(self.sizes(folder, suffix))

    def sizes(self, folder: str, suffix: str) -> dict[str, int]:
        """The same with how many bytes each has, in any order."""
        fs = require_arrow().fs
        chosen = fs.FileSelector(f"{self.path}/{folder}", allow_not_found=True)
        try:
            found = self.filesystem.get_file_info(chosen)
        except OSError as error:
            raise InputError(f"cannot list {self.address}: {error}") from error
        return {
            info.path: info.size for info in found if info.is_file and info.path.endswith(suffix)
        }

    def has(self, name: str) -> bool:
        """Whether there is such a file."""
        try:
            return bool(self.filesystem.get_file_info(f"{self.path}/{name}").is_file)
        except OSError as error:
            raise InputError(f"cannot look into {self.address}: {error}") from error

    def remove(self, path: str) -> None:
        """Take away one of its files."""
        try:
            self.filesystem.delete_file(path)
        except FileNotFoundError:
            # Somebody else was faster.
            return
        except OSError as error:
            raise InputError(f"cannot remove {path}: {error}") from error


def half_written(path: str) -> str:
    """Where a file is written until it is whole; a kill may leave it there.

    "manifest.json" -> "manifest.json.unfinished"
    """
    return f"{path}{UNFINISHED}"


def _refuse_bytes(path: str) -> None:
    """Arrow takes no path that is not text, as a folder's may be."""
    try:
        path.encode()
    except UnicodeEncodeError:
        shown = path.encode(errors="backslashreplace").decode()
        raise InputError(f"the path {shown} is not UTF-8; give one that is") from None


def place_of(address: str | Path) -> Place:
    """The place of that path or address.

    "runs/a", "s3://bucket/runs/a", "s3://bucket/a?endpoint_override=127.0.0.1:9000&scheme=http"
    """
    pa = require_arrow()
    import pyarrow.fs

    text = str(address)
    if "://" not in text:
        # Unlike a path's own, this leaves a folder alone that is called ~x where nobody is.
        path = str(Path(os.path.expanduser(text)).absolute())
        _refuse_bytes(path)
        return Place(text, pyarrow.fs.LocalFileSystem(), path, False)
    try:
        filesystem, path = pyarrow.fs.FileSystem.from_uri(text)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"cannot open {text}: {error}") from error
    is_remote = not isinstance(filesystem, pyarrow.fs.LocalFileSystem)
    return Place(text, filesystem, path.rstrip("/"), is_remote)
