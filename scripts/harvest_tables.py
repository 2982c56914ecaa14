"""Print the tables of docs/findings/harvest.md as Markdown.

    python -m scripts.harvest_tables programs.jsonl [STORE]

programs.jsonl is written by `worldline harvest`; the files next to it are read, too. STORE is the
folder of `worldline trace programs.jsonl -o STORE`.
"""

import argparse
import json
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.markdown_table import table
from worldline.analysis.stats import clustered_share
from worldline.data.harvest import INPUT_SOURCES, KINDS
from worldline.evaluation.store import open_location, query_trace_stores
from worldline.languages.python.recorder.child.shared_process import may_share_process

Row = dict[str, Any]
# Reasons and licences that are rarer are added up.
_LISTED = 12


def main() -> None:
    """Read the files and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", type=Path)
    parser.add_argument("store", type=Path, nargs="?")
    arguments = parser.parse_args()
    programs: Path = arguments.programs
    totals = json.loads(programs.with_name(f"{programs.name}.about.json").read_text())["totals"]
    functions = list(read_rows(programs.with_name(f"{programs.name}.functions.jsonl")))
    running = [row for row in functions if row["inputs"]]
    print(summary(totals, functions, running))
    print(kind_table(functions))
    print(source_table(running))
    print(count_table("functions left out because", totals["functions_left_out"]))
    print(input_reasons(functions))
    print(count_table("licence", totals["licenses"]))
    print(count_table("package", Counter(row["package"] for row in running)))
    if arguments.store is not None:
        print(store_table(arguments.store))


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a JSON lines file."""
    with path.open() as file:
        for line in file:
            yield json.loads(line)


def summary(totals: Row, functions: Sequence[Row], running: Sequence[Row]) -> str:
    """The figures of the whole harvest."""
    steps = [each["steps"] for row in running for each in row["inputs"]]
    executed = by_package(functions, lambda row: (bool(row["inputs"]), 1))
    reached = by_package(running, lambda row: (len(branches_reached(row)), len(row["branches"])))
    complete = by_package(
        running, lambda row: (len(branches_reached(row)) == len(row["branches"]), 1)
    )
    paths = by_package(running, lambda row: (len(row["execution_paths"]) > 1, 1))
    shared = by_package(running, lambda row: (shares_process(row["code"]), 1))
    lines = [
        f"packages: {totals['packages']:,}, with a running function {len(complete):,}",
        f"files: {totals['files']:,}; functions found: {totals['functions']:,}",
        f"distinct and stand-alone: {len(functions):,}",
        f"with an input that runs: {share(executed)}",
        f"programs (kept inputs): {len(steps):,}",
        f"steps: median {statistics.median(steps):g}, mean {statistics.mean(steps):.1f}, "
        f"most {max(steps):,}",
        f"branches reached: {share(reached)}",
        f"every branch is reached: {share(complete)}",
        f"inputs on more than one path: {share(paths)}",
        f"may share a process: {share(shared)}",
    ]
    return "\n".join(f"- {line}" for line in lines) + "\n"


def by_package(
    rows: Iterable[Row], count: Callable[[Row], tuple[int, int]]
) -> dict[str, tuple[int, int]]:
    """Counts of every package: of what is true, and of all."""
    counts: dict[str, tuple[int, int]] = {}
    for row in rows:
        correct, of = count(row)
        before, total = counts.get(row["package"], (0, 0))
        counts[row["package"]] = (before + correct, total + of)
    return counts


def shares_process(code: str) -> bool:
    """Whether a function is executed in the same process as others."""
    try:
        return may_share_process(compile(code, "", "exec", dont_inherit=True))
    except SyntaxError:
        return False


def branches_reached(row: Row) -> set[tuple[int, int]]:
    """The branches of a function that any input reaches."""
    return {tuple(pair) for pairs in row["reached"].values() for pair in pairs}


def kind_table(functions: Sequence[Row]) -> str:
    """Functions and programs by kind."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("all", "running", "programs")}
    for row in functions:
        counts["all"][row["kind"]] += 1
        counts["running"][row["kind"]] += bool(row["inputs"])
        counts["programs"][row["kind"]] += len(row["inputs"])
    rows = [[kind, *(f"{each[kind]:,}" for each in counts.values())] for kind in KINDS]
    rows.append(["all", *(f"{each.total():,}" for each in counts.values())])
    head = ["kind", "distinct and stand-alone", "with an input that runs", "programs"]
    return table(head, rows)


def source_table(running: Sequence[Row]) -> str:
    """Inputs and branches by source of the input."""
    inputs, with_one = Counter[str](), Counter[str]()
    reached, alone = Counter[str](), Counter[str]()
    for row in running:
        by_source = {
            name: {tuple(pair) for pair in pairs} for name, pairs in row["reached"].items()
        }
        for name, number in row["running"].items():
            inputs[name] += number
            with_one[name] += bool(number)
        for name, pairs in by_source.items():
            others = set[Any]().union(*(by_source[o] for o in by_source if o != name))
            reached[name] += len(pairs)
            alone[name] += len(pairs - others)
    rows = [
        [name, *(f"{counts[name]:,}" for counts in (inputs, with_one, reached, alone))]
        for name in INPUT_SOURCES
        if inputs[name]
    ]
    total = sum(len(branches_reached(row)) for row in running)
    rows.append(["all", f"{sum(inputs.values()):,}", f"{len(running):,}", f"{total:,}", ""])
    head = [
        "source", "inputs that run", "functions with one", "branches reached",
        "branches that no other source reaches",
    ]  # fmt: skip
    return table(head, rows)


def input_reasons(functions: Sequence[Row]) -> str:
    """Why inputs were left out, by source."""
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for row in functions:
        for source, reason, number in row["left_out"]:
            reasons[reason][source] += number
    sources = [name for name in INPUT_SOURCES if any(each[name] for each in reasons.values())]
    rows = [
        [reason, *(f"{counts[name]:,}" for name in sources)]
        for reason, counts in sorted(reasons.items(), key=lambda each: -each[1].total())
    ]
    return table(["inputs left out because", *sources], rows)


def count_table(title: str, counts: Mapping[str, int]) -> str:
    """Counts, the largest first; the rare ones are added up."""
    ordered = sorted(counts.items(), key=lambda each: -each[1])
    rows = [[name, f"{number:,}"] for name, number in ordered[:_LISTED]]
    if rest := ordered[_LISTED:]:
        rows.append([f"{len(rest)} others", f"{sum(number for _, number in rest):,}"])
    return table([title, "functions"], rows)


def store_table(store: Path) -> str:
    """Outcomes of the programs in a trace store, by isolation."""
    result = query_trace_stores(
        "select outcome, isolation, count(*) as programs, sum(steps) as steps from outcomes "
        "group by all order by 3 desc",
        [open_location(store)],
    )
    return table([*result.columns], [[str(cell) for cell in row] for row in result.rows])


def share(counts: Mapping[str, tuple[int, int]]) -> str:
    """A share with its counts and its interval, clustered by package."""
    pairs = list(counts.values())
    each = clustered_share([pair[0] for pair in pairs], [pair[1] for pair in pairs], is_uneven=True)
    assert each.value is not None
    assert each.low is not None
    assert each.high is not None
    low, high = 100 * each.low, 100 * each.high
    return f"{each.correct:,} of {each.of:,}: {each.value:.0%} ({low:.0f}–{high:.0f})"


if __name__ == "__main__":
    main()
