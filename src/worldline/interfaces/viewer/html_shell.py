"""HTML page of the viewer, without data, and its Content-Security-Policy."""

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from worldline.core.errors import InputError

DATA_PLACEHOLDER, POLICY_PLACEHOLDER = "<!--worldline-data-->", "<!--worldline-csp-->"
_INLINE_SCRIPT = re.compile(r"<script(?![^>]*application/json)[^>]*>(.*?)</script>", re.DOTALL)


@cache
def built_page() -> str:
    """The page that `scripts/build-viewer` built, with placeholders for its data and policy.

    Raises:
        InputError: The page is not built.
    """
    page = files("worldline.interfaces.viewer").joinpath("page", "index.html")
    try:
        text = page.read_text(encoding="utf-8")
    except OSError:
        raise InputError(
            "the viewer's page is not built; install Node.js 20 or newer and worldline again "
            "(pip install --force-reinstall), or, if it is installed with -e, run "
            "scripts/build-viewer in its checkout"
        ) from None
    for placeholder in (DATA_PLACEHOLDER, POLICY_PLACEHOLDER):
        if text.count(placeholder) != 1:
            raise InputError(
                f"the viewer's page has no {placeholder}; build it again: scripts/build-viewer"
            )
    return text


def content_security_policy(page: str, *, connect: str) -> str:
    """The policy that allows the page its own scripts, and requests to `connect` only.

    Args:
        page: The HTML; its scripts are allowed by their hashes.
        connect: A source expression of `connect-src`, such as "'self'" or "'none'".
    """
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()}'"
        for code in _INLINE_SCRIPT.findall(page)
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def render_page(head: str, *, connect: str) -> str:
    """The page with `head` in its head element, and with its policy."""
    page = built_page()
    policy = content_security_policy(page, connect=connect)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    return page.replace(POLICY_PLACEHOLDER, meta).replace(DATA_PLACEHOLDER, head)


def data_script(name: str, document: Any) -> str:
    """A script element that contains a document as JSON.

    No text in the document can end the element or begin another one. Lone surrogates, which UTF-8
    cannot encode, are written as JSON escapes.
    """
    text = json.dumps(document, ensure_ascii=True).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'
