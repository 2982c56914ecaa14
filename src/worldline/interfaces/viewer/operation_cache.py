"""Operation tallies of runs: stored with the run, or counted again and kept in the cache folder."""

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path

from worldline.analysis.diagnosis import OperationTallies, Sample, add_tallies, tally_operations
from worldline.core.util.cache_folder import cache_folder
from worldline.core.util.files import write_file
from worldline.evaluation.runs import read_manifest, read_run
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.interfaces.viewer.run_versions import file_versions
from worldline.languages.python.recorder import Recorder

# Increased when the counting changes.
_FORMAT = 1


def operation_tallies(
    location: str, recorder: Recorder, *, on_sample: Callable[[], None] = lambda: None
) -> OperationTallies:
    """The correct steps of a run, by operation and by program.

    A run of an earlier version has no counts: every sample is diagnosed again, the first time.

    Args:
        location: The folder or address of the run.
        recorder: Executes the programs whose traces are not stored.
        on_sample: Called after each sample that is diagnosed.
    """
    stored = stored_tallies(location)
    if stored is not None:
        return stored
    file = _cache_file(location)
    run = DiagnosedRun(location, recorder)

    def diagnosed_samples() -> Iterator[Sample]:
        for name in run.names:
            yield run.diagnose(name)
            on_sample()

    tallies = tally_operations(diagnosed_samples())
    # Without a cache, such as on a full disk, they are counted again next time.
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        write_file(file, json.dumps(tallies).encode())
    return tallies


def stored_tallies(location: str) -> OperationTallies | None:
    """The counts of a run that are in its rows or in the cache folder; None if there are none."""
    rows = read_run(location, columns=("operation_steps", "worldline"))
    if all(
        row.get("operation_steps") and row.get("worldline") == version("worldline") for row in rows
    ):
        return add_tallies(json.loads(row["operation_steps"]) for row in rows)
    try:
        return add_tallies([json.loads(_cache_file(location).read_bytes())])
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def _cache_file(location: str) -> Path:
    path = location if "://" in location else str(Path(location).expanduser().absolute())
    identity = (version("worldline"), _FORMAT, path, read_manifest(location).sessions)
    text = repr((identity, file_versions(location)))
    digest = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:32]
    return cache_folder() / "operations" / f"{digest}.json"
