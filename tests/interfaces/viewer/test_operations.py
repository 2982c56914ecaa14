"""Accuracy by operation on the page: measured on request, or written into a report file."""

from tests.interfaces.viewer.browsers import OpenPage
from worldline.interfaces.api.run import Run


def test_operations_are_measured_on_request(open_page: OpenPage, intervened_run: str) -> None:
    tab = open_page(intervened_run)
    button = tab.page.get_by_role("button", name="Measure the accuracy by operation")
    # A report file has them already.
    if button.count():
        button.click()
    table = tab.page.get_by_role("region", name="Correct steps by operation")
    table.wait_for()
    rates = {rate.name: rate for rate in Run(intervened_run).operations().rates}
    rows = [row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr").all()]
    assert {row[0] for row in rows} == set(rates)
    (sum_row,) = [row for row in rows if row[0] == "int +"]
    single = rates["int +"].single
    assert single.correct < single.of
    assert sum_row[1].startswith(f"{single.correct} of {single.of}: ")
    assert "too few data for a model" in tab.page.inner_text(".overview")
    assert tab.accessibility_violations() == []


def test_a_scored_run_predicts_no_steps(open_page: OpenPage, scored_run: str) -> None:
    tab = open_page(scored_run)
    assert tab.page.get_by_role("button", name="Measure the accuracy by operation").count() == 0
