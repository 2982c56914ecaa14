"""Runs to view, their pages in a browser, and a minimal page without the application."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.viewer.browsers import OpenPage, Tab, browser
from tests.interfaces.viewer.small_runs import (
    make_intervened_run,
    make_recorded_run,
    make_scored_run,
)
from worldline.interfaces.demo import PREDICTIONS
from worldline.interfaces.viewer import ViewServer, write_report
from worldline.languages.python.recorder import PythonRecorder
from worldline.models.prediction import read_prediction_file
from worldline.models.tokenizers import BytesTokenizer

MINIMAL_PAGE = (
    "<!doctype html><html><head><!--worldline-csp--><!--worldline-data--></head>"
    "<body><script>document.title = 'minimal';</script></body></html>"
)


@pytest.fixture(scope="session")
def demo_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run with a sample for each outcome."""
    folder = tmp_path_factory.mktemp("viewer") / "demo"
    return make_recorded_run(folder, list(read_prediction_file(PREDICTIONS)), recorder)


@pytest.fixture(scope="session")
def intervened_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run of failures with interventions."""
    return make_intervened_run(tmp_path_factory.mktemp("intervened") / "run", recorder)


@pytest.fixture(scope="session")
def scored_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run with the negative log-likelihood of each step."""
    return make_scored_run(tmp_path_factory.mktemp("scored") / "run", recorder)


# Not for the session: Playwright keeps an event loop running in this thread until it is stopped,
# and tests of other modules that call asyncio.run would fail.
@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with browser() as started:
        yield started


@pytest.fixture(scope="session", params=["file", "served"])
def form(request: pytest.FixtureRequest) -> str:
    """Whether the page is a report file or served."""
    return str(request.param)


@pytest.fixture(scope="session")
def page_url(
    form: str, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., str]]:
    """A function from runs to the URL of their page."""
    servers: list[ViewServer] = []
    folder = tmp_path_factory.mktemp("pages")
    urls: dict[tuple[str, ...], str] = {}

    def url_of(*runs: str) -> str:
        if runs not in urls and form == "file":
            path = folder / f"{len(urls)}.html"
            write_report(runs, path, recorder, tokenizer=BytesTokenizer())
            urls[runs] = path.as_uri()
        elif runs not in urls:
            servers.append(ViewServer(runs, recorder, tokenizer=BytesTokenizer()))
            urls[runs] = servers[-1].url
        return urls[runs]

    yield url_of
    for server in servers:
        server.close()


@pytest.fixture
def open_page(chromium: Any, page_url: Callable[..., str]) -> Iterator[OpenPage]:
    """A function that opens the page of runs; at the end, no page may have had a problem."""
    tabs: list[Tab] = []

    def open_tab(*runs: str, width: int = 1280) -> Tab:
        tabs.append(Tab(chromium, page_url(*runs), width=width))
        return tabs[-1]

    yield open_tab
    for tab in tabs:
        assert tab.problems == []
        tab.page.close()


@pytest.fixture(scope="session")
def recorded_run(
    recorded_files: list[Path], recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """A run of the 182 recorded failures."""
    predictions = [
        prediction for file in recorded_files for prediction in read_prediction_file(file)
    ]
    return make_recorded_run(tmp_path_factory.mktemp("recorded") / "cwm32b", predictions, recorder)


@pytest.fixture
def minimal_page(monkeypatch: pytest.MonkeyPatch) -> str:
    """A replacement of the built page, for tests of what Python adds to it."""
    for module in ("html_shell", "http_server"):
        monkeypatch.setattr(
            f"worldline.interfaces.viewer.{module}.built_page", lambda: MINIMAL_PAGE
        )
    return MINIMAL_PAGE


def read_data(path: Path, name: str) -> str:
    """The JSON of a data script of a page."""
    text = path.read_text(encoding="utf-8")
    start = f'<script type="application/json" id="{name}">'
    return text.split(start)[1].split("</script>")[0]
