"""Rows of published benchmarks, from a file, a folder or the Hugging Face hub.

They are read from the given file or folder; without one, from the folder that the environment
variable `WORLDLINE_DATA` names; else from the hub. Only the hub needs the `datasets` library.
"""

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from worldline.core.errors import InputError
from worldline.models.prediction import read_json_lines

FOLDER_VARIABLE = "WORLDLINE_DATA"
# Time limit for a response of the hub.
HUB_SECONDS = 5.0

Rows = Iterator[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class PublishedDataset:
    """Names of a published benchmark's files, and its repository on the hub."""

    name: str
    files: tuple[str, ...]
    repository: str
    split: str = "test"


PUBLISHED_DATASETS = {
    dataset.name: dataset
    for dataset in (
        PublishedDataset(
            "cruxeval", ("cruxeval.jsonl", "cruxeval.jsonl.gz"), "cruxeval-org/cruxeval"
        ),
        PublishedDataset(
            "humaneval", ("HumanEval.jsonl.gz", "HumanEval.jsonl"), "openai/openai_humaneval"
        ),
    )
}


def published_rows(name: str, data: str | Path | None = None) -> Rows:
    """Yield the rows of a benchmark, each with its source for error messages.

    ("line 1 of cruxeval.jsonl", {"id": "sample_0", …})
    """
    dataset = PUBLISHED_DATASETS[name]
    if data is not None:
        return read_json_lines(_find_file(dataset, Path(data)))
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder:
        file = _file_in(dataset, Path(folder))
        if file is not None:
            return read_json_lines(file)
    return _hub_rows(dataset)


def _find_file(dataset: PublishedDataset, path: Path) -> Path:
    if not path.exists():
        raise InputError(f"there is no file or folder {path} to read {dataset.name} from")
    file = _file_in(dataset, path) if path.is_dir() else path
    if file is None:
        raise InputError(f"the folder {path} contains no {' or '.join(dataset.files)}")
    return file


def _file_in(dataset: PublishedDataset, folder: Path) -> Path | None:
    return _first_file(dataset.files, folder)


def _first_file(names: Iterable[str], folder: Path) -> Path | None:
    return next((folder / name for name in names if (folder / name).is_file()), None)


def find_published_file(names: Iterable[str], data: str | Path | None = None) -> Path | None:
    """The file of a benchmark that is not read from the hub; None if there is none.

    Args:
        names: The names that it may have in a folder.
        data: The file or folder; by default the folder that `WORLDLINE_DATA` names.
    """
    folder = os.environ.get(FOLDER_VARIABLE) if data is None else data
    if not folder:
        return None
    return Path(folder) if Path(folder).is_file() else _first_file(names, Path(folder))


def _hub_rows(dataset: PublishedDataset) -> Rows:
    try:
        import datasets
    except ImportError:
        raise InputError(
            _not_available(dataset, "the library 'datasets' is not installed")
        ) from None
    config = datasets.config
    is_unreachable = not config.HF_HUB_OFFLINE and not _is_reachable(config.HF_ENDPOINT)
    try:
        with _offline(config) if is_unreachable else nullcontext():
            rows = datasets.load_dataset(dataset.repository, split=dataset.split)
    # The library and its dependencies raise errors of many types.
    except Exception as error:
        reason = f"{config.HF_ENDPOINT} does not answer" if is_unreachable else f"{error!r:.200}"
        raise InputError(_not_available(dataset, reason)) from error
    return ((f"row {n} of {dataset.repository}", dict(row)) for n, row in enumerate(rows, 1))


@contextmanager
def _offline(config: Any) -> Iterator[None]:
    """Make the library use its cache, or fail at once.

    By default it retries a hub that does not answer, for minutes if packets are dropped.
    """
    config.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        config.HF_HUB_OFFLINE = False


def _is_reachable(url: str) -> bool:
    results: list[bool] = []
    # A DNS lookup has no time limit, so it runs in a thread that is abandoned after a while.
    thread = threading.Thread(target=lambda: results.append(_responds(url)), daemon=True)
    thread.start()
    thread.join(HUB_SECONDS)
    return any(results)


def _responds(url: str) -> bool:
    """Whether a server responds, with any status, through a proxy if one is set."""
    try:
        with urlopen(Request(url, method="HEAD"), timeout=HUB_SECONDS):
            return True
    except HTTPError:
        return True
    except URLError as error:
        # The library may be configured with its own certificates.
        return "certificate" in str(error.reason).lower()
    except (OSError, ValueError):
        return False


def _not_available(dataset: PublishedDataset, reason: str) -> str:
    return (
        f"{dataset.name} is not on this machine, and could not be downloaded from the Hugging Face "
        f"hub ({reason}). Either give its file {dataset.files[0]}, or a folder that contains it, "
        f"with --data (in Python as `data`); or set {FOLDER_VARIABLE} to that folder; or, with a "
        "network, pip install 'worldline[hub]' and try again"
    )
