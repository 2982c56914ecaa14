"""`worldline train`: train a small code world model, or fine-tune any causal model."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from worldline.core.errors import InputError
from worldline.core.util.text import pluralize
from worldline.data.export import export_tokens
from worldline.data.training import (
    RECIPES,
    TRACKERS,
    FineTuning,
    HeldOutMetrics,
    TrainingLog,
    TrainingStep,
    get_recipe,
    read_training_log,
    train,
)
from worldline.interfaces.cli.console import hint, resumable
from worldline.interfaces.cli.fine_tuning import run_fine_tuning
from worldline.interfaces.cli.help_sections import command, section_option
from worldline.interfaces.cli.progress import report_progress
from worldline.interfaces.cli.shared_options import lr_scale_option, quiet_option, restart_option


@command(
    "train",
    examples=(
        "worldline train export --recipe small -o model",
        "worldline train export --from SmolLM2-135M --tokens 200000 -o tuned",
        "worldline train export --from SmolLM2-135M --lora 16 --log trackio -o tuned",
    ),
)
@click.argument("export", type=click.Path(path_type=Path))
@click.option(
    "--recipe",
    type=click.Choice(list(RECIPES)),
    help="Model shape and training schedule.  [default: small]",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="MODEL",
    help="Folder to write the model to.",
)
@click.option(
    "--from",
    "start",
    type=click.Path(path_type=Path),
    metavar="MODEL",
    help="Continue from this model instead of random weights: one that a recipe trained, or any "
    "causal model in Hugging Face's format, which is fine-tuned.",
)
@restart_option
@click.option(
    "--tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Train on N tokens.  [default: the recipe's number; for fine-tuning, those of the export]",
)
@click.option(
    "--seed",
    type=int,
    metavar="N",
    default=0,
    show_default=True,
    help="Seed of the initial weights and the order of examples.",
)
@click.option(
    "--action-weight",
    type=click.FloatRange(min=0),
    metavar="W",
    default=1.0,
    show_default=True,
    help="Loss weight of action tokens.",
)
@click.option(
    "--state-weight",
    type=click.FloatRange(min=0),
    metavar="W",
    default=1.0,
    show_default=True,
    help="Loss weight of state tokens.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    metavar="N",
    help="CPU threads; use fewer if the machine is busy.  [default: all cores]",
)
@lr_scale_option
@section_option(
    "Fine-tuning",
    "--lora",
    "lora_rank",
    type=click.IntRange(min=1),
    metavar="RANK",
    help="Train LoRA matrices of this rank, merged at the end, instead of all weights.",
)
@section_option(
    "Fine-tuning",
    "--learning-rate",
    type=click.FloatRange(min=0, min_open=True),
    metavar="RATE",
    help="Peak learning rate of AdamW.  [default: 2e-5; 2e-4 with --lora]",
)
@section_option(
    "Fine-tuning",
    "--max-length",
    type=click.IntRange(min=1),
    metavar="N",
    help="Drop examples with more than N tokens.  [default: 2048]",
)
@section_option(
    "Fine-tuning",
    "--batch-tokens",
    type=click.IntRange(min=1),
    metavar="N",
    help="Tokens per optimizer step, rounded up to whole examples.  [default: 2048]",
)
@section_option(
    "Fine-tuning",
    "--log",
    "tracker",
    type=click.Choice(TRACKERS),
    help="Also log the training with this tracker.",
)
@quiet_option
def train_command(
    export: Path,
    recipe: str | None,
    output: Path,
    start: Path | None,
    restart: bool,
    tokens: int | None,
    seed: int,
    action_weight: float,
    state_weight: float,
    threads: int | None,
    lr_scale: float,
    lora_rank: int | None,
    learning_rate: float | None,
    max_length: int | None,
    batch_tokens: int | None,
    tracker: str | None,
) -> None:
    """Train a small model on an export, or fine-tune another model.

    EXPORT is a folder that `worldline export` wrote; the model uses its tokenizer. `vllm serve`
    loads the model. On a CPU, --engine transformers:MODEL runs that of the recipe deltanet.

    If interrupted, run the same command again to resume.
    """
    options: dict[str, Any] = {
        "lora_rank": lora_rank,
        "learning_rate": learning_rate,
        "max_seq_len": max_length,
        "batch_tokens": batch_tokens,
    }
    options = {name: value for name, value in options.items() if value is not None}
    if start is not None and read_training_log(start) is None:
        if recipe is not None:
            raise InputError(f"{start} was not trained by a recipe; omit --recipe")
        settings = FineTuning(
            tokens or export_tokens(export),
            seed=seed,
            action_weight=action_weight,
            state_weight=state_weight,
            **options,
        ).scale_rate(lr_scale)
        with resumable(restart):
            run_fine_tuning(export, output, start, settings, threads, tracker, restart)
        return
    if options or tracker is not None:
        raise InputError(
            "--lora, --learning-rate, --max-length, --batch-tokens and --log are for fine-tuning: "
            "give the folder of a model that no recipe trained with --from"
        )
    chosen = get_recipe(recipe or "small")
    steps = train(
        export,
        output,
        recipe=replace(chosen, tokens=tokens or chosen.tokens).scale_rates(lr_scale),
        start=start,
        seed=seed,
        action_weight=action_weight,
        state_weight=state_weight,
        threads=threads,
        restart=restart,
    )
    with resumable(restart), closing(steps):
        _report(steps)
    training = read_training_log(output)
    assert training is not None
    click.echo(summary(training, output))
    is_transformer = chosen.linear_layers == 0
    server = f"vllm serve {output} --dtype float32"
    hint(f"next: {server if is_transformer else f'use --engine transformers:{output}'}")


def _report(steps: Iterator[tuple[TrainingLog, TrainingStep]]) -> None:
    """Report progress, step by step."""
    with report_progress("train", None, state="reading the export") as reporter:
        for now, progress in steps:
            reporter.update(
                now.tokens,
                total=now.total_tokens,
                state=partial(_state, now, progress),
                numbers=partial(progress_to_json, now, progress),
                is_last=now.tokens >= now.total_tokens,
            )


def progress_to_json(now: TrainingLog, progress: TrainingStep) -> dict[str, float | int | None]:
    """Return the progress as JSON data."""
    held_out = now.evals[-1].held_out if now.evals else None
    return {
        "step": now.step,
        "tokens": now.tokens,
        "tokens_wanted": now.total_tokens,
        "loss": round(progress.loss, 4),
        "held_out_loss": round(held_out.loss, 4) if held_out else None,
        "actions_right": held_out.action_accuracy if held_out else None,
        "states_right": held_out.state_accuracy if held_out else None,
        "tokens_per_second": round(now.tokens / now.seconds, 1),
        "seconds": round(now.seconds, 1),
        "seconds_left": round(now.seconds / now.tokens * max(0, now.total_tokens - now.tokens), 1),
    }


def _state(now: TrainingLog, progress: TrainingStep) -> str:
    parts = [f"loss {progress.loss:.3f}"]
    if now.evals:
        parts.append(f"held out: {_accuracy_text(now.evals[-1].held_out)}")
    return " · ".join([*parts, f"{now.tokens / now.seconds:,.0f} tokens/s"])


def _accuracy_text(held_out: HeldOutMetrics) -> str:
    """ "actions 98.1%, states 95.0%", without what was not measured"""
    shares = {"actions": held_out.action_accuracy, "states": held_out.state_accuracy}
    return ", ".join(f"{name} {share:.1%}" for name, share in shares.items() if share is not None)


def summary(training: TrainingLog, output: Path) -> str:
    """The model's size, its training and its held-out accuracy."""
    recipe = training.settings["recipe"]
    lines = [
        f"{output}: {training.parameters / 1e6:.1f} M parameters, "
        f"{training.tokens / 1e6:.1f} M tokens ({training.seen:,} examples, of "
        f"{training.examples:,}) in {training.seconds / 60:.1f} minutes "
        f"({training.tokens / max(training.seconds, 1e-9):,.0f} tokens/s, {training.dtype}, "
        f"{training.threads} threads)",
    ]
    if training.dropped_too_long:
        longest = f"{recipe['max_seq_len']:,} tokens"
        lines.append(f"{pluralize(training.dropped_too_long, 'example')} over {longest} dropped")
    if training.evals:
        held_out = training.evals[-1].held_out
        lines.append(
            f"held out, teacher-forced: {_accuracy_text(held_out)} correct, "
            f"loss {held_out.loss:.3f}"
        )
    return "\n".join(lines)
