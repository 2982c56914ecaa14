"""The project page in Chromium: served, and as the file of a leaderboard."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.viewer.browsers import Tab
from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.interfaces.viewer.test_project_server import predictions
from worldline.interfaces.api.comparing import write_leaderboard
from worldline.interfaces.viewer import ProjectServer
from worldline.languages.python.recorder import PythonRecorder

HOSTILE = "<img src=x onerror=alert(1)>"
OpenTab = Callable[..., Tab]


@pytest.fixture(scope="module")
def folder(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three checkpoints and a run whose name looks like markup."""
    folder = tmp_path_factory.mktemp("project")
    for name, wrong in (("checkpoint-100", 5), ("checkpoint-200", 3), ("checkpoint-1000", 1)):
        make_recorded_run(folder / name, predictions(wrong, recorder), recorder)
    make_recorded_run(folder / HOSTILE, predictions(6, recorder), recorder)
    return folder


@pytest.fixture(scope="module")
def server(
    folder: Path, recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ProjectServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORLDLINE_CACHE", str(tmp_path_factory.mktemp("cache")))
        with ProjectServer(str(folder), recorder) as started:
            yield started


@pytest.fixture
def open_tab(chromium: Any) -> Iterator[OpenTab]:
    """A function that opens a URL; at the end, no page may have had a problem."""
    tabs: list[Tab] = []

    def open_url(url: str, *, width: int = 1280) -> Tab:
        tabs.append(Tab(chromium, url, width=width))
        return tabs[-1]

    yield open_url
    for tab in tabs:
        assert tab.problems == []
        tab.page.close()


def names(tab: Tab) -> list[str]:
    return tab.texts(".runs-table tbody th")


def test_runs_are_listed_filtered_and_sorted(server: ProjectServer, open_tab: OpenTab) -> None:
    tab = open_tab(server.url)
    tab.page.wait_for_selector(".runs-table tbody a[href^='compare/']")
    assert names(tab) == [HOSTILE, "checkpoint-100", "checkpoint-200", "checkpoint-1000"]
    assert tab.accessibility_violations() == []
    tab.page.locator("button.sort", has_text="Correct of answered").click()
    assert names(tab) == ["checkpoint-1000", "checkpoint-200", "checkpoint-100", HOSTILE]
    assert "sort=answered" in tab.hash
    tab.page.locator('input[type="search"]').fill("check")
    tab.wait("document.querySelectorAll('.runs-table tbody tr').length === 3")
    assert "3 of 4 runs" in tab.texts('[role="status"]')
    tab.page.reload()
    tab.page.wait_for_selector(".runs-table tbody tr")
    assert names(tab) == ["checkpoint-1000", "checkpoint-200", "checkpoint-100"]


def test_the_page_says_what_is_compared(
    recorder: PythonRecorder, tmp_path: Path, open_tab: OpenTab
) -> None:
    all_predictions = predictions(3, recorder)
    others = [replace(each, id=f"other {each.id}") for each in all_predictions]
    for name, chosen in (
        ("all", all_predictions),
        ("better", predictions(1, recorder)),
        ("other", others),
        ("part", all_predictions[:4]),
    ):
        make_recorded_run(tmp_path / "runs" / name, chosen, recorder)
    with ProjectServer(str(tmp_path / "runs"), recorder) as server:
        tab = open_tab(server.url)
        tab.page.wait_for_selector(".runs-table tbody a[href^='compare/']")
        title = tab.page.locator("h1")
        assert title.inner_text() == "runs"
        assert title.get_attribute("title") == str(tmp_path / "runs")
        chart = tab.page.locator(".run-chart li:not(.run-chart-axis)")
        assert chart.count() == 4
        assert chart.first.inner_text().split() == ["better", "83.3%"]
        rows = {
            row.locator("th").inner_text(): row
            for row in tab.page.locator(".runs-table tbody tr").all()
        }
        assert "Same verdicts on all 4 shared samples" in rows["part"].inner_text()
        assert "Same verdicts" not in rows["better"].inner_text()
        assert "no sample was answered" in rows["other"].locator("td[title^=Not]").inner_text()
        # The run without shared samples is not counted.
        text = tab.page.inner_text("main")
        assert "adjusted for 2 comparisons" in text
        assert "the interval is not" in text
        # Columns without a value are left out, and the best two runs are chosen.
        headings = tab.texts(".runs-table thead th")
        assert "Step" not in headings
        assert "Infra errors" not in headings
        values = [menu.input_value() for menu in tab.page.locator(".compared-runs select").all()]
        assert values[1] == "better"
        assert values[0] in rows
        assert tab.accessibility_violations() == []


def test_the_baseline_changes_the_differences(server: ProjectServer, open_tab: OpenTab) -> None:
    tab = open_tab(server.url)
    tab.go("#baseline=checkpoint-200")
    tab.page.wait_for_selector(".runs-table tbody a[href^='compare/checkpoint-200/']")
    rows = tab.page.locator(".runs-table tbody tr")
    row = rows.filter(has=tab.page.locator("text='checkpoint-100'")).inner_text()
    # Five wrong of six, against three.
    assert "−33.3" in row
    assert "Baseline" in tab.page.locator("tr.baseline").inner_text()


def test_the_trend_has_a_chart_and_numbers(server: ProjectServer, open_tab: OpenTab) -> None:
    tab = open_tab(server.url)
    tab.page.wait_for_selector("svg[aria-label^='Share of correct samples by step']")
    tab.page.locator("summary", has_text="Numbers").click()
    steps = tab.texts('[aria-label="Numbers of the trend"] tbody td:first-child')
    assert steps == ["100", "200", "1,000"]
    assert tab.accessibility_violations() == []


def test_operations_between_two_runs(server: ProjectServer, open_tab: OpenTab) -> None:
    tab = open_tab(server.url)
    tab.go("#a=checkpoint-1000&b=checkpoint-100")
    tab.page.wait_for_selector('[aria-label="Worse in B"]')
    assert tab.texts('[aria-label="Worse in B"] tbody th') == ["int +"]
    cells = tab.texts('[aria-label="Worse in B"] tbody td')
    assert cells[:3] == ["83.3% of 6", "16.7% of 6", "−66.7"]
    assert tab.accessibility_violations() == []


def test_runs_and_comparisons_open(server: ProjectServer, open_tab: OpenTab) -> None:
    project = open_tab(server.url)
    project.page.wait_for_selector(".runs-table tbody a[href^='compare/']")
    base = f"{server.url}compare/checkpoint-100/checkpoint-1000/"
    comparison = open_tab(base)
    comparison.go("#/compare")
    assert "Gained: 4" in comparison.page.inner_text("main")
    home = comparison.page.locator("header a", has_text="All runs")
    assert home.evaluate("link => link.href") == server.url
    link = project.page.locator(".runs-table tbody th a").first
    url = link.evaluate("link => link.href")
    run = open_tab(url)
    assert HOSTILE in run.page.inner_text("h1")


@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_fits_its_width(server: ProjectServer, open_tab: OpenTab, width: int) -> None:
    tab = open_tab(server.url, width=width)
    tab.page.wait_for_selector("svg[aria-label^='Share of correct samples by step']")
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_leaderboard_is_one_file(folder: Path, open_tab: OpenTab, tmp_path: Path) -> None:
    runs = [folder / name for name in ("checkpoint-100", "checkpoint-200", HOSTILE)]
    path = write_leaderboard(runs, tmp_path / "board.html", baseline=runs[1])
    tab = open_tab(path.as_uri())
    tab.page.wait_for_selector(".runs-table tbody tr.baseline")
    assert len(names(tab)) == 3
    assert tab.page.locator("tr.baseline th").inner_text() == str(runs[1])
    assert "−33.3" in tab.page.inner_text(".runs-table")
    # Runs cannot be opened from a file.
    assert tab.page.locator(".runs-table a").count() == 0
    assert tab.accessibility_violations() == []
