"""The built page, with a policy that lets nothing in or out; documents are put into it as data."""

import base64
import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from worldline.errors import InputError

DATA, POLICY = "<!--worldline-data-->", "<!--worldline-csp-->"
_CODE = re.compile(r"<script(?![^>]*application/json)[^>]*>(.*?)</script>", re.DOTALL)


@cache
def built_page() -> str:
    """The page as it was built, with its two gaps."""
    page = files("worldline.viewer").joinpath("page", "index.html")
    try:
        text = page.read_text(encoding="utf-8")
    except OSError:
        raise InputError(
            "the page to look at runs with is not built; in a checkout: scripts/build-viewer "
            "(needs Node.js from 20 on), and install it again, unless with -e"
        ) from None
    missing = [gap for gap in (DATA, POLICY) if text.count(gap) != 1]
    if missing:
        raise InputError(f"the built page lacks {missing[0]}; build it anew: scripts/build-viewer")
    return text


def policy(page: str, *, connect: str) -> str:
    """What a browser may do with the page: run its own code, and ask `connect` alone."""
    hashes = (
        base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
        for code in _CODE.findall(page)
    )
    scripts = " ".join(f"'sha256-{found}'" for found in hashes)
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; img-src data:; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'"
    )


def page_with(data: str, *, connect: str) -> str:
    """The page with something in its head, and its policy."""
    page = built_page()
    told = f'<meta http-equiv="Content-Security-Policy" content="{policy(page, connect=connect)}">'
    return page.replace(POLICY, told).replace(DATA, data)


def data_script(name: str, document: Any) -> str:
    """A document as data in a page: nothing in it can end the element or begin another.

    Lone surrogates, which no file can hold, are written as JSON's escapes.
    """
    text = json.dumps(document, ensure_ascii=True).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>'
