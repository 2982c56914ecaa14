"""Headless Chromium, and tabs that record the problems of a page."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.support.paths import PROJECT_ROOT
from worldline.core.errors import InputError
from worldline.interfaces.viewer import built_page

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = PROJECT_ROOT / "viewer" / "node_modules" / "axe-core" / "axe.min.js"


def skip_without(requirement: str) -> None:
    """Skip the test, because a requirement is missing; in CI, fail."""
    if os.environ.get("CI"):
        pytest.fail(f"{requirement} is missing")
    pytest.skip(f"{requirement} is missing")


@contextmanager
def browser() -> Iterator[Any]:
    """Start Debian's Chromium, or the one that WORLDLINE_CHROMIUM names."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        skip_without("playwright")
    path = os.environ.get("WORLDLINE_CHROMIUM") or shutil.which("chromium")
    if path is None:
        skip_without("chromium (apt-get install chromium)")
    try:
        built_page()
    except InputError as error:
        skip_without(str(error))
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield started
        finally:
            started.close()


class Tab:
    """A page in a browser; `problems` lists errors, dialogs and requests to other URLs."""

    def __init__(self, chromium: Any, url: str, *, width: int = 1280) -> None:
        self.url = url
        self.problems: list[str] = []
        self.page = chromium.new_page(viewport={"width": width, "height": 900})
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._request)
        self.go("")

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.problems.append(f"console: {message.text}")

    def _dialog(self, dialog: Any) -> None:
        self.problems.append(f"a script in the data was executed: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        url = request.url.split("#")[0]
        is_api = self.url.startswith("http://127.0.0.1:") and url.startswith(f"{self.url}api/")
        if url != self.url and not is_api and not url.startswith("data:"):
            self.problems.append(f"requested {url}")

    def go(self, route: str) -> None:
        """Open a route of the page: "#/run/0/samples"."""
        self.page.goto(f"{self.url}{route}")
        self.page.wait_for_selector("h1")

    @property
    def hash(self) -> str:
        """The current route."""
        return str(self.page.evaluate("location.hash"))

    def wait(self, expression: str, *, seconds: float = 15.0) -> None:
        """Wait until a JavaScript expression is true.

        Playwright's wait_for_function evaluates text in the page, which the page's policy forbids.
        """
        end = time.monotonic() + seconds
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, f"not true after {seconds} s: {expression}"
            self.page.wait_for_timeout(50)

    def step(self) -> int:
        """The selected step, from the slider."""
        return int(self.page.locator('input[type="range"]').input_value())

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that match a selector."""
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]

    def accessibility_violations(self) -> list[str]:
        """The serious violations that axe-core reports."""
        if not AXE.exists():
            skip_without("axe-core (scripts/build-viewer)")
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        violations = self.page.evaluate("window.axe.run()")["violations"]
        return [
            f"{rule['id']}: {rule['help']} ({rule['nodes'][0]['html'][:120]})"
            for rule in violations
            if rule["impact"] in ("serious", "critical")
        ]


# From runs to a tab with their page.
OpenPage = Callable[..., Tab]
