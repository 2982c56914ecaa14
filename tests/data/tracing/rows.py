"""Rows of programs to trace, and readers of the resulting store."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from worldline.evaluation.store import open_location, read_outcomes, read_parts, trace_files
from worldline.interfaces.cli import main

CODE = "def f(n):\n    s = 0\n    for i in range(n):\n        s += i\n    return s\n"


def row(number: int, **fields: Any) -> dict[str, Any]:
    """Row of a small program, a different one for each number."""
    return {
        "id": f"p{number}",
        "code": f"{CODE}# {number}\n",
        "call": f"f({number % 7})",
        "expected": str(sum(range(number % 7))),
    } | fields


def slow_rows(count: int, seconds: float) -> list[dict[str, Any]]:
    """Rows of programs that sleep."""
    known = {"code": f"import time\ndef f(n):\n    time.sleep({seconds})\n    return n\n"}
    return [known | {"id": f"p{n}", "call": f"f({n})", "expected": str(n)} for n in range(count)]


def write(path: Path, rows: Iterable[dict[str, Any]]) -> Path:
    """Write rows to a JSONL file."""
    path.write_text("".join(json.dumps(item) + "\n" for item in rows), encoding="utf-8")
    return path


def trace(*words: object) -> Result:
    """Run `worldline trace` in this process, with one worker if the words do not say how many.

    The start of a worker takes most of the time: its number matters only to some tests.
    """
    workers = () if "--workers" in words else ("--workers", 1)
    return CliRunner().invoke(main, ["trace", *map(str, (*words, *workers))])


def outcomes(store: Path | str) -> list[dict[str, Any]]:
    """Outcome of every program, in the order of the input."""
    return read_outcomes(store)


def traces(store: Path | str) -> list[dict[str, Any]]:
    """Rows of all kept traces."""
    location = open_location(store)
    return read_parts(location, trace_files(location))


def ids(store: Path | str) -> list[str]:
    """Ids of the kept traces, in the order of the input."""
    return [trace_row["id"] for trace_row in traces(store)]
