"""Overhead of the training loop, compared with the bare passes of transformers.

Used by a small test, and by `scripts/bench train` at full size.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from worldline.data.training.dataset import (
    TrainingDataset,
    load_dataset,
    microbatches,
    sample_batches,
)
from worldline.data.training.model import create_model
from worldline.data.training.recipe import Recipe
from worldline.data.training.torch_import import has_bfloat16, require_torch
from worldline.data.training.trainer import Trainer


@dataclass(frozen=True, slots=True)
class TrainingSpeed:
    """Tokens per second, without padding, of the same steps: the median of several turns.

    `ours`: complete steps. `bare`: only forward and backward, on the same micro-batches. `padded`:
    the same, with all examples of a step in one batch.
    """

    tokens: int
    ours: float
    bare: float
    padded: float


def speed_of_training(
    export: Path, recipe: Recipe, *, steps: int, turns: int, threads: int
) -> TrainingSpeed:
    """Measure the same steps in all three ways, in turns."""
    torch = require_torch()
    torch.set_num_threads(threads)
    dataset = load_dataset(export, recipe)
    model = create_model(recipe, export / "tokenizer")
    model = model.to(torch.bfloat16 if has_bfloat16() else torch.float32)
    trainer = Trainer(model, recipe)
    order = list(
        islice(sample_batches(dataset, replace(recipe, curriculum_end=0.0), seed=0), steps)
    )
    tokens = sum(dataset.length(example) for examples in order for example in examples)

    def ours() -> None:
        for examples in order:
            trainer.step(dataset, examples, lr_scale=1.0)

    ways: dict[str, Callable[[], None]] = {
        "ours": ours,
        "bare": lambda: bare(model, dataset, order, recipe.microbatch_tokens),
        "padded": lambda: bare(model, dataset, order, 10**9),
    }
    ours()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - began)
    rates = {name: tokens / statistics.median(times) for name, times in seconds.items()}
    return TrainingSpeed(tokens, **rates)


def bare(
    model: Any, dataset: TrainingDataset, order: list[tuple[int, ...]], max_tokens: int
) -> None:
    """Run only forward and backward of transformers on the same examples."""
    torch = require_torch()
    for examples in order:
        for ids, roles in microbatches(dataset, examples, max_tokens):
            labels = torch.where(roles > 0, ids, -100)
            model(input_ids=ids, labels=labels).loss.backward()
        model.zero_grad(set_to_none=True)
