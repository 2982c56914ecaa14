"""Permutations of five variables: correct answers against their number, with and without actions.

    python -m scripts.permutation_study programs FILE [--up-to N --per-length COUNT]
    python -m scripts.permutation_study table RUNS [--picture FILE]

`programs` writes programs to train on, of 1 to 128 reassignments, most of them short; none is in
the benchmark `permutation`, which has another seed. `table` reads the runs RUNS/free, RUNS/guided
and RUNS/force-actions of that benchmark, and prints and draws the share of correct answers. A run
may be in two parts, such as RUNS/free and RUNS/free-long, with different token limits.
docs/findings/training-loop.md has the commands.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from scripts.markdown_table import cell, points, table
from scripts.small_model import MODES, band, by_length
from worldline.data.generation.program_file import question_to_row
from worldline.evaluation.benchmarks.permutation import permutation
from worldline.evaluation.metrics import accuracy, compare_runs
from worldline.evaluation.runs import ScoredSample, read_scored_samples

SEED = 1000
# Programs of each length up to the given one, and above the one before.
COUNTS = ((8, 150), (16, 40), (32, 14), (64, 4), (128, 1))


def main() -> None:
    """Read the arguments and run one of the commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    programs = commands.add_parser("programs")
    programs.add_argument("file", type=Path)
    programs.add_argument("--up-to", type=int, default=4)
    programs.add_argument("--per-length", type=int)
    tables = commands.add_parser("table")
    tables.add_argument("runs", type=Path)
    tables.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "programs":
        counts: Iterable[tuple[int, int]] = COUNTS
        if arguments.per_length is not None:
            counts = ((arguments.up_to, arguments.per_length),)
        write_programs(arguments.file, counts)
        return
    rows = {
        mode: [
            row
            for run in (arguments.runs / mode, arguments.runs / f"{mode}-long")
            if run.exists()
            for row in read_scored_samples(run)
        ]
        for mode in MODES
    }
    print(mode_table(rows))
    if arguments.picture:
        draw(rows, arguments.picture)


def write_programs(file: Path, counts: Iterable[tuple[int, int]]) -> None:
    """Write the programs to train on: for each longest length, a number of programs per length."""
    with file.open("w") as lines:
        shortest = 1
        for longest, count in counts:
            benchmark = permutation(
                lengths=range(shortest, longest + 1), per_length=count, seed=SEED
            )
            for question in benchmark.questions:
                lines.write(f"{json.dumps(question_to_row(question))}\n")
            shortest = longest + 1


def mode_table(rows: dict[str, list[ScoredSample]]) -> str:
    """Correct answers by length and mode, and the paired difference of the first and the last."""
    groups = {mode: by_length(samples) for mode, samples in rows.items()}
    lines = []
    for length in sorted(set().union(*groups.values())):
        measured = {mode: groups[mode][length] for mode in MODES if length in groups[mode]}
        cells = [
            cell(accuracy(measured[mode]).of_all) if mode in measured else "–" for mode in MODES
        ]
        difference = "–"
        if {"free", "force-actions"} <= measured.keys():
            overall = compare_runs(measured["free"], measured["force-actions"]).overall
            difference = points(overall.difference)
        lines.append([str(length), *cells, difference])
    return table(["N", *MODES, "force-actions compared with free"], lines)


def draw(rows: dict[str, list[ScoredSample]], file: Path) -> None:
    """Plot the correct answers against the number of reassignments."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.2))
    lengths = sorted({length for samples in rows.values() for length in by_length(samples)})
    for number, (mode, style) in enumerate(zip(MODES, ("o-", "s-", "^--"), strict=True)):
        groups = by_length(rows[mode])
        if not groups:
            continue
        shares = [accuracy(group).of_all for group in groups.values()]
        band(axes, [n * 1.04 ** (number - 1) for n in groups], shares, style, mode)
    axes.set_xscale("log", base=2)
    axes.set_xticks(lengths, [str(length) for length in lengths])
    axes.set(
        xlabel="N, reassignments of five variables", ylabel="correct answers, %", ylim=(-3, 103)
    )
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main()
