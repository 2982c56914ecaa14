"""What a model is made by: its shape, and how much it is trained, by the name of a recipe."""

from dataclasses import dataclass

from worldline.errors import InputError


@dataclass(frozen=True, slots=True)
class Recipe:
    """A small model of Llama's shape and its training.

    `longest`: tokens of an example; longer ones are left out, and the model takes no longer text.
    `tokens` are trained on in all, `step_tokens` in a step (as many examples as it takes). It
    begins with the shortest `shortest_share` of the examples; by `growing_share` of the training
    longer and longer ones have come in. `pass_tokens` go through the model at once. `rate` is the
    learning rate of embeddings and norms, `matrix_rate` that of all between them.
    """

    name: str
    hidden: int
    layers: int
    heads: int
    longest: int
    tokens: int
    step_tokens: int
    rate: float = 2e-3
    matrix_rate: float = 0.01
    shortest_share: float = 0.3
    growing_share: float = 0.5
    warm_share: float = 0.01
    held_out: int = 64
    pass_tokens: int = 2048
    # Of RoPE.
    theta: float = 10_000.0

    @property
    def inner(self) -> int:
        """The width inside a layer's MLP."""
        return 3 * self.hidden


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe("tiny", 128, 4, 4, longest=2048, tokens=800_000, step_tokens=1536),
        Recipe("small", 256, 4, 4, longest=10240, tokens=10_000_000, step_tokens=2048),
    )
}


def recipe_named(name: str) -> Recipe:
    """The recipe that users know by this name."""
    if name not in RECIPES:
        raise InputError(f"there is no recipe {name!r}; there is: {', '.join(RECIPES)}")
    return RECIPES[name]
