"""The playground in headless Chromium, from a local server that logs its requests."""

import functools
import http.server
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from scripts.playground import build_playground
from tests.interfaces.playground.playground_tab import PlaygroundTab
from tests.interfaces.viewer.browsers import browser, skip_without
from worldline.core.errors import InputError

OpenPlayground = Callable[..., PlaygroundTab]


@pytest.fixture(scope="session")
def playground_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built page; WORLDLINE_PLAYGROUND names a folder that is already built."""
    built = os.environ.get("WORLDLINE_PLAYGROUND")
    if built:
        return Path(built)
    folder = tmp_path_factory.mktemp("site") / "playground"
    try:
        build_playground(folder)
    except InputError as error:
        skip_without(str(error))
    return folder


@pytest.fixture(scope="session")
def playground_url(playground_folder: Path) -> Iterator[str]:
    handler = functools.partial(_QuietHandler, directory=str(playground_folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture(scope="module")
def shared_tab(chromium: Any, playground_url: str) -> Iterator[PlaygroundTab]:
    """One tab for the tests that do not depend on a fresh page."""
    with PlaygroundTab(chromium, playground_url) as tab:
        yield tab


@pytest.fixture
def tab(shared_tab: PlaygroundTab) -> Iterator[PlaygroundTab]:
    """The shared tab, online; a test must not leave a problem."""
    shared_tab.problems.clear()
    yield shared_tab
    assert shared_tab.problems == []
