"""Rows of a harvest: programs for `worldline bench` and `trace`, and a row for each function."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from worldline.data.harvest.function_slice import KINDS
from worldline.data.harvest.harvest_plan import PlannedFunction
from worldline.data.harvest.input_execution import INPUT_SOURCES, FunctionOutcome

Row = dict[str, Any]


def function_row(planned: PlannedFunction, outcome: FunctionOutcome, max_inputs: int) -> Row:
    """The row of a function: its origin, its inputs, and its branches by source of input.

    `branches` lists all of them as pairs of lines, 0 for the end of the function. `reached` has
    those that the inputs of each source reach, `not_reached` those that no input reaches.
    `execution_paths` has the sets of branches that inputs take together, the most common one first,
    and how many inputs take each; the `execution_path` of an input is its number in that list.
    """
    reached: dict[str, set[tuple[int, int]]] = {}
    for each in outcome.inputs:
        reached.setdefault(each.source, set()).update(each.reached)
    everything = set[tuple[int, int]]().union(*reached.values())
    counts = Counter(each.source for each in outcome.inputs)
    paths = Counter(each.reached for each in outcome.inputs).most_common()
    numbers = {branches: number for number, (branches, _) in enumerate(paths)}
    return {
        "id": planned.task.id,
        **planned.origin(),
        "code": planned.task.text,
        "running": {name: counts[name] for name in INPUT_SOURCES if counts[name]},
        "left_out": [[*key, number] for key, number in sorted(outcome.left_out.items())],
        "branches": _pairs(outcome.branches),
        "reached": {name: _pairs(reached[name]) for name in INPUT_SOURCES if name in reached},
        "not_reached": _pairs(outcome.branches - everything),
        "execution_paths": [[_pairs(branches), number] for branches, number in paths],
        "inputs": [
            {
                "call": each.call,
                "expected": each.result,
                "source": each.source,
                "steps": each.steps,
                "execution_path": numbers[each.reached],
            }
            for each in outcome.inputs[:max_inputs]
        ],
    }


def _pairs(branches: Any) -> list[list[int]]:
    return [list(each) for each in sorted(branches)]


def program_rows(row: Row) -> list[Row]:
    """The programs of a function's row: one for each kept input."""
    return [
        {
            "id": f"{row['id']}_{number}",
            "code": row["code"],
            "call": each["call"],
            "expected": each["expected"],
            "facets": {
                **{name: row[name] for name in ("package", "version", "license", "path", "line")},
                "function": row["function"],
                "kind": row["kind"],
                "hash": row["hash"],
                "input": each["source"],
                "steps": each["steps"],
                "execution_path": each["execution_path"],
                "conditions": len(row["execution_paths"][each["execution_path"]][0]),
            },
        }
        for number, each in enumerate(row["inputs"])
    ]


def summarize_rows(rows: Sequence[Row]) -> Row:
    """Totals of functions' rows, by source of input.

    `functions_with` counts functions that an input of a source runs; `kinds`, `licenses` and
    `branches_reached` count the functions that run, and their branches.
    """
    running = [row for row in rows if row["inputs"]]
    inputs: Counter[str] = Counter()
    functions: Counter[str] = Counter()
    reached: Counter[str] = Counter()
    left_out: Counter[tuple[str, str]] = Counter()
    kinds = Counter(row["kind"] for row in running)
    for row in rows:
        inputs.update(row["running"])
        functions.update(row["running"].keys())
        reached.update({source: len(pairs) for source, pairs in row["reached"].items()})
        left_out.update({(source, reason): number for source, reason, number in row["left_out"]})
    branches = sum(len(row["branches"]) for row in running)
    missed = sum(len(row["not_reached"]) for row in running)
    return {
        "executed": len(rows),
        "running": len(running),
        "programs": sum(len(row["inputs"]) for row in rows),
        "kinds": {name: kinds[name] for name in KINDS},
        "licenses": dict(Counter(row["license"] for row in running).most_common()),
        "running_inputs": {name: inputs[name] for name in INPUT_SOURCES},
        "functions_with": {name: functions[name] for name in INPUT_SOURCES},
        "branches": branches,
        "branches_reached": {name: reached[name] for name in INPUT_SOURCES}
        | {"all": branches - missed},
        "fully_covered": sum(not row["not_reached"] for row in running),
        "inputs_left_out": [[*key, number] for key, number in sorted(left_out.items())],
    }
