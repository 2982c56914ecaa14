"""Tables of docs/findings/training-loop.md: a trained model, and the rounds of an improvement.

    python -m scripts.training_tables model MODEL RUN
    python -m scripts.training_tables rounds FOLDER

MODEL is a folder of `worldline train`, RUN its run on held-out programs, and FOLDER the output of
`worldline improve`.
"""

import argparse
from itertools import pairwise
from pathlib import Path

from scripts.markdown_table import cell, points, table
from scripts.small_model import divergence_kinds, held_out_table, operations_tables
from worldline.data.training import read_training_log
from worldline.evaluation.metrics import accuracy, compare_runs
from worldline.evaluation.runs import read_scored_samples


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    model = commands.add_parser("model")
    model.add_argument("model", type=Path)
    model.add_argument("run", type=Path)
    rounds = commands.add_parser("rounds")
    rounds.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "rounds":
        print(rounds_table(arguments.folder))
        return
    print(learning_curve(arguments.model))
    rows = read_scored_samples(arguments.run)
    counts = accuracy(rows)
    print(f"correct: {cell(counts.of_all, digits=1)}; truncated: {counts.truncated}\n")
    print(held_out_table(rows, "level"))
    print(held_out_table(rows, "steps"))
    print(divergence_kinds(rows))
    print(operations_tables(arguments.run))


def learning_curve(model: Path) -> str:
    """Teacher-forced accuracies against the number of training tokens."""
    log = read_training_log(model)
    assert log is not None, f"{model} has no training log"
    lines = [
        [
            f"{log.tokens * point.step / log.step / 1e6:.1f} M",
            f"{point.held_out.loss:.3f}",
            f"{point.held_out.action_accuracy or 0:.1%}",
            f"{point.held_out.state_accuracy or 0:.1%}",
        ]
        for point in log.evals
    ]
    speed = f"{log.tokens:,} tokens, {log.seconds / 60:.0f} min, {log.parameters:,} parameters"
    return (
        f"{speed}\n\n{table(['tokens', 'held-out loss', 'action tokens', 'state tokens'], lines)}"
    )


def rounds_table(folder: Path) -> str:
    """Correct programs after each round, and what was gained and lost in it."""
    runs = [
        read_scored_samples(run)
        for run in sorted(folder.glob("round-*/run"), key=lambda run: int(run.parent.name[6:]))
    ]
    lines = [["before", cell(accuracy(runs[0]).of_all, digits=1), "", "", ""]]
    for number, (before, after) in enumerate(pairwise(runs), 1):
        overall = compare_runs(before, after).overall
        share = cell(accuracy(after).of_all, digits=1)
        changes = [points(overall.difference), str(overall.gained), str(overall.lost)]
        lines.append([str(number), share, *changes])
    return table(["round", "correct", "difference to the round before", "gained", "lost"], lines)


if __name__ == "__main__":
    main()
