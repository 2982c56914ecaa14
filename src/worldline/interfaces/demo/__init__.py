"""Example predictions of a small program, one for each outcome."""

from pathlib import Path

PREDICTIONS = Path(__file__).parent / "predictions.jsonl"
