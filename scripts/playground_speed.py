"""Time from opening the playground to a diagnosis: `python -m scripts.playground_speed FOLDER`.

FOLDER contains the page that `scripts/build-playground` has built. Prints the elapsed time and the
processor time of all processes of the browser: cold (a new profile), reopened (the same profile,
from a shared link), and warm (the page is open and Python is ready). It needs Chromium and psutil.
"""

import functools
import http.server
import os
import statistics
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil  # type: ignore[import-untyped]

from tests.interfaces.playground.playground_tab import PlaygroundTab
from tests.interfaces.viewer.browsers import browser

REPEATS = 5

Times = dict[str, list[tuple[float, float]]]


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def measure(url: str, times: Times) -> None:
    """Add the elapsed time and the processor time of one visit of each kind."""
    with browser() as chromium:
        with _timed(times, "cold"):
            tab = PlaygroundTab(chromium, url)
            tab.diagnose()
        tab.wait_until("ready")
        with _timed(times, "warm"):
            tab.diagnose()
        tab.wait_until("ready")
        with _timed(times, "reopened"):
            tab.page.reload()
            tab.page.wait_for_selector(".result .summary", timeout=180_000)


@contextmanager
def _timed(times: Times, name: str) -> Iterator[None]:
    start, before = time.perf_counter(), _processor_seconds()
    yield
    times.setdefault(name, []).append((time.perf_counter() - start, _processor_seconds() - before))


def _processor_seconds() -> float:
    """Of all processes that this one has started and that are alive."""
    total = 0.0
    for process in psutil.Process().children(recursive=True):
        try:
            used = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += used.user + used.system
    return total


def main() -> None:
    """Measure several visits and print the medians."""
    handler = functools.partial(_QuietHandler, directory=sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    times: Times = {}
    for _ in range(REPEATS):
        measure(f"http://127.0.0.1:{server.server_address[1]}/", times)
    print(f"{REPEATS} visits, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    for name, pairs in times.items():
        elapsed, used = (sorted(column) for column in zip(*pairs, strict=True))
        print(
            f"{name:9} {statistics.median(elapsed):6.1f} s ({elapsed[0]:.1f} to {elapsed[-1]:.1f}),"
            f" processor {statistics.median(used):.1f} s ({used[0]:.1f} to {used[-1]:.1f})"
        )


if __name__ == "__main__":
    main()
