"""Downloads of catalogued models: resumable, verified by sha256, atomic."""

import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from worldline.core.errors import EngineError, InputError
from worldline.core.util.cache_folder import cache_folder
from worldline.core.util.file_lock import lock_exclusively
from worldline.core.util.files import atomic_write
from worldline.models.local_models.hub_download import Progress, download_from_hub
from worldline.models.local_models.model_catalog import CATALOG, ModelFile

# Appends to a file what it lacks of a model; an earlier attempt may have left a part of it.
Downloader = Callable[[ModelFile, Path, Progress | None], None]
_GGUF_MAGIC = b"GGUF"


def model_path(model: ModelFile) -> Path:
    """Where a catalogued model is stored, whether or not it is there."""
    return cache_folder() / "models" / model.file


def get_model(
    name: str, *, download: Downloader = download_from_hub, on_progress: Progress | None = None
) -> Path:
    """Download a catalogued model, unless it is there, and return its path.

    An interrupted download is resumed by the next call. The file appears under its name only when
    its sha256 is right.

    Args:
        name: Name in the catalogue.
        download: Replaces the download from the Hugging Face hub.
        on_progress: Called with the number of bytes that are there, and of all.

    Raises:
        InputError: There is no such model.
        EngineError: It could not be downloaded, or the file has a different sha256.
    """
    model = _catalogued(name)
    path = model_path(model)
    if path.is_file() and _is_intact(model, path):
        return path
    part = path.with_name(f"{model.file}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(part):
            download(model, part, on_progress)
            _verify(model, part, "the downloaded file", delete=True)
            os.replace(part, path)
    except OSError as error:
        raise EngineError(f"cannot store {name} in {path.parent}: {error}") from error
    return path


def import_model_file(name: str, source: Path) -> Path:
    """Import a local file into the cache after verifying its sha256.

    It is linked where that is possible, otherwise copied.

    Args:
        name: Name in the catalogue.
        source: The file.

    Raises:
        InputError: There is no such model or file.
        EngineError: The file has a different size or sha256.
    """
    model = _catalogued(name)
    if not source.is_file():
        raise InputError(f"there is no file {source}")
    _verify(model, source, str(source))
    path = model_path(model)
    if path.exists() and path.samefile(source):
        return path
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as new:
            new.unlink(missing_ok=True)
            _link_or_copy(source.resolve(), new)
    except OSError as error:
        raise EngineError(f"cannot store {name} in {path.parent}: {error}") from error
    return path


def find_model_file(name: str) -> Path:
    """Find the GGUF file of a catalogued model, or the one at a path.

    Raises:
        InputError: There is no such model or file, or the file is not GGUF.
        EngineError: The model is in the catalogue but not on this machine.
    """
    path = Path(name).expanduser()
    if path.is_file():
        with path.open("rb") as file:
            if file.read(len(_GGUF_MAGIC)) != _GGUF_MAGIC:
                raise InputError(f"{path} is not a GGUF file")
        return path
    model = _catalogued(name)
    path = model_path(model)
    if not path.is_file() or path.stat().st_size != model.size:
        raise EngineError(
            f"{name} is not on this machine; download it ({model.size / 1e9:.1f} GB) with: "
            f"worldline models get {name}"
        )
    return path


def _catalogued(name: str) -> ModelFile:
    if name not in CATALOG:
        raise InputError(
            f"there is no model or GGUF file {name!r}; the catalogue has: {', '.join(CATALOG)}"
        )
    return CATALOG[name]


@contextmanager
def _locked(part: Path) -> Iterator[None]:
    """Keep other processes from writing the same file."""
    with part.open("ab") as file:
        try:
            lock_exclusively(file)
        except BlockingIOError:
            raise EngineError(f"another process is downloading {part}; wait for it") from None
        yield


def _is_intact(model: ModelFile, path: Path) -> bool:
    return path.stat().st_size == model.size and _sha256(path) == model.sha256


def _verify(model: ModelFile, path: Path, what: str, *, delete: bool = False) -> None:
    size = path.stat().st_size
    actual = _sha256(path) if size == model.size else f"{size:,} bytes"
    if actual == model.sha256:
        return
    if delete:
        with suppress(OSError):
            path.unlink()
    wanted = f"sha256 {model.sha256}" if size == model.size else f"{model.size:,} bytes"
    end = " It was deleted; run the same command again." if delete else ""
    raise EngineError(
        f"{what} is not {model.file} of {model.repository}: it has {actual}, not {wanted}.{end}"
    )


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _link_or_copy(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        # Another file system, or one without links.
        shutil.copyfile(source, target)
