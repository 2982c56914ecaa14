"""The workbench of VS Code, used as a person would: keys, clicks, and what is on the screen."""

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")
# Milliseconds; a busy machine takes long to start VS Code.
PATIENCE = 120_000
_DECORATIONS = """
() => [...document.querySelectorAll('.view-lines .view-line')].flatMap((line) =>
  [...line.querySelectorAll('span')].map((each) => getComputedStyle(each, '::after').content)
    .filter((text) => text && text !== 'none' && text !== 'normal')
    .map((text) => text.replace(/^"|"$/g, '').replaceAll('\\u00a0', ' ')))
"""

_ROW_TEXTS = """
() => [...document.querySelectorAll('[aria-label="Worldline Runs"] .monaco-list-row')].map(
  (row) => [...row.querySelectorAll('.label-name, .label-description')]
    .map((each) => each.innerText.trim()).filter(Boolean).join(' '))
"""


class Workbench:
    """A window of VS Code."""

    def __init__(self, page: Any, address: str, folder: Path) -> None:
        self.page = page
        page.goto(f"{address}?folder={folder}", timeout=PATIENCE, wait_until="commit")
        page.wait_for_selector(".monaco-workbench .part.editor", timeout=PATIENCE)

    def open_file(self, name: str) -> None:
        """Open a file of the folder."""
        row = self.page.locator(f'.explorer-folders-view .monaco-list-row:has-text("{name}")')
        row.first.dblclick(timeout=PATIENCE)
        self.page.wait_for_selector(f'.tab[data-resource-name="{name}"]', timeout=PATIENCE)
        self.page.wait_for_selector(".monaco-editor .view-line", timeout=PATIENCE)

    def click_lens(self, title: str) -> None:
        """Click on a title above the first function."""
        self.page.locator(f'.codelens-decoration a:text-is("{title}")').first.click(
            timeout=PATIENCE
        )

    def accept_input(self) -> str:
        """Accept what an input box proposes."""
        box = self.page.locator(".quick-input-widget input.input")
        box.wait_for(timeout=PATIENCE)
        proposed: str = self.wait(lambda: box.input_value())
        self.page.keyboard.press("Enter")
        return proposed

    def start_debugging(self) -> None:
        """Press F5, again while the extension is not active yet and nothing starts."""
        button = self.page.locator(".action-label.codicon-debug-step-back:visible")
        for second in range(PATIENCE // 1000):
            if button.count():
                break
            if second % 10 == 0:
                self.page.keyboard.press("F5")
            self.page.wait_for_timeout(1_000)
        self.wait_for_stop()

    def wait_for_stop(self) -> None:
        """Wait until the debugger has stopped."""
        self.page.wait_for_selector(
            ".action-label.codicon-debug-step-back:visible", timeout=PATIENCE
        )
        # The view of the debugger.
        self.page.keyboard.press("Control+Shift+D")
        # With two executions, the frames of each are folded.
        self.wait(self.call_stack)

    def press(self, icon: str) -> None:
        """Press a button of the debugger: `step-over`, `step-into`, `step-back`, `continue`."""
        self.page.locator(f".action-label.codicon-debug-{icon}:visible").first.click()

    def point_at(self, icon: str) -> None:
        """Move the pointer to a button of the debugger."""
        self.page.locator(f".action-label.codicon-debug-{icon}:visible").first.hover()

    def fold(self, pane: str) -> None:
        """Fold a part of the side bar: `Watch`."""
        if self.page.locator(f'.pane-header.expanded:has-text("{pane}")').count():
            self.page.locator(f'.pane-header:has-text("{pane}") h3').first.click()

    def call_stack(self) -> list[str]:
        """The rows of the call stack on the screen, threads and frames."""
        rows = self.page.locator(".debug-call-stack .monaco-list-row")
        return [_one_line(text) for text in rows.all_inner_texts()]

    def frames(self) -> list[str]:
        """The call stack on the screen: "total loop.py 2:1"."""
        rows = self.page.locator(".debug-call-stack .stack-frame")
        return [_one_line(text) for text in rows.all_inner_texts()]

    def variables(self) -> list[str]:
        """The variables on the screen: "result =0"."""
        rows = self.page.locator(".debug-variables .monaco-list-row")
        return [_one_line(text) for text in rows.all_inner_texts()]

    def line_values(self) -> list[str]:
        """The texts at the ends of lines."""
        texts: list[str] = self.page.evaluate(_DECORATIONS)
        return texts

    def marked_values(self) -> list[str]:
        """The texts at the ends of the lines whose predicted value differs."""
        return [text for text in self.line_values() if text.startswith("predicted ")]

    def runs(self) -> list[str]:
        """The rows of the view of runs: "copy error 2"."""
        names: list[str] = self.page.evaluate(_ROW_TEXTS)
        return names

    def open_run(self, row: str) -> None:
        """Click on a row of the view of runs."""
        headers = self.page.locator(".pane-header")
        runs = headers.filter(has_text="Worldline Runs").first
        if runs.get_attribute("aria-expanded", timeout=PATIENCE) == "false":
            runs.click()
        # Without a session, the view above has nothing but a button.
        for other in headers.all():
            is_welcome = other.inner_text().strip() == "Run"
            if is_welcome and other.get_attribute("aria-expanded") == "true":
                other.click()
        rows = self.page.locator('[aria-label="Worldline Runs"] .monaco-list-row')
        self.wait(lambda: row in self.runs())
        rows.nth(self.runs().index(row)).click()

    def set_breakpoint(self, line: int) -> None:
        """Set a breakpoint on a line with a click next to its number."""
        number = self.page.locator(f'.margin-view-overlays .line-numbers:text-is("{line}")')
        box = number.first.bounding_box()
        self.page.mouse.click(box["x"] - 8, box["y"] + box["height"] / 2)
        self.page.wait_for_selector(".codicon-debug-breakpoint", timeout=PATIENCE)

    def picture(self, path: Path) -> None:
        """Take a picture of the window."""
        self.page.screenshot(path=path)

    def wait(self, read: Callable[[], Result], *, seconds: float = 60) -> Result:
        """Wait until a value is true or not empty."""
        limit = time.monotonic() + seconds
        while True:
            value = read()
            if value:
                return value
            assert time.monotonic() < limit, (self.frames(), self.variables(), self.line_values())
            time.sleep(0.2)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text.replace("\u00a0", " ")).strip()
