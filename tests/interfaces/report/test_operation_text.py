"""Accuracy by operation as text and JSON."""

from tests.interfaces.report.printing import printed
from tests.support.simulated_operations import step
from worldline.analysis.stats import OddsRatio, Share
from worldline.evaluation.metrics import OperationModel
from worldline.evaluation.metrics.operation_accuracy import ClusteredStep, summarize_operations
from worldline.interfaces.report.operation_text import (
    model_lines,
    operation_report,
    operations_to_json,
    share_of_steps,
)

STEPS = [
    ClusteredStep(str(number), step(number % 6 != 0, "str.replace", nesting=1 + number % 2))
    for number in range(60)
] + [ClusteredStep("shared", step(False, "str.replace", "str.upper"))]


def test_a_rate_is_one_cell() -> None:
    assert share_of_steps(Share(342, 412, 0.71, 0.912)) == "83% (71–91) of 412"
    # Near 100%, whole percents would not show a difference.
    assert share_of_steps(Share(1071, 1078, 0.981, 0.9961)) == "99.4% (98.1–99.6) of 1,078"
    assert share_of_steps(Share(0, 0, None, None)) == "·"


def test_the_report_has_rates_groups_and_the_reason_for_no_model() -> None:
    results = summarize_operations(STEPS, predictions=61, diverged=11)
    text = "".join(printed(part, width=100) for part in operation_report(results))
    assert "Operations in the correct part of 61 predictions" in text
    assert "11 wrong steps of 11 predictions that diverged, in 61 programs" in text
    (row,) = [line for line in text.splitlines() if line.strip().startswith("str.replace")]
    assert "83% (72–91) of 60" in row
    assert "0% (0–79) of 1" in row
    assert "nesting" in text
    assert "too few data for a model" in text


def test_the_model_is_a_table_and_sentences() -> None:
    alone = OddsRatio("str.replace", 0.2, 0.1, 0.5)
    adjusted = (
        OddsRatio("str.replace", 0.9, 0.4, 2.1),
        OddsRatio("size, per doubling", 0.5, 0.3, 0.8),
    )
    model = OperationModel(900, 80, 60, "all other operations", (alone,), adjusted)
    text = "".join(printed(part, width=100) for part in model_lines(model, ""))
    assert "0.2 (0.1–0.5)" in text
    assert "0.9 (0.4–2.1)" in text
    assert "- longer values are harder, with equal operations" in text
    assert "- str.replace: size and nesting explain it, not the operation" in text


def test_json_has_every_operation_and_the_note() -> None:
    data = operations_to_json(summarize_operations(STEPS, predictions=61, diverged=11))
    rates = {rate["name"]: rate for rate in data["operations"]}
    assert rates.keys() == {"str.replace", "str.upper"}
    assert (rates["str.replace"]["single"]["correct"], rates["str.replace"]["single"]["of"]) == (
        50,
        60,
    )
    assert rates["str.upper"]["single"]["value"] is None
    assert data["model"] is None
    assert data["note"].startswith("too few data")
    assert data["unit"] == "characters"
