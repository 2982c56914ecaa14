"""Pictures of the documentation and the animated picture of the README, from the real page.

Used by `scripts/build-gallery --pictures`; needs Chromium. The pictures of a report alone, also of
one that another version wrote: `python -m scripts.page_pictures REPORT FOLDER PREFIX`.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.animated_png import animate
from tests.interfaces.viewer.browsers import browser

# The report that the animated picture shows, and the comparison at its end.
_RUN, _COMPARISON = "qwen2.5-coder-1.5b", "qwen2.5-coder-1.5b-comparison"
_MARGIN = 16
_TOUR_SIZE = {"width": 1080, "height": 680}
_SEARCHED = "strip"
# The pictures of one report: width, largest height and page. In sample_4 only spaces differ.
_VIEWS = {
    "overview": (1280, 900, ""),
    "sample": (1280, 1260, "#/run/0/sample/sample_150"),
    "sample-narrow": (390, 900, "#/run/0/sample/sample_4"),
}
# Where a picture can end: below one of these parts of a page, and not within another one.
_PARTS = (
    ".tiles, .jump-links, .cards, .panel, .divergence, .results, .reason, .facts-box, .timeline"
)
# The caption and the pointer are drawn over the page; it has neither itself.
_DRAW = """
([caption, place]) => {
  document.querySelectorAll(".tour").forEach((element) => element.remove());
  const draw = (style, html) => {
    const element = document.createElement("div");
    element.className = "tour";
    element.style.cssText = "position:fixed;z-index:99;" + style;
    element.innerHTML = html;
    document.body.append(element);
  };
  draw("left:50%;bottom:18px;transform:translateX(-50%);padding:9px 20px;border-radius:9px;" +
    "font:600 17px system-ui,sans-serif;color:#fff;background:#1e1b4bee;white-space:nowrap",
    caption);
  if (place) draw(`left:${place[0]}px;top:${place[1]}px;pointer-events:none`,
    '<svg width="26" height="26" viewBox="0 0 24 24"><path d="M5 3l14 8-6 2-3 6z" ' +
    'fill="#111" stroke="#fff" stroke-width="1.5"/></svg>');
}
"""


def take_pictures(routes: Mapping[str, str], reports: Path, pictures: Path) -> None:
    """Take a picture of each report, and the animated picture if its reports are there.

    Args:
        routes: The page to show of each report, by its name.
        reports: The folder of the reports.
        pictures: The folder to write to.
    """
    with browser() as chromium:
        for name, route in routes.items():
            page = chromium.new_page(viewport={"width": 1280, "height": 1000})
            open_report(page, reports / f"{name}.html", route)
            _take_top(page, pictures / f"gallery-{name}.png")
            page.close()
            print(f"gallery-{name}.png", flush=True)
        if _RUN in routes:
            tour = _Tour(chromium.new_page(viewport=_TOUR_SIZE))
            data = animate(tour.record(reports, has_comparison=_COMPARISON in routes))
            (pictures / "tour.png").write_bytes(data)
            print(f"tour.png: {len(data) / 1e6:.2f} MB", flush=True)


def take_views(report: Path, pictures: Path, *, prefix: str = "") -> None:
    """Take the pictures of a report of CWM-32B's failures.

    Args:
        report: The report.
        pictures: The folder to write to.
        prefix: The start of the name of each picture.
    """
    with browser() as chromium:
        for name, (width, height, route) in _VIEWS.items():
            page = chromium.new_page(viewport={"width": width, "height": height})
            open_report(page, report, route)
            _take_top(page, pictures / f"{prefix}{name}.png")
            page.close()
            print(f"{prefix}{name}.png", flush=True)


def open_report(page: Any, report: Path, route: str) -> None:
    """Open a page of a report."""
    page.goto(f"{report.as_uri()}{route}")
    page.wait_for_selector("main h1, main h2")


def _take_top(page: Any, picture: Path) -> None:
    """Take a picture of the top of a page that ends between two of its parts."""
    width, height = page.viewport_size["width"], page.viewport_size["height"]
    boxes = page.locator(_PARTS).evaluate_all(
        "(parts) => parts.map((part) => part.getBoundingClientRect())"
        ".map(({ top, bottom }) => [top, bottom])"
    )
    ends = [bottom for _, bottom in boxes if bottom + _MARGIN <= height]
    whole = [end for end in ends if not any(top < end < bottom for top, bottom in boxes)]
    end = max(whole, default=height - _MARGIN) + _MARGIN
    page.screenshot(path=picture, clip={"x": 0, "y": 0, "width": width, "height": end})


class _Tour:
    """The frames of the animated picture: what a reader does first with a report."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._frames: list[tuple[bytes, int]] = []

    def record(self, reports: Path, *, has_comparison: bool) -> list[tuple[bytes, int]]:
        """Go through the pages, and return the frames with their milliseconds."""
        page = self._page
        open_report(page, reports / f"{_RUN}.html", "")
        self._show("A run at a glance: how often it fails, where and why", 3200)
        card = page.locator(".card a").first
        card.scroll_into_view_if_needed()
        self._show("A typical failure", 1400, self._place(card))
        card.click()
        page.wait_for_selector(".step-rows")
        self._show("The first step that differs from the actual execution", 3800)
        page.goto(f"{page.url.split('#')[0]}#/run/0/samples")
        page.wait_for_selector(".rows tbody th a")
        box = page.locator('input[type="search"]')
        self._show("All samples", 1600, self._place(box))
        for length in range(1, len(_SEARCHED) + 1):
            box.fill(_SEARCHED[:length])
            if length in (2, 4):
                page.wait_for_timeout(700)
                self._show("Search programs, values and replies", 350, self._place(box))
        page.wait_for_timeout(1200)
        self._show("Search programs, values and replies", 2400, self._place(box))
        if has_comparison:
            open_report(page, reports / f"{_COMPARISON}.html", "#/compare")
            self._show("Two runs, sample by sample", 3600)
        return self._frames

    def _place(self, element: Any) -> tuple[float, float]:
        box = element.bounding_box()
        return box["x"] + min(box["width"], 120) / 2, box["y"] + box["height"] / 2

    def _show(
        self, caption: str, milliseconds: int, place: tuple[float, float] | None = None
    ) -> None:
        self._page.evaluate(_DRAW, [caption, place])
        self._frames.append((self._page.screenshot(), milliseconds))


if __name__ == "__main__":
    take_views(Path(sys.argv[1]), Path(sys.argv[2]), prefix=sys.argv[3])
