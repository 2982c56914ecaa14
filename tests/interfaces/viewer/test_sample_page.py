"""The page of one sample in Chromium: reason, structure of values, pictures, narrow windows."""

import base64
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from typing import Any

import pytest

from tests.interfaces.viewer.browsers import OpenPage, Tab
from tests.interfaces.viewer.small_runs import make_recorded_run
from tests.support.predictions import predict, replaced, text_of
from worldline.analysis.diagnosis import RULES, find_reason, label
from worldline.core.trace import Program
from worldline.evaluation.runs import read_scored_samples
from worldline.interfaces.viewer.diagnosed_run import DiagnosedRun
from worldline.languages.python.recorder import PythonRecorder

NESTED = (
    "def f(n):\n    d = {'a': [1, 2, 4], 'b': (n, 'x<b>y'), 'c': [[7, 8], {9: 10}]}\n    return d\n"
)
LONG = "def f(n):\n    xs = [[i, str(i)] for i in range(n)]\n    return len(xs)\n"


@pytest.fixture(scope="session")
def nested_run(recorder: PythonRecorder, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A run with a wrong item of a nested container, and with a long container."""
    nested, long = Program(NESTED, "f(5)"), Program(LONG, "f(40)")
    edits = {
        "nested": (nested, replaced("[1, 2, 4], 'b': (5,", "[1, 2, 3], 'b': (6,", times=2)),
        "long": (long, replaced('<|arg_sep|>"40"', '<|arg_sep|>"41"')),
    }
    predictions = [
        replace(predict(program, edit(text_of(recorder.record(program)))), id=name)
        for name, (program, edit) in edits.items()
    ]
    return make_recorded_run(tmp_path_factory.mktemp("nested") / "run", predictions, recorder)


def open_sample(tab: Tab, name: str, parameters: str = "") -> None:
    tab.go(f"#/run/0/sample/{name}{parameters}")
    tab.page.wait_for_selector(".step-rows")


def test_the_reason_of_the_cause_is_shown(
    open_page: OpenPage, demo_run: str, recorder: PythonRecorder
) -> None:
    tab = open_page(demo_run)
    run = DiagnosedRun(demo_run, recorder)
    row = next(r for r in read_scored_samples(demo_run) if r.outcome == "diverged" and r.cause)
    diagnosis = run.diagnose(row.sample).diagnosis
    assert diagnosis.cause is not None
    reason = find_reason(diagnosis.facts, diagnosis.cause)
    open_sample(tab, row.sample)
    tab.page.locator(".reason summary").click()
    text = tab.page.inner_text(".reason")
    assert label(diagnosis.cause.name) in text
    assert "The rules are tried in a fixed order." in text
    assert f"Rule {reason.rule} of {len(RULES)} is the first that matches: " in text
    assert reason.facts
    for fact in reason.facts:
        assert fact[1:] in text
    for name in reason.also_matching:
        assert label(name) in text
    assert "no intervention has confirmed or refuted it" in text
    assert tab.accessibility_violations() == []


def test_the_reason_says_what_confirmed_the_cause(
    open_page: OpenPage, intervened_run: str, recorder: PythonRecorder
) -> None:
    tab = open_page(intervened_run)
    run = DiagnosedRun(intervened_run, recorder)
    name = next(
        n for n in run.names if (run.document(n)["reason"] or {}).get("status") == "confirmed"
    )
    document = run.document(name)
    tested_by = document["reason"]["tested_by"]
    (result,) = [a["result"] for a in document["attempts"] if a["intervention"] == tested_by]
    open_sample(tab, name)
    text = tab.page.inner_text(".reason")
    assert f'Confirmed by "{label(tested_by)}"' in text
    assert result in text


def test_a_correct_sample_has_no_reason(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    row = next(r for r in read_scored_samples(demo_run) if r.outcome == "correct")
    open_sample(tab, row.sample)
    assert tab.page.locator(".reason").count() == 0


def test_differences_of_containers_are_named_by_their_paths(
    open_page: OpenPage, nested_run: str
) -> None:
    tab = open_page(nested_run)
    open_sample(tab, "nested")
    assert tab.texts(".paths li") == [
        "key 'a' → index 2: 3 instead of 4",
        "key 'b' → index 0: 6 instead of 5",
    ]
    tab.page.get_by_role("button", name="By structure").click()
    tab.wait("location.hash.includes('view=structure')")
    tree = tab.page.locator(".divergence > .tree")
    assert tree.locator("del bdi").all_inner_texts() == ["3", "6"]
    assert tree.locator("ins bdi").all_inner_texts() == ["4", "5"]
    # The item that is equal is folded, and opens by keyboard.
    equal = tree.locator("li.same summary").last
    assert "list, 2 items" in equal.inner_text()
    assert tree.locator("li.same ul").count() == 0
    equal.focus()
    tab.page.keyboard.press("Enter")
    tab.wait("document.querySelector('.divergence .tree li.same details[open]') !== null")
    assert tab.accessibility_violations() == []
    tab.page.reload()
    tab.page.wait_for_selector(".divergence > .tree")


def test_a_long_container_is_shown_as_a_tree_on_request(
    open_page: OpenPage, nested_run: str
) -> None:
    tab = open_page(nested_run)
    open_sample(tab, "long")
    cell = tab.page.locator(".state-panel tbody tr", has_text="xs").locator("td").nth(1)
    cell.get_by_role("button", name=re.compile("Show all")).click()
    tree = cell.locator(".tree").first
    assert "list, 40 items" in tree.locator("summary").first.inner_text()
    assert "39:" in tree.inner_text()
    assert tab.accessibility_violations() == []
    cell.get_by_role("button", name="As text").click()
    assert cell.inner_text().startswith("[[0, '0'], [1, '1']")
    cell.get_by_role("button", name="Show less").click()
    assert cell.locator(".tree").count() == 0


def test_a_string_has_no_structure(open_page: OpenPage, demo_run: str) -> None:
    tab = open_page(demo_run)
    row = next(
        r for r in read_scored_samples(demo_run) if r.differs_in == "state" and r.kind == "str"
    )
    open_sample(tab, row.sample, "?view=structure")
    assert tab.page.get_by_role("button", name="By structure").count() == 0
    assert tab.texts(".divergence .token")


def test_a_sample_is_copied_as_svg(open_page: OpenPage, nested_run: str) -> None:
    tab = open_page(nested_run)
    open_sample(tab, "nested")
    tab.page.locator(".copy-menu summary").click()
    tab.page.get_by_role("button", name="Copy as SVG").click()
    tab.wait("document.querySelector('.copy-menu [role=status]:not(:empty)') !== null")
    tab.page.evaluate("document.body.appendChild(document.createElement('textarea')).focus()")
    tab.page.keyboard.press("Control+v")
    svg = tab.page.locator("textarea").input_value()
    root = ElementTree.fromstring(svg)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    texts = "".join(root.itertext())
    assert "Divergence at step" in texts
    assert "'x<b>y'" in texts
    assert "Made with Worldline" in texts
    # The text of a value is no element.
    assert {element.tag.split("}")[1] for element in root.iter()} == {
        "svg", "title", "rect", "text", "tspan",
    }  # fmt: skip


def test_a_sample_is_copied_as_png(open_page: OpenPage, nested_run: str) -> None:
    tab = open_page(nested_run)
    open_sample(tab, "nested")
    # Keep what is copied or saved.
    tab.page.evaluate(
        """() => {
          navigator.clipboard.write = async ([item]) => {
            const blob = await item.getType("image/png");
            const bytes = new Uint8Array(await blob.arrayBuffer());
            window.copied = btoa(String.fromCharCode(...bytes.slice(0, 24)));
          };
        }"""
    )
    tab.page.locator(".copy-menu summary").click()
    tab.page.get_by_role("button", name="Copy as PNG").click()
    tab.wait("window.copied !== undefined")
    start = base64.b64decode(tab.page.evaluate("window.copied"))
    assert start.startswith(b"\x89PNG\r\n")
    # Width and height, in twice the pixels of the SVG.
    assert int.from_bytes(start[16:20], "big") == 2 * 960
    assert int.from_bytes(start[20:24], "big") > 2 * 150


def test_a_png_that_cannot_be_copied_is_saved(open_page: OpenPage, nested_run: str) -> None:
    tab = open_page(nested_run)
    open_sample(tab, "nested")
    tab.page.evaluate("() => { navigator.clipboard.write = async () => { throw new Error('no') } }")
    tab.page.locator(".copy-menu summary").click()
    with tab.page.expect_download() as download:
        tab.page.get_by_role("button", name="Copy as PNG").click()
    assert download.value.suggested_filename == "nested.png"


def lane_boxes(tab: Tab) -> tuple[dict[str, float], dict[str, float]]:
    cells: list[Any] = tab.page.locator(".step-row.diverged .step-cell").all()
    actual, predicted = (cell.bounding_box() for cell in cells)
    return actual, predicted


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_lanes_are_stacked_in_a_narrow_window(
    open_page: OpenPage, nested_run: str, scheme: str
) -> None:
    tab = open_page(nested_run, width=390)
    tab.page.emulate_media(color_scheme=scheme)
    open_sample(tab, "nested")
    actual, predicted = lane_boxes(tab)
    assert predicted["y"] >= actual["y"] + actual["height"] - 1
    assert predicted["x"] == actual["x"]
    for box in (actual, predicted):
        assert box["x"] + box["width"] <= 390
    box = tab.page.locator(".timeline-box")
    assert box.evaluate("element => element.scrollWidth <= element.clientWidth")
    assert tab.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    # A step is chosen by a tap on either of its lines.
    row = tab.page.locator("#step-1")
    row.scroll_into_view_if_needed()
    row.locator(".step-cell").last.click()
    assert tab.step() == 1
    assert tab.accessibility_violations() == []


def test_the_lanes_are_side_by_side_in_a_wide_window(open_page: OpenPage, nested_run: str) -> None:
    tab = open_page(nested_run)
    open_sample(tab, "nested")
    actual, predicted = lane_boxes(tab)
    assert predicted["y"] == actual["y"]
    assert predicted["x"] >= actual["x"] + actual["width"] - 1
