"""What the tests of exports share: small traces, and an export of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from worldline.recorders import PythonRecorder
from worldline.store import StoredTrace, place_of, read_parts, write_traces
from worldline.trace import Program
from worldline.training import ExportSettings, export_traces

LOOP = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"
RAISES = (
    "def g(x):\n    return 1 // x\n\ndef f(x):\n    try:\n        return g(x)\n"
    "    except ZeroDivisionError:\n        return 'no <|frame_sep| é 漢 😀'\n"
)
PROGRAMS = [Program(LOOP, f"f({n})") for n in range(6)] + [Program(RAISES, "f(0)")]


def stored(recorder: PythonRecorder, programs: Sequence[Program] = PROGRAMS) -> list[StoredTrace]:
    """The traces of programs, by the names p0, p1 …"""
    return [
        StoredTrace(f"p{number}", recorder.record(program), facets={"depth": number})
        for number, program in enumerate(programs)
    ]


def exported(folder: Path, traces: Sequence[StoredTrace], **settings: Any) -> list[dict[str, Any]]:
    """The rows of an export of traces, in `folder/export`."""
    write_traces(folder / "traces", traces)
    export_traces(folder / "traces", folder / "export", ExportSettings(**settings))
    return rows_of(folder / "export")


def rows_of(export: Path) -> list[dict[str, Any]]:
    """The rows of an export."""
    place = place_of(export)
    return read_parts(place, sorted(str(path) for path in (export / "data").iterdir()))
