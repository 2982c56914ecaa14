"""A small program and predictions of it, made by hand: one for each kind of outcome."""

from pathlib import Path

PREDICTIONS = Path(__file__).parent / "predictions.jsonl"
