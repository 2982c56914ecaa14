"""Models of a recipe: created, loaded, and saved for Hugging Face and vLLM."""

import json
import shutil
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.data.training.recipe import Recipe
from worldline.data.training.torch_import import require_torch

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
# Initialization of heads that attend to a fixed distance. Of 32 pairs of dimensions that RoPE
# rotates, the first ones rotate fastest and separate neighbouring tokens. With this bias, nine
# tenths of the attention are on the token at that distance; the scaled-down weights add little.
_BIASED_PAIRS, _BIAS, _WEIGHT_SCALE = 12, 5.0, 0.2
# Settings that the model of a recipe must have.
_SHAPE_SETTINGS = (
    "model_type",
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
    "num_key_value_heads",
    "max_position_embeddings",
    "rope_parameters",
    "tie_word_embeddings",
    "attention_bias",
    "layer_types",
    "linear_num_key_heads",
    "linear_key_head_dim",
    "linear_value_head_dim",
    "linear_allow_neg_eigval",
)
MODEL_FILES = ("config.json", "generation_config.json", "model.safetensors", *TOKENIZER_FILES)


def create_model(recipe: Recipe, tokenizer: Path, *, seed: int = 0) -> Any:
    """Create an untrained model for the tokenizer in a folder."""
    torch = require_torch()
    from transformers import AutoModelForCausalLM

    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(_config(recipe, tokenizer))
    # A DeltaNet layer has a convolution over the last tokens instead.
    if recipe.linear_layers:
        _disable_kernel_warnings()
    else:
        _initialize_previous_token_heads(model, recipe)
    return model


def _config(recipe: Recipe, tokenizer: Path) -> Any:
    """Configuration of a recipe's model for transformers."""
    from transformers import LlamaConfig

    size, begin, end = _read_tokenizer(tokenizer)
    shape: dict[str, Any] = {
        "vocab_size": size,
        "hidden_size": recipe.hidden_size,
        "intermediate_size": recipe.intermediate_size,
        "num_hidden_layers": recipe.num_layers,
        "num_attention_heads": recipe.num_heads,
        "num_key_value_heads": recipe.num_heads,
        "max_position_embeddings": recipe.max_seq_len,
        "rope_parameters": {"rope_type": "default", "rope_theta": recipe.rope_theta},
        "bos_token_id": begin,
        "eos_token_id": end,
        # Twice the default: otherwise, the attention of a narrow model stays uniform for long.
        "initializer_range": 0.04,
        "tie_word_embeddings": True,
    }
    if not recipe.linear_layers:
        return LlamaConfig(**shape, attention_bias=True)
    try:
        from transformers import OlmoHybridConfig
    except ImportError as error:
        raise InputError(
            f"the recipe {recipe.name} needs a transformers with OLMo Hybrid: pip install -U "
            "transformers"
        ) from error
    head_size = recipe.hidden_size // recipe.num_heads
    return OlmoHybridConfig(
        **shape,
        pad_token_id=None,
        layer_types=recipe.layer_types,
        linear_num_key_heads=recipe.num_heads,
        linear_num_value_heads=recipe.num_heads,
        linear_key_head_dim=head_size,
        linear_value_head_dim=2 * head_size,
        # Eigenvalues in [-1, 1]: swaps of two values cannot be tracked without negative ones.
        linear_allow_neg_eigval=True,
    )


def load_trained_model(folder: Path, recipe: Recipe, tokenizer: Path) -> Any:
    """Load a trained model to train it further.

    Raises:
        InputError: It cannot be read, or has a different shape or tokenizer.
    """
    require_torch()
    from safetensors import SafetensorError
    from transformers import AutoConfig, AutoModelForCausalLM

    disable_progress_bar()
    if recipe.linear_layers:
        _disable_kernel_warnings()
    try:
        own_tokenizer, export_tokenizer = (
            json.loads((f / "tokenizer.json").read_text("utf-8")) for f in (folder, tokenizer)
        )
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{folder} has no model to start from ({error}); give --from the folder of a finished "
            "worldline train"
        ) from error
    if own_tokenizer != export_tokenizer:
        raise InputError(
            f"{folder} has a different tokenizer than the export; export with --tokenizer "
            f"{folder / 'tokenizer.json'}"
        )
    expected = _config(recipe, tokenizer)
    if any(getattr(config, n, None) != getattr(expected, n, None) for n in _SHAPE_SETTINGS):
        raise InputError(
            f"{folder} does not have the shape of the recipe {recipe.name}; give its own recipe "
            "with --recipe"
        )
    try:
        return AutoModelForCausalLM.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise InputError(f"the model in {folder} cannot be read: {error}") from error


def _initialize_previous_token_heads(model: Any, recipe: Recipe) -> None:
    """Initialize the first layer so that head `n` attends to the token `n + 1` positions back.

    The last head stays free. To copy, a model has to find what followed the same text earlier
    (an induction head). For that, a head must first attend to the previous token, or a few tokens
    back if lines are similar, and learning this takes a small model longer than everything else.
    RoPE rotates a constant key and a constant query by their positions; a query that is rotated
    back by one position matches the key of the previous token.
    """
    torch = require_torch()
    size = recipe.hidden_size // recipe.num_heads
    frequencies = recipe.rope_theta ** (-torch.arange(size // 2) / (size // 2))
    bias = torch.zeros(size // 2)
    bias[: _BIASED_PAIRS * size // 64] = _BIAS
    attention = model.model.layers[0].self_attn
    with torch.no_grad():
        for head in range(recipe.num_heads - 1):
            angles = frequencies * (head + 1)
            rows = slice(head * size, (head + 1) * size)
            attention.k_proj.bias[rows] = torch.cat([bias, torch.zeros(size // 2)])
            attention.q_proj.bias[rows] = torch.cat(
                [bias * torch.cos(angles), -bias * torch.sin(angles)]
            )
            attention.k_proj.weight[rows] *= _WEIGHT_SCALE
            attention.q_proj.weight[rows] *= _WEIGHT_SCALE


def count_parameters(model: Any) -> int:
    """Number of a model's parameters; shared ones count once."""
    return sum(weight.numel() for weight in model.parameters())


def save_model(model: Any, tokenizer: Path, folder: Path) -> None:
    """Write a model and its tokenizer into a folder that `vllm serve` loads."""
    disable_progress_bar()
    try:
        model.save_pretrained(folder)
        for name in TOKENIZER_FILES:
            shutil.copyfile(tokenizer / name, folder / name)
    except OSError as error:
        raise InputError(f"cannot write the model to {folder}: {error}") from error


def disable_progress_bar() -> None:
    """Disable the progress bar of transformers, which it shows even for small files."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _disable_kernel_warnings() -> None:
    """Disable the advice to install kernels for GPUs: recipes train on the CPU."""
    from transformers.utils import logging

    logging.set_verbosity_error()


def _read_tokenizer(folder: Path) -> tuple[int, int, int]:
    """Vocabulary size, and the ids of the tokens that begin and end a text."""
    try:
        table = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        ids = dict(table["model"]["vocab"])
        ids |= {added["content"]: added["id"] for added in table["added_tokens"]}
        begin, end = (_token_text(config[name]) for name in ("bos_token", "eos_token"))
        return max(ids.values()) + 1, ids[begin], ids[end]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder} has no tokenizer to train with ({error!r}); export with --tokenizer "
            "bpe:1024, bytes, or a tokenizer.json with a tokenizer_config.json next to it"
        ) from None


def _token_text(token: str | dict[str, str]) -> str:
    """Text of a token in a tokenizer config, where it is a text or an object."""
    return token if isinstance(token, str) else token["content"]
