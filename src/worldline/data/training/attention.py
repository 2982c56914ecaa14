"""Causal attention for training on a CPU: matrix products instead of torch's fused kernel.

The backward pass of the fused kernel is slow in bfloat16 on a CPU: for sequences of 128 to 512
tokens, four products and a softmax take a quarter to a half of its time. They need memory for all
pairs of tokens, so longer sequences use the fused kernel.
"""

from typing import Any

from worldline.data.training.torch_import import require_torch

# Name under which transformers finds the function, and the longest sequence that it computes.
NAME = "worldline_causal"
MAX_LENGTH = 1024


def has_full_attention(model: Any) -> bool:
    """Whether each token of a model attends to all before it, as `use_matrix_attention` assumes.

    Only models of Llama's shape are known to: others may have windows, biases or sinks.
    """
    return bool(model.config.model_type == "llama")


def use_matrix_attention(model: Any) -> None:
    """Let a model of transformers compute its attention by matrix products."""
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    if NAME not in ALL_ATTENTION_FUNCTIONS:
        ALL_ATTENTION_FUNCTIONS.register(NAME, _attend)
    model.set_attn_implementation(NAME)


def _attend(
    module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **options: Any
) -> tuple[Any, None]:
    """Attention as transformers calls it: (batch, heads, length, size) to (batch, length, …)."""
    torch = require_torch()
    batch, heads, length, size = query.shape
    if length > MAX_LENGTH or attention_mask is not None or key.shape[2] != length:
        from transformers.integrations.sdpa_attention import sdpa_attention_forward

        result: tuple[Any, None] = sdpa_attention_forward(
            module, query, key, value, attention_mask, **options
        )
        return result
    groups = heads // key.shape[1]
    if groups > 1:
        key, value = (each.repeat_interleave(groups, dim=1) for each in (key, value))
    flat = (batch * heads, length, size)
    future = torch.full((length, length), float("-inf"), dtype=query.dtype).triu(1)
    scores = torch.baddbmm(
        future.expand(batch * heads, length, length),
        query.reshape(flat),
        key.reshape(flat).mT,
        alpha=options.get("scaling") or size**-0.5,
    )
    mixed = torch.bmm(scores.softmax(-1), value.reshape(flat))
    return mixed.view(batch, heads, length, size).transpose(1, 2), None
