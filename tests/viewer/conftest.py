"""Runs to look at, their pages in a browser, and a page without an application."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.viewer.browsers import Opened, Tab, browser
from tests.viewer.small_runs import intervened, kept, scored
from worldline.demo import PREDICTIONS
from worldline.predict import read_recorded
from worldline.recorders import PythonRecorder
from worldline.tokens import BytesTokenizer
from worldline.viewer import ViewServer, write_report

BARE = (
    "<!doctype html><html><head><!--worldline-csp--><!--worldline-data--></head>"
    "<body><script>document.title = 'bare';</script></body></html>"
)


@pytest.fixture(scope="session")
def demo_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """One sample for each outcome."""
    folder = tmp_path_factory.mktemp("viewer") / "demo"
    return kept(folder, list(read_recorded(PREDICTIONS)), recorder)


@pytest.fixture(scope="session")
def intervened_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Failures that were asked again."""
    return intervened(tmp_path_factory.mktemp("intervened") / "run", recorder)


@pytest.fixture(scope="session")
def scored_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Samples with the surprise at each step."""
    return scored(tmp_path_factory.mktemp("scored") / "run", recorder)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    with browser() as found:
        yield found


@pytest.fixture(scope="session", params=["file", "served"])
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def addresses(
    form: str, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., str]]:
    """Runs in, the address of their page out."""
    servers: list[ViewServer] = []
    folder = tmp_path_factory.mktemp("pages")
    known: dict[tuple[str, ...], str] = {}

    def address(*runs: str) -> str:
        if runs not in known and form == "file":
            path = folder / f"{len(known)}.html"
            write_report(runs, path, recorder, tokenizer=BytesTokenizer())
            known[runs] = path.as_uri()
        elif runs not in known:
            servers.append(ViewServer(runs, recorder, tokenizer=BytesTokenizer()))
            known[runs] = servers[-1].url
        return known[runs]

    yield address
    for server in servers:
        server.close()


@pytest.fixture
def opened(chromium: Any, addresses: Callable[..., str]) -> Iterator[Opened]:
    """Opens the page of runs; at the end nothing may have been wrong with it."""
    tabs: list[Tab] = []

    def open_page(*runs: str, width: int = 1280) -> Tab:
        tabs.append(Tab(chromium, addresses(*runs), width=width))
        return tabs[-1]

    yield open_page
    for tab in tabs:
        assert tab.problems == []
        tab.page.close()


@pytest.fixture(scope="session")
def recorded_run(
    recorded_files: list[Path], recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> str:
    """The 182 recorded failures."""
    predictions = [each for file in recorded_files for each in read_recorded(file)]
    return kept(tmp_path_factory.mktemp("recorded") / "cwm32b", predictions, recorder)


@pytest.fixture
def bare_page(monkeypatch: pytest.MonkeyPatch) -> str:
    """Stands in for the built page where only what is put into it matters."""
    for module in ("page", "server"):
        monkeypatch.setattr(f"worldline.viewer.{module}.built_page", lambda: BARE)
    return BARE


def read_data(path: Path, name: str) -> str:
    """What stands in an element of data in a page."""
    text = path.read_text(encoding="utf-8")
    start = f'<script type="application/json" id="{name}">'
    return text.split(start)[1].split("</script>")[0]
