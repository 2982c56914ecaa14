"""Paths benchmark: one input for every path of a function, from programs of `worldline harvest`."""

from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.evaluation.benchmarks.benchmark import Benchmark, SkippedItem
from worldline.evaluation.metrics.path_accuracy import COMMON_PATH, FUNCTION_ID, PATHS
from worldline.models.prediction import questions_from_rows, read_json_lines

_NEEDED = ("hash", "function", "execution_path", "conditions")


def paths(data: str | Path | None = None) -> Benchmark:
    """One input for every path of real functions; --data names a file of `worldline harvest`.

    A path is a set of branches that an execution takes; how often it takes them does not matter.
    Of each path, the input with the fewest steps is asked. Functions with one path are left out.
    """
    if data is None:
        raise InputError(
            "paths needs programs of real functions: worldline harvest PATHS -o programs.jsonl, "
            "then worldline bench paths --data programs.jsonl"
        )
    functions: dict[str, dict[int, tuple[str, dict[str, Any]]]] = {}
    for location, row in read_json_lines(Path(data)):
        facets = row.get("facets") or {}
        if any(name not in facets for name in _NEEDED):
            raise InputError(f"{location} has no path; write the file again with worldline harvest")
        by_path = functions.setdefault(f"{facets['function']}_{facets['hash']}", {})
        number = facets["execution_path"]
        if number not in by_path or facets["steps"] < by_path[number][1]["facets"]["steps"]:
            by_path[number] = (location, row)
    complete = {name: by_path for name, by_path in functions.items() if len(by_path) > 1}
    rows = [
        (location, _with_facets(row, name, len(by_path)))
        for name, by_path in complete.items()
        for _, (location, row) in sorted(by_path.items())
    ]
    if not rows:
        raise InputError(f"{data} has no function with more than one path")
    skipped = tuple(
        SkippedItem(name, "", "one path only") for name in functions if name not in complete
    )
    return Benchmark("paths", tuple(questions_from_rows(rows)), {"data": str(data)}, skipped)


def _with_facets(row: dict[str, Any], function: str, count: int) -> dict[str, Any]:
    facets = row["facets"]
    # Paths are numbered by how many inputs of the harvest take them.
    is_common = "yes" if facets["execution_path"] == 0 else "no"
    own = {FUNCTION_ID: function, PATHS: count, COMMON_PATH: is_common}
    return row | {"facets": {**facets, **own}}
