"""Traces for the small model's dice, and the figure in docs/findings/chance.md.

    python -m scripts.chance_dice traces STORE
    python -m scripts.chance_dice draws RUN
    python -m scripts.chance_dice figure BEFORE AFTER

`traces` executes programs of the kinds of the benchmark `chance`, without those of its questions,
and stores each execution. `draws` counts the numbers that a model drew. `figure` compares the
answers of two runs with the exact distributions. It needs matplotlib.
"""

import random
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from worldline.core.trace import Program
from worldline.core.util.seeded_random import SeededRandom
from worldline.evaluation.benchmarks import load_benchmark
from worldline.evaluation.benchmarks.chance_programs import KINDS
from worldline.evaluation.metrics import question_distributions
from worldline.evaluation.runs import read_expected_answers, read_run
from worldline.evaluation.store import StoredTrace, write_traces
from worldline.languages.python.recorder import PythonRecorder

FIGURE = Path(__file__).parent.parent / "docs" / "findings" / "chance-dice.png"
# Executions of each program; kinds with few different programs have more.
EXECUTIONS = {
    "dice": 30,
    "coupons": 30,
    "birthdays": 30,
    "walk": 8,
    "urn": 8,
    "branches": 8,
    "shuffle": 2,
    "weights": 2,
}
_ATTEMPTS = 400
# In the format `delta-choices`.
_DRAW = re.compile(r"\.choice=\[(\d+)\]")
_RETURNED = re.compile(r"<\|return_sep\|>(\d+)")


def programs() -> Iterator[tuple[str, Program]]:
    """Different programs of each kind, without those of the benchmark's questions."""
    known = {question.program.hash for question in load_benchmark("chance").questions}
    for kind in KINDS:
        rng = SeededRandom("coin", 1, kind)
        for _ in range(_ATTEMPTS):
            program = KINDS[kind](rng)
            if program.hash not in known:
                known.add(program.hash)
                yield kind, program


def write_store(folder: str) -> None:
    """Execute the programs, and write the traces in random order."""
    with PythonRecorder() as recorder:
        traces = [
            StoredTrace(f"{kind}_{program.hash}_{number}", recorder.record(program))
            for kind, program in programs()
            for number in range(EXECUTIONS[kind])
        ]
    random.Random(0).shuffle(traces)
    print(f"{write_traces(folder, traces):,} traces")


def draw_figure(runs: dict[str, str], figure: Path) -> None:
    """Draw the shares of the answers to each question next to the exact probabilities."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    compared = {
        name: sorted(
            question_distributions(read_expected_answers(run)), key=lambda each: each.question
        )
        for name, run in runs.items()
    }
    rows = len(next(iter(compared.values())))
    chart, axes = plt.subplots(
        rows, len(runs), figsize=(10, 2.1 * rows), squeeze=False, sharey="row"
    )
    for column, (name, questions) in enumerate(compared.items()):
        for row, each in enumerate(questions):
            axis, possible = axes[row][column], sorted(each.exact, key=int)
            positions = range(len(possible))
            impossible = each.predictions - sum(each.answers.get(text, 0) for text in possible)
            shares = [each.share_of(text) for text in possible]
            exact = [float(each.exact[text]) for text in possible]
            axis.bar(positions, shares, color="#4878a8", label="answers of the model")
            axis.plot(positions, exact, "k_", label="exact", ms=9, mew=2)
            axis.set_xticks(list(positions), possible, fontsize=7)
            axis.tick_params(axis="y", labelsize=7)
            distance = each.score.total_variation.value if each.score else float("nan")
            counts = f"{each.predictions} answers, {impossible} impossible"
            axis.set_title(
                f"{each.question}, {name}: {counts}, distance {distance:.2f}", fontsize=8
            )
    axes[0][0].legend(fontsize=7)
    chart.supxlabel("result", fontsize=9)
    chart.supylabel("share of the answers", fontsize=9)
    chart.tight_layout()
    chart.savefig(figure, dpi=110)


def print_draws(run: str) -> None:
    """Print how often each number is drawn, and how often the result follows from the draws."""
    numbers: dict[str, Counter[int]] = defaultdict(Counter)
    consistent: Counter[str] = Counter()
    outputs: Counter[str] = Counter()
    sources = {each.id: each.program.source for each in load_benchmark("chance").questions}
    for row in read_run(run, columns=("output",)):
        draws = [int(each) for each in _DRAW.findall(row["output"])]
        returned = _RETURNED.search(row["output"])
        numbers[row["sample"]].update(draws)
        if draws and returned:
            outputs[row["sample"]] += 1
            source = sources[row["sample"]]
            bonus = int(source.rpartition("+")[2])
            total = sum(draws) - ("remove" in source) * min(draws) + bonus
            consistent[row["sample"]] += total == int(returned[1])
    for question in sorted(numbers):
        print(f"{question}: draws {dict(sorted(numbers[question].items()))}")
        print(f"  result of its own draws: {consistent[question]} of {outputs[question]}")


def main() -> None:
    """Write the traces, count the draws, or draw the figure."""
    match sys.argv[1:]:
        case ["traces", folder]:
            write_store(folder)
        case ["draws", run]:
            print_draws(run)
        case ["figure", before, after]:
            draw_figure({"before": before, "after": after}, FIGURE)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
