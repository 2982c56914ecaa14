"""A tab with the playground: fills the form, waits for Python, reads the diagnosis."""

import json
import time
from typing import Any

# Seconds that a busy machine may take to start Python, or to diagnose a prediction.
PATIENCE = 90


class PlaygroundTab:
    """The page in a browser; `problems` lists errors, dialogs and requests to other hosts."""

    def __init__(self, chromium: Any, url: str, *, width: int = 1280, fragment: str = "") -> None:
        self.url = url
        self.problems: list[str] = []
        self.requests: list[str] = []
        self.context = chromium.new_context(viewport={"width": width, "height": 900})
        self.page = self.context.new_page()
        self.page.on("console", self._console)
        self.page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        self.page.on("dialog", self._dialog)
        self.page.on("request", self._request)
        self.page.goto(f"{url}{fragment}")
        self.page.wait_for_selector("h1")

    def __enter__(self) -> "PlaygroundTab":
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()

    def _console(self, message: Any) -> None:
        if message.type == "error":
            self.problems.append(f"console: {message.text}")

    def _dialog(self, dialog: Any) -> None:
        self.problems.append(f"a script in the data was executed: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        self.requests.append(request.url)
        if not request.url.startswith((self.url, "data:", "blob:")):
            self.problems.append(f"requested {request.url}")

    def wait_until(self, status: str, *, seconds: float = PATIENCE) -> None:
        """Wait for a status of Python: "ready" or "running"."""
        self.page.wait_for_selector(f'.status[data-status="{status}"]', timeout=seconds * 1000)

    def fill(self, *, code: str, call: str, output: str, codec: str) -> None:
        """Fill the form."""
        self.page.fill('textarea[name="code"]', code)
        self.page.fill('input[name="call"]', call)
        self.page.fill('textarea[name="output"]', output)
        self.page.select_option('select[name="codec"]', codec)

    def diagnose(self) -> float:
        """Press Diagnose and wait for the new result; returns the seconds."""
        self.page.evaluate("document.querySelector('.result')?.setAttribute('data-old', '')")
        start = time.perf_counter()
        self.page.get_by_role("button", name="Diagnose").click()
        self.page.wait_for_selector(".result:not([data-old])", timeout=PATIENCE * 1000)
        return time.perf_counter() - start

    def summary(self) -> str:
        """The diagnosis in one line."""
        return str(self.page.locator(".result .summary").inner_text())

    def ask_python(self, row: dict[str, Any]) -> dict[str, Any]:
        """Diagnose a row as the page does, without its form; returns the machine's answer."""
        script = """([row]) => new Promise((resolve) => {
          const frame = document.querySelector("#python");
          addEventListener("message", function listen({ source, data }) {
            if (source !== frame.contentWindow || !["answer", "failed"].includes(data.kind)) return;
            removeEventListener("message", listen);
            resolve(data.text ?? JSON.stringify({ error: data.message }));
          });
          const request = JSON.stringify({ kind: "diagnose", row });
          frame.contentWindow.postMessage({ kind: "ask", request }, "*");
        })"""
        answer: dict[str, Any] = json.loads(self.page.evaluate(script, [row]))
        return answer
