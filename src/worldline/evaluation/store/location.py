"""Location of a store: a local folder or a remote address (s3://…, gs://…)."""

import hashlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.core.util.files import atomic_write, foreign_files, temporary_path
from worldline.evaluation.store.columns import require_arrow
from worldline.evaluation.store.lock import lock_file

PARTS_FOLDER = "parts"
UNFINISHED_SUFFIX = ".unfinished"


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """A folder on a local or remote file system. Files in it appear complete or not at all."""

    address: str
    filesystem: Any
    path: str
    is_remote: bool

    def __repr__(self) -> str:
        return f"StoreLocation({self.address!r})"

    @property
    def name(self) -> str:
        """Last component of the path."""
        return self.path.rstrip("/").rpartition("/")[2]

    @property
    def journal(self) -> Path:
        """Path of the journal, always on this machine: remote stores cannot append."""
        if not self.is_remote:
            return Path(self.path, "open.jsonl")
        state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
        digest = hashlib.sha256(self.address.encode()).hexdigest()[:16]
        return state / "worldline" / "open" / f"{self.name}-{digest}.jsonl"

    def read(self, name: str) -> bytes | None:
        """Read a file; None if it does not exist."""
        try:
            with self.filesystem.open_input_stream(f"{self.path}/{name}") as stream:
                data: bytes = stream.read()
                return data
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InputError(f"cannot read {name} in {self.address}: {error}") from error

    def write(self, name: str, data: bytes, *, shared: bool = False) -> None:
        """Write a file atomically.

        Args:
            name: Path of the file within the location.
            data: Content of the file.
            shared: Other processes may write the same file at the same time.
        """
        path = f"{self.path}/{name}"
        try:
            if self.is_remote:
                # A remote store shows a file only when it is complete.
                self._write(path, data)
                return
            target = f"{path}.{secrets.token_hex(8)}" if shared else path
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            temporary = Path(unfinished_path(target))
            with atomic_write(Path(path), temporary=temporary, fsync=True):
                self._write(str(temporary), data)
        except OSError as error:
            raise InputError(f"cannot write {name} in {self.address}: {error}") from error

    def _write(self, path: str, data: bytes) -> None:
        with self.filesystem.open_output_stream(path) as stream:
            stream.write(data)

    def files(self, folder: str, suffix: str) -> list[str]:
        """Paths of the files in a subfolder, sorted by name."""
        return sorted(self.sizes(folder, suffix))

    def sizes(self, folder: str, suffix: str) -> dict[str, int]:
        """Sizes in bytes of the files in a subfolder, by path and in any order."""
        fs = require_arrow().fs
        selector = fs.FileSelector(f"{self.path}/{folder}", allow_not_found=True)
        try:
            entries = self.filesystem.get_file_info(selector)
        except OSError as error:
            raise InputError(f"cannot list {self.address}: {error}") from error
        return {
            entry.path: entry.size
            for entry in entries
            if entry.is_file and entry.path.endswith(suffix)
        }

    def folders_with(self, name: str) -> list[str]:
        """Paths of the folders that contain a file, relative to this one and sorted.

        Folders within such a folder, and hidden ones, are not searched. "" is this folder itself.
        """
        if not self.is_remote:
            return sorted(_local_folders_with(Path(self.path), name))
        fs = require_arrow().fs
        selector = fs.FileSelector(self.path, allow_not_found=True, recursive=True)
        try:
            entries = self.filesystem.get_file_info(selector)
        except OSError as error:
            raise InputError(f"cannot list {self.address}: {error}") from error
        paths = [entry.path for entry in entries if entry.is_file]
        parents = [path.removesuffix(name) for path in paths if f"/{path}".endswith(f"/{name}")]
        folders = sorted(parent.removeprefix(self.path).strip("/") for parent in parents)
        if "" in folders:
            return [""]
        return [
            folder
            for folder in folders
            if not any(folder != each and f"{folder}/".startswith(f"{each}/") for each in folders)
            and not any(part.startswith(".") for part in folder.split("/"))
        ]

    def has(self, name: str) -> bool:
        """Whether the file exists."""
        try:
            return bool(self.filesystem.get_file_info(f"{self.path}/{name}").is_file)
        except OSError as error:
            raise InputError(f"cannot list {self.address}: {error}") from error

    def remove(self, path: str) -> None:
        """Delete a file, given its full path; it may be gone already."""
        try:
            self.filesystem.delete_file(path)
        except FileNotFoundError:
            # Another process deleted it.
            return
        except OSError as error:
            raise InputError(f"cannot remove {path}: {error}") from error


