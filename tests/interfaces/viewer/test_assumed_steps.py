"""Steps with assumed calls: their field in the sample's document, and their colour on the page."""

import asyncio
from dataclasses import replace

import pytest

from tests.interfaces.viewer.browsers import OpenPage
from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.interfaces.viewer.test_sample_page import open_sample
from tests.support.predictions import predict, text_of
from worldline.core.trace import Program, Trace
from worldline.evaluation.runs import execute_and_diagnose
from worldline.interfaces.viewer import build_sample_document
from worldline.languages.python.recorder import PythonRecorder, StoredTraceRecorder
from worldline.models.engines import ScriptedEngine
from worldline.models.hybrid import execute_hybrid

PROGRAM = Program("import m\ndef f(n):\n    x = m.load(n)\n    y = x + 1\n    return y\n", "f(3)")


@pytest.fixture(scope="session")
def assumed_trace(recorder: PythonRecorder) -> Trace:
    engine = ScriptedEngine(lambda prompt: "41\n>>>")
    return asyncio.run(execute_hybrid(PROGRAM, ("m",), engine, recorder)).trace


@pytest.fixture(scope="session")
def assumed_run(assumed_trace: Trace, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run with one correct prediction of a hybrid execution."""
    prediction = replace(predict(PROGRAM, text_of(assumed_trace)), id="assumed")
    folder = tmp_path_factory.mktemp("assumed") / "run"
    stored = StoredTraceRecorder([assumed_trace])
    return make_recorded_run(folder, [prediction], stored)


def test_document_names_the_calls(assumed_trace: Trace) -> None:
    prediction = predict(PROGRAM, text_of(assumed_trace))
    sample = execute_and_diagnose(prediction, StoredTraceRecorder([assumed_trace]))
    document = build_sample_document(sample, verdict="correct")
    steps = document["actual"]["steps"]
    assert {n: step["assumed"] for n, step in enumerate(steps) if "assumed" in step} == {
        3: ["m.load(3) → 41"]
    }
    assert not any("assumed" in step for step in document["predicted"]["steps"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_has_a_colour_and_a_legend(open_page: OpenPage, assumed_run: str, scheme: str) -> None:
    tab = open_page(assumed_run)
    tab.page.emulate_media(color_scheme=scheme)
    open_sample(tab, "assumed")
    cells = tab.page.locator(".step-cell.assumed")
    assert cells.count() == 1
    assert "m.load(n)" in cells.first.inner_text()
    assert cells.first.locator(".assumed-mark").get_attribute("title") == "m.load(3) → 41"
    backs = [
        tab.page.locator(f"#step-{n} .step-cell").first.evaluate(
            "element => getComputedStyle(element).backgroundColor"
        )
        for n in (2, 3)
    ]
    assert backs[0] != backs[1]
    assert "a model provided its value" in tab.page.locator(".assumed-legend").inner_text()
    assert tab.accessibility_violations() == []


def test_page_without_assumed_calls_has_no_legend(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    open_sample(tab, "wrong_string")
    assert tab.page.locator(".assumed-legend").count() == 0
