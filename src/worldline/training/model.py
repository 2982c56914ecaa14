"""A recipe and a vocabulary go in, a new model of Llama's shape comes out; a trained one is saved
as Hugging Face and vLLM read it."""

import json
import shutil
from pathlib import Path
from typing import Any

from worldline.errors import InputError
from worldline.training.recipe import Recipe
from worldline.training.torches import require_torch

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
# Of the 32 pairs of dimensions that RoPE turns, the fastest tell one token's distance from another;
# so strong that attention is on it for nine tenths, what the tokens say hardly counts.
_SHARP, _STRENGTH, _FAINT = 12, 5.0, 0.2
# What makes a model one of a recipe.
_SHAPE = (
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
)
MODEL_FILES = ("config.json", "generation_config.json", "model.safetensors", *TOKENIZER_FILES)


def new_model(recipe: Recipe, tokenizer: Path, *, seed: int = 0) -> Any:
    """An untrained model for the vocabulary in a folder."""
    torch = require_torch()
    from transformers import LlamaForCausalLM

    torch.manual_seed(seed)
    model = LlamaForCausalLM(_config(recipe, tokenizer))
    _look_back(model, recipe)
    return model


def _config(recipe: Recipe, tokenizer: Path) -> Any:
    """The shape of a recipe's model, as transformers has it."""
    from transformers import LlamaConfig

    size, begin, end = _vocabulary(tokenizer)
    return LlamaConfig(
        vocab_size=size,
        hidden_size=recipe.hidden,
        intermediate_size=recipe.inner,
        num_hidden_layers=recipe.layers,
        num_attention_heads=recipe.heads,
        num_key_value_heads=recipe.heads,
        max_position_embeddings=recipe.longest,
        rope_parameters={"rope_type": "default", "rope_theta": recipe.theta},
        bos_token_id=begin,
        eos_token_id=end,
        # Twice the usual: a narrow model's attention would be alike everywhere for long.
        initializer_range=0.04,
        tie_word_embeddings=True,
        attention_bias=True,
    )


def trained_model(folder: Path, recipe: Recipe, tokenizer: Path) -> Any:
    """A model that was trained before, to be trained on; of the recipe's shape, and with the
    vocabulary in a folder."""
    require_torch()
    from safetensors import SafetensorError
    from transformers import AutoConfig, LlamaForCausalLM

    _without_bars()
    try:
        own, other = (
            json.loads((f / "tokenizer.json").read_text("utf-8")) for f in (folder, tokenizer)
        )
        config = AutoConfig.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError) as error:
        raise InputError(f"{folder} holds no model to begin with: {error}") from error
    if own != other:
        raise InputError(
            f"{folder} has another vocabulary than the export; export with --tokenizer "
            f"{folder / 'tokenizer.json'}"
        )
    wanted = _config(recipe, tokenizer)
    if any(getattr(config, name, None) != getattr(wanted, name) for name in _SHAPE):
        raise InputError(f"{folder} is not of the recipe {recipe.name}; name its own with --recipe")
    try:
        return LlamaForCausalLM.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, RuntimeError, SafetensorError) as error:
        raise InputError(f"the model in {folder} cannot be read: {error}") from error


def _look_back(model: Any, recipe: Recipe) -> None:
    """Have the first layer's heads, all but one, look one token back, two, and so on, from the
    beginning.

    To copy, a model has to find what came after the same thing before; for that a head must first
    look one token back (and further, where lines are much alike), and learning this by itself takes
    a small model longer than all the rest. RoPE turns a constant key and a constant query by their
    distance; turned back by one token, the query fits the key of the token before.
    """
    torch = require_torch()
    size = recipe.hidden // recipe.heads
    turn = recipe.theta ** (-torch.arange(size // 2) / (size // 2))
    strength = torch.zeros(size // 2)
    strength[: _SHARP * size // 64] = _STRENGTH
    attention = model.model.layers[0].self_attn
    with torch.no_grad():
        for head in range(recipe.heads - 1):
            back = turn * (head + 1)
            place = slice(head * size, (head + 1) * size)
            attention.k_proj.bias[place] = torch.cat([strength, torch.zeros(size // 2)])
            attention.q_proj.bias[place] = torch.cat(
                [strength * torch.cos(back), -strength * torch.sin(back)]
            )
            attention.k_proj.weight[place] *= _FAINT
            attention.q_proj.weight[place] *= _FAINT


def parameters(model: Any) -> int:
    """How many numbers a model consists of; shared ones count once."""
    return sum(weight.numel() for weight in model.parameters())


def save_model(model: Any, tokenizer: Path, folder: Path) -> None:
    """Write a model and its vocabulary into a folder that `vllm serve` loads."""
    _without_bars()
    try:
        model.save_pretrained(folder)
        for name in TOKENIZER_FILES:
            shutil.copyfile(tokenizer / name, folder / name)
    except OSError as error:
        raise InputError(f"cannot write the model to {folder}: {error}") from error


def _without_bars() -> None:
    """Of bars of its own transformers has one for a file that takes no time."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _vocabulary(folder: Path) -> tuple[int, int, int]:
    """Its size, and the ids of the tokens that begin and end a text."""
    try:
        table = json.loads((folder / "tokenizer.json").read_text(encoding="utf-8"))
        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8"))
        ids = dict(table["model"]["vocab"])
        ids |= {added["content"]: added["id"] for added in table["added_tokens"]}
        begin, end = (_spelled(config[name]) for name in ("bos_token", "eos_token"))
        return max(ids.values()) + 1, ids[begin], ids[end]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{folder} holds no vocabulary to train with ({error!r}); export with --tokenizer "
            "bpe:1024, bytes, or a tokenizer.json that has a tokenizer_config.json beside it"
        ) from None


def _spelled(token: str | dict[str, str]) -> str:
    """A token as a config has it: as text, or with what else is known of it."""
    return token if isinstance(token, str) else token["content"]
