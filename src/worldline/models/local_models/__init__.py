"""Models on this machine: a catalogue, downloads, and a llama.cpp server for one of them."""

from worldline.models.local_models.download import (
    Downloader,
    find_model_file,
    get_model,
    import_model_file,
    model_path,
)
from worldline.models.local_models.llamacpp_server import (
    LlamaCppOptions,
    LlamaCppServer,
    start_llamacpp_server,
)
from worldline.models.local_models.model_catalog import CATALOG, ModelFile

__all__ = [
    "CATALOG",
    "Downloader",
    "LlamaCppOptions",
    "LlamaCppServer",
    "ModelFile",
    "find_model_file",
    "get_model",
    "import_model_file",
    "model_path",
    "start_llamacpp_server",
]
