"""What a model is made by: its shape, and how much it is trained, by the name of a recipe."""

from dataclasses import dataclass

from worldline.errors import InputError


@dataclass(frozen=True, slots=True)
class Recipe:
    """A small model of Llama's shape and its training.

    `longest`: tokens of an example; longer ones are left out, and the model takes no longer text.
    `steps` times `examples` are trained on, however many tokens a vocabulary makes of them: models
    with different vocabularies see the same. The first steps (`short_share` of all) take only the
    shorter half of the examples. `pass_tokens` go through the model at once.
    """

    name: str
    hidden: int
    layers: int
    heads: int
    longest: int
    steps: int
    examples: int
    rate: float
    short_share: float = 0.1
    warm_share: float = 0.04
    held_out: int = 64
    pass_tokens: int = 8192
    # Of RoPE. Larger than usual, so that what is far away can be found by what it says.
    theta: float = 100_000.0

    @property
    def inner(self) -> int:
        """The width inside a layer's MLP."""
        return 3 * self.hidden


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("tiny", 128, 4, 4, longest=2048, steps=600, examples=16, rate=3e-3),
        Recipe("small", 256, 6, 4, longest=10240, steps=2000, examples=8, rate=2e-3),
    )
}


def recipe_named(name: str) -> Recipe:
    """The recipe that users know by this name."""
    if name not in RECIPES:
        raise InputError(f"there is no recipe {name!r}; there is: {', '.join(RECIPES)}")
    return RECIPES[name]
