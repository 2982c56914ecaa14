"""An export goes in; what a model is trained on comes out, as flat tensors and an order."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.store import place_of, read_int_lists, read_parts
from worldline.training.recipe import Recipe
from worldline.training.torches import require_torch

COLUMNS = ("input_ids", "labels", "action_mask", "state_mask")
IGNORED = -100
# The losses of action and state tokens are told apart by these.
ACTION, STATE = 1, 2


@dataclass(frozen=True, slots=True)
class Material:
    """Examples one behind the other. `roles` is 1 for an action token that is learned, 2 for one
    of a state, 0 for any other. `first` are those of `trained` that come first."""

    ids: Any
    roles: Any
    starts: Any
    trained: tuple[int, ...]
    first: tuple[int, ...]
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


def read_material(
    export: Path, recipe: Recipe, *, first: Mapping[str, str] | None = None
) -> Material:
    """The examples of an export that fit a recipe; a few of them are held out, spread over all.

    Those whose facets are as in `first` come first; without it, the shorter half does.
    """
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
    trained = tuple(sorted(set(fitting) - set(held_out)))
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
        first=_named(export, files, trained, first) if first else _shorter(trained, sizes),
        held_out=held_out,
        too_long=len(sizes) - len(fitting),
    )


def _shorter(trained: Sequence[int], sizes: Sequence[int]) -> tuple[int, ...]:
    median = sorted(sizes[n] for n in trained)[len(trained) // 2]
    return tuple(n for n in trained if sizes[n] <= median)


def _named(
    export: Path, files: Sequence[Path], trained: Sequence[int], first: Mapping[str, str]
) -> tuple[int, ...]:
    rows = read_parts(place_of(export), [str(file) for file in files], columns=["facets"])
    facets = [json.loads(row["facets"] or "{}") for row in rows]
    found = tuple(
        n
        for n in trained
        if all(str(facets[n].get(name)) == value for name, value in first.items())
    )
    if not found:
        told = ", ".join(f"{name}={value}" for name, value in first.items())
        raise InputError(f"no example of {export} has the facets {told}; name others with --first")
    return found


def in_order(material: Material, recipe: Recipe, *, seed: int) -> Iterator[tuple[int, ...]]:
    """The examples of each step, to the end of a recipe: the first ones in a random order, then
    all, again and again, each time in another order."""
    torch = require_torch()
    draw = torch.Generator().manual_seed(seed)

    def endless(examples: Sequence[int]) -> Iterator[int]:
        while True:
            for place in torch.randperm(len(examples), generator=draw).tolist():
                yield examples[place]

    first, whole = endless(material.first), endless(material.trained)
    done = 0
    while done < recipe.tokens:
        source = first if done < recipe.first_share * recipe.tokens else whole
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
