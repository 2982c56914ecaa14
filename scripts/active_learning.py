"""Chosen training data against random data: improvements of one model with several seeds.

    python -m scripts.active_learning FOLDER [--chosen ARM] [--round N]

FOLDER has the improvements of one model, FOLDER/ARM-SEED and FOLDER/random-SEED, which `worldline
improve` wrote with the same held-out programs, pool and number of training tokens:

    worldline improve MODEL -o FOLDER/likelihood-0 --seed 0 --select likelihood …
    worldline improve MODEL -o FOLDER/random-0 --seed 0 --select random …

The script compares the models after the training of round N, by default the first one: all held-out
programs, and each operation.
"""

import argparse
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path

from scripts.markdown_table import cell, points, seed_difference, table
from worldline.analysis.diagnosis import OperationTallies
from worldline.analysis.stats import mean_difference
from worldline.evaluation.metrics import accuracy, compare_operations, compare_runs
from worldline.evaluation.runs import ScoredSample, read_scored_samples
from worldline.interfaces.viewer import operation_tallies
from worldline.languages.program_recorder import ProgramRecorder

ARMS = ("chosen", "random")
# Operations with fewer steps in one arm are not listed.
_MIN_STEPS = 50


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chosen", default="likelihood")
    parser.add_argument("--round", type=int, default=1)
    arguments = parser.parse_args()
    folder: Path = arguments.folder
    # The model after the training of a round is evaluated in the next one.
    run = Path(f"round-{arguments.round + 1}", "run")
    names = {"chosen": arguments.chosen, "random": "random"}
    seeds = sorted(path.name.rpartition("-")[2] for path in folder.glob(f"{names['chosen']}-*"))
    runs = {arm: [folder / f"{names[arm]}-{seed}" / run for seed in seeds] for arm in ARMS}
    rows = {arm: [read_scored_samples(path) for path in runs[arm]] for arm in ARMS}
    first = folder / f"{names['chosen']}-{seeds[0]}" / "round-1"
    base = read_scored_samples(first / "run")
    print(seed_table(seeds, rows, base))
    print(program_difference(rows))
    print(operation_table(runs))
    print(choice_table(first / "programs.jsonl.about.json"))


def seed_table(
    seeds: list[str], rows: Mapping[str, list[list[ScoredSample]]], base: list[ScoredSample]
) -> str:
    """Correct answers of each arm by seed, with the paired difference."""
    lines = []
    differences = []
    for number, seed in enumerate(seeds):
        chosen, random = (rows[arm][number] for arm in ARMS)
        difference = compare_runs(random, chosen).overall.difference
        differences.append(difference.value or 0.0)
        lines.append(
            [
                seed,
                cell(accuracy(random).of_all, digits=1),
                cell(accuracy(chosen).of_all, digits=1),
                points(difference),
            ]
        )
    lines.append(["mean of the seeds", "", "", seed_difference(differences, digits=1)])
    before = cell(accuracy(base).of_all, digits=1)
    heads = ["seed", "random data", "chosen data", "chosen compared with random"]
    return f"before the training: {before}\n\n{table(heads, lines)}"


def program_difference(rows: Mapping[str, list[list[ScoredSample]]]) -> str:
    """Difference of the arms with an interval over the programs, each the mean of all seeds."""
    correct: dict[str, dict[str, list[int]]] = {arm: defaultdict(list) for arm in ARMS}
    for arm in ARMS:
        for samples in rows[arm]:
            for each in samples:
                correct[arm][each.sample].append(each.verdict == "correct")
    chosen, random = (correct[arm] for arm in ARMS)
    mean = mean_difference(
        [
            sum(chosen[sample]) / len(chosen[sample]) - sum(random[sample]) / len(random[sample])
            for sample in chosen
        ]
    )
    low, high = 100 * (mean.low or 0.0), 100 * (mean.high or 0.0)
    value = 100 * (mean.value or 0.0)
    return (
        f"all seeds, over {len(chosen):,} programs: "
        f"{value:+.1f} points ({low:+.1f} to {high:+.1f})\n"
    )


def operation_table(runs: Mapping[str, list[Path]]) -> str:
    """Correct steps of each operation in both arms, those of all seeds together."""
    with closing(ProgramRecorder()) as recorder:
        random, chosen = (
            merge_tallies(operation_tallies(str(run), recorder) for run in runs[arm])
            for arm in ("random", "chosen")
        )
    lines = [
        [
            change.name,
            f"{change.a[0]:,}/{change.a[1]:,} {change.a[0] / change.a[1]:.0%}",
            f"{change.b[0]:,}/{change.b[1]:,} {change.b[0] / change.b[1]:.0%}",
            points(change.difference),
            "" if change.adjusted_p is None else f"{change.adjusted_p:.2g}",
        ]
        for change in compare_operations(random, chosen)
        if min(change.a[1], change.b[1]) >= _MIN_STEPS
    ]
    return table(["operation", "random data", "chosen data", "difference", "adjusted p"], lines)


def merge_tallies(tallies: Iterable[OperationTallies]) -> OperationTallies:
    """Add the counts of several runs on the same programs."""
    merged: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for each in tallies:
        for operation, by_program in each.items():
            for program, (correct, of) in by_program.items():
                before = merged[operation].get(program, (0, 0))
                merged[operation][program] = (before[0] + correct, before[1] + of)
    return merged


def choice_table(about: Path) -> str:
    """What the first seed chose: the operations whose share grew most."""
    choice = json.loads(about.read_text("utf-8"))
    lines = [
        [
            each["name"],
            f"{each['correct']:,}/{each['of']:,}",
            f"{each['pool']:.1%}",
            f"{each['chosen']:.1%}",
        ]
        for each in choice["operations"][:12]
    ]
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in choice["chosen"].items())
    return (
        f"{reasons} of {choice['pool']:,} programs; expected right: "
        f"{choice['expected_pool']:.0%} of the pool, {choice['expected_chosen']:.0%} of the "
        f"chosen\n\n{table(['operation', 'correct before', 'in the pool', 'chosen'], lines)}"
    )


if __name__ == "__main__":
    main()