def _local_folders_with(root: Path, name: str) -> Iterator[str]:
    for folder, subfolders, files in os.walk(root):
        if name in files:
            subfolders.clear()
            relative = os.path.relpath(folder, root)
            yield "" if relative == "." else relative.replace(os.sep, "/")
        else:
            subfolders[:] = [each for each in subfolders if not each.startswith(".")]


def join_address(address: str | Path, path: str) -> str:
    """The address of a folder within a folder.

    "runs", "a" -> "runs/a"; "s3://bucket/runs?scheme=http", "a" -> "s3://bucket/runs/a?scheme=http"
    """
    text = str(address)
    folder, mark, query = text.partition("?") if "://" in text else (text, "", "")
    return f"{folder.rstrip('/')}/{path}{mark}{query}" if path else text


def unfinished_path(path: str) -> str:
    """Path to which a file is written until it is complete. A kill may leave it there.

    "manifest.json" -> "manifest.json.unfinished"
    """
    return f"{path}{UNFINISHED_SUFFIX}"


def find_foreign_files(location: StoreLocation, manifest: str) -> list[str]:
    """Names of the files in a store's folder that Worldline did not write.

    A remote store is not searched.

    Args:
        location: The store.
        manifest: Name of its manifest, whose unfinished copies belong to the store.
    """
    if location.is_remote:
        return []
    journal = location.journal
    own_paths = (journal, temporary_path(journal), lock_file(journal))
    own_names = {PARTS_FOLDER, *(path.name for path in own_paths)}
    names = foreign_files(Path(location.path), own_names)
    return [name for name in names if not _is_unfinished_copy(manifest, name)]


def _is_unfinished_copy(manifest: str, name: str) -> bool:
    """Whether a killed process left this file while writing the manifest."""
    return name.startswith(f"{manifest}.") and name.endswith(UNFINISHED_SUFFIX)


def open_location(address: str | Path) -> StoreLocation:
    """Open a path or an address; it need not exist yet.

    "runs/a", "s3://bucket/runs/a", "s3://bucket/a?endpoint_override=127.0.0.1:9000&scheme=http"

    Raises:
        InputError: The address is not valid, or the path is not UTF-8.
    """
    pa = require_arrow()
    import pyarrow.fs

    text = str(address)
    if "://" not in text:
        # Unlike Path.expanduser, this accepts a folder named ~x if there is no user x.
        path = str(Path(os.path.expanduser(text)).absolute())
        _check_utf8(path)
        return StoreLocation(text, pyarrow.fs.LocalFileSystem(), path, False)
    try:
        filesystem, path = pyarrow.fs.FileSystem.from_uri(text)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"cannot open {text}: {error}") from error
    is_remote = not isinstance(filesystem, pyarrow.fs.LocalFileSystem)
    return StoreLocation(text, filesystem, path.rstrip("/"), is_remote)


def _check_utf8(path: str) -> None:
    """Refuse a path that is not UTF-8: Arrow cannot open it."""
    try:
        path.encode()
    except UnicodeEncodeError:
        printable = path.encode(errors="backslashreplace").decode()
        raise InputError(f"the path {printable} is not UTF-8; choose a different one") from None
