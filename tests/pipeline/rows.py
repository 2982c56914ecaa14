"""Programs to trace, a row each, and a store as plain rows to be compared."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from worldline.cli import main
from worldline.store import outcome_files, place_of, read_parts, trace_files

CODE = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


def row(number: int, **fields: Any) -> dict[str, Any]:
    """A small program, another one for each number."""
    return {
        "id": f"p{number}",
        "code": f"{CODE}# {number}\n",
        "call": f"f({number % 7})",
        "expected": str(sum(range(number % 7))),
    } | fields


def slow_rows(count: int, seconds: float) -> list[dict[str, Any]]:
    """Programs that take their time."""
    known = {"code": f"import time\ndef f(n):\n    time.sleep({seconds})\n    return n\n"}
    return [known | {"id": f"p{n}", "call": f"f({n})", "expected": str(n)} for n in range(count)]


def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """A file of JSON lines."""
    path.write_text("".join(json.dumps(item) + "\n" for item in rows), encoding="utf-8")
    return path


def trace(*words: object) -> Result:
    """`worldline trace`, in this process."""
    return CliRunner().invoke(main, ["trace", *map(str, words)])


def outcomes(store: Path | str) -> list[dict[str, Any]]:
    """What came of every program, in the order of the input."""
    place = place_of(store)
    return sorted(read_parts(place, outcome_files(place)), key=lambda found: found["number"])


def traces(store: Path | str) -> list[dict[str, Any]]:
    """All traces that are kept, as stored."""
    place = place_of(store)
    return read_parts(place, trace_files(place))


def ids(store: Path | str) -> list[str]:
    """The names of what is kept, in the order of the input."""
    return [found["id"] for found in traces(store)]
