"""What our training loop costs beside the bare forward and backward pass of transformers.

Used by a test in small, and by `scripts/bench train` at full size.
"""

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from worldline.training.loop import Learner
from worldline.training.material import Material, in_order, passes, read_material
from worldline.training.model import new_model
from worldline.training.recipe import Recipe
from worldline.training.torches import has_bfloat16, require_torch


@dataclass(frozen=True, slots=True)
class TrainingSpeed:
    """Tokens a second, without padding, of the same steps: the median of several turns.

    `ours`: all of a step. `bare`: only forward and backward, on the same passes. `padded`: the
    same, with all examples of a step in one batch, as they come.
    """

    tokens: int
    ours: float
    bare: float
    padded: float


def speed_of_training(
    export: Path, recipe: Recipe, *, steps: int, turns: int, threads: int
) -> TrainingSpeed:
    """Take turns at the same steps."""
    torch = require_torch()
    torch.set_num_threads(threads)
    material = read_material(export, recipe)
    model = new_model(recipe, export / "tokenizer")
    model = model.to(torch.bfloat16 if has_bfloat16() else torch.float32)
    learner = Learner(model, recipe)
    order = list(islice(in_order(material, replace(recipe, growing_share=0.0), seed=0), steps))
    tokens = sum(material.length(example) for examples in order for example in examples)

    def ours() -> None:
        for examples in order:
            learner.step(material, examples, pace=1.0)

    ways: dict[str, Callable[[], None]] = {
        "ours": ours,
        "bare": lambda: bare(model, material, order, recipe.pass_tokens),
        "padded": lambda: bare(model, material, order, 10**9),
    }
    ours()
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(turns):
        for name, way in ways.items():
            began = time.perf_counter()
            way()
            seconds[name].append(time.perf_counter() - began)
    found = {name: tokens / statistics.median(times) for name, times in seconds.items()}
    return TrainingSpeed(tokens, **found)


def bare(model: Any, material: Material, order: list[tuple[int, ...]], most: int) -> None:
    """What transformers does with the same examples, and nothing else."""
    torch = require_torch()
    for examples in order:
        for ids, roles in passes(material, examples, most):
            labels = torch.where(roles > 0, ids, -100)
            model(input_ids=ids, labels=labels).loss.backward()
        model.zero_grad(set_to_none=True)
