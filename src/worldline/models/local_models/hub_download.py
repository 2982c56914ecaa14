"""Resumable download of one file from the Hugging Face hub.

Not with `huggingface_hub`: its current versions begin an interrupted download again
(huggingface/huggingface_hub#4196).
"""

import http.client
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

from worldline.core.errors import EngineError
from worldline.models.local_models.model_catalog import ModelFile

# As for other tools of the hub, a mirror is named here.
ENDPOINT_VARIABLE = "HF_ENDPOINT"
_ENDPOINT = "https://huggingface.co"
# Seconds without a byte.
_TIMEOUT = 30.0
# Failures in a row, without a byte between them, and the seconds before the next attempt.
_PAUSES = (1.0, 4.0, 10.0)
_CHUNK = 1 << 20

Progress = Callable[[int, int], None]


def download_from_hub(model: ModelFile, part: Path, on_progress: Progress | None = None) -> None:
    """Download a file, or the missing rest of it.

    Args:
        model: The model.
        part: The file; it may have the beginning of the model already.
        on_progress: Called with the number of bytes that are there, and of all.

    Raises:
        EngineError: The hub cannot be reached, or does not have the file.
    """
    failures = 0
    with part.open("ab") as file:
        if file.tell() > model.size:
            _empty(file)
        while (before := file.tell()) < model.size:
            try:
                _append(model, file, on_progress)
            except HTTPError as error:
                raise _error(model, f"{error.code} {error.reason}") from error
            except (OSError, URLError, http.client.HTTPException) as error:
                failures = failures + 1 if file.tell() == before else 0
                if failures > len(_PAUSES):
                    raise _error(model, str(error) or repr(error)) from error
                time.sleep(_PAUSES[max(0, failures - 1)])


def _empty(file: BinaryIO) -> None:
    """Delete the content of a file; `truncate` alone leaves the position where it was."""
    file.seek(0)
    file.truncate()


def _append(model: ModelFile, file: BinaryIO, on_progress: Progress | None) -> None:
    """Append the reply of one request to a file."""
    start = file.tell()
    request = Request(_address(model), headers={"User-Agent": "worldline"})
    if start:
        request.add_header("Range", f"bytes={start}-")
    with urlopen(request, timeout=_TIMEOUT) as response:
        if start and response.status != http.client.PARTIAL_CONTENT:
            # The server gives the file from its beginning.
            _empty(file)
        while chunk := response.read(_CHUNK):
            file.write(chunk)
            file.flush()
            if file.tell() > model.size:
                # It is not this model; the check of its size says so.
                return
            if on_progress is not None:
                on_progress(file.tell(), model.size)
    if file.tell() < model.size:
        raise ConnectionError(f"the connection ended after {file.tell():,} of {model.size:,} bytes")


def _address(model: ModelFile) -> str:
    endpoint = (os.environ.get(ENDPOINT_VARIABLE) or _ENDPOINT).rstrip("/")
    return f"{endpoint}/{model.repository}/resolve/main/{quote(model.file)}"


def _error(model: ModelFile, reason: str) -> EngineError:
    return EngineError(
        f"{model.name} could not be downloaded from {_address(model)}: {reason}. Run the same "
        f"command again to resume; a mirror can be named in {ENDPOINT_VARIABLE}; a file that you "
        f"have is taken over with: worldline models get {model.name} --from {model.file}"
    )
