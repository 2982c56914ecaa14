"""Predictions put to the test, many at a time."""

from worldline.runs.replay import Sample, diagnose_recorded, examine

__all__ = ["Sample", "diagnose_recorded", "examine"]
