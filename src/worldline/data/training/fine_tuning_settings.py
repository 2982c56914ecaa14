"""Settings of a fine-tuning."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class FineTuning:
    """Settings of a fine-tuning; it draws batches as a recipe does.

    Attributes:
        tokens: Tokens to train on.
        learning_rate: Learning rate of AdamW; by default 2e-5, and 2e-4 with LoRA.
        lora_rank: Rank of the LoRA matrices; 0 trains all weights.
        max_seq_len: Tokens of the longest example. Longer examples are dropped.
        batch_tokens: Tokens per optimizer step, rounded up to whole examples.
        action_weight: Weight of the loss of action tokens.
        state_weight: Weight of the loss of state tokens.
        seed: Seed of the order of examples and of new embeddings.
        warmup_ratio: Fraction of the training in which the learning rate rises.
        held_out: Number of examples to evaluate on.
        checkpoint_steps: Optimizer steps between two checkpoints.
        curriculum_start: Fraction of the examples, the shortest, that training begins with.
        curriculum_end: Fraction of the training after which all examples are used.
        name: Name of the method.
    """

    tokens: int
    learning_rate: float | None = None
    lora_rank: int = 0
    max_seq_len: int = 2048
    batch_tokens: int = 2048
    action_weight: float = 1.0
    state_weight: float = 1.0
    seed: int = 0
    warmup_ratio: float = 0.03
    held_out: int = 64
    checkpoint_steps: int = 50
    curriculum_start: float = 1.0
    curriculum_end: float = 0.0
    name: str = "fine-tuning"

    def __repr__(self) -> str:
        method = f"LoRA of rank {self.lora_rank}" if self.lora_rank else "all weights"
        return f"<FineTuning: {method}, {self.tokens} tokens>"

    @property
    def rate(self) -> float:
        """The learning rate, or its default."""
        return self.learning_rate or (2e-4 if self.lora_rank else 2e-5)

    def scale_rate(self, factor: float) -> "FineTuning":
        """The settings with the learning rate, or its default, multiplied."""
        return self if factor == 1 else replace(self, learning_rate=self.rate * factor)
