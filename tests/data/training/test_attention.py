"""Attention by matrix products, compared with the attention of transformers."""

from typing import Any

import pytest

from worldline.data.training.attention import (
    MAX_LENGTH,
    NAME,
    has_full_attention,
    use_matrix_attention,
)

torch: Any = pytest.importorskip("torch")
transformers: Any = pytest.importorskip("transformers")


def make_model(*, key_value_heads: int) -> Any:
    torch.manual_seed(0)
    config = transformers.LlamaConfig(
        vocab_size=50,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=key_value_heads,
        max_position_embeddings=2 * MAX_LENGTH,
        # Ten times the default, so that the attention is far from uniform.
        initializer_range=0.2,
    )
    return transformers.LlamaForCausalLM(config)


def logits_and_gradient(model: Any, ids: Any) -> tuple[Any, Any]:
    model.zero_grad()
    logits = model(input_ids=ids, use_cache=False).logits
    logits[..., 7].sum().backward()
    return logits.detach(), model.model.layers[0].self_attn.k_proj.weight.grad.clone()


@pytest.mark.parametrize("key_value_heads", [4, 2, 1])
@pytest.mark.parametrize("length", [1, 70, MAX_LENGTH + 1])
def test_logits_and_gradients_are_those_of_transformers(key_value_heads: int, length: int) -> None:
    model = make_model(key_value_heads=key_value_heads)
    ids = torch.randint(0, 50, (2, length))
    expected = logits_and_gradient(model, ids)
    use_matrix_attention(model)
    assert model.config._attn_implementation == NAME
    for ours, theirs in zip(logits_and_gradient(model, ids), expected, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-4)


def test_a_later_token_changes_nothing_before_it() -> None:
    model = make_model(key_value_heads=2)
    use_matrix_attention(model)
    ids = torch.randint(0, 50, (1, 40))
    changed = ids.clone()
    changed[0, 30] = (changed[0, 30] + 1) % 50
    before, after = (model(input_ids=each, use_cache=False).logits[0] for each in (ids, changed))
    torch.testing.assert_close(before[:30], after[:30])
    assert not torch.equal(before[30:], after[30:])


def test_models_with_attention_windows_keep_their_attention() -> None:
    windowed = transformers.CwmConfig(num_hidden_layers=2, hidden_size=64, num_attention_heads=4)
    assert has_full_attention(make_model(key_value_heads=2))
    assert not has_full_attention(type("Model", (), {"config": windowed})())
