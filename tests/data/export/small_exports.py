"""Small traces and exports for tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.core.trace import Program
from worldline.data.export import ExportSettings, export_traces
from worldline.evaluation.store import StoredTrace, open_location, read_parts, write_traces
from worldline.languages.python.recorder import PythonRecorder

LOOP = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"
RAISES = (
    "def g(x):\n    return 1 // x\n\ndef f(x):\n    try:\n        return g(x)\n"
    "    except ZeroDivisionError:\n        return 'no <|frame_sep| é 漢 😀'\n"
)
PROGRAMS = [Program(LOOP, f"f({n})") for n in range(6)] + [Program(RAISES, "f(0)")]


def stored(recorder: PythonRecorder, programs: Sequence[Program] = PROGRAMS) -> list[StoredTrace]:
    """Record the traces of programs, with the ids p0, p1 …"""
    return [
        StoredTrace(f"p{number}", recorder.record(program), facets={"depth": number})
        for number, program in enumerate(programs)
    ]


def exported(folder: Path, traces: Sequence[StoredTrace], **settings: Any) -> list[dict[str, Any]]:
    """Export traces to `folder/export`, and return the rows."""
    write_traces(folder / "traces", traces)
    export_traces(folder / "traces", folder / "export", ExportSettings(**settings))
    return rows_of(folder / "export")


def rows_of(export: Path) -> list[dict[str, Any]]:
    """Read the rows of an export."""
    location = open_location(export)
    return read_parts(location, sorted(str(path) for path in (export / "data").iterdir()))
