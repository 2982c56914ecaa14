"""An export goes in; what a model is trained on comes out, as flat tensors and an order."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.store import read_int_lists
from worldline.training.examples import IGNORED
from worldline.training.recipe import Recipe
from worldline.training.torches import require_torch

COLUMNS = ("input_ids", "labels", "action_mask", "state_mask")
# The losses of action and state tokens are told apart by these.
ACTION, STATE = 1, 2


@dataclass(frozen=True, slots=True)
class Material:
    """Examples one behind the other. `roles` is 1 for an action token that is learned, 2 for one
    of a state, 0 for any other. `trained` are in the order of their lengths."""

    ids: Any
    roles: Any
    starts: Any
    trained: tuple[int, ...]
    held_out: tuple[int, ...]
    too_long: int

    def check_weights(self, action_weight: float, state_weight: float) -> None:
        """Refuse a training from which nothing would be learned."""
        for role, weight in ((ACTION, action_weight), (STATE, state_weight)):
            if weight and bool((self.roles == role).any()):
                return
        raise InputError(
            "nothing would be learned: the tokens that have a loss in this export weigh nothing; "
            "give --action-weight or --state-weight more, or export with --loss all"
        )

    def length(self, example: int) -> int:
        """The tokens of an example."""
        return int(self.starts[example + 1] - self.starts[example])


def read_material(export: Path, recipe: Recipe) -> Material:
    """The examples of an export that fit a recipe; a few of them are held out, spread over all."""
    torch = require_torch()
    files = sorted(Path(export, "data").glob("*.parquet"))
    if not files:
        raise InputError(
            f"{export} holds no data/*.parquet; make it with worldline export TRACES -o {export}"
        )
    lists = read_int_lists(files, COLUMNS)
    flat = {
        name: torch.frombuffer(bytearray(found.numbers), dtype=torch.int32)
        for name, found in lists.items()
    }
    starts = torch.frombuffer(bytearray(lists["input_ids"].starts), dtype=torch.int64)
    is_learned = flat["labels"] != IGNORED
    roles = (flat["action_mask"] * ACTION + flat["state_mask"] * STATE) * is_learned
    sizes = (starts[1:] - starts[:-1]).tolist()
    fitting = [n for n, size in enumerate(sizes) if size <= recipe.longest]
    # At most a tenth: a small export is there to be learned from.
    every = max(10, len(fitting) // recipe.held_out)
    held_out = tuple(fitting[every - 1 :: every][: recipe.held_out])
    trained = tuple(sorted(set(fitting) - set(held_out), key=lambda n: (sizes[n], n)))
    if not trained:
        raise InputError(
            f"none of the {len(sizes):,} examples of {export} fits the {recipe.longest:,} tokens "
            f"of the recipe {recipe.name}"
        )
    return Material(
        ids=flat["input_ids"],
        roles=roles.to(torch.int8),
        starts=starts,
        trained=trained,
        held_out=held_out,
        too_long=len(sizes) - len(fitting),
    )


def in_order(material: Material, recipe: Recipe, *, seed: int) -> Iterator[tuple[int, ...]]:
    """The examples of each step, to the end of a recipe: drawn from the shortest at first, from
    more and more of them, and then all in a random order, again and again."""
    torch = require_torch()
    draw = torch.Generator().manual_seed(seed)
    done = 0

    def growing() -> Iterator[int]:
        while (share := done / recipe.tokens / recipe.growing_share) < 1:
            some = recipe.shortest_share + (1 - recipe.shortest_share) * share
            most = math.ceil(some * len(material.trained))
            yield material.trained[int(torch.randint(most, (1,), generator=draw))]

    def endless() -> Iterator[int]:
        while True:
            for place in torch.randperm(len(material.trained), generator=draw).tolist():
                yield material.trained[place]

    source = chain(growing() if recipe.growing_share else (), endless())
    while done < recipe.tokens:
        taken, tokens = list[int](), 0
        while tokens < recipe.step_tokens:
            taken.append(next(source))
            tokens += material.length(taken[-1])
        done += tokens
        yield tuple(taken)


def passes(material: Material, examples: Sequence[int], most: int) -> Iterator[tuple[Any, Any]]:
    """Token ids and roles of some examples, a few at a time: those of like length together, at
    most so many tokens with their padding (but always one example)."""
    torch = require_torch()
    left = sorted(examples, key=material.length)
    while left:
        size = material.length(left[-1])
        count = max(1, min(len(left), most // size))
        chosen, left = left[-count:], left[:-count]
        ids = torch.zeros(count, size, dtype=torch.int64)
        roles = torch.zeros(count, size, dtype=torch.int8)
        for row, example in enumerate(chosen):
            start, end = material.starts[example], material.starts[example + 1]
            ids[row, : end - start] = material.ids[start:end]
            roles[row, : end - start] = material.roles[start:end]
        yield ids, roles
