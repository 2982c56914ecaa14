"""Calibration of a run as lines of text and as JSON."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.text import Text

from worldline.core.util.text import pluralize
from worldline.evaluation.metrics import Calibration
from worldline.interfaces.report.number_format import percent, share_text


def calibration_lines(calibration: Calibration) -> Iterator[Text]:
    """Yield the share of correct answers at each level of confidence.

    81–100% agree      12 of 15: 80.0% (95% interval 54.8 to 93.0)
    """
    yield Text(
        f"Calibration: {pluralize(calibration.questions, 'question')}, by the share of repeats "
        f"that give the most frequent answer; expected error {percent(calibration.error)} points",
        "bold",
    )
    for one in calibration.bins:
        agreeing = f"{100 * one.low:.0f}–{100 * one.high:.0f}% agree"
        yield Text(f"{agreeing:<18} {share_text(one.correct)}")


def calibration_to_json(calibration: Calibration) -> dict[str, Any]:
    """Return the calibration as plain JSON data."""
    return asdict(calibration)
