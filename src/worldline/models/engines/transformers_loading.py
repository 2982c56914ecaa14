"""Models and tokenizers from a folder or the Hugging Face hub."""

from pathlib import Path
from typing import Any

from worldline.core.errors import EngineError

# Layers whose cache has one key and value per token, so that it can be cropped.
_CROPPABLE_LAYERS = {"full_attention", "sliding_attention", "chunked_attention"}
# Models with layers whose recurrent state can be continued but not cropped, and which the tests
# compare with transformers' own functions. Others keep their state differently: the same calls give
# wrong tokens for Mamba.
_RECURRENT_MODELS = {"olmo_hybrid", "qwen3_next"}


def load_model(name: str, device: str | None, dtype: str | None) -> tuple[Any, Any]:
    """Load a model and its tokenizer from a folder or the hub.

    Raises:
        EngineError: they cannot be loaded, or the model's cache is of an unknown kind.
    """
    import torch
    import transformers

    if name.startswith("~"):
        # A shell does not expand it after `transformers:`.
        name = str(Path(name).expanduser())
    if name.startswith(("/", ".")) and not Path(name).is_dir():
        raise EngineError(
            f"there is no folder {name}; give the folder of a saved model, or a name on the "
            "Hugging Face hub"
        )
    if device in (None, "auto"):
        has_mps = torch.backends.mps.is_available()
        device = "cuda" if torch.cuda.is_available() else "mps" if has_mps else "cpu"
    try:
        options = {"dtype": dtype or "auto", "output_loading_info": True}
        net, report = transformers.AutoModelForCausalLM.from_pretrained(name, **options)
        net = net.to(device).eval()
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
    # The libraries raise many exceptions: missing or damaged files, unknown architectures.
    except Exception as error:
        raise EngineError(
            f"{name} cannot be loaded as a model: {error}; give a folder that holds config.json, "
            "a tokenizer and weights, or a name on the Hugging Face hub"
        ) from error
    if report["missing_keys"]:
        missing_weights = ", ".join(sorted(report["missing_keys"])[:3])
        raise EngineError(
            f"{name} lacks weights that its config names ({missing_weights}); download it again"
        )
    layers = set(getattr(net.config.get_text_config(), "layer_types", None) or ())
    if (net._is_stateful or layers - _CROPPABLE_LAYERS) and not has_recurrent_layers(net):
        raise EngineError(
            f"{name} has layers whose cache cannot be cropped to a prefix; use a server for it"
        )
    return net, tokenizer


def has_recurrent_layers(net: Any) -> bool:
    """Whether a model has layers with a recurrent state, whose cache cannot be cropped."""
    return net.config.get_text_config().model_type in _RECURRENT_MODELS
