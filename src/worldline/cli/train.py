"""`worldline train EXPORT --recipe small -o MODEL`: make a small code world model."""

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import click
from rich.console import Console

from worldline.cli.progress import INTERRUPTED, Teller, go_on, make_bar
from worldline.training import (
    RECIPES,
    HeldOut,
    Training,
    TrainingStep,
    read_training,
    recipe_named,
    train,
)


@click.command(name="train")
@click.argument("export", type=click.Path(path_type=Path))
@click.option(
    "--recipe",
    type=click.Choice(list(RECIPES)),
    default="small",
    show_default=True,
    help="The model's shape and how long it is trained.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="MODEL",
    help="The model's folder. One that was begun is gone on with.",
)
@click.option(
    "--from",
    "start",
    type=click.Path(path_type=Path),
    metavar="MODEL",
    help="Begin with a model that was trained before, instead of a new one.",
)
@click.option("--restart", "is_restarted", is_flag=True, help="Begin anew.")
@click.option(
    "--tokens",
    type=click.IntRange(min=1),
    help="Train on so many in all, instead of as many as the recipe says.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Of weights and order.")
@click.option(
    "--action-weight",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="How much the tokens of actions count in the loss; 0 leaves them out.",
)
@click.option(
    "--state-weight",
    type=click.FloatRange(min=0),
    default=1.0,
    show_default=True,
    help="How much the tokens of states count in the loss; 0 leaves them out.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    help="Where other work runs beside it, give it fewer than there are cores: its threads wait "
    "for one another.  [default: all cores]",
)
def train_command(
    export: Path,
    recipe: str,
    output: Path,
    start: Path | None,
    is_restarted: bool,
    tokens: int | None,
    seed: int,
    action_weight: float,
    state_weight: float,
    threads: int | None,
) -> None:
    """Train a small model of Llama's shape on an export, and save it for `vllm serve`.

    EXPORT is what `worldline export` wrote; its vocabulary becomes the model's. Stopped or killed,
    it goes on where it was when the same command is given again.
    """
    chosen = recipe_named(recipe)
    steps = train(
        export,
        output,
        recipe=replace(chosen, tokens=tokens or chosen.tokens),
        start=start,
        seed=seed,
        action_weight=action_weight,
        state_weight=state_weight,
        threads=threads,
        is_restarted=is_restarted,
    )
    try:
        with closing(steps):
            _follow(steps)
    except KeyboardInterrupt:
        click.echo(f"\nstopped; {go_on(is_restarted)} with {output}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    done = read_training(output)
    assert done is not None
    click.echo(summary(done, output))


def _follow(steps: Iterator[tuple[Training, TrainingStep]]) -> None:
    """Show a bar while somebody looks, else a line of JSON now and then."""
    if not sys.stderr.isatty():
        teller = Teller()
        for now, progress in steps:
            is_last = now.tokens >= now.tokens_wanted
            teller.tell(partial(progress_to_json, now, progress), is_last=is_last)
        return
    with make_bar(Console(stderr=True)) as bar:
        task = bar.add_task("train", total=None, state="reading the export")
        for now, progress in steps:
            state = _state(now, progress)
            bar.update(task, total=now.tokens_wanted, completed=now.tokens, state=state)


def progress_to_json(now: Training, progress: TrainingStep) -> dict[str, float | int | None]:
    """How it is coming along, in numbers."""
    look = now.looks[-1].held_out if now.looks else None
    return {
        "step": now.step,
        "tokens": now.tokens,
        "tokens_wanted": now.tokens_wanted,
        "loss": round(progress.loss, 4),
        "held_out_loss": round(look.loss, 4) if look else None,
        "actions_right": look.actions_right if look else None,
        "states_right": look.states_right if look else None,
        "tokens_per_second": round(now.tokens / now.seconds, 1),
        "seconds": round(now.seconds, 1),
        "seconds_left": round(now.seconds / now.tokens * max(0, now.tokens_wanted - now.tokens), 1),
    }


def _state(now: Training, progress: TrainingStep) -> str:
    parts = [f"loss {progress.loss:.3f}"]
    if now.looks:
        look = now.looks[-1].held_out
        parts.append(f"held out: {_right(look)}")
    return " · ".join([*parts, f"{now.tokens / now.seconds:,.0f} tokens/s"])


def _right(look: HeldOut) -> str:
    """ "actions 98.1%, states 95.0%", as far as they were looked at"""
    shares = {"actions": look.actions_right, "states": look.states_right}
    return ", ".join(f"{name} {share:.1%}" for name, share in shares.items() if share is not None)


def summary(done: Training, output: Path) -> str:
    """What was made, and what to do with it."""
    recipe = done.settings["recipe"]
    lines = [
        f"{output}: {done.parameters / 1e6:.1f} M parameters, {done.tokens / 1e6:.1f} M tokens "
        f"({done.seen:,} examples, of {done.examples:,}) in {done.seconds / 60:.1f} minutes "
        f"({done.tokens / max(done.seconds, 1e-9):,.0f} tokens/s, {done.dtype}, "
        f"{done.threads} threads)",
    ]
    if done.too_long:
        lines.append(f"{done.too_long:,} examples longer than {recipe['longest']:,} left out")
    if done.looks:
        look = done.looks[-1].held_out
        lines.append(
            f"held out, given the true tokens before: {_right(look)} right, loss {look.loss:.3f}"
        )
    return "\n".join([*lines, f"next: vllm serve {output} --dtype float32"])
