"""Training dataset: the examples of an export as flat tensors, and the order of training."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from worldline.core.errors import InputError
from worldline.core.util.seeded_random import SeededRandom
from worldline.data.export.examples import IGNORE_INDEX
from worldline.data.training.torch_import import require_torch
from worldline.evaluation.store import read_int_lists

COLUMNS = ("input_ids", "labels", "action_mask", "state_mask")
# Roles of tokens that have a loss.
ACTION, STATE = 1, 2


class BatchSettings(Protocol):
    """What a recipe and a fine-tuning say about examples and their order; see `Recipe`."""

    @property
    def name(self) -> str: ...
    @property
    def tokens(self) -> int: ...
    @property
    def max_seq_len(self) -> int: ...
    @property
    def held_out(self) -> int: ...
    @property
    def batch_tokens(self) -> int: ...
    @property
    def curriculum_start(self) -> float: ...
    @property
    def curriculum_end(self) -> float: ...


@dataclass(frozen=True, slots=True)
class TrainingDataset:
    """Concatenated examples: example `n` is `ids[starts[n]:starts[n + 1]]`.

    Attributes:
        ids: Token ids.
        roles: `ACTION` or `STATE` for a token with loss, 0 for any other.
        starts: Start of each example, and the end of the last.
        train: Indices of the examples to train on, shortest first.
        held_out: Indices of the examples to evaluate on.
        dropped_too_long: Number of examples that were longer than the recipe allows.
    """

    ids: Any
    roles: Any
    starts: Any
    train: tuple[int, ...]
    held_out: tuple[int, ...]
    dropped_too_long: int

    def __repr__(self) -> str:
        sizes = f"{len(self.train)} to train on, {len(self.held_out)} held out"
        return f"<TrainingDataset: {len(self.ids)} tokens, {sizes}>"

    def check_weights(self, action_weight: float, state_weight: float) -> None:
        """Raise an InputError if no token has a loss with these weights."""
        for role, weight in ((ACTION, action_weight), (STATE, state_weight)):
            if weight and bool((self.roles == role).any()):
                return
        raise InputError(
            "no token has a loss: the tokens that this export labels have the weight 0; increase "
            "--action-weight or --state-weight, or export again with --loss all"
        )

    def length(self, example: int) -> int:
        """Number of tokens of an example."""
        return int(self.starts[example + 1] - self.starts[example])


def load_dataset(export: Path, recipe: BatchSettings) -> TrainingDataset:
    """Load the examples of an export that are not too long for a recipe.

    The held-out examples are drawn at random, the same in every training.

    Raises:
        InputError: There are no examples, or all are too long.
    """
    torch = require_torch()
    files = sorted(Path(export, "data").glob("*.parquet"))
    if not files:
        raise InputError(
            f"{export} has no data/*.parquet; create it with worldline export TRACES -o {export}"
        )
    lists = read_int_lists(files, COLUMNS)
    flat = {
        name: torch.frombuffer(bytearray(column.numbers), dtype=torch.int32)
        for name, column in lists.items()
    }
    starts = torch.frombuffer(bytearray(lists["input_ids"].starts), dtype=torch.int64)
    has_loss = flat["labels"] != IGNORE_INDEX
    roles = (flat["action_mask"] * ACTION + flat["state_mask"] * STATE) * has_loss
    sizes = (starts[1:] - starts[:-1]).tolist()
    fitting = [n for n, size in enumerate(sizes) if size <= recipe.max_seq_len]
    held_out = draw_held_out(fitting, recipe.held_out)
    train = tuple(sorted(set(fitting) - set(held_out), key=lambda n: (sizes[n], n)))
    if not train:
        raise InputError(
            f"none of the {len(sizes):,} examples of {export} fits into the "
            f"{recipe.max_seq_len:,} tokens of the recipe {recipe.name}; choose a larger --recipe "
            "or --max-length, or export shorter traces"
        )
    return TrainingDataset(
        ids=flat["input_ids"],
        roles=roles.to(torch.int8),
        starts=starts,
        train=train,
        held_out=held_out,
        dropped_too_long=len(sizes) - len(fitting),
    )


def draw_held_out(examples: Sequence[int], count: int) -> tuple[int, ...]:
    """Draw the held-out examples: at most a tenth, so that a small export is mostly trained on.

    They are not every n-th one: generated programs repeat their levels in a fixed order.
    """
    shuffled = SeededRandom("held-out").shuffled(examples)
    return tuple(sorted(shuffled[: min(count, len(examples) // 10)]))


def sample_batches(
    dataset: TrainingDataset, recipe: BatchSettings, *, seed: int
) -> Iterator[tuple[int, ...]]:
    """Yield the examples of each step, to the end of the recipe.

    During the curriculum, examples are drawn from the shortest ones, from a fraction that grows to
    all. After it, all examples follow in random order, epoch after epoch.
    """
    torch = require_torch()
    generator = torch.Generator().manual_seed(seed)
    done = 0

    def curriculum() -> Iterator[int]:
        while (progress := done / recipe.tokens / recipe.curriculum_end) < 1:
            fraction = recipe.curriculum_start + (1 - recipe.curriculum_start) * progress
            count = math.ceil(fraction * len(dataset.train))
            yield dataset.train[int(torch.randint(count, (1,), generator=generator))]

    def epochs() -> Iterator[int]:
        while True:
            for index in torch.randperm(len(dataset.train), generator=generator).tolist():
                yield dataset.train[index]

    examples = chain(curriculum() if recipe.curriculum_end else (), epochs())
    while done < recipe.tokens:
        batch, tokens = list[int](), 0
        while tokens < recipe.batch_tokens:
            batch.append(next(examples))
            tokens += dataset.length(batch[-1])
        done += tokens
        yield tuple(batch)


def microbatches(
    dataset: TrainingDataset, examples: Sequence[int], max_tokens: int
) -> Iterator[tuple[Any, Any]]:
    """Yield padded token ids and roles of some examples, those of similar length together.

    A micro-batch has at most `max_tokens` tokens, padding included, but at least one example.
    """
    torch = require_torch()
    remaining = sorted(examples, key=dataset.length)
    while remaining:
        size = dataset.length(remaining[-1])
        count = max(1, min(len(remaining), max_tokens // size))
        chosen, remaining = remaining[-count:], remaining[:-count]
        ids = torch.zeros(count, size, dtype=torch.int64)
        roles = torch.zeros(count, size, dtype=torch.int8)
        for row, example in enumerate(chosen):
            start, end = dataset.starts[example], dataset.starts[example + 1]
            ids[row, : end - start] = dataset.ids[start:end]
            roles[row, : end - start] = dataset.roles[start:end]
        yield ids, roles
