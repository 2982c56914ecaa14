"""Extras: they can be installed together with the packages that their users have.

`scripts/resolve-extras` does this for vLLM and TRL, too.
"""

import importlib.util
import re
from typing import Any

import pytest

from tests.test_release import script


@pytest.fixture(scope="module")
def resolver() -> Any:
    """The script `scripts/resolve-extras`; the test is skipped without uv or a package index."""
    if importlib.util.find_spec("uv") is None:
        pytest.skip("uv is not installed (pip install uv)")
    return script("resolve-extras")


def test_all_extras_resolve_with_inspect(resolver: Any) -> None:
    is_solved, text = resolver.resolve("inspect-ai", resolver.extras())
    if not is_solved and re.search(r"error sending request|Failed to fetch|network", text):
        pytest.skip("no package index can be reached")
    assert is_solved, text
    assert re.search(r"^inspect-ai==0\.3\.", text, re.MULTILINE)
    assert re.search(r"^duckdb==", text, re.MULTILINE)


def test_a_conflict_is_found(resolver: Any) -> None:
    is_solved, text = resolver.resolve("openai==1.0.0", ["openai"])
    if re.search(r"error sending request|Failed to fetch|network", text):
        pytest.skip("no package index can be reached")
    assert not is_solved
    assert "openai" in text


def test_settings_of_pip_become_those_of_uv() -> None:
    listing = ":env:.cert='/a/b.crt'\nglobal.index-url='https://index.example/simple'\nx.y='z'\n"
    assert script("resolve-extras").pip_settings(listing) == {
        "SSL_CERT_FILE": "/a/b.crt",
        "UV_DEFAULT_INDEX": "https://index.example/simple",
    }
