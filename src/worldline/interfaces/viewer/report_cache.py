"""Reports of large runs in the user's cache folder, so that the viewer starts at once.

The report of 100,000 samples takes seconds to compute, and is the same until the run changes.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from worldline.core.util.cache_folder import cache_folder
from worldline.core.util.files import atomic_write
from worldline.interfaces.viewer.sample_table import Column, Table

_PACKAGE = Path(__file__).parents[2]
# Files in the cache; a report of 100,000 samples takes about 20 MB.
_MAX_FILES = 20


@dataclass(frozen=True, slots=True)
class CachedReport:
    """A report, and how to read the sample table of each of its runs."""

    report: bytes
    read_tables: Callable[[], list[Table]]


def cached_report(fingerprint: object) -> CachedReport | None:
    """Look up the report of some runs.

    Args:
        fingerprint: A value with a `repr` that changes when one of the runs does.
    """
    path = _path(fingerprint)
    try:
        with path.open("rb") as file:
            report = file.readline()
            path.touch()
    except OSError:
        return None
    if not report.endswith(b"}\n"):
        return None
    return CachedReport(report.removesuffix(b"\n"), lambda: _read_tables(path))


def store_report(fingerprint: object, report: bytes, tables: Sequence[Table]) -> None:
    """Keep a report in the cache, and delete those that were not used for longest."""
    path = _path(fingerprint)
    # A cache that cannot be written only costs time.
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_write(path) as temporary, temporary.open("wb") as file:
            file.write(report + b"\n")
            for table in tables:
                columns = [asdict(column) for column in table.columns]
                file.write(_line({"columns": columns, "rows": len(table.rows)}))
                # One row at a time: the server answers meanwhile.
                file.writelines(map(_line, table.rows))
        files = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
        for old in files[:-_MAX_FILES]:
            old.unlink(missing_ok=True)


def _line(document: Any) -> bytes:
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def _read_tables(path: Path) -> list[Table]:
    tables = []
    with path.open("rb") as file:
        file.readline()
        while header := file.readline():
            fields = json.loads(header)
            rows = tuple(tuple(json.loads(line)) for line in islice(file, fields["rows"]))
            tables.append(Table(tuple(map(_column, fields["columns"])), rows))
    return tables


def _column(fields: dict[str, Any]) -> Column:
    values = fields["values"]
    return Column(**fields | {"values": values and tuple((text, count) for text, count in values)})


def _path(fingerprint: object) -> Path:
    """The file of a report: named by the runs, and by the code that computes it."""
    newest = max(file.stat().st_mtime_ns for file in _PACKAGE.rglob("*.py"))
    digest = hashlib.sha256(f"{newest} {fingerprint!r}".encode(errors="backslashreplace"))
    return cache_folder() / "reports" / f"{digest.hexdigest()[:32]}.json"
