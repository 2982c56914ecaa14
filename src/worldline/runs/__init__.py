"""Predictions put to the test, many at a time."""

from worldline.runs.replay import Sample, diagnose_recorded, examine, sample_to_json

__all__ = ["Sample", "diagnose_recorded", "examine", "sample_to_json"]
