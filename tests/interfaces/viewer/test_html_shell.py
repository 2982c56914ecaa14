"""HTML page: data cannot become markup, and the policy allows the page's own scripts only."""

import base64
import hashlib
import json
from pathlib import Path

import pytest

from worldline.core.errors import InputError
from worldline.interfaces.viewer import html_shell

HOSTILE = "</script><script>alert(1)</script><!-- \ud800 \u2028 \u202e \x1b[31m"


def test_data_cannot_end_its_script_element() -> None:
    script = html_shell.data_script("report", {"name": HOSTILE})
    content = script.removeprefix('<script type="application/json" id="report">')
    content = content.removesuffix("</script>")
    assert "<" not in content
    assert content.isascii()
    assert json.loads(content) == {"name": HOSTILE}


def test_policy_allows_only_the_hash_of_the_script(minimal_page: str) -> None:
    code = minimal_page.split("<script>")[1].split("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    policy = html_shell.content_security_policy(minimal_page, connect="'none'")
    assert f"script-src 'sha256-{digest}';" in policy
    assert "default-src 'none'" in policy
    assert "connect-src 'none'" in policy
    assert "unsafe-eval" not in policy


def test_data_scripts_are_not_in_the_policy(minimal_page: str) -> None:
    page = html_shell.render_page(html_shell.data_script("report", {"a": 1}), connect="'none'")
    assert html_shell.content_security_policy(
        page, connect="'none'"
    ) == html_shell.content_security_policy(minimal_page, connect="'none'")
    assert html_shell.DATA_PLACEHOLDER not in page
    assert html_shell.POLICY_PLACEHOLDER not in page


def test_a_page_that_is_not_built_names_the_build_command(monkeypatch: pytest.MonkeyPatch) -> None:
    html_shell.built_page.cache_clear()
    monkeypatch.setattr(html_shell, "files", lambda _: Path("/nowhere"))
    try:
        with pytest.raises(InputError, match="scripts/build-viewer"):
            html_shell.built_page()
    finally:
        html_shell.built_page.cache_clear()
