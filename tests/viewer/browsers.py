"""A real browser without a window, that notes whatever a page should not have done."""

import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from worldline.errors import InputError
from worldline.viewer import built_page

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
AXE = Path(__file__).parents[2] / "viewer" / "node_modules" / "axe-core" / "axe.min.js"


def missing(what: str) -> None:
    """In CI everything must be there; elsewhere these tests are left out, and say why."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} is missing")
    pytest.skip(f"{what} is missing")


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium, as Debian has it."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright")
    path = os.environ.get("WORLDLINE_CHROMIUM") or shutil.which("chromium")
    if path is None:
        missing("chromium (apt-get install chromium)")
    try:
        built_page()
    except InputError as error:
        missing(str(error))
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield found
        finally:
            found.close()


class Tab:
    """A page at an address, and all that was wrong with it."""

    def __init__(self, chromium: Any, address: str, *, width: int = 1280) -> None:
        self.address = address
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
        self.problems.append(f"the data ran: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        asked, own = request.url.split("#")[0], self.address
        is_api = own.startswith("http://127.0.0.1:") and asked.startswith(f"{own}api/")
        if asked != own and not is_api and not asked.startswith("data:"):
            self.problems.append(f"asked for {asked}")

    def go(self, place: str) -> None:
        """To a place in the page: "#/run/0/samples"."""
        self.page.goto(f"{self.address}{place}")
        self.page.wait_for_selector("h1")

    @property
    def hash(self) -> str:
        """The place in the page."""
        return str(self.page.evaluate("location.hash"))

    def wait(self, expression: str, *, seconds: float = 15.0) -> None:
        """Until something holds in the page. (Playwright's own way would have the page evaluate
        text, which its policy does not allow.)"""
        end = time.monotonic() + seconds
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, f"not so in {seconds} s: {expression}"
            self.page.wait_for_timeout(50)

    def step(self) -> int:
        """Where the slider stands."""
        return int(self.page.locator('input[type="range"]').input_value())

    def texts(self, selector: str) -> list[str]:
        """What stands in all elements of a kind."""
        return [text.strip() for text in self.page.locator(selector).all_inner_texts()]

    def hard_to_use(self) -> list[str]:
        """The serious findings of axe-core."""
        if not AXE.exists():
            missing("axe-core (scripts/build-viewer)")
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("window.axe.run()")["violations"]
        return [
            f"{each['id']}: {each['help']} ({each['nodes'][0]['html'][:120]})"
            for each in found
            if each["impact"] in ("serious", "critical")
        ]


# Runs in, the page of them out.
Opened = Callable[..., Tab]
