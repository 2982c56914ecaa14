"""Runs within a folder, and the checkpoints of one model among them."""

import re
from dataclasses import dataclass
from pathlib import Path

from worldline.evaluation.runs.manifest import FILE, Manifest
from worldline.evaluation.runs.run_reader import read_run
from worldline.evaluation.runs.scored_sample import ScoredSample
from worldline.evaluation.store import open_location

# "checkpoint-500", "step_2000", "iter0000100", "global_step100", "ckpt-3k", "round-2"
_STEP = re.compile(
    r"(?:^|(?<=[-_./ ]))(?:checkpoint|ckpt|global[-_]?step|step|iter(?:ation)?|epoch|round)"
    r"[-_=]?(\d+)(k?)(?=$|[-_./ ])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint of a model: its training step, and the name that all checkpoints share."""

    series: str
    step: int


def find_runs(address: str | Path) -> list[str]:
    """Find the runs in a folder or at an address, at any depth.

    Runs within runs, which are interventions, are not listed.

    Returns:
        Their paths relative to the folder, sorted; "" if the folder itself is a run.

    Raises:
        InputError: The folder cannot be listed.
    """
    return open_location(address).folders_with(FILE)


def read_verdicts(address: str | Path) -> list[ScoredSample]:
    """Read only the verdicts of a run, which is much faster than reading all facts."""
    return [
        ScoredSample(row["sample"], row["repeat"], row["verdict"], "")
        for row in read_run(address, columns=["verdict"])
    ]


def parse_checkpoint(path: str, manifest: Manifest) -> Checkpoint | None:
    """The checkpoint that a run evaluates, from its path or from the model's name.

    "sft/checkpoint-500" -> series "sft", step 500; "base" of the model "out/step-20" -> "out", 20

    Returns:
        The checkpoint; None if neither name has a step.
    """
    from_path = split_step(path)
    if from_path is not None:
        series, step = from_path
        return Checkpoint(series or _without_step(manifest.model) or "checkpoints", step)
    from_model = split_step(manifest.model)
    if from_model is not None:
        series, step = from_model
        return Checkpoint(series or "checkpoints", step)
    return None


def split_step(name: str) -> tuple[str, int] | None:
    """Split a name into the part that checkpoints share and the step.

    "sft/checkpoint-500" -> ("sft", 500); "m-step-2k-free" -> ("m-free", 2000); "qwen-7" -> None
    """
    matches = list(_STEP.finditer(name))
    if not matches:
        return None
    last = matches[-1]
    parts = (name[: last.start()].rstrip("-_./ "), name[last.end() :].lstrip("-_./ "))
    return "-".join(filter(None, parts)), int(last[1]) * (1000 if last[2] else 1)


def _without_step(model: str) -> str:
    parts = split_step(model)
    return model if parts is None else parts[0]
