"""The name of a published benchmark goes in; its rows come out, from wherever they are.

They are looked for in a file or folder that is named, then in the folder of `WORLDLINE_DATA`, then
on the Hugging Face hub, the only place here that needs the `datasets` library.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from worldline.errors import InputError
from worldline.predict import read_rows

FOLDER_VARIABLE = "WORLDLINE_DATA"
# How long a hub that does not answer is waited for.
HUB_SECONDS = 5.0

Rows = Iterator[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a benchmark is published: the names of its file, and its place on the hub."""

    name: str
    files: tuple[str, ...]
    repository: str
    split: str = "test"


SOURCES = {
    source.name: source
    for source in (
        Source("cruxeval", ("cruxeval.jsonl", "cruxeval.jsonl.gz"), "cruxeval-org/cruxeval"),
        Source("humaneval", ("HumanEval.jsonl.gz", "HumanEval.jsonl"), "openai/openai_humaneval"),
    )
}


def published_rows(name: str, data: str | Path | None = None) -> Rows:
    """The rows of a benchmark, each with its place for messages."""
    source = SOURCES[name]
    if data is not None:
        return read_rows(_file(source, Path(data)))
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder:
        found = _file_in(source, Path(folder))
        if found is not None:
            return read_rows(found)
    return _hub_rows(source)


def _file(source: Source, path: Path) -> Path:
    if not path.exists():
        raise InputError(f"there is no file or folder {path} to read {source.name} from")
    found = _file_in(source, path) if path.is_dir() else path
    if found is None:
        raise InputError(f"the folder {path} holds no {' or '.join(source.files)}")
    return found


def _file_in(source: Source, folder: Path) -> Path | None:
    paths = (folder / name for name in source.files)
    return next((path for path in paths if path.is_file()), None)


def _hub_rows(source: Source) -> Rows:
    try:
        import datasets
    except ImportError:
        raise InputError(_ways(source, "the library 'datasets' is not installed")) from None
    config = datasets.config
    is_silent = not config.HF_HUB_OFFLINE and not _is_reachable(config.HF_ENDPOINT)
    try:
        with _offline(config) if is_silent else nullcontext():
            rows = datasets.load_dataset(source.repository, split=source.split)
    # The library, and those below it, raise errors of many kinds; each says what the matter is.
    except Exception as error:
        what = f"{config.HF_ENDPOINT} does not answer" if is_silent else f"{error!r:.200}"
        raise InputError(_ways(source, what)) from error
    return ((f"row {n} of {source.repository}", dict(row)) for n, row in enumerate(rows, 1))


@contextmanager
def _offline(config: Any) -> Iterator[None]:
    """Let the library use what it has downloaded before, or fail, at once.

    By itself it asks a hub that does not answer again and again, for minutes where packets are
    dropped.
    """
    config.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        config.HF_HUB_OFFLINE = False


def _is_reachable(url: str) -> bool:
    answered: list[bool] = []
    # Looking up a name has no time limit of its own, so it is left alone when time is up.
    asking = threading.Thread(target=lambda: answered.append(_answers(url)), daemon=True)
    asking.start()
    asking.join(HUB_SECONDS)
    return any(answered)


def _answers(url: str) -> bool:
    """Whether there is a server, whatever it says; through a proxy where one is set."""
    try:
        with urlopen(Request(url, method="HEAD"), timeout=HUB_SECONDS):
            return True
    except HTTPError:
        return True
    except URLError as error:
        # Whose certificates to believe is set elsewhere for the library.
        return "certificate" in str(error.reason).lower()
    except (OSError, ValueError):
        return False


def _ways(source: Source, what: str) -> str:
    return (
        f"{source.name} is not here, and could not be had from the Hugging Face hub ({what}). "
        f"Either name its file {source.files[0]}, or a folder that holds it, with --data (in "
        f"Python as `data`); or set {FOLDER_VARIABLE} to that folder; or, with a network, "
        "pip install 'worldline[hub]' and try again"
    )
