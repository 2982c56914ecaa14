"""Codecs and tokenizers compared: small models trained on equal numbers of tokens.

    python -m scripts.format_study train TRACES FOLDER [--recipe NAME] [--tokens N] [--seeds 3]
    python -m scripts.format_study table FOLDER [--picture FILE]

TRACES is a folder of `worldline trace`. `train` exports it in each codec and with each tokenizer,
and trains the recipe on each export with several seeds; the models are in FOLDER. If interrupted,
run the same command again to resume. `table` prints which share of the held-out programs is
predicted without an error, and draws it against the number of training tokens.

The held-out programs are the same for all codecs. A program counts if every token of its trace is
the model's first choice: the model then writes the trace without an error.
"""

import argparse
import shutil
import sys
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from statistics import fmean

from scripts.markdown_table import seed_difference, spread, table
from worldline.data.export import ExportSettings, export_traces
from worldline.data.training import RECIPES, Recipe, TrainingLog, read_training_log, train

# Codec and tokenizer; the first is what the others are compared with.
FORMATS = (
    ("delta", "bpe:512"),
    ("cwm", "bpe:512"),
    ("numbers", "bpe:512"),
    ("delta", "bytes"),
)
HELD_OUT = 256


def main() -> None:
    """Read the arguments and run one of the commands."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    training = commands.add_parser("train")
    training.add_argument("traces", type=Path)
    training.add_argument("folder", type=Path)
    training.add_argument("--recipe", choices=RECIPES, default="deltanet")
    training.add_argument("--tokens", type=int, default=1_500_000)
    training.add_argument("--seeds", type=int, default=3)
    training.add_argument("--threads", type=int, default=1)
    tables = commands.add_parser("table")
    tables.add_argument("folder", type=Path)
    tables.add_argument("--picture", type=Path)
    arguments = parser.parse_args()
    if arguments.command == "train":
        train_all(
            arguments.traces,
            arguments.folder,
            recipe=replace(RECIPES[arguments.recipe], tokens=arguments.tokens, held_out=HELD_OUT),
            seeds=arguments.seeds,
            threads=arguments.threads,
        )
    logs = read_logs(arguments.folder)
    print(format_table(logs))
    if arguments.command == "table" and arguments.picture:
        draw(logs, arguments.picture)


def format_name(codec: str, tokenizer: str) -> str:
    """Name of a format in files: "delta", "bpe:512" -> "delta-bpe"."""
    return f"{codec}-{tokenizer.partition(':')[0]}"


def train_all(traces: Path, folder: Path, *, recipe: Recipe, seeds: int, threads: int) -> None:
    """Export the traces in each format, and train each model that is not finished."""
    for seed in range(seeds):
        for codec, tokenizer in FORMATS:
            name = format_name(codec, tokenizer)
            export = prepare_export(traces, folder / "exports" / name, codec, tokenizer)
            output = folder / "models" / f"{name}-{seed}"
            for _ in train(export, output, recipe=recipe, seed=seed, threads=threads):
                pass
            log = read_training_log(output)
            assert log is not None
            print(
                f"{output.name}: {log.evals[-1].held_out.example_accuracy:.1%} of the programs, "
                f"{log.tokens / log.seconds:,.0f} tokens/s",
                file=sys.stderr,
                flush=True,
            )


def prepare_export(traces: Path, export: Path, codec: str, tokenizer: str) -> Path:
    """Export the traces unless that is done."""
    finished = export.with_suffix(".finished")
    if not finished.exists():
        shutil.rmtree(export, ignore_errors=True)
        export.parent.mkdir(parents=True, exist_ok=True)
        export_traces(traces, export, ExportSettings(codec=codec, tokenizer=tokenizer))
        finished.touch()
    return export


def read_logs(folder: Path) -> dict[str, list[TrainingLog]]:
    """The logs of the finished trainings by format, those of all seeds."""
    logs: dict[str, list[TrainingLog]] = {}
    for model in sorted((folder / "models").glob("*-*-*")):
        log = read_training_log(model)
        if log is not None and log.is_finished:
            logs.setdefault(model.name.rpartition("-")[0], []).append(log)
    names = [format_name(*each) for each in FORMATS]
    return {name: logs[name] for name in names if name in logs}


def format_table(logs: dict[str, list[TrainingLog]]) -> str:
    """Accuracy at the end, with the difference to the first format over the seeds."""
    first = next(iter(logs), "")
    lines = []
    for name, group in logs.items():
        accuracies = [final_accuracy(log) for log in group]
        pairs = zip(accuracies, map(final_accuracy, logs[first]), strict=True)
        lines.append(
            [
                name,
                f"{fmean(log.seen * 1000 / log.tokens for log in group):.1f}",
                spread([log.evals[-1].held_out.action_accuracy or 0 for log in group], digits=1),
                spread([log.evals[-1].held_out.state_accuracy or 0 for log in group], digits=1),
                spread(accuracies),
                "" if name == first else seed_difference([ours - base for ours, base in pairs]),
            ]
        )
    heads = ["format", "programs per 1,000 tokens", "action tokens", "state tokens"]
    return table([*heads, "programs without an error", f"compared with {first}, points"], lines)


def final_accuracy(log: TrainingLog) -> float:
    """The share of held-out programs that is predicted without an error, at the end."""
    return log.evals[-1].held_out.example_accuracy or 0.0


def draw(logs: dict[str, list[TrainingLog]], file: Path) -> None:
    """Plot the learning curves: the mean of the seeds, from the lowest to the highest."""
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7.5, 4.2))
    for name, group in logs.items():
        # Evaluations of different seeds are at nearly the same number of tokens.
        points = [
            (log.tokens * point.step / log.step / 1e6, point.held_out.example_accuracy or 0.0, n)
            for log in group
            for n, point in enumerate(log.evals)
        ]
        points.sort(key=lambda point: point[2])
        columns = [list(rows) for _, rows in groupby(points, key=lambda point: point[2])]
        tokens = [fmean(row[0] for row in rows) for rows in columns]
        (line,) = axes.plot(
            tokens, [100 * fmean(r[1] for r in rows) for rows in columns], label=name
        )
        axes.fill_between(
            tokens,
            [100 * min(r[1] for r in rows) for rows in columns],
            [100 * max(r[1] for r in rows) for rows in columns],
            color=line.get_color(),
            alpha=0.15,
        )
    axes.set_xlabel("training tokens, million")
    axes.set_ylabel("programs without an error, %")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.tight_layout()
    figure.savefig(file, dpi=110)


if __name__ == "__main__":
    main()
