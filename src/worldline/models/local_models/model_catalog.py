"""Catalogue of models that can be fetched by name, each pinned to one file by its sha256."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A GGUF file on the Hugging Face hub.

    Attributes:
        name: Name in the catalogue.
        repository: Repository on the hub.
        file: Name of the file in the repository.
        size: Size in bytes.
        sha256: Hash of the file.
        licence: SPDX name of the licence.
        context_length: Tokens that the model was trained for.
    """

    name: str
    repository: str
    file: str
    size: int
    sha256: str
    licence: str
    context_length: int

    def __repr__(self) -> str:
        return f"ModelFile({self.name!r}, {self.size / 1e9:.1f} GB, {self.licence})"


_MODELS = (
    ModelFile(
        name="qwen2.5-coder-1.5b",
        repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
        file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        size=1_117_320_768,
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        licence="Apache-2.0",
        context_length=32_768,
    ),
)
CATALOG: Mapping[str, ModelFile] = {model.name: model for model in _MODELS}
