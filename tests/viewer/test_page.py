"""What is put into the page stays data, and the page may run its own code alone."""

import base64
import hashlib
import json
from pathlib import Path

import pytest

from worldline.errors import InputError
from worldline.viewer import page

HOSTILE = "</script><script>alert(1)</script><!-- \ud800 \u2028 \u202e \x1b[31m"


def test_data_cannot_end_its_element() -> None:
    script = page.data_script("report", {"name": HOSTILE})
    inside = script.removeprefix('<script type="application/json" id="report">')
    inside = inside.removesuffix("</script>")
    assert "<" not in inside
    assert inside.isascii()
    assert json.loads(inside) == {"name": HOSTILE}


def test_the_policy_names_the_code_and_nothing_else(bare_page: str) -> None:
    code = bare_page.split("<script>")[1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    found = page.policy(bare_page, connect="'none'")
    assert f"script-src 'sha256-{digest}';" in found
    assert "default-src 'none'" in found
    assert "connect-src 'none'" in found
    assert "unsafe-eval" not in found


def test_data_is_no_code_to_the_policy(bare_page: str) -> None:
    told = page.page_with(page.data_script("report", {"a": 1}), connect="'none'")
    assert page.policy(told, connect="'none'") == page.policy(bare_page, connect="'none'")
    assert page.DATA not in told
    assert page.POLICY not in told


def test_a_page_that_is_not_built_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    page.built_page.cache_clear()
    monkeypatch.setattr(page, "files", lambda _: Path("/nowhere"))
    try:
        with pytest.raises(InputError, match="scripts/build-viewer"):
            page.built_page()
    finally:
        page.built_page.cache_clear()
