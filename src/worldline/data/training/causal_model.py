"""Causal models of transformers to fine-tune: loaded, with new special tokens, and identified."""

import hashlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

from worldline.core.errors import InputError
from worldline.data.training.model import disable_progress_bar
from worldline.data.training.torch_import import require_torch
from worldline.models.codecs import STEP_CODECS
from worldline.models.tokenizers import TokenizerJson

# Files that belong to a tokenizer, and may be next to its tokenizer.json.
_TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "chat_template.jinja",
)
_WEIGHTS = ("*.safetensors", "*.bin")


def hash_model(folder: Path) -> str:
    """Hash of a model's configuration and weights.

    Raises:
        InputError: The folder has no model in Hugging Face's format.
    """
    files = [folder / "config.json", *sorted(p for name in _WEIGHTS for p in folder.glob(name))]
    if len(files) == 1 or not files[0].is_file():
        raise InputError(
            f"{folder} has no model to start from; give --from a folder with config.json and "
            "model.safetensors"
        )
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def load_causal_model(folder: Path, tokenizer: Path) -> tuple[Any, list[int]]:
    """Load a model in float32, with an embedding for each token of a tokenizer.

    Returns:
        The model, and the ids of the tokens that its own tokenizer does not have.

    Raises:
        InputError: It cannot be loaded, or has a different vocabulary.
    """
    torch = require_torch()
    from safetensors import SafetensorError
    from transformers import AutoModelForCausalLM

    disable_progress_bar()
    try:
        model = AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.float32, local_files_only=True
        )
    except (OSError, ValueError, RuntimeError, KeyError, SafetensorError) as error:
        raise InputError(f"the model in {folder} cannot be loaded: {error}") from error
    own, exported = _vocabulary(folder), _vocabulary(tokenizer)
    if any(exported.get(token) != number for token, number in own.items()):
        raise InputError(
            f"{folder} has a different tokenizer than the export; export with --tokenizer {folder}"
        )
    size = max(exported.values()) + 1
    if size > model.get_input_embeddings().num_embeddings:
        model.resize_token_embeddings(size)
    added = {token: exported[token] for token in exported.keys() - own.keys()}
    _initialize_from_names(model, added, folder / "tokenizer.json")
    return model, sorted(added.values())


def _initialize_from_names(model: Any, added: dict[str, int], tokenizer: Path) -> None:
    """Give each added token the mean embedding of the words of its name.

    "<|call_sep|>" -> the mean of the tokens of "call" and "sep"

    transformers gives all added tokens nearly the same embedding. After a short training, a model
    then still takes one special token for another.
    """
    torch = require_torch()
    words = TokenizerJson(tokenizer)
    matrices = [model.get_input_embeddings().weight]
    output = model.get_output_embeddings()
    if output is not None and output.weight is not matrices[0]:
        matrices.append(output.weight)
    with torch.no_grad():
        for token, number in added.items():
            name = " ".join(re.findall(r"[A-Za-z]+", token)) or token
            ids = list(words.encode(name))
            for matrix in matrices if ids else ():
                matrix[number] = matrix[ids].mean(0)


def _vocabulary(folder: Path) -> dict[str, int]:
    path = folder / "tokenizer.json"
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
        vocabulary = table["model"]["vocab"]
        if not isinstance(vocabulary, dict):
            vocabulary = {entry[0]: number for number, entry in enumerate(vocabulary)}
        return {**vocabulary, **{each["content"]: each["id"] for each in table["added_tokens"]}}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} is no tokenizer to train with: {error!r}") from None


def end_token_ids(model: Any, export: Path) -> list[int]:
    """Ids of the tokens that end a text: those of the model, and that of the export's codec."""
    known = model.generation_config.eos_token_id
    ids = [known] if isinstance(known, int) else list(known or ())
    summary = json.loads((export / "export.json").read_text(encoding="utf-8"))
    end = STEP_CODECS[summary["codec"]].end_token
    ids += TokenizerJson(export / "tokenizer" / "tokenizer.json").ids([end]).values()
    return list(dict.fromkeys(ids))


def copy_tokenizer(tokenizer: Path, start: Path, output: Path) -> None:
    """Copy a tokenizer to the folder of a model; a missing file comes from the first model."""
    for name in _TOKENIZER_FILES:
        for folder in (tokenizer, start):
            if (folder / name).is_file():
                shutil.copyfile(folder / name, output / name)
                break
