"""Trust on the page: a column of the samples, the risk–coverage curve, and what lowers it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.cli.commands import run
from tests.interfaces.viewer.browsers import Tab
from tests.support.trust_runs import make_trust_run
from worldline.analysis.trust import TrustModel
from worldline.evaluation.runs import save_trust_model
from worldline.interfaces.api.run import Run
from worldline.interfaces.api.trusting import fit_trust


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A run to fit a trust model on, and one with forty other programs of sixty."""
    folder = tmp_path_factory.mktemp("trust")
    return make_trust_run(folder / "a", range(100)), make_trust_run(folder / "b", range(80, 140))


@pytest.fixture(scope="module")
def model(runs: tuple[Path, Path]) -> TrustModel:
    return fit_trust(runs[0], max_wrong=0.4)


@pytest.fixture
def tab(
    form: str, chromium: Any, runs: tuple[Path, Path], model: TrustModel, tmp_path: Path
) -> Iterator[Tab]:
    if form == "file":
        save_trust_model(model, tmp_path / "trust.json")
        file = Run(runs[1]).report(tmp_path / "report.html", trust=tmp_path / "trust.json")
        tab = Tab(chromium, file.as_uri())
        yield tab
    else:
        with Run(runs[1]).view(trust=model) as viewer:
            tab = Tab(chromium, viewer.url)
            yield tab
    assert tab.problems == []
    tab.page.close()


def test_the_overview_shows_risk_and_coverage(tab: Tab) -> None:
    panel = tab.page.locator(".panel", has_text="Trust: wrong results by share")
    text = panel.inner_text()
    assert "of 60 results are trusted" in text
    # Results of programs that the model was fitted on say nothing about its quality.
    assert "20 results left out" in text
    assert "of 40" in text
    assert "AUROC" in text
    assert panel.get_by_role("img").count() == 1
    chart = panel.locator("svg[role=img]")
    right = chart.bounding_box()["x"] + chart.bounding_box()["width"]
    for label in chart.locator("text").all():
        box = label.bounding_box()
        assert box["x"] + box["width"] <= right
    assert tab.accessibility_violations() == []


def test_every_result_has_its_trust(tab: Tab, model: TrustModel) -> None:
    tab.page.get_by_role("link", name="Samples").first.click()
    headings = tab.page.locator("thead th").all_inner_texts()
    column = next(number for number, text in enumerate(headings) if "Trust" in text)
    tab.page.get_by_role("row").filter(has_text="s103").first.wait_for()
    cells = {
        row.locator("th, td").first.inner_text(): row.locator("th, td").nth(column).inner_text()
        for row in tab.page.locator("tbody tr").filter(has_text="s10").all()
    }
    assert int(cells["s103"]) > int(cells["s104"])
    tab.page.get_by_role("link", name="s104").click()
    facts = tab.page.locator(".facts-box")
    facts.wait_for()
    assert "not trusted" in facts.inner_text()
    assert "lowered by:" in facts.inner_text()


def test_a_model_of_the_same_programs_has_no_measured_quality(
    runs: tuple[Path, Path], model: TrustModel, tmp_path: Path
) -> None:
    text = Run(runs[0]).report(tmp_path / "report.html", trust=model).read_text(encoding="utf-8")
    assert '"measured":null' in text.replace(" ", "")


def test_trust_is_shown_on_pages_only(runs: tuple[Path, Path], tmp_path: Path) -> None:
    refused = run("report", runs[0], "--trust", tmp_path / "trust.json")
    assert refused.exit_code == 2
    assert "give -o FILE.html" in refused.output
    refused = run("view", runs[0].parent.parent, "--trust", tmp_path / "trust.json")
    assert refused.exit_code == 2
    assert "--trust needs one run" in refused.output
