"""Training recipes: model shape and training schedule, by name."""

from dataclasses import dataclass, replace

from worldline.core.errors import InputError


@dataclass(frozen=True, slots=True)
class Recipe:
    """Shape and training schedule of a small model.

    Attributes:
        name: Name of the recipe.
        hidden_size: Width of the model.
        num_layers: Number of layers.
        num_heads: Heads per layer.
        max_seq_len: Tokens of the longest example, and the model's context length. Longer
            examples are dropped.
        tokens: Tokens to train on.
        batch_tokens: Tokens per optimizer step, rounded up to whole examples.
        lr_adamw: Learning rate of embeddings and norms (AdamW).
        lr_muon: Learning rate of the matrices of the layers (Muon).
        curriculum_start: Fraction of the examples, the shortest, that training begins with.
        curriculum_end: Fraction of the training after which all examples are used.
        warmup_ratio: Fraction of the training in which the learning rate rises.
        held_out: Number of examples to evaluate on.
        microbatch_tokens: Tokens per forward pass, padding included.
        rope_theta: Base of the rotary position embedding.
        linear_layers: Number of gated DeltaNet layers before each attention layer. With 0, the
            model is a Transformer of Llama's shape; otherwise a hybrid of OLMo Hybrid's.
    """

    name: str
    hidden_size: int
    num_layers: int
    num_heads: int
    max_seq_len: int
    tokens: int
    batch_tokens: int
    lr_adamw: float = 2e-3
    lr_muon: float = 0.01
    curriculum_start: float = 0.3
    curriculum_end: float = 0.5
    warmup_ratio: float = 0.01
    held_out: int = 64
    microbatch_tokens: int = 2048
    rope_theta: float = 10_000.0
    linear_layers: int = 0

    def __repr__(self) -> str:
        shape = f"{self.num_layers} layers of {self.hidden_size}"
        return f"<Recipe {self.name}: {shape}, {self.tokens} tokens>"

    @property
    def intermediate_size(self) -> int:
        """Width of the MLP of a layer."""
        return 3 * self.hidden_size

    @property
    def layer_types(self) -> list[str]:
        """Types of the layers, as transformers names them."""
        return [
            "full_attention" if number % (self.linear_layers + 1) == 0 else "linear_attention"
            for number in range(1, self.num_layers + 1)
        ]

    def scale_rates(self, factor: float) -> "Recipe":
        """The recipe with both learning rates multiplied."""
        return replace(self, lr_adamw=self.lr_adamw * factor, lr_muon=self.lr_muon * factor)


RECIPES = {
    recipe.name: recipe
    for recipe in (
        Recipe(
            "tiny", 128, 4, 4, max_seq_len=10240, tokens=800_000, batch_tokens=1536, lr_adamw=5e-3
        ),
        Recipe("small", 256, 4, 4, max_seq_len=10240, tokens=10_000_000, batch_tokens=2048),
        Recipe(
            "deltanet",
            128,
            4,
            4,
            max_seq_len=10240,
            tokens=2_000_000,
            batch_tokens=768,
            lr_adamw=5e-3,
            lr_muon=0.005,
            linear_layers=3,
        ),
    )
}


def get_recipe(name: str) -> Recipe:
    """Look up a recipe by its name.

    Raises:
        InputError: There is no such recipe.
    """
    if name not in RECIPES:
        raise InputError(f"there is no recipe {name!r}; available: {', '.join(RECIPES)}")
    return RECIPES[name]
