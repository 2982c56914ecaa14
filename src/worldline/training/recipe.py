"""What a model is made by: its shape, and how much it is trained, by the name of a recipe."""

from dataclasses import dataclass

from worldline.errors import InputError


@dataclass(frozen=True, slots=True)
class Recipe:
    """A small model of Llama's shape and its training.

    `longest`: tokens of an example; longer ones are left out, and the model takes no longer text.
    `tokens` are trained on in all, `step_tokens` in a step (as many examples as it takes). The
    first `first_share` of the training is on some of the examples only. `pass_tokens` go through
    the model at once.
    """

    name: str
    hidden: int
    layers: int
    heads: int
    longest: int
    tokens: int
    step_tokens: int
    rate: float
    first_share: float = 0.08
    warm_share: float = 0.01
    held_out: int = 64
    pass_tokens: int = 2048
    # Of RoPE. Larger than usual, so that what is far away can be found by what it says.
    theta: float = 100_000.0

    @property
    def inner(self) -> int:
        """The width inside a layer's MLP."""
        return 3 * self.hidden


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("tiny", 128, 4, 4, 2048, tokens=1_500_000, step_tokens=2048, rate=4e-3),
        Recipe("small", 256, 4, 4, 10240, tokens=6_000_000, step_tokens=2048, rate=2e-3),
    )
}


def recipe_named(name: str) -> Recipe:
    """The recipe that users know by this name."""
    if name not in RECIPES:
        raise InputError(f"there is no recipe {name!r}; there is: {', '.join(RECIPES)}")
    return RECIPES[name]
