"""Progress and summary of a fine-tuning by `worldline train`."""

from dataclasses import asdict
from pathlib import Path

import click

from worldline.core.util.text import pluralize
from worldline.data.training import FineTuning, FineTuningLog, FineTuningStep, fine_tune
from worldline.interfaces.cli.console import hint
from worldline.interfaces.cli.progress import report_progress


def run_fine_tuning(
    export: Path,
    output: Path,
    start: Path,
    settings: FineTuning,
    threads: int | None,
    tracker: str | None,
    restart: bool,
) -> None:
    """Fine-tune a model, report its progress and print its summary."""
    with report_progress("train", None, state="loading the model") as reporter:

        def report(step: FineTuningStep) -> None:
            reporter.update(
                step.step,
                total=step.steps,
                state=lambda: f"{_loss_text(step)} · {step.tokens:,} tokens",
                numbers=lambda: asdict(step),
                is_last=step.step == step.steps,
            )

        log = fine_tune(
            export,
            output,
            start=start,
            settings=settings,
            threads=threads,
            tracker=tracker,
            restart=restart,
            on_step=report,
        )
    click.echo(fine_tuning_summary(log, output))
    hint(f"next: vllm serve {output} --dtype float32")


def _loss_text(step: FineTuningStep) -> str:
    """ "loss 1.204", or "held out: loss 1.310" """
    if step.loss is not None:
        return f"loss {step.loss:.3f}"
    return f"held out: loss {step.held_out_loss or 0:.3f}"


def fine_tuning_summary(log: FineTuningLog, output: Path) -> str:
    """The model's size, its fine-tuning and its losses."""
    last = log.last
    assert last is not None
    lines = [
        f"{output}: {last.parameters / 1e6:.1f} M parameters, {last.trainable / 1e6:.1f} M of them "
        f"trained, {last.tokens:,} tokens in {pluralize(last.steps, 'step')}, "
        f"{log.seconds / 60:.1f} minutes ({last.tokens / max(log.seconds, 1e-9):,.0f} tokens/s)"
    ]
    if last.dropped_too_long:
        longest = f"{log.settings['max_seq_len']:,} tokens"
        lines.append(f"{pluralize(last.dropped_too_long, 'example')} over {longest} dropped")
    lines.append(f"loss {log.losses[0][1]:.3f} at first, {log.losses[-1][1]:.3f} at the end")
    if log.held_out_losses:
        lines.append(f"held out: loss {log.held_out_losses[-1][1]:.3f}")
    return "\n".join(lines)
